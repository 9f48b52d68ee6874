"""Boards of other games in a real browser: on a phone rows are sorted by a menu."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from invented import InventedRun
from invented_games import Guessing, guessed, guessing_set
from visits import visit_in

import leaderboard
from ircore.core.records import PlayerSpec
from ircore.core.score_records import Score
from ircore.games.base import Pages
from ircore.games.reasoning.game import DRAWER, READER, THINKER, ReasoningGame
from ircore.results.model import Results
from leaderboard import theme
from leaderboard.building.bundle import bundle
from leaderboard.games.pages import game_pages
from leaderboard.games.section import GameSection
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import PictureBook

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

CATEGORIES = ("jigsaw", "layout", "sudoku")
STYLES = ("theme", "site", "widgets", "board", "pages")
# A rem of the site is 20 CSS pixels, and its text stands 16 from the edges.
SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Board</title><link rel="icon" href="data:,"><link rel="stylesheet" href="shell.css">{styles}
<script src="table.js" defer></script></head><body><div class="irg md-typeset">{board}</div></body></html>"""
SHELL_STYLE = (
    "html { font: 20px/1.6 sans-serif; } body { margin: 16px 36px; font-size: .8rem; } svg { max-width: 100%; }"
)


class Reasoning(Guessing):
    """The seats, measures and columns of the reasoning tasks, which nobody plays."""

    seats = (DRAWER, READER, THINKER)
    measures = ReasoningGame.measures
    pages = Pages(columns=ReasoningGame.pages.columns)


def reasoned(drawer: str, share: float, answered: float) -> InventedRun:
    """A run that solves this share of its tasks, in sixths, and answers more or less of them."""
    instances = guessing_set(3, CATEGORIES)
    solved = [float(place % 6 < 6 * share) for place in range(len(instances.instances))]
    run = guessed(drawer, instances, solved, {"thinking": True}, "verified")
    values = {"right": share, "answered": answered, "recognised": 0.67, "drawn": 0.5, "gap": 0.17}
    more = [
        Score(episode_id=episode.episode_id, measure=measure, by="reasoning", value=min(1.0, value + 0.3 * (place % 2)))
        for place, episode in enumerate(run.played)
        for measure, value in values.items()
    ]
    players = {"drawer": drawer, "reader": "editor", "thinker": "solver"}
    seats = {seat: PlayerSpec(player=player) for seat, player in players.items()}
    submission = run.run.submission.with_players(seats)
    return replace(run, run=run.run.model_copy(update={"submission": submission}), given=(*run.given, *more))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game-boards")
    runs = [reasoned("editor", 5 / 6, 0.1), reasoned("painter", 3 / 6, 0.5), reasoned("sketcher", 1 / 6, 0.3)]
    section = GameSection(Results.from_runs(game=Reasoning(), runs=runs), PictureBook())
    page = next(page for page in game_pages([section]) if page.path.endswith("/index"))
    styles = "".join(f'<link rel="stylesheet" href="{name}.css">' for name in STYLES)
    for path in (Path(leaderboard.__file__).parent / "assets/css").glob("*.css"):
        shutil.copy(path, folder)
    (folder / "theme.css").write_text(theme.stylesheet())
    (folder / "shell.css").write_text(SHELL_STYLE)
    (folder / "table.js").write_text(bundle("table"))
    (folder / "index.html").write_text(SHELL.format(styles=styles, board=Renderer(None, {}).block(page)))
    return folder


def test_cards_of_a_phone_are_sorted_by_a_menu(browser: "Browser", address: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        page = visit_in(context, address).open("index.html")
        menu = page.get_by_label("Sort by")
        assert menu.locator("option:checked").inner_text() == "Main score"
        names = page.locator(".game-board .pair-describer")
        assert names.all_inner_texts() == ["editor°", "painter", "sketcher"]
        # Cards have no heads to explain their numbers.
        assert "paired comparisons" in str(page.locator("tbody .rank [title]").first.get_attribute("title"))
        menu.select_option("Answered")
        assert names.all_inner_texts() == ["painter", "sketcher", "editor°"]
        page.reload()
        assert menu.locator("option:checked").inner_text() == "Answered"
        assert names.all_inner_texts() == ["painter", "sketcher", "editor°"]
