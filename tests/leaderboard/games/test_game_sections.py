"""Boards of other games on the site keep the rules of all boards."""

import re
from dataclasses import replace

import pytest
from invented_games import Guessing, guessed, guessing_set

from ircore.results.games import GameResults
from leaderboard.games.board import board_lines
from leaderboard.games.pages import game_pages
from leaderboard.games.section import GameSection
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import PictureBook


@pytest.mark.parametrize(("per_condition", "few"), [(2, True), (5, False)])
def test_a_small_cell_of_fewer_than_five_episodes_is_said_to_be_too_few(per_condition: int, few: bool) -> None:
    run = guessed("pair", guessing_set(per_condition), [4.0, 6.0] * 2 * per_condition)
    section = GameSection(GameResults.from_runs(Guessing(), [run]), PictureBook())
    (line,) = board_lines(section)
    cells = [cell for column in line.heats for cell in column]
    assert len(cells) == 4
    assert {cell.few for cell in cells} == {few}
    assert all(cell.title.endswith(f"n {per_condition}{': too few' if few else ''}") for cell in cells)


def test_a_board_says_its_conditions_and_leads_to_its_files() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    ruled = replace(run, run=run.run.model_copy(update={"rules": {"hops": 8, "live": False, "preset": ""}}))
    section = GameSection(GameResults.from_runs(Guessing(), [ruled]), PictureBook())
    board = next(page for page in game_pages([section]) if page.path == "games/guessing/index")
    html = Renderer(None, {}).block(board)
    words = " ".join(re.sub("<[^>]+>", "", html).split())
    assert f"Instance set {run.run.instance_set[:8]}; rules: hops 8, live no; ircore {run.run.version}." in words
    assert 'href="../../games/guessing/board.csv"' in html
    assert 'href="../../games/guessing/board.json"' in html


def test_runs_by_different_rules_are_said_to_have_several() -> None:
    instances = guessing_set(5)
    runs = [guessed(name, instances, [4.0, 6.0] * 10) for name in ("long", "short")]
    ruled = [
        replace(run, run=run.run.model_copy(update={"rules": {"hops": hops}}))
        for run, hops in zip(runs, (8, 2), strict=True)
    ]
    assert GameSection(GameResults.from_runs(Guessing(), ruled), PictureBook()).rules == "several"


@pytest.mark.parametrize(
    ("values", "said"), [([[4.0, 6.0]], ["4.00", "6.00"]), ([[4.0, 6.0], [5.0, 6.0]], ["4.00–5.00", "6.00"])]
)
def test_the_gallery_says_a_value_that_all_runs_share_once(values: list[list[float]], said: list[str]) -> None:
    instances = guessing_set(5)
    runs = [guessed(f"pair-{number}", instances, own * 10) for number, own in enumerate(values)]
    section = GameSection(GameResults.from_runs(Guessing(), runs), PictureBook())
    gallery = next(page for page in game_pages([section]) if page.path == "games/guessing/gallery")
    shown = re.findall('class="muted final">([^<]+)<', Renderer(None, {}).block(gallery))
    assert shown[:2] == said
