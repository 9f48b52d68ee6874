"""Hard targets of the second edition are played no better than easy ones, by a pair and by a ceiling."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore
from ircore.games.reconstruction.build_targets import BUILDERS
from ircore.results.model import Cell, Results
from ircore.results.statistics.independent import difference_of
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs

PER_CONDITION = "4"


def played(submission: str, folder: Path, name: str) -> RunFolder:
    command = ["play", submission, "--instances", str(folder / "targets"), "--out", str(folder / name)]
    assert ircore(command) == 0
    return RunFolder.open(folder / name)


def check_that_shares_do_not_rise(player: str, cells: Mapping[tuple[str, str | None, str | None], Cell]) -> None:
    """Over all categories the mean falls; within one, no rise is beyond chance (95 % interval) at so few targets."""
    for category in (None, *BUILDERS):
        easy, hard = (cells[player, category, difficulty].main for difficulty in ("easy", "hard"))
        rise = difference_of(hard, easy)
        assert rise.mean is not None
        assert rise.low is not None
        assert rise.low <= 0, (player, category, rise)
        if category is None:
            assert rise.mean < 0, (player, rise)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verified_share_of_a_pair_and_of_a_ceiling_does_not_rise_from_easy_to_hard(tmp_path: Path) -> None:
    build = ["instances", "build", "--out", str(tmp_path / "targets"), "--edition", "2", "--seed", "2026"]
    chosen = [word for category in BUILDERS for word in ("--category", category)]
    assert ircore([*build, "--per-condition", PER_CONDITION, *chosen]) == 0
    ceiling = tmp_path / "ceiling" / "submission.yaml"
    ceiling.parent.mkdir()
    ceiling.write_text(
        "schema: 1\nname: ceiling\ndescriber: {player: scene}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n",
        encoding="utf-8",
    )
    runs = [played("captioner+canvas", tmp_path, "pair"), played(str(ceiling.parent), tmp_path, "reference")]
    score_runs(runs, ScoringPlan(("verified",), metrics=()))
    results = Results.from_runs(runs)
    (pair,), (reference,) = results.submissions, results.references
    both = [
        *((("pair", *key[1:3]), cell) for key, cell in results.cells.items() if key[0] == pair.run_id),
        *((("ceiling", *key[:2]), cell) for key, cell in reference.cells.items()),
    ]
    cells = dict(both)
    for player in ("pair", "ceiling"):
        check_that_shares_do_not_rise(player, cells)
    for category in BUILDERS:  # a ceiling that leaves things unsaid would hide how hard they are
        share = cells["ceiling", category, "easy"].main.mean
        assert share is not None
        assert share > 85, category
    best, usual = (cells[player, None, "hard"].main.mean for player in ("ceiling", "pair"))
    assert best is not None
    assert usual is not None
    assert best > 50 > usual  # a ceiling and a weak pair: the two ends of the scale
