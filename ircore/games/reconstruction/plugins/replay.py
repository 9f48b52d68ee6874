"""The player ``replay``: answers from a recorded run, in either seat, for demonstrations, tests and re-scoring.

It stands outside ``ircore.players`` because it reads a run folder, which no real player may. Views name no instance,
so a recorded answer is found by what is shown: to a describer the target and its own replies, as far as the rules let
it remember them; to a generator the messages so far and, where it edits, its own rendering before. Of several episodes
that were alike up to there the one counts that had the same renderings and the same seed, else the first.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any, cast

from ircore.core.episode_records import GIVEN_UP, AbortReason, Episode, Usage
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec, derive_seed
from ircore.games.base import Seat
from ircore.games.reconstruction.records import list_turns
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR
from ircore.games.registry import require_support
from ircore.players.base import Answer, DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer
from ircore.runs.answers import answer_of
from ircore.runs.events import Call, CallKey
from ircore.runs.folder import RunFolder

Fault = tuple[AbortReason, str]


@dataclass(frozen=True)
class _Moment:
    """A question of the recorded run, with the answer or the fault that came.

    Attributes:
        seed: Of the question.
        replies: The describer's raw answers before.
        renderings: Hashes of the renderings before.
    """

    seed: int
    replies: tuple[str, ...]
    renderings: tuple[str, ...]
    call: Call | None
    fault: Fault | None

    def likeness(self, replies: tuple[str, ...], renderings: tuple[str, ...]) -> int:
        """Return how well a describer's view shows this moment: 0 not at all, 1 its words, 2 its renderings as well.

        Rules leave out the exchanges between the first and the last, or all before the last ones; see
        ``Rules.select_remembered_turns``. Where another generator draws, the renderings are others.
        """
        shown, all_turns = len(replies), len(self.replies)
        if shown > all_turns or (shown == 0) != (all_turns == 0):
            return 0
        last, ends = [*range(all_turns - shown, all_turns)], [0, all_turns - 1]
        likeness = 0
        for places in (last, ends if shown == len(ends) else last):
            if replies == tuple(self.replies[place] for place in places):
                drawn = renderings == tuple(self.renderings[place] for place in places)
                likeness = max(likeness, 2 if drawn else 1)
        return likeness


class ReplayPlayer:
    """Answers as a recorded run did; a question that the run did not answer stays unanswered.

    >>> import asyncio
    >>> player = ReplayPlayer(PlayerSpec(player="replay", parameters={"run": "run"}))
    >>> instances = RunFolder(Path("run")).instances
    >>> target = instances.picture(instances.instances[0], "target")
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
        self._folder = RunFolder(Path(path))
        require_support("replay", self._folder.game, path)
        self._described: dict[tuple[str, int], list[_Moment]] = defaultdict(list)
        self._drawn: dict[tuple[str, ...], list[_Moment]] = defaultdict(list)
        self._read()

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Answer with the recorded reply.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        renderings = tuple(picture.sha256 for picture in view.renderings)
        moments = self._described.get((view.target.sha256, view.turn), ())
        likeness = [(moment.likeness(view.replies, renderings), moment) for moment in moments]
        most = max((like for like, _ in likeness), default=0)
        alike = [moment for like, moment in likeness if like == most > 0]
        return cast(TextAnswer, self._answer(DESCRIBER, alike, view.seed, "this target and these replies"))

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Answer with the recorded rendering; of several for the same messages and seed with the first.

        Raises:
            PlayerError: The recorded player could not answer, or nothing is recorded.
        """
        moments = self._drawn.get((*view.earlier, view.message), ())
        if view.previous is not None:
            moments = [moment for moment in moments if moment.renderings[-1:] == (view.previous.sha256,)]
        return cast(PictureAnswer, self._answer(GENERATOR, moments, view.seed, "these messages and this rendering"))

    def _answer(self, seat: Seat[Any, Any], alike: Sequence[_Moment], seed: int, question: str) -> Answer:
        moment = next((moment for moment in alike if moment.seed == seed), alike[0] if alike else None)
        call = None if moment is None else moment.call
        answer = None if call is None else answer_of(seat, call, self._folder.rendering)
        if answer is None:
            unknown: Fault = ("provider_error", f"{self._folder.path} records no answer to {question}.")
            raise PlayerError(*((moment and moment.fault) or unknown))
        # What the recorded player cost is no cost of this run.
        return replace(answer, usage=Usage(), seconds=0.0)

    def _read(self) -> None:
        targets = {
            instance.instance_id: instance.pictures["target"].sha256 for instance in self._folder.instances.instances
        }
        calls = self._folder.calls()
        for episode in self._folder.episodes():
            replies = (calls.get(CallKey(episode.episode_id, turn, DESCRIBER.name)) for turn in count(1))
            described = [call for call in takewhile(lambda call: call is not None, replies) if call]
            self._read_replies(episode, targets[episode.instance_id], described)
            self._read_renderings(episode)

    def _read_replies(self, episode: Episode, target: str, described: list[Call]) -> None:
        replies = tuple(call.text or "" for call in described)
        renderings = tuple(rendering.sha256 for rendering in episode.renderings.values())
        for turn, call in enumerate([*described, None], start=1):
            seed = self._derive_seed(episode, turn, DESCRIBER)
            fault = None if call else _find_fault(episode)
            moment = _Moment(seed, replies[: turn - 1], renderings[: turn - 1], call, fault)
            # After a message that nobody drew the describer was not asked again.
            if len(moment.renderings) == turn - 1:
                self._described[target, turn].append(moment)

    def _read_renderings(self, episode: Episode) -> None:
        messages: tuple[str, ...] = ()
        renderings: tuple[str, ...] = ()
        for turn in list_turns(episode):
            # The describer said that the picture is done, so no other one was drawn.
            if turn.message is None:
                return
            messages = (*messages, turn.message)
            drawn = {"rendering": turn.rendering, "notes": turn.notes, "seconds": 0.0}
            key = CallKey(episode.episode_id, turn.turn, GENERATOR.name)
            call = None if turn.rendering is None else Call.model_validate({**key._asdict(), **drawn})
            seed, fault = self._derive_seed(episode, turn.turn, GENERATOR), None if call else _find_fault(episode)
            self._drawn[messages].append(_Moment(seed, (), renderings, call, fault))
            if turn.rendering is not None:
                renderings = (*renderings, turn.rendering.sha256)

    def _derive_seed(self, episode: Episode, turn: int, seat: Seat[Any, Any]) -> int:
        """Return the seed of a question, as the rules derive it."""
        of_run = self._folder.run.seeds[episode.repeat - 1]
        return derive_seed(derive_seed(of_run, episode.instance_id), turn, seat.name)


def _find_fault(episode: Episode) -> Fault | None:
    """Return why a recorded answer or failure ended an episode; None if neither did, or somebody gave it up."""
    reason = episode.abort_reason
    return None if reason is None or reason == GIVEN_UP else (reason, episode.detail or "")
