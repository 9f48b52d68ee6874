"""Answers of players as records of the journal, in the same way for every seat; and a cache that several runs share.

An answer belongs to its question: both are recorded, the question by its hash, which the cache uses as well. What
decides a question is hashed: the player's settings (model, address, parameters), everything in its view (every word,
every picture by its hash, the seed), and the versions of this package and of the player's. Recorded answers may stand
in place of players: the rules are played again on a transcript.

By the cache the same question is asked once, whichever run asks first. Files appear whole or not at all, so several
runs, also on several machines, may use one folder at the same time. The run's own record comes first, and the cache is
a convenience: a file that cannot be read, or is damaged, is no answer, so that the question is asked; what cannot be
written is said once. Text only unless told otherwise: two pictures for the same words are two samples.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from ircore import __version__
from ircore.core.episode_records import Attempt, Rendering, Usage
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.images import MAX_SIDE, KnownPicture, Picture, read_image_bytes
from ircore.core.plugins import find_package_version
from ircore.core.private_text import remove_invisible
from ircore.core.records import PlayerSpec, Record
from ircore.core.untrusted_text import replace_surrogates
from ircore.games.base import Seat
from ircore.players.base import (
    Answer,
    AnswerKind,
    Asked,
    ChoiceAnswer,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.players.traits import select_deciding_settings
from ircore.runs.events import Call, CallKey, EventEntry, Failure

LONGEST_TEXT = 200_000
"""Characters of an answer's words that are recorded; the reconstruction game refuses fewer already."""

MAX_NOTES = 100
LONGEST_NOTE = 2_000
"""Notes of an answer, and characters of each, that are recorded."""

KINDS: dict[AnswerKind, type[Answer]] = {"text": TextAnswer, "picture": PictureAnswer, "choice": ChoiceAnswer}

QuestionT = TypeVar("QuestionT", bound=Asked)
AnswerT = TypeVar("AnswerT", bound=Answer)

NOT_ASKED = Usage(requests=0)
"""Usage of a cached answer: no request."""


def call_key(episode_id: str, seat: Seat[Any, Any], question: Asked) -> CallKey:
    """Return the key that identifies a question in a run."""
    return CallKey(episode_id, question.step, seat.name)


