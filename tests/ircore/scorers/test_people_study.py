"""A study of how far a judge follows people: renderings drawn evenly over its scores, rated, imported, reported."""

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from known_pictures import blank, run_of

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.records import RECONSTRUCTION, list_turns
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.tables.judges import people_table
from ircore.runs.folder import RunFolder
from ircore.scorers.judge_test.test_run import open_test
from ircore.scorers.people.annotation_tasks import TaskPlan, choose_tasks
from ircore.scorers.scoring import ScoringPlan, score_runs

PICTURES = 30


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Six drawn targets with 30 pictures each, of which a judge gave half 8 to 10: nobody verified these."""
    folder = tmp_path_factory.mktemp("pool")
    drawn = BuildRequest(folder / "set", per_condition=1, categories=("bar_graph", "geometry", "pie_graph"))
    instances = find_builder(RECONSTRUCTION)(drawn)
    assert isinstance(instances, InstanceSet)
    random = Random(5)
    pictures = {
        instance.instance_id: [blank(64, 64, f"#{random.randrange(2**24):06x}") for _ in range(PICTURES)]
        for instance in instances.instances
    }
    run = run_of(folder / "run", instances, pictures)
    run.keep_judge(JudgeIdentity(name="verified", label="planted", kind="computed", version="0"))
    run.add_scores(
        Score(
            episode_id=name, step=turn, measure="similarity", by="verified", rendering=picture.sha256,
            # Of each target every second rendering is good; the others are spread over the whole scale.
            value=round(10 - 2 * random.random() if turn % 2 else 9.6 * (turn / 2 - random.random()) / 15, 2),
        )
        for name, several in pictures.items()
        for turn, picture in enumerate(several, start=1)
    )  # fmt: skip
    return run


def score_of(run: RunFolder) -> dict[str, float]:
    return {
        score.picture[1]: score.value for score in run.scores() if score.by == "verified" and score.value is not None
    }


def test_renderings_are_drawn_evenly_over_scores_and_categories(pool: RunFolder) -> None:
    plan = TaskPlan(every_turn=True, by_score="verified", items=40)
    study = choose_tasks([pool], plan)
    known, categories = score_of(pool), {entry.instance_id: entry.category for entry in pool.instances.instances}
    assert {item.task for item in study.items} == {"similarity"}
    classes = Counter(min(9, int(known[item.rendering])) for item in study.items)
    assert classes == Counter(dict.fromkeys(range(10), 4)) == Counter(dict(enumerate(study.strata)))
    best = Counter(categories[item.episode_id] for item in study.items if known[item.rendering] >= 9)
    assert max(best.values()) - min(best.values()) <= 1
    assert study.items == choose_tasks([pool], plan).items
    other = choose_tasks([pool], TaskPlan(every_turn=True, by_score="verified", items=40, seed=1))
    assert other.items != study.items


def test_classes_that_are_short_are_made_up_for(pool: RunFolder) -> None:
    study = choose_tasks([pool], TaskPlan(every_turn=True, by_score="verified"))
    assert len(study.items) == sum(study.strata) == min(200, 6 * PICTURES)
    assert study.strata[9] > study.strata[0] > 0


def test_a_judge_that_rated_nothing_draws_nothing(pool: RunFolder) -> None:
    with pytest.raises(InputError, match="no rendering has a score by structural"):
        choose_tasks([pool], TaskPlan(by_score="structural"))


@pytest.mark.slow
def test_planted_ratings_give_the_r_kappa_and_bias_that_were_planted(
    pool: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--every-turn", "--by-score", "verified", "--items", "120", "--annotators", "a1", "--json"]
    assert ircore(["annotate", "build", str(pool.path), "--out", str(tmp_path / "study"), *asked]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["items"], made["preference"], len(made["items_by_score"])) == (120, 0, 10)
    text = (tmp_path / "study" / "study.js").read_text("utf-8")
    items = json.loads(text[text.index("{") : text.rindex("}") + 1])["items"]

    # People are two points stricter than the judge in the upper half, and do not see single hundredths.
    known, rows, judge, people = score_of(pool), [], [], []
    for item in items:
        value = known[item["rendering"]]
        given = round(value - 2 if value > 5 else value)
        rows.append({name: item[name] for name in ("run_id", "episode_id", "turn", "task", "rendering")}
                    | {"annotator": "a1", "value": given})  # fmt: skip
        judge.append(value)
        people.append(given)
    assert people_table(Results.from_runs([pool])).notes[0].startswith("No person has rated")
    path = tmp_path / "a1.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert ircore(["ratings", "import", str(path), "--run", str(pool.path)]) == 0
    capsys.readouterr()
    assert ircore(["results", str(pool.path), "--table", "people", "--json"]) == 0
    table = people_table(Results.from_runs([RunFolder(pool.path)]))
    row = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert (row["judge"].value, row["category"].value, row["renderings"].value) == ("verified", "all", 120)
    x, y = np.array(judge), np.array(people, dtype=float)
    assert row["pearson"].value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert row["bias"].value == pytest.approx((x - y).mean())
    weighted = 1 - ((x - y) ** 2).mean() / ((x[:, None] - y[None, :]) ** 2).mean()
    assert row["kappa"].value == pytest.approx(weighted)
    low, mean, high = row["bias"].low, row["bias"].value, row["bias"].high
    assert low is not None
    assert high is not None
    assert isinstance(mean, float)
    assert low < mean < high
    assert [value.value for value in (entry[1] for entry in table.rows)] == [
        "all",
        "bar_graph",
        "geometry",
        "pie_graph",
    ]


@pytest.mark.slow
def test_a_study_of_a_judge_test_may_take_only_what_others_drew(tmp_path: Path) -> None:
    run = open_test(tmp_path / "run", drawn_targets(tmp_path / "set"), limit=1)
    (episode,) = run.episodes()
    score_runs([run], ScoringPlan(("structural",), (), every_turn=True, preferences=False), workers=1)
    study = choose_tasks([run], TaskPlan(foreign=True, by_score="structural"))
    asked = {item.turn for item in study.items}
    words = {turn.turn: turn.message for turn in list_turns(episode)}
    assert len(asked) > 15
    assert all((words[turn] or "").startswith("drawn by others: ") for turn in asked)
    assert any(turn not in asked for turn in words)


def test_foreign_pictures_are_those_of_judge_tests(pool: RunFolder) -> None:
    with pytest.raises(InputError, match="--foreign: is no judge test"):
        choose_tasks([pool], TaskPlan(foreign=True, by_score="verified"))


def drawn_targets(folder: Path) -> Path:
    """A set of one category, so that its judge test is small."""
    find_builder(RECONSTRUCTION)(BuildRequest(folder, per_condition=1, categories=("simple_shapes",)))
    return folder
