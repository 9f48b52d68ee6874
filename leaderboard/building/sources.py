"""Input of MkDocs: hand-written pages, assets, theme overrides and settings, copied into the build folder."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from markupsafe import escape
from pydantic.json_schema import models_json_schema

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.records import Instance, Record
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.games.registry import build_manifest_form, load_installed_games
from ircore.scorers.judge_test.page import read_card_style
from leaderboard.building.bundle import strip_comments, write_bundles
from leaderboard.building.menus import Menu, add_front_matter, read_menu, select_navigation
from leaderboard.building.shells import has_own_shell
from leaderboard.building.tree import Tree
from leaderboard.building.try_it import pack_canvas
from leaderboard.model.site import LEADERBOARD, Page
from leaderboard.pages.feed import NAME
from leaderboard.skeleton import SKELETON
from leaderboard.storage.output_folder import write_text
from leaderboard.theme import build_stylesheet

SETTINGS = "mkdocs.yml"

ABSENT = "absent"
"""Template of pages that only state that they have no content, so that links to them work."""

_PACKAGE = Path(__file__).resolve().parents[1]


def check_sources() -> None:
    """Check that the hand-written pages are there.

    Raises:
        InputError: They are not.
    """
    if not (SKELETON / SETTINGS).is_file():
        raise InputError(
            f"{SKELETON}: no {SETTINGS}, so there are no hand-written pages to build from",
            "Install the package again: pip install --force-reinstall 'ircore[site]'",
        )


def copy_sources(
    tree: Tree,
    pages: Sequence[Page],
    games: Sequence[tuple[str, str]],
    address: str,
    title: str = NAME,
) -> Menu:
    """Copy everything that MkDocs reads into the build folder, and return the menu of the site.

    Args:
        tree: Folders of the build.
        pages: Pages that templates write; the navigation leaves out pages without content.
        games: Title and path of the board of each other game.
        address: Address of the site, absolute, ending in a slash; empty if unknown.
        title: Name of the site.

    Raises:
        WorkError: The disk is full.
    """
    ignored = shutil.ignore_patterns("generated", ".*")
    try:
        shutil.copytree(SKELETON / "docs", tree.docs, ignore=ignored)
        # Modules and the browser's Python go in as bundles and as an archive, style sheets without comments.
        plain = shutil.ignore_patterns("js", "css", "python", ".*")
        shutil.copytree(_PACKAGE / "assets", tree.docs / "assets", dirs_exist_ok=True, ignore=plain)
        write_bundles(tree.docs / "assets" / "js")
        for sheet in sorted((_PACKAGE / "assets" / "css").glob("*.css")):
            text = strip_comments(sheet.read_text(encoding="utf-8"))
            write_text(tree.docs / "assets" / "css" / sheet.name, text)
        write_bytes(tree.docs / "assets" / "try" / "canvas.zip", pack_canvas())
        shutil.copytree(_PACKAGE / "overrides", tree.overrides, ignore=ignored)
    except OSError as error:
        # shutil.Error holds a list of (source, target, reason) and no strerror.
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
        raise WorkError(f"{tree.work}: cannot be written ({reason})", "Free some space.") from error
    write_text(tree.docs / "assets" / "css" / "theme.css", build_stylesheet())
    write_text(tree.docs / "assets" / "css" / "judge-card.css", read_card_style())
    for name, schema in build_json_schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        write_text(tree.docs / "schemas" / f"{name}.json", text)
    for name in LEADERBOARD:
        write_text(tree.docs / name, "")  # MkDocs refuses links to missing files; the content comes later
    settings = yaml.safe_load((SKELETON / SETTINGS).read_text(encoding="utf-8"))
    known = {path.relative_to(tree.docs).as_posix() for path in tree.docs.rglob("*.md")}
    shown = {f"{page.path}.md" for page in pages if page.template != ABSENT}
    settings["nav"] = select_navigation(settings["nav"], known | shown, games)
    menu = read_menu(settings["nav"])
    settings["extra"]["tabs"] = menu.links()
    for page in known:
        source = tree.docs / page
        place = menu.place(page.removesuffix(".md"))
        write_text(source, add_front_matter(source.read_text(encoding="utf-8"), {"place": place}))
    if title != NAME:
        # The theme does not escape titles; the description speaks of the reconstruction game.
        name = str(escape(title))
        settings |= {"site_name": name, "site_description": f"{name}: scores, intervals and episodes."}
    settings["extra"]["feeds"] = "changes.md" in shown
    settings["not_in_nav"] += "".join(f"/{page.path}.md\n" for page in pages if has_own_shell(page))
    if address:
        settings["site_url"] = address
    write_text(tree.settings, yaml.safe_dump(settings, allow_unicode=True, sort_keys=False))
    return menu


def _build_union_schema(forms: Sequence[type[Record]]) -> dict[str, Any]:
    """Return a schema that takes whatever one of the records takes."""
    # Each has a title of its own, by which a definition is told from that of another game.
    schemas = [(form, "validation") for form in forms]
    known, document = models_json_schema(schemas)  # type: ignore[arg-type]  # of any kind of record
    return {"anyOf": list(known.values()), **document}


def build_json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every record by the record's name, for publishing."""
    kinds = (Instance, Run, Episode, Score, JudgeIdentity, Score)
    forms = tuple(build_manifest_form(game) for game in load_installed_games()[0].values())
    manifest = {"title": "Submission", **_build_union_schema(forms)}
    return {**{kind.__name__.lower(): kind.model_json_schema() for kind in kinds}, "submission": manifest}
