"""Answers kept across runs: a question that was answered once is not sent again."""

from pathlib import Path

import pytest
from openai_server import OpenAIServer
from pairs import play_pair, served_pair

from ircore.commands.main import run as ircore
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.records import list_turns
from ircore.games.reconstruction.rules import GENERATOR
from ircore.instances.store import InstanceSet
from ircore.players.base import GeneratorView, PictureAnswer
from ircore.runs.cache import Cache
from ircore.runs.folder import RunFolder
from ircore.runs.summary import summarise


def play(folder: Path, server: OpenAIServer, instances: InstanceSet, out: str, *more: str) -> RunFolder:
    pair = served_pair(folder, server.base_url)
    assert play_pair(pair, instances, folder / out, "--cache", str(folder / "cache"), *more) == 0
    return RunFolder(folder / out)


@pytest.mark.slow
def test_a_second_run_asks_nothing(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    first = play(tmp_path, server, instances, "one", "--cache-generators")
    asked = server.count()
    second = play(tmp_path, server, instances, "two", "--cache-generators")
    assert server.count() == asked == 4 * 5
    shown = [[turn.rendering for turn in list_turns(episode)] for episode in second.episodes()]
    assert shown == [[turn.rendering for turn in list_turns(episode)] for episode in first.episodes()]
    assert all(second.rendering(item).pixels.size for row in shown for item in row if item)
    assert sum(summarise(second)["requests"].values()) == 0


@pytest.mark.slow
def test_generators_are_asked_again_unless_told_otherwise(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    play(tmp_path, server, instances, "one")
    play(tmp_path, server, instances, "two")
    # Four first messages were kept; what follows a new picture is a new question.
    assert server.count("/images/generations") == 8
    assert server.count("/chat/completions") == 12 + 8


@pytest.mark.slow
def test_another_seed_is_another_sample(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    play(tmp_path, server, instances, "one", "--cache-generators", "--limit", "1")
    asked = server.count()
    play(tmp_path, server, instances, "two", "--cache-generators", "--limit", "1", "--seed", "1")
    assert server.count() == 2 * asked


SPEC = PlayerSpec(player="openai", model="m", api_key_env="A_KEY", parameters={"temperature": 0})


def submission() -> Submission:
    return Submission(schema_=1, name="Pair", describer=SPEC, generator=SPEC, licence="CC0-1.0")


@pytest.mark.parametrize("content", [b"", b'{"text": 3}', b'{"tex', b"\xff\xfe"])
def test_a_damaged_or_empty_file_of_the_cache_is_a_miss(tmp_path: Path, instances: InstanceSet, content: bytes) -> None:
    picture = instances.picture(instances.instances[0], "target")
    cache = Cache(tmp_path, submission().players, generators=True)
    question = GeneratorView(1, "A square.", (), None, 7, "A square.")
    drawn = PictureAnswer(picture, ("a note",))
    cache.keep(GENERATOR, question, drawn)
    kept = cache.answer(GENERATOR, question)
    assert isinstance(kept, PictureAnswer)
    assert (kept.picture.data, kept.notes, kept.usage.requests) == (picture.data, ("a note",), 0)
    for pattern in ("pictures/*/*.png", "answers/*/*.json"):
        (file,) = tmp_path.glob(pattern)
        file.write_bytes(content)
        assert cache.answer(GENERATOR, question) is None
        cache.keep(GENERATOR, question, drawn)  # and is mended by the next answer
        again = cache.answer(GENERATOR, question)
        assert isinstance(again, PictureAnswer)
        assert again.picture.sha256 == kept.picture.sha256


def test_a_picture_that_was_changed_without_changing_its_size_is_a_miss(tmp_path: Path, instances: InstanceSet) -> None:
    picture = instances.picture(instances.instances[0], "target")
    cache = Cache(tmp_path, submission().players, generators=True)
    question = GeneratorView(1, "A square.", (), None, 7, "A square.")
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    (file,) = tmp_path.glob("pictures/*/*.png")
    file.write_bytes(picture.data[:60] + bytes(len(picture.data) - 60))
    assert cache.answer(GENERATOR, question) is None
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    assert cache.answer(GENERATOR, question) is not None


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, server: OpenAIServer, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    run = play(tmp_path, server, instances, "one", "--concurrency", "4")
    assert len(run.calls()) == server.count() == 4 * 5
    said = [line for line in capsys.readouterr().err.splitlines() if "--cache" in line]
    assert len(said) == 1
    assert "answers are kept in the run all the same" in said[0]


def test_generators_need_a_cache(tmp_path: Path, instances: InstanceSet) -> None:
    given = ["--instances", str(instances.folder), "--out", str(tmp_path / "run"), "--cache-generators"]
    assert ircore(["play", "submissions/builtin-classical-canvas", *given]) == 2
