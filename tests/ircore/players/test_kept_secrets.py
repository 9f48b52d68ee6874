"""The key of a player of another package, where its service repeats it: taken out of whatever the player gives."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pairs import play_pair, write_pair

from ircore.core.episode_records import Attempt
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players.answers import ChoiceAnswer, JudgeError, PictureAnswer, PlayerError, TextAnswer
from ircore.players.calls import ProviderStopError
from ircore.players.guard import keeping_secret

KEY = "sk-planted/0123456789abcdef"
SPEC = PlayerSpec(player="echo", api_key_env="ECHO_KEY")
ATTEMPTS = (Attempt(kind="server", seconds=1, detail=f"no {KEY}", served=f"m@{KEY}"),)
SMALL = Picture.from_pixels(np.zeros((1, 1, 3), np.uint8))


def stopped() -> ProviderStopError:
    error = ProviderStopError(f"denied: {KEY}", f"Change {KEY}.")
    error.attempts = ATTEMPTS
    return error


class Echo:
    """Gives, or raises, what it is asked for."""

    label = "an echo"

    async def answer(self, question: Any) -> Any:
        if isinstance(question, BaseException):
            raise question
        return question


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Awaitable[Any]]:
    monkeypatch.setenv("ECHO_KEY", f" {KEY} ")
    player = keeping_secret(Echo(), SPEC)
    assert (player.label, hasattr(player, "close")) == ("an echo", False)
    return player.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "answer",
    [
        TextAnswer(f"I was given {KEY}", attempts=ATTEMPTS),
        ChoiceAnswer("A", (f"said {KEY}",), attempts=ATTEMPTS),
        PictureAnswer(SMALL, (f"drawn for {KEY}",), attempts=ATTEMPTS),
    ],
)
def test_no_answer_holds_the_key(ask: Callable[[Any], Awaitable[Any]], answer: Any) -> None:
    async def asked() -> Any:
        return await ask(answer)

    given = asyncio.run(asked())
    assert "[key]" in repr(given)
    assert KEY not in repr(given)
    assert given.attempts == (Attempt(kind="server", seconds=1, detail="no [key]", served="m@[key]"),)


@pytest.mark.parametrize(
    "error",
    [
        PlayerError("answer_refused", f"not for {KEY}", ATTEMPTS),
        JudgeError("judge_refused", f"not for {KEY}", ATTEMPTS),
        stopped(),
        ValueError(f"cannot read {KEY}"),
    ],
)
def test_no_error_holds_the_key(ask: Callable[[Any], Awaitable[Any]], error: Exception) -> None:
    async def asked() -> Any:
        return await ask(error)

    with pytest.raises(type(error)) as raised:
        asyncio.run(asked())
    for words in (str(raised.value), repr(vars(raised.value)), str(getattr(raised.value, "attempts", ""))):
        assert KEY not in words
    assert "[key]" in str(raised.value)


PLAYER = """
import os
from ircore.players.answers import PlayerError, TextAnswer

class Speaker:
    def __init__(self, spec): ...
    async def describe(self, view):
        key = os.environ["LOUD_KEY"]
        if view.turn == 3:
            raise PlayerError("describer_refused", f"enough of {key}")
        return TextAnswer(f"<DESCRIPTION>A red circle for {key}.</DESCRIPTION>")
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_no_file_of_a_run_holds_it(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    about = tmp_path / "packages" / "loud_speaker-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: loud-speaker\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[ircore.players]\nloud-speaker = loud_speaker:Speaker\n")
    (tmp_path / "packages" / "loud_speaker.py").write_text(PLAYER)
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("LOUD_KEY", KEY)
    pair = write_pair(tmp_path, {"player": "loud-speaker", "api_key_env": "LOUD_KEY"}, {"player": "sketch"})
    more = ("--limit", "2", "--processes", processes, "--cache", str(tmp_path / "cache"))
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    files = [path for place in ("run", "cache") for path in (tmp_path / place).rglob("*.json*")]
    assert any("[key]" in path.read_text() for path in files)
    assert not [path for path in files if KEY in path.read_text()]
