"""Site, ``ircore results`` and a release give the same numbers, to the last bit, whatever way each came to them."""

import csv
import io
import json
import shutil
from pathlib import Path
from random import Random

import pytest
from releases import table
from samples import sample_instances, sample_run, sample_submission

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.tables.schema import LEADERBOARD
from ircore.core.score_records import Score
from ircore.games.reconstruction.records import Rules, list_rendered_turns
from ircore.results.model import Results
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import format_csv, list_flat_records
from ircore.runs.costs.totals import COSTS
from ircore.runs.folder import RunFolder
from ircore.runs.play import add_run_id
from leaderboard.model.site import LEADERBOARD as SITE_FILES
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.board_views import build_leaderboard_files

pytestmark = pytest.mark.slow

RATERS = (("eye", None), ("human", "ann"), ("human", "bea"), ("human", "cid"), ("ear", None))


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two pairs under two rules each, the fewer raters the later the run; values such as 7.1, which are rounded."""
    instances = sample_instances(tmp_path / "instances", per_condition=3)
    folders = []
    for at, (slug, turns) in enumerate((slug, turns) for slug in ("centre-block", "other-block") for turns in (10, 3)):
        path = tmp_path / "runs" / f"{slug}-{turns}"
        played = sample_run(path, instances, sample_submission(slug))
        made = add_run_id(played.run.model_copy(update={"rules": Rules(max_turns=turns).model_dump(mode="json")}))
        (path / "run.json").write_text(made.model_dump_json(by_alias=True), "utf-8")
        run, random = RunFolder(path), Random(at)
        run.add_scores(score for rater in RATERS[: (5, 5, 4, 1)[at]] for score in _scores(run, rater, random))
        costs = {episode.episode_id: {"usd": random.choice((0.1, 0.2, 0.7))} for episode in run.episodes()}
        (path / COSTS).write_text(json.dumps(costs), "utf-8")
        folders.append(path)
    return folders


def _scores(run: RunFolder, rater: tuple[str, str | None], random: Random) -> list[Score]:
    judge, annotator = rater
    turns = [(episode.episode_id, turn) for episode in run.episodes() for turn in list_rendered_turns(episode)]
    made = []
    for episode, turn in turns:
        assert turn.rendering is not None
        about = {"episode_id": episode, "by": judge, "annotator": annotator, "rendering": turn.rendering.sha256}
        value = random.randrange(40, 99) / 10
        made.append(Score.model_validate({**about, "step": turn.turn, "measure": "similarity", "value": value}))
        if turn.turn > 1:
            choice = random.choice((0, 0.5, 1))
            made.append(Score.model_validate({**about, "step": turn.turn, "measure": "preference", "value": choice}))
    return made


def board(paths: list[Path]) -> list[dict[str, object]]:
    """The leaderboard as ``ircore results`` has it."""
    return list(list_flat_records(leaderboard_table(Results.from_runs([RunFolder(path) for path in paths]))))


NAMES = ("run_id", "category", "difficulty")
PARTS = {"": "mean", "_mean": "mean", "_low": "low", "_high": "high", "_n": "n"}


def agrees(folder: Path, wanted: list[dict[str, object]]) -> bool:
    """Whether the long leaderboard of a release has every number of the boards, and no other."""
    rows = {(*(row[name] for name in NAMES), row["by"], row["measure"]): row for row in table(folder, LEADERBOARD)}
    seen = set()
    for line in wanted:
        flat = line | {f"score_{part}": line[part] for part in ("mean", "low", "high", "n")}
        for measure in {measure for *_, measure in rows}:
            place = (*(line[name] for name in NAMES),)
            keys = [(*place, by, measure) for by in (line["judge"], "reconstruction")]
            key = next((known for known in keys if known in rows), None)
            found = {end: flat[f"{measure}{end}"] for end in PARTS if f"{measure}{end}" in flat}
            if key is None:
                assert found == {"": None}, (measure, found)
            else:
                assert {end: rows[key][PARTS[end]] for end in found} == found, key
                seen.add(key)
        ranks = rows[*(line[name] for name in NAMES), line["judge"], "main_score"]
        assert [ranks[name] for name in ("rank_low", "rank_high", "unranked", "rules")] == [
            line[name] for name in ("rank_low", "rank_high", "unranked", "rules")
        ]
    return seen == rows.keys()


def test_site_results_and_release_agree_in_every_digit(runs: list[Path], tmp_path: Path) -> None:
    wanted = board(runs)
    assert {row["rules"] for row in wanted} == {"b200-t10-allow", "b200-t3-allow"}
    site = Site(read_runs(runs))
    files = dict(build_leaderboard_files(site.results))
    assert json.loads(files[SITE_FILES[1]])["rows"] == wanted
    results = Results.from_runs([RunFolder(path) for path in runs])
    # The site's file says where the numbers come from in columns behind those of ``ircore results``.
    plain = format_csv(leaderboard_table(results)).splitlines()
    sourced = files[SITE_FILES[0]].splitlines()
    assert all(line.startswith(f"{start},") for line, start in zip(sourced, plain, strict=True))
    assert len(list(csv.DictReader(io.StringIO(files[SITE_FILES[0]])))) == len(wanted)
    build_release(runs, tmp_path / "instances", tmp_path / "whole")
    assert agrees(tmp_path / "whole", wanted)
    assert check_release(tmp_path / "whole").faults == ()
    assert list(list_flat_records(leaderboard_table(load_results(str(tmp_path / "whole"))))) == wanted


@pytest.mark.parametrize("kept", [True, False])
def test_a_release_upon_a_former_one_has_the_numbers_of_one_made_at_once(
    runs: list[Path], tmp_path: Path, kept: bool
) -> None:
    """The former release knew one judge fewer; its numbers are taken over, not computed again."""
    build_release(runs[2:], tmp_path / "instances", tmp_path / "first")
    if not kept:
        shutil.rmtree(tmp_path / "first" / ".ircore-kept")
    build_release(runs[:2], tmp_path / "instances", tmp_path / "second", BuildPlan(previous=tmp_path / "first"))
    assert agrees(tmp_path / "second", board(runs))


def test_the_order_of_runs_and_of_lines_changes_nothing(runs: list[Path]) -> None:
    wanted = board(runs)
    for number, path in enumerate(runs):
        scores = path / "scores.jsonl"
        lines = scores.read_text("utf-8").splitlines(keepends=True)
        scores.write_text("".join(Random(number).sample(lines, len(lines))), "utf-8")
    assert board(runs[::-1]) == wanted
    assert (
        json.loads(dict(build_leaderboard_files(Site(read_runs(runs[::-1])).results))[SITE_FILES[1]])["rows"] == wanted
    )
