"""Do ranks hold under other choices of scoring? Invented boards whose answer is known, and scores worked by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from charts import chart_instances
from invented import InventedRun, invented_run, invented_set

from ircore.commands.main import run as ircore
from ircore.results.model import Results
from ircore.results.tables.model import Table
from ircore.results.tables.parts import episode_facts_table
from ircore.results.tables.sensitivity import sensitivity_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs

pytestmark = pytest.mark.slow


def rated(skills: dict[str, dict[str, float]], categories: tuple[str, ...] = ("geometry",)) -> Results:
    """Results of a describer each, whose final renderings each judge gives so much, a tenth more or less by target."""
    instances = invented_set(6, categories)
    return Results.from_runs([one_run(instances, name, by_judge) for name, by_judge in skills.items()])


def one_run(instances: object, name: str, by_judge: dict[str, float]) -> InventedRun:
    run = invented_run(instances, name, "painter", 5.0, 0.0)  # type: ignore[arg-type]
    whole = tuple(e.model_copy(update={"outcome": "turn_limit", "abort_reason": None}) for e in run.played)
    scores = tuple(
        score.model_copy(update={"judge": judge, "value": value + (sum(map(ord, score.episode_id)) % 5 - 2) / 10})
        for judge, value in by_judge.items()
        for score in run.given
    )
    return replace(run, played=whole, given=scores)


def rows(table: Table, variation: str) -> dict[str, tuple[object, object, object]]:
    """Rank, rank on the board and whether it clearly moved, by describer."""
    keys = ("variation", "describer", "rank", "board_rank", "moved")
    every = zip(*([value.value for value in table.column(key)] for key in keys), strict=True)
    return {str(describer): (rank, board, moved) for name, describer, rank, board, moved in every if name == variation}


def test_a_judge_that_turns_two_pairs_round_is_said_to_and_one_that_agrees_is_not() -> None:
    skills = {"seer": {"a": 8.0, "b": 8.5, "c": 4.0}, "poet": {"a": 5.0, "b": 6.0, "c": 7.0}}
    table = sensitivity_table(rated(skills))
    assert rows(table, "judge b") == {"seer": ("1", "1", "no"), "poet": ("2", "2", "no")}
    assert rows(table, "judge c") == {"seer": ("2", "1", "down"), "poet": ("1", "2", "up")}
    assert table.notes == (
        "Judge b: of 1 couples that the ranges on the board keep apart, 0 are turned round and 0 no longer kept apart; "
        "0 more are.",
        "Judge c: of 1 couples that the ranges on the board keep apart, 1 is turned round and 0 no longer kept apart; "
        "0 more are.",
    )


def test_pairs_that_only_photographs_keep_apart_are_not_kept_apart_without_them() -> None:
    instances = invented_set(6, ("geometry", "photos"))

    def on_photos(run: InventedRun, more: float) -> InventedRun:
        return replace(
            run,
            given=tuple(
                s.model_copy(update={"value": (s.value or 0) + more}) if s.episode_id.startswith("photos") else s
                for s in run.given
            ),
        )

    seer, poet = (one_run(instances, name, {"a": 5.0}) for name in ("seer", "poet"))
    table = sensitivity_table(Results.from_runs([on_photos(seer, 4.0), poet]))
    assert rows(table, "without photographs") == {"seer": ("1–2", "1", "no"), "poet": ("1–2", "2", "no")}
    assert "1 no longer kept apart" in table.notes[0]


def test_facts_are_scored_by_other_weights_and_without_the_power(tmp_path: Path) -> None:
    charts, folder = chart_instances(tmp_path / "charts"), tmp_path / "run"
    pair = Path(__file__).parents[3] / "submissions" / "builtin-captioner-canvas"
    assert ircore(["play", str(pair), "--instances", str(charts.folder), "--out", str(folder)]) == 0
    run = RunFolder(folder)
    score_runs([run], ScoringPlan(metrics=()), workers=1)
    results = Results.from_runs([run])
    table = sensitivity_table(results)
    mains = dict(
        zip(
            (value.value for value in table.column("variation")),
            (float(value.value or 0) for value in table.column("main_score")),
            strict=True,
        )
    )
    for name, writing, power in (
        ("half the weight of writing", 0.5, 2 / 3),
        ("double the weight of writing", 2.0, 2 / 3),
        ("no power of what is missing", 1.0, 1.0),
    ):
        by_hand = [score_by_hand(results, instance.instance_id, writing, power) for instance in results.instances]
        assert mains[name] == pytest.approx(10 * sum(by_hand) / len(by_hand), abs=0.06)
    # With the weights and the power of the judge the same formula gives its own scores.
    own = [score_by_hand(results, instance.instance_id, 1.0, 2 / 3) for instance in results.instances]
    (final,) = (results.cell(run_id, "verified").main.mean for run_id in results.episodes)
    assert final == pytest.approx(10 * sum(own) / len(own), abs=0.06)
    assert mains["no power of what is missing"] > (final or 0)


def score_by_hand(results: Results, episode: str, writing: float, power: float) -> float:
    """The score of an episode's last rendering from its table of facts, as docs/verification.md has the formula."""
    table = episode_facts_table(results, episode)
    columns = [column.key for column in table.columns]
    lines: list[dict[str, Any]] = [
        dict(zip(columns, (value.value for value in row), strict=True)) for row in table.rows
    ]
    last = [line for line in lines if line["turn"] == max(line["turn"] for line in lines)]
    facts = [line for line in last if line["attribute"] != "extra"]
    mark = {id(line): str(line["fact"]).rpartition("/")[0] for line in facts}
    written = {mark[id(line)] for line in facts if line["attribute"] == "text"}
    weights = {id(line): line["weight"] * (writing if mark[id(line)] in written else 1) for line in facts}
    scale = 100 / sum(weights.values())
    surplus = sum(line["weight"] for line in last if line["attribute"] == "extra")

    def sums(colours: bool) -> tuple[float, float]:
        own = [line for line in facts if (line["attribute"] in {"colour", "outline"}) is colours]
        whole = sum(scale * weights[id(line)] for line in own)
        return whole, sum(scale * weights[id(line)] * line["credit"] for line in own)

    (whole, right), (of_colours, right_colours) = sums(False), sums(True)
    wrong = (whole - right + surplus) / (whole + surplus)
    off = (of_colours - right_colours) / of_colours if of_colours else 0.0
    score: float = 10 * (1 - wrong**power) * (1 - 0.6 * off ** (2 / 3)) * (1 - last[0]["transform_cost"] / 10)
    return score
