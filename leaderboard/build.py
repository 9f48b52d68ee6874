"""Building the site: a tree of pages beside the output, then MkDocs, then one rename."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ircore import __version__
from ircore.errors import InputError, WorkError
from ircore.files import write_text
from ircore.games.prompts import load_prompts
from ircore.records import json_schemas
from ircore.runs import RunFolder
from leaderboard.badges import badge_files
from leaderboard.boards import board_pages
from leaderboard.charts import figures
from leaderboard.citation import citation_page
from leaderboard.compare import Comparisons, compare_page
from leaderboard.export import leaderboard_csv, leaderboard_json
from leaderboard.feed import changes_page, feed_files
from leaderboard.figures import figures_page
from leaderboard.galleries import gallery_pages
from leaderboard.limits import limits_page
from leaderboard.overview import overview_pages
from leaderboard.pairs import pair_pages
from leaderboard.paper import paper_page
from leaderboard.pictures import ENCODING
from leaderboard.players_pages import player_pages
from leaderboard.render import Renderer
from leaderboard.sections import read_sections, with_section
from leaderboard.shards import gallery_shards
from leaderboard.site import Page, Site
from leaderboard.theme import stylesheet

MARKER = ".ircore-site.json"
"""In the root of every site of ours: only a folder that holds it, or an empty one, is replaced."""

SOURCES = Path(__file__).resolve().parents[1]
"""Where ``mkdocs.yml`` and ``docs`` lie."""

ASSETS = Path(__file__).resolve().parent / "assets"


@dataclass(frozen=True)
class BuildReport:
    """What a build made."""

    pages: int
    """Pages written by templates; the hand-written ones are not counted."""

    pictures: int
    """Different pictures shown."""

    encoded: int
    """Of these, pictures that an earlier build had not encoded yet."""


def build_site(
    runs: Sequence[Path], out: Path, sources: Path = SOURCES, judge: str | None = None, address: str = ""
) -> BuildReport:
    """Build the site of some runs.

    Args:
        runs: Run folders, all on the same instance set.
        out: The site's folder: missing, empty, or an earlier build, which is replaced at the end.
        sources: Folder with ``mkdocs.yml`` and ``docs``.
        judge: Who judges on pages with room for one; None for the choice of ``leaderboard.judges.site_judge``.
        address: Where the site will stand, absolute and ending in a slash: for what has to be found from elsewhere,
            such as feeds and badges. Empty if that is not known.

    Raises:
        InputError: The runs cannot be shown together, or ``out`` holds something else.
        WorkError: MkDocs failed, or the disk is full.
    """
    if out.is_symlink():
        # The folder that the link names is replaced, not the link.
        out = Path(os.path.realpath(out))
    _check(out, sources)
    site = Site([RunFolder.open(path) for path in runs], judge, address)
    pages = list(all_pages(site))
    with _workplace(out) as name:
        work = Path(name)
        _copy_sources(sources, work, address)
        render_pages(site, pages, work / "docs")
        encoded = site.pictures.write(work / "docs", _earlier(out))
        _run_mkdocs(work)
        # It refers to the server's root, which is wrong wherever the site lies in a folder.
        (work / "site" / "404.html").unlink(missing_ok=True)
        marker = {"ircore": __version__, "pictures": ENCODING, "instance_set": site.results.instance_set}
        write_text(work / "site" / MARKER, json.dumps(marker) + "\n")
        _replace(work / "site", out)
    return BuildReport(len(pages), len(site.pictures), encoded)


def all_pages(site: Site) -> Iterator[Page]:
    """Yield every page that templates write."""
    prompts = Page("prompts", "Prompts", "prompts", {"prompts": load_prompts("reconstruction")}, True)
    single = (paper_page(), prompts, compare_page(Comparisons(site)), limits_page(site), changes_page(site))
    several = (overview_pages(site), board_pages(site), pair_pages(site), player_pages(site), gallery_pages(site))
    return chain(*several, single, (figures_page(site), citation_page()))


def render_pages(site: Site, pages: Sequence[Page], docs: Path) -> None:
    """Write the sources of pages and everything they refer to but the pictures."""
    wanted = {name for page in pages for name in page.values.get("charts", ())}
    charts = figures(site.results, site.pairs, wanted, site.judge)
    renderer, sections = Renderer(site, charts), read_sections(SOURCES / "mkdocs.yml")
    for name, chart in charts.items():
        if not chart.missing:
            write_text(docs / "charts" / f"{name}.json", chart.json())
            write_text(docs / "charts" / f"{name}.csv", chart.csv())
    for page in pages:
        write_text(docs / f"{page.path}.md", with_section(renderer.markdown(page), page.path, sections))
    for path, text in gallery_shards(site):
        write_text(docs / path, text)
    for path, text in chain(badge_files(site), feed_files(site), Comparisons(site).files()):
        write_text(docs / path, text)
    write_text(docs / "assets" / "css" / "theme.css", stylesheet())
    write_text(docs / "data" / "leaderboard.csv", leaderboard_csv(site.results))
    write_text(docs / "data" / "leaderboard.json", leaderboard_json(site.results))
    for name, schema in json_schemas().items():
        write_text(docs / "schemas" / f"{name}.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


def _check(out: Path, sources: Path) -> None:
    if not (sources / "mkdocs.yml").is_file():
        raise InputError(
            f"{sources}: no mkdocs.yml, so there are no hand-written pages to build from",
            "Build the site from a checkout of the repository (pip install -e .[site]).",
        )
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file()):
        raise InputError(f"{out}: exists and is no site of ours (no {MARKER})", "Choose another --out, or remove it.")


def _workplace(out: Path) -> tempfile.TemporaryDirectory[str]:
    """Make a folder beside ``out`` that goes when the build is over."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent)
    except OSError as error:
        raise WorkError(f"{out}: cannot be written ({error.strerror})", "Choose another --out.") from error


def _earlier(out: Path) -> Path | None:
    """Return the earlier build if its pictures can be taken over."""
    try:
        marker = json.loads((out / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return out if isinstance(marker, dict) and marker.get("pictures") == ENCODING else None


def _copy_sources(sources: Path, work: Path, address: str) -> None:
    ignored = shutil.ignore_patterns("generated", ".*")
    try:
        shutil.copytree(sources / "docs", work / "docs", ignore=ignored)
        shutil.copytree(ASSETS, work / "docs" / "assets", dirs_exist_ok=True, ignore=ignored)
        settings = (sources / "mkdocs.yml").read_text(encoding="utf-8")
        # A string in JSON is a string in YAML.
        write_text(work / "mkdocs.yml", settings + (f"\nsite_url: {json.dumps(address)}\n" if address else ""))
        sections = read_sections(sources / "mkdocs.yml")
        for page in (work / "docs").glob("*.md"):
            write_text(page, with_section(page.read_text(encoding="utf-8"), page.stem, sections))
    except OSError as error:
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
        raise WorkError(f"{work}: cannot be written ({reason})", "Free some space.") from error


def _run_mkdocs(work: Path) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", "site"]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise WorkError(f"mkdocs build --strict failed:\n{said}", "Mend what it names; the earlier site is untouched.")


def _replace(made: Path, out: Path) -> None:
    """Put the new site in the place of the old one; on failure the old one is back."""
    old = made.parent / "old"
    try:
        if out.is_dir():
            out.rename(old)
        try:
            made.rename(out)
        except OSError:
            if old.is_dir():
                old.rename(out)
            raise
    except OSError as error:
        raise WorkError(f"{out}: cannot be replaced ({error.strerror})", "Choose another --out.") from error
