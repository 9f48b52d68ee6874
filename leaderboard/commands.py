"""``ircore site``: build the leaderboard site, or look at it on this machine."""

from pathlib import Path
from re import fullmatch
from typing import Any

import click

from ircore.commands.options import SeveralPathsCommand, echo_json, json_option, runs_option
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable


@click.group("site")
def command() -> None:
    """Build the leaderboard site, or serve it here."""


_versions_option = click.option(
    "--versions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The benchmark's released versions; by default this project's versions.",
)


@command.command("build", cls=SeveralPathsCommand)
@runs_option
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The site's folder; an earlier site is replaced."
)
@click.option(
    "--judge",
    metavar="NAME",
    help="Judge of the front page; by default verified, else the first of people, models and formulas that rated at "
    "least half as many pairs as the judge with most ratings.",
)
@click.option(
    "--site-url",
    "address",
    default="",
    metavar="URL",
    help="Where the site will stand: for feeds, badges and the site map.",
)
@click.option(
    "--version", metavar="NAME", help="Benchmark version that the runs must belong to; other runs are refused."
)
@click.option(
    "--archive",
    type=click.Path(path_type=Path),
    help="Folder of frozen boards (ircore site freeze): former versions, shown read-only.",
)
@click.option(
    "--image-base-url",
    "originals",
    default="",
    metavar="URL",
    help="Address of the original pictures, each named by SHA-256 and suffix, at a fixed revision: readers zoom into "
    "these, and the site holds thumbnails only.",
)
@_versions_option
@click.option(
    "--submissions",
    type=click.Path(path_type=Path),
    help="Folder of all submissions: those without a run are listed without numbers, and the history of each is shown.",
)
@click.option(
    "--judge-card",
    "judge_cards",
    multiple=True,
    type=click.Path(path_type=Path),
    help="card.json of a judge, from ircore judge-test; may be repeated.",
)
@click.option(
    "--study",
    "studies",
    multiple=True,
    metavar="RUN",
    type=click.Path(path_type=Path),
    help="Run that people rated to hold judges against them, such as a judge test's, for the page of people alone; may "
    "be repeated.",
)
@click.option(
    "--names",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="People's names for pictures, in the layout of KiloGram's dense.json, for a page on how far they diverge; may "
    "be repeated. Ids are those of targets, or INSTANCE/PICTURE in a reference game.",
)
@click.option(
    "--season",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Gaps to a season, from ircore maintain season gap --out: a column of that judge's board. Those of the "
    "release that the runs were pulled from if not given.",
)
@json_option
def build(
    runs: tuple[Path, ...],
    out: Path,
    address: str,
    originals: str,
    versions: Path | None,
    as_json: bool,
    **choices: Any,
) -> None:
    """Build the site of scored runs: boards, matrix, a page per pair and a gallery page per instance."""
    import os
    from dataclasses import asdict
    from time import perf_counter

    # A build has a process for each core; threads of NumPy in each would wait for one another. NumPy reads it once.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ircore.instances.benchmark import RECORDS
    from leaderboard.building.content import Options
    from leaderboard.building.site_build import build_site

    begun = perf_counter()
    options = Options(
        address=_parse_address("--site-url", address),
        originals=_parse_address("--image-base-url", originals),
        versions=versions or RECORDS,
        **choices,
    )
    report = build_site(runs, out, options)
    if as_json:
        echo_json({"site": out / "index.html", **asdict(report), "seconds": round(perf_counter() - begun, 1)})
        return
    click.echo(f"{out / 'index.html'}", err=False)
    click.echo(
        f"{format_count(report.pages, 'page')}, {format_count(report.pictures, 'picture')} "
        f"({report.encoded} newly encoded), "
        f"{perf_counter() - begun:.1f} s",
        err=True,
    )


def _parse_address(option: str, url: str) -> str:
    """Return an address that names can be appended to."""
    if url and not fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", url):
        raise InputError(
            f"{option} {make_printable(url)}: not a web address", "Give it as https://example.org/folder/."
        )
    return url if not url or url.endswith("/") else f"{url}/"


@command.command("freeze")
@click.argument("site", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The folder to make, such as versions/2026.1."
)
@_versions_option
@json_option
def freeze(site: Path, out: Path, versions: Path | None, as_json: bool) -> None:
    """Keep the boards of the built site SITE as the boards of its benchmark version, for ``site build --archive``.

    The folder holds them as data and as pages that need nothing else.
    """
    from ircore.instances.benchmark import RECORDS, read_versions
    from leaderboard.building.site_build import read_marker
    from leaderboard.frozen_boards import freeze_site

    record = freeze_site(site, out, read_marker(site), read_versions(versions or RECORDS))
    if as_json:
        echo_json({"boards": out / "index.html", "version": record.name, "instance_set": record.instance_set})
    else:
        click.echo(f"{out / 'index.html'}: boards of benchmark {record.name}")


@command.command("record")
@click.argument("site", type=click.Path(path_type=Path))
@click.argument("name")
@click.option("--date", metavar="YYYY-MM-DD", help="Day of the release; today by default.")
@click.option("--notes", metavar="TEXT", help="News of the version, in one line.")
@_versions_option
def record(site: Path, name: str, date: str | None, notes: str | None, versions: Path | None) -> None:
    """Release the benchmark that the built site SITE shows as version NAME: its targets and prompts are final now."""
    from ircore.instances.benchmark import RECORDS, record_version
    from leaderboard.building.site_build import read_marker
    from leaderboard.frozen_boards import make_released_version

    path = versions or RECORDS
    made = make_released_version(read_marker(site), name, date, notes)
    record_version(made, path)
    click.echo(f"{path}: version {made.name} is set {made.instance_set[:8]}; build the site again to show it")


@command.command("check")
@click.argument("folder", default="build/demo/site", metavar="[DIR]", type=click.Path(path_type=Path))
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Check the pages of the site in DIR: links, anchors, headings, policy, and that nothing runs or reaches out."""
    from leaderboard.building.site_check import check_site

    findings, pages = check_site(folder)
    if as_json:
        echo_json({"pages": pages, "findings": [str(finding) for finding in findings]})
    for finding in () if as_json else findings:
        click.echo(make_printable(str(finding)))
    if findings:
        raise WorkError(
            f"{folder}: {format_count(len(findings), 'finding')} on {format_count(pages, 'page')}",
            "Correct what each line names.",
        )
    click.echo(f"{format_count(pages, 'page')}, nothing found", err=True)


@command.command("serve")
@click.argument("folder", default="build/demo/site", metavar="[DIR]", type=click.Path(path_type=Path))
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port of the page; 0 takes any free port.",
)
def serve(folder: Path, port: int) -> None:
    """Serve the site in DIR (build/demo/site by default) to this machine only, until Ctrl-C."""
    from leaderboard.building.serve import serve_site

    serve_site(folder, port, announce=click.echo)
