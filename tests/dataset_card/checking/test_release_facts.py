"""The table of facts: what a data user reads in it, how later releases carry it on, how it is held to account."""

import csv
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from charts import chart_instances, instance_of
from releases import TRANSCRIPTS, rewrite, table
from samples import sample_instances, sample_run, sample_submission

from dataset_card.checking.release_check import check_release
from dataset_card.checking.rescore import rescore_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.data import load_results
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.tables.fact_table import build_fact_rows
from dataset_card.tables.rows import parse_public_id
from dataset_card.tables.schema import FACTS, LEADERBOARD, SCORES
from ircore.commands.main import run as ircore
from ircore.core.score_records import Score
from ircore.games.reconstruction.records import Rules, list_rendered_turns
from ircore.instances.store import read_instances, write_instances
from ircore.instances.targets.categories import draw_target
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.fact_tables import parts_table
from ircore.results.tables.formats import format_csv, list_flat_records
from ircore.runs.costs.totals import COSTS
from ircore.runs.folder import RunFolder
from ircore.runs.play import add_run_id
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.model.site import LEADERBOARD as SITE_FILES
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.board_views import build_leaderboard_files

pytestmark = pytest.mark.slow


Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two bar charts, a run on them with its facts, and the release of it."""
    folder = tmp_path_factory.mktemp("charts")
    instances = chart_instances(folder / "instances")
    run = sample_run(folder / "run", instances)
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    build_release([run.path], instances.folder, folder / "release")
    return folder


@pytest.fixture
def release(charts: Path, tmp_path: Path) -> Path:
    """A release of its own, to be changed."""
    return shutil.copytree(charts / "release", tmp_path / "release")


def test_a_row_says_one_fact_of_one_rendering(charts: Path) -> None:
    rows = table(charts / "release", FACTS)
    drawn = {
        (row["episode_id"], row["step"]): row["rendering_sha256"] for row in table(charts / "release", TRANSCRIPTS)
    }
    assert all(drawn[row["episode_id"], row["step"]] == row["rendering_sha256"] for row in rows)
    dogs = [row for row in rows if row["sentence"] == 'The bar for "Dogs" shows the value 80.']
    assert {(row["part"], row["kind"], row["attribute"], row["expected"]) for row in dogs} == {
        ("value", "bar", "value", "80.0")
    }
    assert check_release(charts / "release").faults == ()


def test_the_second_line_about_a_rendering_counts(charts: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(charts / "run", tmp_path / "run"))
    with (run / "facts.jsonl").open("r+", encoding="utf-8") as file:
        first = json.loads(file.readline())
        file.seek(0, os.SEEK_END)
        file.write(json.dumps(first | {"cost": 2.5}) + "\n")
    rows = list(build_fact_rows(read_instances(charts / "instances"), PlayedRun(RunFolder(run))))
    about = (first["episode_id"], first["rendering"])
    costs = {
        row["transform_cost"] for row in rows if (parse_public_id(row["episode_id"]), row["rendering_sha256"]) == about
    }
    assert costs == {2.5}


def test_a_release_says_the_same_of_each_part_as_its_runs(charts: Path) -> None:
    of_runs = parts_table(Results.from_runs([RunFolder(charts / "run")]))
    assert parts_table(load_results(str(charts / "release"))).rows == of_runs.rows


def test_the_next_release_has_the_rows_to_the_byte_and_runs_without_facts_have_none(
    charts: Path, tmp_path: Path
) -> None:
    instances = chart_instances(tmp_path / "instances")
    other = sample_run(tmp_path / "other", instances, sample_submission("other-block"))
    score_runs([other], ScoringPlan(("structural",), metrics=()), workers=1)
    build_release([other.path], instances.folder, tmp_path / "without")
    assert not (tmp_path / "without" / "data" / "facts").exists()
    build_release([other.path], instances.folder, tmp_path / "next", BuildPlan(previous=charts / "release"))
    assert check_release(tmp_path / "next").faults == ()
    assert table(tmp_path / "next", FACTS) == table(charts / "release", FACTS)


COLOURS = {"colour", "outline"}


def test_published_facts_give_every_published_score(tmp_path: Path) -> None:
    drawn = [("functions", draw_target("functions", "easy", 3)), ("geometry", draw_target("geometry", "hard", 3))]
    instances = write_instances(tmp_path / "instances", [instance_of(target, name, name) for name, target in drawn])
    play = ["play", "classical+canvas", "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore(play) == 0
    score_runs([RunFolder(tmp_path / "run")], ScoringPlan(("verified",), metrics=(), every_turn=True), workers=1)
    build_release([tmp_path / "run"], instances.folder, tmp_path / "release")
    published = {
        (row["episode_id"], row["step"]): (row["lowest"], row["value"], row["highest"])
        for row in table(tmp_path / "release", SCORES)
        if row["by"] == "verified" and row["measure"] == "similarity"
    }
    rows: dict[Any, Rows] = {}
    for row in table(tmp_path / "release", FACTS):
        rows.setdefault((row["episode_id"], row["step"]), []).append(row)
    assert rows.keys() == published.keys()
    assert any(0 < float(str(value)) < 10 for _, value, _ in published.values())
    for turn, ends in published.items():
        assert ends == pytest.approx(by_hand(rows[turn]), abs=0.006)


def by_hand(rows: Rows) -> tuple[float, float, float]:
    """Lowest, middle and highest score of one rendering, as the page on verification states the rule."""
    ends = []
    for undecided in (0.0, 1.0):
        given = [undecided if row["verdict"] == "undecided" else row["credit"] for row in rows]
        pairs = list(zip(rows, given, strict=True))
        # What is drawn and is not in the target weighs as well, and earns nothing.
        facts = [(row["weight"], credit) for row, credit in pairs if row["attribute"] not in COLOURS]
        colours = [(row["weight"], credit) for row, credit in pairs if row["attribute"] in COLOURS]
        wrong = sum(weight * (1 - credit) for weight, credit in facts) / sum(weight for weight, _ in facts)
        off = sum(weight * (1 - credit) for weight, credit in colours) / sum(weight for weight, _ in colours)
        ends.append(10 * (1 - wrong ** (2 / 3)) * (1 - 0.6 * off ** (2 / 3)) * (1 - rows[0]["transform_cost"] / 10))
    return ends[0], sum(ends) / 2, ends[1]


IMPOSSIBLE = (
    ("verdict", "perhaps", "verdict is 'perhaps', must be one of holds, fails, undecided"),
    ("part", "taste", "part is 'taste', must be one of presence, text"),
    ("credit", 7.0, "credit is 7 of a fact"),
    ("weight", -1.0, "weight is -1, must be 0 or more"),
    ("expected", "{", "expected is not JSON"),
    ("step", 9, "it is of another rendering than that of step 9"),
)


def test_rows_that_cannot_be_are_faults(release: Path) -> None:
    def edit(rows: Rows) -> None:
        rows.append(dict(rows[-1]))
        for row, (name, value, _) in zip(rows, IMPOSSIBLE, strict=False):
            row[name] = value

    rewrite(release, FACTS, edit)
    faults = check_release(release, card=False).faults
    for said in (*(said for *_, said in IMPOSSIBLE), "is there twice"):
        assert any(said in fault for fault in faults), (said, faults)


def without(wanted: Callable[[dict[str, Any]], bool]) -> Callable[[Rows], None]:
    def remove(rows: Rows) -> None:
        rows[:] = [row for row in rows if not wanted(row)]

    return remove


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            without(
                lambda row: (parse_public_id(row["episode_id"]), row["step"], row["fact"]) == ("pets", 1, "bar-2/value")
            ),
            "episode pets, turn 1: 1 fact is missing, such as bar-2/value",
        ),
        (without(lambda row: row["fact"] == "bar-2/value"), "1 fact is missing, such as bar-2/value"),
        (
            without(lambda row: (parse_public_id(row["episode_id"]), row["step"]) == ("pets", 1)),
            "episode pets, turn 1: no facts, though verified rated this rendering",
        ),
    ],
    ids=["a fact of a turn", "a fact of all turns", "all facts of a turn"],
)
def test_missing_rows_are_faults_without_a_look_at_the_pictures(
    release: Path, edit: Callable[[Rows], None], said: str
) -> None:
    rewrite(release, FACTS, edit)
    faults = check_release(release, card=False).faults
    assert any(said in fault for fault in faults), faults


def rescored(release: Path) -> tuple[str, ...]:
    report = check_release(release, card=False)
    assert report.faults == ()
    return rescore_release(release, report.runs, Draw(), 1).faults


def other_verdict(rows: Rows) -> None:
    wrong = next(row for row in rows if row["verdict"] == "fails" and row["part"] == "value")
    names = ("episode_id", "rendering_sha256", "fact")
    # In every turn that shows the rendering, as whoever knows the rules of the table would.
    for row in rows:
        if all(row[name] == wrong[name] for name in names):
            row.update({"verdict": "holds", "credit": 1.0, "seen": None, "reason": None})


def test_facts_are_computed_again_from_the_pictures(release: Path) -> None:
    assert rescored(release) == ()
    rewrite(release, FACTS, other_verdict)
    assert any("verdict is 'holds', computed again 'fails'" in fault for fault in rescored(release))


def test_a_sentence_is_that_of_the_scene(release: Path) -> None:
    rewrite(release, FACTS, lambda rows: rows[0].update(sentence="All is well."))
    assert any("sentence is All is well., the records say" in fault for fault in check_release(release).faults)


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
