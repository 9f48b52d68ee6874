"""Drawings of dialogues rated by a model over HTTP and by people: asked once, on the board, in releases and back."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer, serving
from releases import rewrite

from dataset_card.data import load_results, load_table
from dataset_card.releases.record import read_release
from dataset_card.tables.rows import Row
from ircore.commands.main import run as ircore
from ircore.core.episode_records import list_renderings
from ircore.core.score_records import HUMAN
from ircore.games.conversation.dialogues import build
from ircore.instances.requests import BuildRequest
from ircore.library.playing import play, score
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import read_judgements

pytestmark = pytest.mark.slow

PAIR = """\
{schema: 1, game: conversation, name: extractive + canvas, licence: Apache-2.0, rules: {token_budget: 400},
 summariser: {player: extractive}, generator: {player: canvas}}
"""

EASY, HARD = "pie_graph-easy-01", "pie_graph-hard-01"
RATINGS = {(EASY, 1): 2, (EASY, 2): 4, (HARD, 1): 1, (HARD, 2): 5, (HARD, 3): 9}
"""Answers of the judge by dialogue and hop: means of 3 and 5 over all hops, 4 and 9 after the last one."""

QUESTIONS = len(RATINGS) + 2 * 2
"""A rating of each drawing; in each dialogue, the last drawing against the first in both orders."""

PEOPLE = f"""\
annotator,episode_id,turn,task,value
anna,{EASY},2,similarity,9
ben,{EASY},2,similarity,6
anna,{HARD},3,similarity,4
anna,{HARD},3,preference,1
"""
"""The last drawing of the easy dialogue has a mean of 7.5, that of the hard one 4."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the dialogues ``talks`` and a run of them, ``run``; not to be changed."""
    folder = tmp_path_factory.mktemp("dialogues")
    build(BuildRequest(folder / "talks", per_condition=1, categories=("pie_graph",)))
    (folder / "pair.yaml").write_text(PAIR, encoding="utf-8")
    score(play(folder / "pair.yaml", folder / "talks", folder / "run"))
    return folder


@pytest.fixture
def run(played: Path, tmp_path: Path) -> RunFolder:
    shutil.copytree(played / "run", tmp_path / "run")
    return RunFolder(tmp_path / "run")


@pytest.fixture
def server(run: RunFolder) -> Iterator[OpenAIServer]:
    """A service whose model knows every drawing, and prefers the last one."""
    hops = {
        run.rendering(drawing).data: (episode.episode_id, hop)
        for episode in run.episodes()
        for hop, drawing in list_renderings(episode)
    }
    assert {*hops.values()} == RATINGS.keys()

    def judge(question: Judged) -> str:
        shown = [hops[picture] for picture in question.pictures[1:]]
        if len(shown) == 1:
            return json.dumps({"score": RATINGS[shown[0]]})
        return json.dumps({"choice": "A" if shown[0] > shown[1] else "B"})

    with serving() as service:
        service.judge = judge
        yield service


def judge_file(folder: Path, server: OpenAIServer, **more: Any) -> Path:
    manifest = {"schema": 1, "name": "loop-5.1", "label": "Loop 5.1 (on loopback)", "player": "openai"}
    manifest |= {"model": "judge-1", "base_url": server.base_url, **more}
    path = folder / "judge.yaml"
    path.write_text(json.dumps(manifest))
    return path


def means(run: RunFolder) -> dict[str, tuple[float | None, int]]:
    """Return mean and number of dialogues of each measure that a judge or people gave, by the measure's key."""
    results = Results.from_runs([run])
    rated = [measure.key for measure in results.game.measures if measure.needs in ("judge", "person")]
    found = {key: results.mean(run.run.run_id, key) for key in rated}
    return {key: (estimate.mean, estimate.n) for key, estimate in found.items()}


