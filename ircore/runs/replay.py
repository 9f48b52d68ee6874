"""The player ``replay``: answers from a recorded run, in either seat, for demonstrations, tests and re-scoring.

It stands outside ``ircore.players`` because it reads a run folder, which no real player may. Views name no instance,
so a recorded answer is found by what was to be seen: for a describer the target and its own replies so far, for a
generator the messages so far and its own rendering before.
"""

from dataclasses import replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any, cast

from ircore.core.episode_records import GIVEN_UP, AbortReason, Episode, Usage
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.games.base import Seat
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR
from ircore.players.base import Answer, DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer
from ircore.runs.answers import answer_of
from ircore.runs.events import Call, CallKey
from ircore.runs.folder import RunFolder

DescriberKey = tuple[str, tuple[str, ...]]
GeneratorKey = tuple[tuple[str, ...], str | None]


class ReplayPlayer:
    """Answers as a recorded run did; a question that the run did not answer stays unanswered.

    >>> import asyncio
    >>> player = ReplayPlayer(PlayerSpec(player="replay", parameters={"run": "run"}))
    >>> target = RunFolder(Path("run")).instances.target(RunFolder(Path("run")).instances.instances[0])
    >>> view = DescriberView(turn=1, prompt="", target=target, renderings=(), messages=(), replies=(), prompts=(),
    ...                      token_budget=200, seed=0)
    >>> asyncio.run(player.describe(view)).text.startswith("<DESCRIPTION>")
    True

    Args:
        spec: ``parameters.run``: the run folder; absolute, or relative to where the command is given.

    Raises:
        InputError: There is no such run, or there are other settings.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        for name in spec.parameters.keys() - {"run"}:
            raise InputError(f"parameters.{name}: unknown", "Known: run.")
        path = spec.parameters.get("run")
        if not isinstance(path, str):
            raise InputError("parameters.run: is missing", "Name the folder of a recorded run.")
        self._folder = RunFolder.open(Path(path))
        self._calls: dict[DescriberKey | GeneratorKey, Call] = {}
        self._faults: dict[DescriberKey | GeneratorKey, tuple[AbortReason, str]] = {}
        self._read()

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Answer with the recorded reply.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        answer = self._answer(DESCRIBER, (view.target.sha256, view.replies), "this target and these replies")
        return cast(TextAnswer, answer)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Answer with the recorded rendering; of several for the same messages with the first.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        key = ((*view.earlier, view.message), view.previous.sha256 if view.previous else None)
        return cast(PictureAnswer, self._answer(GENERATOR, key, "these messages"))

    def _answer(self, seat: Seat[Any, Any], key: DescriberKey | GeneratorKey, question: str) -> Answer:
        call = self._calls.get(key)
        answer = None if call is None else answer_of(seat, call, self._folder.rendering)
        if answer is None:
            unknown = f"{self._folder.path} records no answer to {question}."
            raise PlayerError(*self._faults.get(key, ("provider_error", unknown)))
        # What the recorded player cost is no cost of this run.
        return replace(answer, usage=Usage(), seconds=0.0)

    def _read(self) -> None:
        targets = {instance.instance_id: instance.sha256 for instance in self._folder.instances.instances}
        calls = self._folder.calls()
        for episode in self._folder.episodes():
            replies = (calls.get(CallKey(episode.episode_id, turn, "describer")) for turn in count(1))
            described = [call for call in takewhile(lambda call: call is not None, replies) if call]
            self._read_replies(episode, targets[episode.instance_id], described)
            self._read_renderings(episode)

    def _read_replies(self, episode: Episode, target: str, described: list[Call]) -> None:
        replies = tuple(call.text or "" for call in described)
        for number, call in enumerate(described):
            # The first of several alike stays, as the docstring of ``render`` promises for pictures.
            self._calls.setdefault((target, replies[:number]), call)
        if fault := _fault(episode):
            self._faults[target, replies] = fault

    def _read_renderings(self, episode: Episode) -> None:
        messages: tuple[str, ...] = ()
        previous = None
        for turn in episode.turns:
            # The describer said that the picture is done, so no other one was drawn.
            if turn.message is None:
                return
            messages = (*messages, turn.message)
            if turn.rendering is not None:
                call = Call(
                    episode_id=episode.episode_id,
                    turn=turn.turn,
                    role=GENERATOR.name,
                    rendering=turn.rendering,
                    notes=turn.notes,
                    seconds=0.0,
                )
                self._calls.setdefault((messages, previous), call)
                previous = turn.rendering.sha256
            elif fault := _fault(episode):
                self._faults[messages, previous] = fault


def _fault(episode: Episode) -> tuple[AbortReason, str] | None:
    """Return why a recorded answer or failure ended an episode; None if neither did, or somebody gave it up."""
    reason = episode.abort_reason
    return None if reason is None or reason == GIVEN_UP else (reason, episode.detail or "")
