"""Runs in others' forms: clembench's folders, which come back as the same run, and logs of inspect_ai."""

import base64
import json
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from samples import rating_of, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.plugins.clembench import GAME
from ircore.games.reconstruction.plugins.clembench_export import export_runs
from ircore.games.reconstruction.plugins.clembench_import import import_run
from ircore.games.reconstruction.plugins.inspect_log import export_log
from ircore.games.reconstruction.records import Rules, list_rendered_turns, list_turns
from ircore.runs.events import CallKey
from ircore.runs.folder import RunFolder
from ircore.runs.play import add_run_id

PAIR = "classical-b200-t10-allow--canvas-b200-t10-allow"
EASY = f"{PAIR}/{GAME}/geometry_easy"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Twelve episodes, ten of three turns and two aborted, every final rendering rated 8 of 10 by one judge."""
    folder = tmp_path_factory.mktemp("clembench")
    run = sample_run(folder / "run", sample_instances(folder / "instances", per_condition=3))
    run.keep_judge(JudgeIdentity(name="eye", label="an eye", kind="computed"))
    run.add_scores(_scores(run))
    return run


def _scores(run: RunFolder) -> Iterator[Score]:
    for episode in run.episodes():
        for turn, value in zip(list_rendered_turns(episode), (6.0, 8.0), strict=False):
            yield rating_of(episode, turn, value)


@pytest.fixture
def exported(played: RunFolder, tmp_path: Path) -> Path:
    export_runs([played], tmp_path / "results")
    return tmp_path / "results"


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


@pytest.mark.slow
def test_one_folder_an_episode_as_clembench_has_them(exported: Path, played: RunFolder) -> None:
    folders = sorted(path.name for path in (exported / PAIR / GAME).iterdir())
    assert folders == ["geometry_easy", "geometry_hard", "simple_shapes_easy", "simple_shapes_hard"]
    files = sorted(path.name for path in (exported / EASY / "instance_00000").iterdir())
    assert files == ["completed.json", "images", "instance.json", "interactions.json", "scores.json"]
    instance = read(exported / EASY / "instance_00001" / "instance.json")
    assert (instance["game_id"], instance["instance_id"]) == (1, "geometry-easy-02")
    assert (exported / instance["target_image"]).read_bytes() == played.instances.picture_bytes(
        played.instances.instances[1], "target"
    )


@pytest.mark.slow
def test_a_round_is_a_turn_and_names_who_told_whom_what(exported: Path, played: RunFolder) -> None:
    document = read(exported / EASY / "instance_00000" / "interactions.json")
    first, second, third = document["turns"]
    images = f"{EASY}/instance_00000/images"
    drawn = [f"{images}/{turn.rendering.sha256}.png" for turn in list_turns(played.episodes()[0]) if turn.rendering]
    assert [(part["from"], part["to"], part["action"]["type"]) for part in first] == [
        ("GM", "Player 1", "send message"), ("Player 1", "GM", "get message"), ("GM", "GM", "parse"),
        ("GM", "Player 2", "send message"), ("Player 2", "GM", "get message"),
    ]  # fmt: skip
    assert first[0]["action"]["image"] == [f"{images}/target.png"]
    assert first[1]["action"]["content"] == "<DESCRIPTION>left 41 colour #1f77b4</DESCRIPTION>"
    assert first[2]["action"]["content"] == "left 41 colour #1f77b4"
    assert "image" not in first[3]["action"]
    assert first[4]["action"]["image"] == drawn[:1]
    assert second[0]["action"]["image"] == [f"{images}/target.png", drawn[0]]
    assert second[3]["action"]["image"] == drawn[:1]
    assert [item["action"]["type"] for item in third] == ["send message", "get message", "done", "game end"]
    assert document["players"]["Player 2"] == {"game_role": "Generator", "model_name": "canvas-b200-t10-allow"}
    assert document["meta"]["round_count"] == 3
    assert (document["Request Count"], document["Violated Request Count"]) == ([2, 2, 1], [0, 0, 0])
    assert [document[name] for name in ("Aborted", "Lose", "Success")] == [0, 0, 1]


def test_an_aborted_episode_is_a_violated_request_without_a_main_score(exported: Path) -> None:
    # The third square of geometry begins right of column 40, where the describer breaks the protocol.
    folder = exported / EASY / "instance_00002"
    document = read(folder / "interactions.json")
    assert (document["Request Count"], document["Violated Request Count"]) == ([1], [1])
    assert [document[name] for name in ("Aborted", "Lose", "Success")] == [1, 0, 0]
    assert document["turns"][0][1]["action"]["content"] == "I would rather not say."
    assert math.isnan(read(folder / "scores.json")["episode scores"]["Main Score"])


def test_the_main_score_is_the_final_similarity_of_a_hundred(exported: Path) -> None:
    scores = read(exported / EASY / "instance_00000" / "scores.json")
    assert scores["episode scores"]["Main Score"] == 80
    assert scores["episode scores"]["Request Success Ratio"] == 1
    assert [score.get("Similarity eye") for score in scores["round scores"].values()] == [6, 8, None]


@pytest.mark.slow
def test_it_comes_back_as_the_same_run(exported: Path, played: RunFolder, tmp_path: Path) -> None:
    back = import_run(exported, tmp_path / "back")
    assert back.run == played.run
    assert back.episodes() == played.episodes()
    assert back.calls() == played.calls()
    assert back.judges() == played.judges()
    assert set(back.scores()) == set(played.scores())
    names = sorted(path.name for path in (played.path / "renderings").glob("*.png"))
    assert names == sorted(path.name for path in (back.path / "renderings").glob("*.png"))
    for name in names:
        assert (back.path / "renderings" / name).read_bytes() == (played.path / "renderings" / name).read_bytes()
    export_runs([back], tmp_path / "again")
    assert {path.relative_to(exported): path.read_bytes() for path in exported.rglob("*.json")} == {
        path.relative_to(tmp_path / "again"): path.read_bytes() for path in (tmp_path / "again").rglob("*.json")
    }


@pytest.mark.slow
def test_a_run_pulled_from_a_release_says_what_its_messages_were(played: RunFolder, tmp_path: Path) -> None:
    run = RunFolder(shutil.copytree(played.path, tmp_path / "run"))
    journal = run.path / "journal.jsonl"
    kept = [line for line in journal.read_text("utf-8").splitlines() if '"event":"end"' in line]
    journal.write_text("\n".join(kept) + "\n", "utf-8")
    export_runs([run], tmp_path / "results")
    first = read(tmp_path / "results" / EASY / "instance_00000" / "interactions.json")["turns"][0]
    assert first[0]["action"]["content"] == ""
    assert first[1]["action"]["content"] == "<DESCRIPTION>left 41 colour #1f77b4</DESCRIPTION>"
    back = import_run(tmp_path / "results", tmp_path / "back")
    assert back.episodes() == played.episodes()
    assert back.calls() == {}
    assert back.rendering(list_rendered_turns(back.episodes()[0])[0].rendering).width == 96  # type: ignore[arg-type]


def forget_ours(folder: Path) -> None:
    """Leave only what clembench itself writes."""
    for path in folder.rglob("*.json"):
        document = read(path)
        document.pop("ircore", None)
        path.write_text(json.dumps(document), "utf-8")


@pytest.mark.slow
def test_a_run_of_others_is_played_again_from_its_events(exported: Path, played: RunFolder, tmp_path: Path) -> None:
    forget_ours(exported)
    path = exported / EASY / "instance_00000" / "interactions.json"
    document = read(path)
    for number, event in enumerate(document["turns"][0]):
        event["timestamp"] = f"2026-05-01T10:00:{number * 2:02d}.500000"
    # An answer after the end, which our rules do not ask for, is no part of the episode.
    document["turns"].append(document["turns"][0])
    path.write_text(json.dumps(document), "utf-8")
    back = import_run(exported, tmp_path / "back")
    ours, theirs = played.episodes()[0], back.episodes()[0]
    assert (theirs.instance_id, theirs.category, theirs.difficulty) == ("geometry_easy-00000", "geometry", "easy")
    assert [turn.message for turn in list_turns(theirs)] == [turn.message for turn in list_turns(ours)]
    assert [turn.rendering for turn in list_turns(theirs)] == [turn.rendering for turn in list_turns(ours)]
    assert [turn.message_tokens for turn in list_turns(theirs)] == [turn.message_tokens for turn in list_turns(ours)]
    assert list_turns(theirs)[0].seconds == 4.0
    assert [episode.outcome for episode in back.episodes()] == [episode.outcome for episode in played.episodes()]
    assert [episode.abort_reason for episode in back.episodes()] == [
        episode.abort_reason for episode in played.episodes()
    ]
    labels = (back.run.submission.players["describer"].label, back.run.submission.players["generator"].label)
    assert labels == ("classical", "canvas")
    assert back.run.submission.licence == "LicenseRef-unstated"
    assert back.calls()[CallKey(theirs.episode_id, 1, "describer")].prompt
    assert len([key for key in back.calls() if key.episode_id == theirs.episode_id]) == 5


def edit(name: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        path = folder / EASY / "instance_00000" / name
        document = read(path)
        change(document)
        path.write_text(json.dumps(document), "utf-8")

    return damage


def say(text: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["turns"][0][1]["action"].update(content=text)


def other_rendering(folder: Path) -> None:
    images = folder / EASY / "instance_00000" / "images"
    first, second, *_ = sorted(path for path in images.iterdir() if path.name != "target.png")
    shutil.copyfile(second, first)


def two_pairs(folder: Path) -> None:
    shutil.copytree(folder / PAIR, folder / "a--b")


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "other words": (edit("interactions.json", say("<DESCRIPTION>x</DESCRIPTION>")), "turns differs from the records"),
    "another episode": (
        edit("interactions.json", lambda entry: entry["ircore"]["episode"].update(instance_id="other")),
        "is the episode of another instance",
    ),
    "another target": (
        edit("instance.json", lambda entry: entry["ircore"]["pictures"]["target"].update(sha256="0" * 64)),
        "target: damaged, not the picture",
    ),
    "a way out of the folder": (
        edit("instance.json", lambda entry: entry.update(target_image="../../secret.png")),
        "does not lie in this folder",
    ),
    "a way out for writing": (
        edit("instance.json", lambda entry: entry["ircore"]["pictures"]["target"].update(image="../x.png")),
        "is not a safe file name",
    ),
    "a damaged rendering": (other_rendering, "rendering [0-9a-f]+…: damaged"),
    "no pictures": (lambda folder: shutil.rmtree(folder / EASY / "instance_00000" / "images"), "is missing"),
    "two pairs": (two_pairs, "holds the results of 2 pairs"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_refused(name: str, exported: Path, tmp_path: Path) -> None:
    damage, expected = DAMAGES[name]
    damage(exported)
    with pytest.raises(InputError, match=expected):
        import_run(exported, tmp_path / "back")
    assert not (tmp_path / "back").exists()


@pytest.mark.slow
def test_what_was_not_played_stays_behind(exported: Path, tmp_path: Path) -> None:
    forget_ours(exported)
    (exported / EASY / "instance_00000" / "interactions.json").unlink()
    assert len(import_run(exported, tmp_path / "back").episodes()) == 11
    for path in exported.rglob("interactions.json"):
        path.unlink()
    with pytest.raises(InputError, match="no instance was played"):
        import_run(exported, tmp_path / "none")
    for path in exported.rglob("instance.json"):
        path.unlink()
    with pytest.raises(InputError, match="0 instances"):
        import_run(exported, tmp_path / "none")


@pytest.mark.slow
def test_a_picture_without_labels_is_refused_with_a_remedy(exported: Path, tmp_path: Path) -> None:
    forget_ours(exported)
    (exported / EASY).rename(exported / EASY.replace("geometry_easy", "first"))
    for path in exported.rglob("first/*/instance.json"):
        path.write_text("{}", "utf-8")
    for path in exported.rglob("first/*/interactions.json"):
        path.write_text(path.read_text("utf-8").replace("geometry_easy", "first"), "utf-8")
    with pytest.raises(InputError, match="category and difficulty are not stated") as error:
        import_run(exported, tmp_path / "none")
    assert "instance.json" in error.value.remedy


@pytest.mark.slow
def test_several_judges_need_a_choice(played: RunFolder, tmp_path: Path) -> None:
    run = RunFolder(shutil.copytree(played.path, tmp_path / "run"))
    run.add_scores(score.model_copy(update={"by": "ear", "value": 3.0}) for score in played.scores())
    with pytest.raises(InputError, match="several judges"):
        export_runs([run], tmp_path / "results")
    export_runs([run], tmp_path / "results", "ear")
    scores = read(tmp_path / "results" / EASY / "instance_00000" / "scores.json")["episode scores"]
    assert (scores["Main Score"], scores["Similarity eye"], scores["Similarity ear"]) == (30, 8, 3)


@pytest.fixture
def hasty(played: RunFolder, tmp_path: Path) -> RunFolder:
    """The same pair on the same instances under another turn limit; nobody rated it."""
    folder = tmp_path / "hasty"
    shutil.copytree(played.path, folder)
    (folder / "scores.jsonl").unlink()
    rules = Rules(max_turns=3)
    made = add_run_id(played.run.model_copy(update={"rules": rules.model_dump(mode="json")}))
    (folder / "run.json").write_text(made.model_dump_json(by_alias=True), "utf-8")
    return RunFolder(folder)


@pytest.mark.slow
def test_two_rules_go_into_one_export_and_come_back_as_two_runs(
    played: RunFolder, hasty: RunFolder, tmp_path: Path
) -> None:
    first, second = export_runs([played, hasty], tmp_path / "results")
    assert (first.pair.name, second.pair.name) == (PAIR, "classical-b200-t3-allow--canvas-b200-t3-allow")
    assert (first.judge, second.judge) == ("eye", None)
    for run, exported in ((played, first), (hasty, second)):
        back = import_run(exported.pair, tmp_path / f"back-{exported.pair.name}")
        assert back.run == run.run
        assert back.episodes() == run.episodes()
        assert set(back.scores()) == set(run.scores())
    with pytest.raises(InputError, match="holds the results of 2 pairs"):
        import_run(tmp_path / "results", tmp_path / "both")


def test_runs_that_clembench_could_not_tell_apart_are_refused(played: RunFolder, tmp_path: Path) -> None:
    twin = RunFolder(shutil.copytree(played.path, tmp_path / "twin"))
    with pytest.raises(InputError, match="the same two models under the same rules"):
        export_runs([played, twin], tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_pair_s_folder_of_another_name_is_refused(exported: Path, tmp_path: Path) -> None:
    (exported / PAIR).rename(exported / "mine")
    with pytest.raises(InputError, match="states another pair or other rules") as error:
        import_run(exported, tmp_path / "back")
    assert PAIR in error.value.remedy


@pytest.mark.slow
def test_the_commands(played: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["export", "clembench", str(played.path), "--out", str(tmp_path / "results")]) == 0
    assert capsys.readouterr().out == (f"{tmp_path / 'results' / PAIR}: 12 episodes, main score: similarity by eye\n")
    assert ircore(["import", "clembench", str(tmp_path / "results"), "--out", str(tmp_path / "back")]) == 0
    assert capsys.readouterr().out == f"Centre + Block: 12 episodes in {tmp_path / 'back'}\n"
    assert ircore(["import", "clembench", str(tmp_path / "nowhere"), "--out", str(tmp_path / "no")]) == 2


READER = """
import os, sys
from clemcore.clemeval import perform_evaluation
from clemcore.clemgame.transcripts.builder import build_transcripts
build_transcripts(sys.argv[1])
table = perform_evaluation(sys.argv[1], return_dataframe=True)
print(table.loc["classical-b200-t10-allow--canvas-b200-t10-allow", "-, clemscore"])
"""


def test_clemcore_itself_reads_it(exported: Path) -> None:
    """IRCORE_CLEMCORE_PYTHON names a Python that has clemcore; it needs other packages than this project's."""
    python = os.environ.get("IRCORE_CLEMCORE_PYTHON")
    if not python:
        pytest.skip("IRCORE_CLEMCORE_PYTHON names no Python with clemcore")
    done = subprocess.run(
        [python, "-P", "-c", READER, str(exported)],
        capture_output=True, text=True, timeout=300, check=False, cwd=exported,
        env=os.environ | {"IMAGE_ROOT": str(exported)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Ten of twelve played, each with 80 of 100: 83.33 % × 80.
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(66.66, abs=0.01)
    assert len(list(exported.rglob("transcript.html"))) == 12


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Twelve episodes, ten of three turns and two aborted; every final rendering rated 8 of 10."""
    folder = tmp_path_factory.mktemp("inspect")
    run = sample_run(folder / "run", sample_instances(folder / "instances", per_condition=3))
    for episode in run.episodes():
        for turn in list_rendered_turns(episode)[-1:]:
            assert turn.rendering is not None
            item, sha256 = episode.episode_id, turn.rendering.sha256
            run.add_scores(
                [Score(episode_id=item, step=turn.turn, measure="similarity", by="eye", value=8, rendering=sha256)]
            )
    return run


@pytest.fixture(scope="module")
def log(rated: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    done = export_log(rated, tmp_path_factory.mktemp("logs"))
    with ZipFile(done.path) as file:
        header: dict[str, Any] = json.loads(file.read("header.json"))
        summaries = json.loads(file.read("summaries.json"))
        samples = [json.loads(file.read(f"samples/{summary['id']}_epoch_1.json")) for summary in summaries]
        assert len(file.namelist()) == 2 + len(samples)
    return header | {"summaries": summaries, "samples": samples}


@pytest.mark.slow
def test_the_header_names_both_models(log: dict[str, Any], rated: RunFolder) -> None:
    assert log["eval"]["model"] == "classical-b200-t10-allow"
    assert log["eval"]["model_roles"]["generator"]["model"] == "canvas-b200-t10-allow"
    assert log["eval"]["created"] == rated.run.started
    assert log["eval"]["metadata"]["run"]["run_id"] == rated.run.run_id
    assert log["results"]["scores"] == [
        {
            "name": "eye", "scorer": "eye", "scored_samples": 10, "unscored_samples": 2,
            "metrics": {
                "mean": {"name": "mean", "value": 8.0},
                "main_score": {"name": "main_score", "value": pytest.approx(80 * 10 / 12)},
            },
        }
    ]  # fmt: skip


def test_messages_are_what_the_describer_saw_and_said(log: dict[str, Any], rated: RunFolder) -> None:
    sample = log["samples"][0]
    episode = rated.episodes()[0]
    words = [message["content"] for message in sample["messages"] if message["role"] == "assistant"]
    assert words == [
        "<DESCRIPTION>left 41 colour #1f77b4</DESCRIPTION>",
        "<DESCRIPTION>left 31 colour #1f77b4</DESCRIPTION>",
        "<DONE>",
    ]
    asked = [message["content"] for message in sample["messages"] if message["role"] == "user"]
    drawn = [turn.rendering.sha256 for turn in list_turns(episode) if turn.rendering]
    target = rated.instances.instances[0].pictures["target"].sha256
    shown = [[part["image"] for part in content if part["type"] == "image"] for content in asked]
    assert shown == [[f"attachment://{item}" for item in (target, *drawn[:seen])] for seen in (0, 1, 2)]
    for sha256, text in sample["attachments"].items():
        data = base64.b64decode(text.removeprefix("data:image/png;base64,"))
        assert Picture.read_untrusted(data, "attachment").sha256 == sha256
    assert sample["metadata"]["unseen"] == {}


def test_an_aborted_episode_keeps_the_answer_that_broke_the_rules_and_has_no_score(log: dict[str, Any]) -> None:
    sample = next(sample for sample in log["samples"] if sample["metadata"]["outcome"] == "aborted")
    assert [message["content"] for message in sample["messages"] if message["role"] == "assistant"] == [
        "I would rather not say."
    ]
    assert sample["scores"] == {}
    assert "error" not in sample  # it broke the rules; nothing failed
    assert sample["metadata"]["abort_reason"] == "describer_format"


def test_a_run_without_its_answers_has_no_log(rated: RunFolder, tmp_path: Path) -> None:
    shutil.copytree(rated.path, tmp_path / "run")
    journal = tmp_path / "run" / "journal.jsonl"
    lines = [line for line in journal.read_text("utf-8").splitlines() if '"event":"end"' in line]
    journal.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError, match="answers as they came are not recorded"):
        export_log(RunFolder(tmp_path / "run"), tmp_path / "logs")


@pytest.mark.slow
def test_the_command(rated: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["export", "inspect", str(rated.path), "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith(".eval: 12 samples\n")
    assert ircore(["export", "inspect", str(rated.path), "--out", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err


LOG_READER = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
(found,) = list_eval_logs(sys.argv[1])
log = read_eval_log(found, resolve_attachments=True)
print(json.dumps({
    "task": log.eval.task, "status": log.status, "samples": len(log.samples), "file": found.task,
    "mean": log.results.scores[0].metrics["mean"].value,
    "value": log.samples[0].scores["eye"].value,
    "roles": [message.role for message in log.samples[0].messages],
    "summaries": len(read_eval_log_sample_summaries(found)),
    "images": [part.image[:22] for part in log.samples[0].messages[4].content if part.type == "image"],
}))
"""


def test_inspect_ai_itself_reads_it(rated: RunFolder, tmp_path: Path) -> None:
    """IRCORE_INSPECT_PYTHON names a Python that has inspect_ai; it needs other packages than this project's."""
    python = os.environ.get("IRCORE_INSPECT_PYTHON")
    if not python:
        pytest.skip("IRCORE_INSPECT_PYTHON names no Python with inspect_ai")
    export_log(rated, tmp_path)
    done = subprocess.run(
        [python, "-P", "-c", LOG_READER, str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "task": "image_reconstruction_game", "status": "success", "samples": 12, "file": "image-reconstruction-game",
        "mean": 8.0, "value": 8.0, "roles": ["user", "assistant"] * 3, "summaries": 12,
        "images": ["data:image/png;base64,"] * 3,
    }  # fmt: skip
