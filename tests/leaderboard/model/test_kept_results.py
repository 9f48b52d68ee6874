"""Effects and means of players: taken from the build before while no run of theirs changed, computed anew otherwise."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from invented import invented_run, invented_set

from ircore.results.effects import grid_effects, player_grid
from ircore.results.model import Results
from ircore.results.players import player_result
from leaderboard.model.kept_results import effects_of_players, player_of
from leaderboard.model.site import Site
from leaderboard.storage.build_cache import FOLDER, BuildCache

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


@pytest.mark.slow
def test_a_new_pair_outside_the_grid_leaves_the_effects_and_the_other_players_as_they_are(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    made = effects_of_players(site, site.results, JUDGE, "photos", "hard")
    strong = player_of(site, "describer", "strong")
    grown = site_of({**GRID, ("zealous", "x"): 9.0}, after, before)
    assert effects_of_players(grown, grown.results, JUDGE, "photos", "hard") == made
    assert player_of(grown, "describer", "strong") == strong
    assert entries(after) == entries(before)
    # What is kept is what would be computed.
    assert made == grid_effects(grown.results, player_grid(grown.results), JUDGE, "photos", "hard")
    assert strong == player_result(grown.results, "describer", "strong", JUDGE)


@pytest.mark.slow
def test_a_pair_that_is_scored_anew_or_joins_a_player_changes_what_depends_on_it(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    effects_of_players(site, site.results, JUDGE)
    player_of(site, "generator", "x")
    changed = site_of({**GRID, ("weak", "x"): 5.0}, after, before)
    assert effects_of_players(changed, changed.results, JUDGE) == grid_effects(
        changed.results, player_grid(changed.results), JUDGE
    )
    assert player_of(changed, "generator", "x") == player_result(changed.results, "generator", "x", JUDGE)
    assert entries(after).isdisjoint(entries(before))
