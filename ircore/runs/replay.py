"""The player ``replay``: answers from a recorded run, in either seat, for demonstrations, tests and re-scoring.

It stands outside ``ircore.players`` because it reads a run folder, which no real player may. Views name no instance,
so a recorded answer is found by what was to be seen: for a describer the target and its own replies so far, for a
generator the messages so far and its own rendering before.
"""

from itertools import count, takewhile
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.records import AbortReason, Episode, PlayerSpec, Rendering
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer
from ircore.runs.folder import CallKey, RunFolder

DescriberKey = tuple[str, tuple[str, ...]]
GeneratorKey = tuple[tuple[str, ...], str | None]


class ReplayPlayer:
    """Answers as a recorded run did; where nothing was recorded it cannot answer.

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
        self._texts: dict[DescriberKey, str] = {}
        self._pictures: dict[GeneratorKey, tuple[Rendering, tuple[str, ...]]] = {}
        self._faults: dict[DescriberKey | GeneratorKey, tuple[AbortReason, str]] = {}
        self._read()

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Answer with the recorded reply.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        key = (view.target.sha256, view.replies)
        if key not in self._texts:
            raise self._missing(key, "this target and these replies")
        return TextAnswer(self._texts[key])

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Answer with the recorded rendering; of several for the same messages with the first.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        key = ((*view.earlier, view.message), view.previous.sha256 if view.previous else None)
        if key not in self._pictures:
            raise self._missing(key, "these messages")
        rendering, notes = self._pictures[key]
        return PictureAnswer(self._folder.rendering(rendering), notes)

    def _missing(self, key: DescriberKey | GeneratorKey, what: str) -> PlayerError:
        reason, detail = self._faults.get(key, ("provider_error", f"{self._folder.path} records no answer to {what}."))
        return PlayerError(reason, detail)

    def _read(self) -> None:
        targets = {one.instance_id: one.sha256 for one in self._folder.instances.instances}
        calls = self._folder.calls()
        for episode in self._folder.episodes():
            said = (calls.get(CallKey(episode.episode_id, turn, "describer")) for turn in count(1))
            replies = [call.text or "" for call in takewhile(lambda call: call is not None, said) if call]
            self._read_replies(episode, targets[episode.instance_id], replies)
            self._read_renderings(episode)

    def _read_replies(self, episode: Episode, target: str, replies: list[str]) -> None:
        for turn, text in enumerate(replies):
            self._texts.setdefault((target, tuple(replies[:turn])), text)
        if episode.abort_reason is not None:
            self._faults[target, tuple(replies)] = (episode.abort_reason, episode.detail or "")

    def _read_renderings(self, episode: Episode) -> None:
        messages: tuple[str, ...] = ()
        previous = None
        for turn in episode.turns:
            if turn.message is None:
                return
            messages = (*messages, turn.message)
            if turn.rendering is not None:
                self._pictures.setdefault((messages, previous), (turn.rendering, turn.notes))
                previous = turn.rendering.sha256
            elif episode.abort_reason is not None:
                self._faults[messages, previous] = (episode.abort_reason, episode.detail or "")