def hash_seat(role: str, spec: PlayerSpec) -> str:
    """Return the hash of what decides a seat's answers besides the questions: seat, player and versions.

    Args:
        role: Name of the seat, or ``judge``: a describer and a generator of one model must not share an answer.
        spec: The player; its settings count as of ``select_deciding_settings``.
    """
    parts = {
        "version": __version__,
        "role": role,
        "player": select_deciding_settings(spec).model_dump(mode="json"),
        "package": find_package_version("players", spec.player),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def hash_question(asked_seat: str, question: Asked) -> str:
    """Return the hash of everything that decides an answer: the seat, every word, every picture, the seed.

    Args:
        asked_seat: As ``hash_seat`` returns it.
        question: The view that the player gets.

    Raises:
        TypeError: The question has a field of a type that cannot be told from others of its type.
    """
    parts = [asked_seat, _convert_value(question)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def build_asked_question(seat: Seat[Any, Any], question: Asked) -> Asked:
    """Return a question as a player gets it: with the kind of answer that the seat gives."""
    return replace(question, answers=seat.answers) if isinstance(question, Question) else question


def clean_answer(answer: Answer) -> Answer:
    r"""Return an answer as it is recorded and published: words within the bounds above, without unseen characters.

    >>> len(clean_answer(TextAnswer("a" * 300_000)).text), clean_answer(TextAnswer("a\u200b red\x00 circle")).text
    (200000, 'a red circle')
    """
    if isinstance(answer, TextAnswer):
        return replace(answer, text=_clean_words(answer.text, LONGEST_TEXT))
    return replace(answer, notes=tuple(_clean_words(note, LONGEST_NOTE) for note in answer.notes[:MAX_NOTES]))


def check_answer(seat: Seat[Any, Any], question: Asked, answer: object) -> Answer:
    """Check that an answer is of the kind that the seat gives, and that a record can hold it.

    Raises:
        WorkError: It is not, is too large, or chose what was not offered.
    """
    who, kind = f"the player in the seat {seat.name}", KINDS[seat.answers]
    if not isinstance(answer, kind):
        raise WorkError(
            f"{who} answered with a {type(answer).__name__}, not with a {seat.answers}",
            f"Answer with a {kind.__name__}.",
        )
    content, wanted = getattr(answer, seat.answers), Picture if kind is PictureAnswer else str
    if not isinstance(content, wanted):
        raise WorkError(
            f"{who} answered with a {kind.__name__} whose {seat.answers} is of the type {type(content).__name__}",
            f"It has to be of the type {wanted.__name__}.",
        )
    if isinstance(content, Picture) and max(content.width, content.height) > MAX_SIDE:
        raise WorkError(
            f"{who} drew {content.width} × {content.height} pixels", f"Draw at most {MAX_SIDE:,} pixels a side."
        )
    notes = getattr(answer, "notes", ())
    if not isinstance(notes, tuple | list) or not all(isinstance(note, str) for note in notes):
        raise WorkError(f"{who} answered with notes that are no list of texts", 'Write notes=("a note",).')
    if not isinstance(answer.usage, Usage):
        raise WorkError(
            f"{who} answered with a usage of the type {type(answer.usage).__name__}", "Write usage=Usage(…)."
        )
    if not isinstance(answer.attempts, tuple | list) or not all(
        isinstance(attempt, Attempt) for attempt in answer.attempts
    ):
        raise WorkError(f"{who} answered with attempts that are no records of requests", "Leave attempts out.")
    # Only the questions to seats that choose have these two fields.
    choices = getattr(question, "choices", ())
    unclear = getattr(question, "unclear", None)
    if isinstance(answer, ChoiceAnswer) and answer.choice not in (*choices, *([] if unclear is None else [unclear])):
        if not choices:
            raise WorkError(
                f"the question to the seat {seat.name} in step {question.step} offers no choices",
                "This is a fault of the game: ask with Question(…, choices=…).",
            )
        raise WorkError(f"{who} chose {answer.choice!r}", f"Choose one of: {', '.join(choices)}.")
    return answer


def call_entry(
    key: CallKey, seat: Seat[Any, Any], question: Asked, answer: Answer, seconds: float, hashed: str | None = None
) -> EventEntry:
    """Return the journal entry of an answer; ``hashed`` is the hash of its question."""
    call = Call(
        **key._asdict(),
        **answer_fields(answer),
        question=hashed,
        prompt=question.prompt if seat.records_prompt else None,
        usage=answer.usage,
        seconds=seconds,
        attempts=answer.attempts,
    )
    return EventEntry(call, answer.picture if isinstance(answer, PictureAnswer) else None)


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Return the fields of a record that hold an answer: text, or choice or rendering with notes."""
    if isinstance(answer, TextAnswer):
        return {"text": answer.text}
    content = (
        {"choice": answer.choice} if isinstance(answer, ChoiceAnswer) else {"rendering": Rendering.of(answer.picture)}
    )
    return {**content, "notes": answer.notes}


def answer_of(seat: Seat[Any, Any], call: Call, picture_of: Callable[[Rendering], Picture]) -> Answer | None:
    """Return the answer in a record; None if the record holds no answer of the seat's kind.

    Args:
        seat: The seat that was asked.
        call: The record.
        picture_of: Finds the picture of a rendering.
    """
    # The seat decides, not the record: the record may be a submitter's, with a text where a picture belongs.
    if seat.answers == "text" and call.text is not None:
        return TextAnswer(call.text, call.usage, call.seconds)
    if seat.answers == "choice" and call.choice is not None:
        return ChoiceAnswer(call.choice, call.notes, call.usage, call.seconds)
    if seat.answers == "picture" and call.rendering is not None:
        return PictureAnswer(picture_of(call.rendering), call.notes, call.usage, call.seconds)
    return None


def is_answer_alone(seat: Seat[Any, Any], call: Call) -> bool:
    """Return whether a record holds an answer of the seat's kind and of no other."""
    answers = {"text": call.text, "choice": call.choice, "picture": call.rendering}
    return [kind for kind, answer in answers.items() if answer is not None] == [seat.answers]


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
    >>> from ircore.runs.episode import build_setup
    >>> from ircore.runs.folder import RunFolder
    >>> run, game = RunFolder(Path("run")), load_game("reconstruction")
    >>> first = run.instances.instances[0]
    >>> table = RecordedTable(first.instance_id, run.calls(), run.failures(), build_known_picture)
    >>> asyncio.run(game.play(table, build_setup(game, run.run, run.instances, first, game.read_prompts(None)))).outcome
    'converged'

    Args:
        episode_id: Id of the episode.
        calls: Answers of the episode.
        failures: Questions of the episode without an answer, in order.
        picture_of: Finds the picture of a rendering.
        seats: What decides the seats' answers, see ``hash_seat``: an answer to another question is then taken for
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
        hashed = None if self._seats is None else hash_question(self._seats[seat.name], question)
        fits = call is not None and hashed in (None, call.question)
        answer = None if call is None or not fits else answer_of(seat, call, self._picture_of)
        if call is None or answer is None:
            raise self._find_refusal(key, hashed)
        self.answered.add(key)
        if seat.records_prompt and call.prompt != question.prompt:
            self.odd.append((key.turn, key.role))
        return cast(AnswerT, answer)

    def _find_refusal(self, key: CallKey, hashed: str | None) -> PlayerError | MissingAnswerError:
        # The latest one counts: a question that failed may have been asked again when the run was resumed.
        for failure in reversed(self._failures):
            if (failure.turn, failure.role) == (key.turn, key.role) and failure.reason != "stopped":
                if hashed not in (None, failure.question):
                    break
                return PlayerError(failure.reason, failure.detail)
        return MissingAnswerError(key)


def build_known_picture(rendering: KnownPicture) -> Picture:
    """Return a picture with hash and size but without bytes: rules do not look at the pixels."""
    picture = Picture(b"", rendering.width, rendering.height)
    # In place of the cached property, which would hash the missing bytes.
    picture.__dict__["sha256"] = rendering.sha256
    return picture


class _CachedAnswer(Record):
    """A file of the cache: an answer without its cost."""

    text: str | None = None
    choice: str | None = None
    rendering: Rendering | None = None
    notes: tuple[str, ...] = ()


class Cache:
    """Cached answers, found by the hash of everything that decides the question.

    >>> from ircore.games.registry import load_game
    >>> from ircore.players.base import Question
    >>> describer = load_game("reconstruction").seats[0]
    >>> cache = Cache(Path("cache"), {"describer": PlayerSpec(player="classical")})
    >>> question = Question(step=1, prompt="Describe the target.")
    >>> cache.answer(describer, question) is None
    True
    >>> cache.keep(describer, question, TextAnswer("A red circle."))
    >>> cache.answer(describer, question).text
    'A red circle.'

    Args:
        folder: Folder of the cache; made with the first answer.
        players: Players by seat.
        generators: Whether pictures are cached as well.
    """

    def __init__(self, folder: Path, players: Mapping[str, PlayerSpec], generators: bool = False) -> None:
        self._folder = folder
        self._generators = generators
        self._seats = {seat: hash_seat(seat, spec) for seat, spec in players.items()}
        self._warned = False

    def answer(self, seat: Seat[Any, Any], question: Asked) -> Answer | None:
        """Return a seat's cached answer to a question; None if there is no sound one, or pictures are not cached."""
        if seat.answers == "picture" and not self._generators:
            return None
        cached = self._read(self._path(seat, question))
        if cached is None:
            return None
        if cached.text is not None:
            return TextAnswer(cached.text, NOT_ASKED)
        if cached.choice is not None:
            return ChoiceAnswer(cached.choice, cached.notes, NOT_ASKED)
        return None if cached.rendering is None else self._read_picture(cached.rendering, cached.notes)

    def keep(self, seat: Seat[Any, Any], question: Asked, answer: Answer) -> None:
        """Store a seat's answer; a picture only if pictures are cached, and its file before any record names it."""
        if isinstance(answer, PictureAnswer) and not self._generators:
            return
        try:
            if isinstance(answer, PictureAnswer):
                path = self._picture_path(answer.picture.sha256)
                # A file of another size is one that was damaged.
                if not path.is_file() or path.stat().st_size != len(answer.picture.data):
                    write_bytes(path, answer.picture.data)
            cached = _CachedAnswer(**answer_fields(answer))
            write_bytes(self._path(seat, question), cached.model_dump_json(exclude_none=True).encode())
        except (WorkError, OSError) as error:
            self._warn(getattr(error, "problem", str(error)))

    def _warn(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            print(
                f"ircore: --cache: {problem}; answers are kept in the run all the same, and not for other runs",
                file=sys.stderr,
                flush=True,
            )

    def _read_picture(self, rendering: Rendering, notes: tuple[str, ...]) -> PictureAnswer | None:
        path = self._picture_path(rendering.sha256)
        if not path.is_file():
            return None
        try:
            return PictureAnswer(Picture.from_own_file(read_image_bytes(path), rendering, str(path)), notes, NOT_ASKED)
        except InputError:
            # A folder that several machines share may hold a file that was damaged on its way.
            with suppress(OSError):
                path.unlink()
            return None

    @staticmethod
    def _read(path: Path) -> _CachedAnswer | None:
        try:
            return _CachedAnswer.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None

    def _path(self, seat: Seat[Any, Any], question: Asked) -> Path:
        key = hash_question(self._seats[seat.name], question)
        return self._folder / "answers" / key[:2] / f"{key}.json"

    def _picture_path(self, sha256: str) -> Path:
        return self._folder / "pictures" / sha256[:2] / f"{sha256}.png"


def _convert_value(value: object) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    # The hash stands for a picture: JSON cannot hold the bytes, and equal files give equal hashes.
    if isinstance(value, Picture):
        return value.sha256
    if isinstance(value, tuple | list):
        return [_convert_value(part) for part in cast("tuple[object, ...]", value)]
    if is_dataclass(value):
        return {field.name: _convert_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return [[_convert_value(key), _convert_value(part)] for key, part in value.items()]
    raise TypeError(f"a question with a {type(value).__name__}, which no record can hold")


def _clean_words(words: str, longest: int) -> str:
    # A release with characters that nobody sees is refused.
    return remove_invisible(replace_surrogates(words[:longest]))
