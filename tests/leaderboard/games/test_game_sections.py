"""Boards of other games on the site keep the rules of all boards."""

import pytest
from invented_games import Guessing, guessed, guessing_set

from ircore.results.games import GameResults
from leaderboard.games.board import board_lines
from leaderboard.games.section import GameSection
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
