"""Effects and means of players: taken from the build before while no run of theirs changed, computed anew otherwise."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from invented import invented_run, invented_set

from ircore.results.effects import average_player, estimate_grid_effects, find_player_grid
from ircore.results.model import Results
from leaderboard.model.player_ranks import load_player, load_player_effects, rank_players
from leaderboard.model.site import Site
from leaderboard.storage.build_cache import FOLDER, BuildCache

pytestmark = pytest.mark.slow

SET = invented_set(10, ("geometry", "photos"))
JUDGE = "structural"
GRID = {("strong", "x"): 8.0, ("strong", "y"): 6.0, ("weak", "x"): 4.0, ("weak", "y"): 3.0}


def site_of(levels: dict[tuple[str, str], float], folder: Path, earlier: Path | None = None) -> Site:
    runs = [invented_run(SET, describer, generator, level, 0.3) for (describer, generator), level in levels.items()]
    results = Results.from_runs(runs)
    # In place of the hash of a run's records.
    keyed = {run.run.run_id: SimpleNamespace(key=repr(sorted(levels.items())[place])) for place, run in enumerate(runs)}
    parts: dict[str, Any] = {"results": results, "judge": JUDGE, "runs": keyed, "cache": BuildCache(folder, earlier)}
    return cast(Site, SimpleNamespace(**parts))


def entries(folder: Path) -> set[str]:
    return {path.name for path in (folder / FOLDER).rglob("*") if path.is_file()}


def test_a_new_pair_outside_the_grid_leaves_the_effects_and_the_other_players_as_they_are(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    made = load_player_effects(site, site.results, JUDGE, "photos", "hard")
    strong = load_player(site, "describer", "strong")
    grown = site_of({**GRID, ("zealous", "x"): 9.0}, after, before)
    assert load_player_effects(grown, grown.results, JUDGE, "photos", "hard") == made
    assert load_player(grown, "describer", "strong") == strong
    assert entries(after) == entries(before)
    # What is kept is what would be computed.
    assert made == estimate_grid_effects(grown.results, find_player_grid(grown.results), JUDGE, "photos", "hard")
    assert strong == average_player(grown.results, "describer", "strong", JUDGE)


def test_a_pair_that_is_scored_anew_or_joins_a_player_changes_what_depends_on_it(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    load_player_effects(site, site.results, JUDGE)
    load_player(site, "generator", "x")
    changed = site_of({**GRID, ("weak", "x"): 5.0}, after, before)
    assert load_player_effects(changed, changed.results, JUDGE) == estimate_grid_effects(
        changed.results, find_player_grid(changed.results), JUDGE
    )
    assert load_player(changed, "generator", "x") == average_player(changed.results, "generator", "x", JUDGE)
    assert entries(after).isdisjoint(entries(before))


LEVELS = {("strong", "x"): 8.0, ("strong", "y"): 6.0, ("weak", "x"): 4.0, ("weak", "y"): 3.0}


def results_of(levels: dict[tuple[str, str], float]) -> Results:
    return Results.from_runs(
        [invented_run(SET, describer, generator, level, 0.3) for (describer, generator), level in levels.items()]
    )


def test_a_players_main_score_is_the_mean_of_its_pairs() -> None:
    results = results_of(LEVELS)
    mains = {(row.submission.describer, row.submission.generator): row.cell.main.mean for row in results.board(JUDGE)}
    board = rank_players(results, "describer", JUDGE)
    assert [row.submission for row in board.rows] == ["strong", "weak"]
    for row in board.rows:
        expected = [mean for (describer, _), mean in mains.items() if describer == row.submission and mean is not None]
        assert row.cell.main.mean == pytest.approx(sum(expected) / 2)
    assert [(row.rank_low, row.rank_high) for row in board.rows] == [(1, 1), (2, 2)]
    assert board.partners == ("x", "y")


def test_generators_are_ranked_by_the_same_rule_under_every_condition() -> None:
    apart = {("strong", "x"): 9.0, ("strong", "y"): 3.0, ("weak", "x"): 8.0, ("weak", "y"): 2.0}
    board = rank_players(results_of(apart), "generator", JUDGE, "geometry", "hard")
    assert [row.submission for row in board.rows] == ["x", "y"]
    assert board.against is not None
    assert board.against.verdict("x", "y") == 1
    assert board.rows[0].cell.main.n == 10


def test_a_player_that_lacks_a_partner_has_no_rank_and_does_not_move_the_others() -> None:
    board = rank_players(results_of({**LEVELS, ("stray", "z"): 9.9}), "describer", JUDGE)
    assert [(row.submission, row.rank_low) for row in board.rows] == [("strong", 1), ("weak", 2), ("stray", None)]
    assert board.rows[-1].cell.unranked_words == "not played with every partner of the full grid"
    alone = rank_players(results_of(LEVELS), "describer", JUDGE)
    assert board.rows[:2] == alone.rows


def test_players_that_share_no_partner_cannot_be_ranked() -> None:
    board = rank_players(results_of({("a", "x"): 5.0, ("b", "y"): 6.0}), "describer", JUDGE)
    assert [row.rank_low for row in board.rows] == [None, None]
    assert "share a partner" in str(board.rows[0].cell.unranked_words)