def test_every_drawing_is_rated_once_and_the_board_has_the_means(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["score", str(run.path), "--judge", str(judge_file(tmp_path, server)), "--every-turn"]
    assert ircore([*command, "--dry-run"]) == 0
    assert "7 scores to be had, 0 kept; 9 questions" in capsys.readouterr().out
    assert ircore(command) == 0
    assert server.count() == QUESTIONS
    counted = Counter((given.task, given.value) for given in run.scores() if given.task != "game")
    assert counted == {**{("similarity", value): 1 for value in RATINGS.values()}, ("preference", 1): 2}
    assert run.judges()["loop-5.1"].kind == "model"
    assert len(read_judgements(run)) == QUESTIONS
    assert ircore(command) == 0
    assert server.count() == QUESTIONS  # nothing is asked a second time
    assert "7 scores, 0 new and 7 kept" in capsys.readouterr().out
    assert means(run) == {"judged_loop_5_1_042c": (4.0, 2), "final_judged_loop_5_1_042c": (6.5, 2)}
    assert ircore(["results", str(run.path)]) == 0
    assert "Judged similarity, last hop: Loop 5.1 (0–10)" in capsys.readouterr().out
    assert ircore(["results", str(run.path), "--table", "hops", "--format", "csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    place = header.split(",").index("judged_loop_5_1_042c_mean")
    # Over the dialogue that has all three hops.
    assert [float(row.split(",")[place]) for row in rows] == [1, 5, 9]


def test_a_measure_of_every_hop_leaves_out_dialogues_that_were_rated_in_part(
    tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    """The easy dialogue has two hops, its first and its last; the middle one of the hard dialogue is not rated."""
    assert ircore(["score", str(run.path), "--judge", str(judge_file(tmp_path, server))]) == 0
    assert server.count() == QUESTIONS - 1
    assert means(run) == {"judged_loop_5_1_042c": (3.0, 1), "final_judged_loop_5_1_042c": (6.5, 2)}


def test_people_rate_the_page_of_a_run_and_stand_on_its_board(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["annotate", "build", str(run.path), "--out", str(tmp_path / "study"), "--json"]) == 0
    study = json.loads(capsys.readouterr().out)
    assert (study["similarity"], study["preference"], study["pictures"]) == (4, 2, 6)  # two pictures of instances
    (tmp_path / "people.csv").write_text(PEOPLE)
    command = ["ratings", "import", str(tmp_path / "people.csv"), "--run", str(run.path)]
    assert ircore(command) == 0
    assert "4 ratings added" in capsys.readouterr().out
    assert ircore(command) == 0
    assert "0 ratings added, 4 kept as they were" in capsys.readouterr().out
    assert means(run) == {"final_rated": (5.75, 2)}
    (tmp_path / "people.csv").write_text(PEOPLE.replace(f"{HARD},3,similarity", f"{HARD},4,similarity"))
    assert ircore(command) == 2
    assert f"turn: {HARD} has no rendering of turn 4, only of 1, 2, 3" in capsys.readouterr().err


def test_scores_come_back_from_a_release(
    played: Path, tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["score", str(run.path), "--judge", str(judge_file(tmp_path, server)), "--every-turn"]) == 0
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert ircore(["ratings", "import", str(tmp_path / "people.csv"), "--run", str(run.path)]) == 0
    release = tmp_path / "release"
    assert (
        ircore(
            ["release", "build", "--runs", str(run.path), "--instances", str(played / "talks"), "--out", str(release)]
        )
        == 0
    )
    capsys.readouterr()
    assert ircore(["release", "check", "--no-load", str(release), "--rescore"]) == 0
    said = capsys.readouterr().out
    assert "not recomputed: human: people rated" in said
    assert "not recomputed: loop-5.1: a model's answers" in said
    table = load_table(str(release), "scores")
    given = table[table["by"] != "conversation"]
    assert Counter(zip(given["by"], given["measure"], strict=True)) == {
        ("loop-5.1", "similarity"): 5,
        ("loop-5.1", "preference"): 2,
        (HUMAN, "similarity"): 3,
        (HUMAN, "preference"): 1,
    }
    loaded = load_results(str(release), game="conversation")
    assert loaded.mean(run.run.run_id, "final_judged_loop_5_1_042c").mean == 6.5
    assert loaded.mean(run.run.run_id, "final_rated").mean == 5.75
    assert ircore(["release", "pull", str(release), "--out", str(tmp_path / "pulled")]) == 0
    pulled = RunFolder(tmp_path / "pulled" / "runs" / run.run.run_id)
    assert {*pulled.scores()} == {*run.scores()}
    # A server on loopback is published without its address.
    assert pulled.judges() == {name: judge.published for name, judge in run.judges().items()}
    assert means(pulled) == means(run)
    for change, fault in FORGED.items():
        forged = tmp_path / "-".join(map(str, change))
        shutil.copytree(release, forged)
        scores = next(config for config in read_release(forged).configs if config.name == "scores")
        rewrite(forged, scores, partial(forge, *change))
        capsys.readouterr()
        assert ircore(["release", "check", "--no-load", str(forged)]) == 1
        assert fault in "".join(capsys.readouterr())


FORGED = {
    ("value", 9.5): "final_judged_loop_5_1_042c: mean is 6.5, the records say 9.25",
    ("rendering_sha256", "0" * 64): "it scores another rendering than that of step",
    ("measure", "metric"): "a judge gives a similarity or a preference, not 'metric'",
    ("annotator", "anna"): "annotator is given exactly when by is human",
}
"""Columns of a judge's rating of the last drawing of the easy dialogue, and what the check says of another value."""


def forge(column: str, value: object, rows: list[Row]) -> None:
    (row,) = (row for row in rows if (row["by"], row["measure"], row["value"]) == ("loop-5.1", "similarity", 4))
    row[column] = value


def test_merged_shards_keep_what_a_judge_said(
    played: Path, tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    judge = judge_file(tmp_path, server)
    for shard in ("1/2", "2/2"):
        out = tmp_path / f"part-{shard[0]}"
        pair, talks = str(played / "pair.yaml"), str(played / "talks")
        assert ircore(["play", pair, "--instances", talks, "--out", str(out), "--shard", shard]) == 0
        assert ircore(["score", str(out), "--judge", str(judge), "--every-turn"]) == 0
    assert ircore(["merge", str(tmp_path / "part-1"), str(tmp_path / "part-2"), "--out", str(tmp_path / "whole")]) == 0
    whole = RunFolder(tmp_path / "whole")
    assert len(read_judgements(whole)) == server.count() == QUESTIONS
    assert ircore(["score", str(whole.path), "--judge", str(judge), "--every-turn"]) == 0
    assert server.count() == QUESTIONS
    assert means(whole) == {"judged_loop_5_1_042c": (4.0, 2), "final_judged_loop_5_1_042c": (6.5, 2)}
