"""Recorded answers in place of players: the rules played again on a transcript."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from ircore.core.episode_records import Rendering
from ircore.core.images import KnownPicture, Picture
from ircore.games.base import Seat
from ircore.players.base import Answer, Asked, PlayerError
from ircore.runs.answers import answer_of, call_key, question_hash
from ircore.runs.events import Call, CallKey, Failure

QuestionT = TypeVar("QuestionT", bound=Asked)
AnswerT = TypeVar("AnswerT", bound=Answer)


class MissingAnswerError(Exception):
    """The rules ask for an answer that the transcript does not have.

    >>> str(MissingAnswerError(CallKey("geometry-easy-01", 2, "describer")))
    "turn 2: the describer's answer is missing"
    """

    def __init__(self, key: CallKey) -> None:
        super().__init__(f"turn {key.turn}: the {key.role}'s answer is missing")
        self.key = key


class RecordedTable:
    """The table of an episode whose seats all answer from a transcript.

    >>> import asyncio
    >>> from pathlib import Path
    >>> from ircore.games.registry import load_game
    >>> from ircore.runs.episode import episode_setup
    >>> from ircore.runs.folder import RunFolder
    >>> run, game = RunFolder(Path("run")), load_game("reconstruction")
    >>> first = run.instances.instances[0]
    >>> table = RecordedTable(first.instance_id, run.calls(), run.failures(), known_picture)
    >>> asyncio.run(game.play(table, episode_setup(game, run.run, run.instances, first, game.prompts(None)))).outcome
    'converged'

    Args:
        episode_id: Id of the episode.
        calls: Answers of the episode.
        failures: Questions of the episode without an answer, in order.
        picture_of: Finds the picture of a rendering.
        seats: What decides the seats' answers, see ``seat_hash``: an answer to another question is then taken for
            missing. None where the hashes of questions are not looked at.

    Attributes:
        asked: Keys of the questions that the rules have asked.
        answered: Keys of those that the transcript answers.
        odd: Step and seat of questions whose words are not those of the transcript.
    """

    def __init__(
        self,
        episode_id: str,
        calls: Mapping[CallKey, Call],
        failures: Sequence[Failure],
        picture_of: Callable[[Rendering], Picture],
        seats: Mapping[str, str] | None = None,
    ) -> None:
        self._episode_id = episode_id
        self._calls = calls
        self._failures = failures
        self._picture_of = picture_of
        self._seats = seats
        self.asked: set[CallKey] = set()
        self.answered: set[CallKey] = set()
        self.odd: list[tuple[int, str]] = []

    async def ask(self, seat: Seat[QuestionT, AnswerT], question: QuestionT) -> AnswerT:
        """Answer as the transcript does.

        Raises:
            PlayerError: The recorded player could not answer.
            MissingAnswerError: The transcript has no answer.
        """
        key = call_key(self._episode_id, seat, question)
        self.asked.add(key)
        call = self._calls.get(key)
        hashed = None if self._seats is None else question_hash(self._seats[seat.name], question)
        fits = call is not None and hashed in (None, call.question)
        answer = None if call is None or not fits else answer_of(seat, call, self._picture_of)
        if call is None or answer is None:
            raise self._refusal(key, hashed)
        self.answered.add(key)
        if seat.records_prompt and call.prompt != question.prompt:
            self.odd.append((key.turn, key.role))
        return cast(AnswerT, answer)

    def _refusal(self, key: CallKey, hashed: str | None) -> PlayerError | MissingAnswerError:
        # The latest one counts: a question that failed may have been asked again when the run was resumed.
        for failure in reversed(self._failures):
            if (failure.turn, failure.role) == (key.turn, key.role) and failure.reason != "stopped":
                if hashed not in (None, failure.question):
                    break
                return PlayerError(failure.reason, failure.detail)
        return MissingAnswerError(key)


def known_picture(rendering: KnownPicture) -> Picture:
    """Return a picture with hash and size but without bytes: rules do not look at the pixels."""
    picture = Picture(b"", rendering.width, rendering.height)
    # In place of the cached property, which would hash the missing bytes.
    picture.__dict__["sha256"] = rendering.sha256
    return picture
