"""The table ``calls``: every question to a seat or a judge with its answer, and its rows back to records.

A journal keeps no words that follow from earlier answers, and no names of pictures. Both come from the rules, played
again on the recorded answers. Keys and paths of machines are replaced, as in everything that is packed for publishing.
"""

import asyncio
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from pydantic import Field, TypeAdapter

from dataset_card.tables.columns import build_cells, parse_cells
from dataset_card.tables.rows import Row, build_episode_columns, parse_public_id
from dataset_card.tables.schema import CALLS
from ircore.core.episode_records import Attempt, Episode
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.images import Picture
from ircore.core.journal import read_records
from ircore.core.private_text import redact_leaks
from ircore.core.records import Fields, Instance, Name, Record, Sha256
from ircore.players.base import Captioned, DescriberView, Question
from ircore.results.played_run import PlayedRun
from ircore.runs.answers import MissingAnswerError, RecordedTable, build_known_picture
from ircore.runs.costs.prices import find_usage, is_answered, measure_seconds
from ircore.runs.episode import build_setup, play_episode
from ircore.runs.events import Call, CallKey, End, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.judge_answers import PREFERENCE_FORM, SIMILARITY_FORM, AnswerError, describe_verdicts_form
from ircore.runs.judge_questions import JudgeQuestion, QuestionKey, read_judgements
from ircore.scorers.judges.manifest import ALONE, PAIR, TRIPLET, Asks, JudgePrompts, load_judge_prompts

ANSWERED = "answered"
"""Outcome of a question that brought an answer; of any other question the outcome is the reason."""

CALLS_FILE = "calls.jsonl"
"""File in a run folder whose journal has no answers, as one pulled from a release: the questions of its episodes."""

_COMPARED = ("similarity", "preference")
"""Tasks of judges with words that are the same for all pictures, by their names among a judge's prompts."""

_CAPTIONS = ((), ALONE, PAIR, TRIPLET)
"""Words before the pictures of a question to a judge, by their number."""


class CallRecord(Record):
    """A question to a seat or a judge, and the answer to it; its fields are described by the columns of ``calls``."""

    episode_id: Name
    step: int = Field(ge=1)
    seat: Name | None
    judge: Name | None
    task: Name | None
    order: Name | None
    repair: bool
    again: bool
    prompt: str | None
    pictures: tuple[Sha256, ...] | None
    captions: tuple[str, ...] | None
    choices: tuple[str, ...] | None
    answer: str | None
    rendering: Sha256 | None
    notes: tuple[str, ...]
    outcome: Name
    detail: str | None
    served: str | None
    requests: int = Field(ge=0)
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    seconds: float | None
    attempts: tuple[Fields, ...]


_CALLS = TypeAdapter(CallRecord)


@runtime_checkable
class CallSource(Protocol):
    """A stored run with its questions, such as the tables of a release; of a folder they are read from the journal."""

    def calls(self) -> Iterable[CallRecord]:
        """Yield the questions, in the order of the rows."""


def call_rows(run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``calls`` of a run: by episode, then in the order in which questions were answered."""
    episodes = {episode.episode_id: build_episode_columns(run, episode) for episode in run.episodes}
    for number, call in enumerate(list_calls(run), start=1):
        yield build_cells(CALLS.columns, call) | episodes[call.episode_id] | {"call": number}


def list_calls(run: PlayedRun) -> Iterator[CallRecord]:
    """Return the questions of a run whose episodes have ended: of each episode those to seats, then those to judges."""
    source = run.source
    if not isinstance(source, RunFolder):
        return iter(source.calls() if isinstance(source, CallSource) else ())
    if run not in _PACKED:
        # Several tables are made of them, and playing the rules again and looking for keys takes time.
        lines = (call.model_dump_json().encode() for call in _read_folder_calls(run, source))
        _PACKED[run] = zlib.compress(b"\n".join(lines), 1)
    return map(CallRecord.model_validate_json, zlib.decompress(_PACKED[run]).splitlines())


_PACKED: "WeakKeyDictionary[PlayedRun, bytes]" = WeakKeyDictionary()
"""Questions of run folders as JSON lines, packed: prompts come in every episode."""


def _read_folder_calls(run: PlayedRun, source: RunFolder) -> Iterator[CallRecord]:
    stored: defaultdict[str, list[CallRecord]] = defaultdict(list)
    for record in read_records(source.path / CALLS_FILE, _CALLS):
        stored[record.episode_id].append(record)
    asked: defaultdict[str, list[Call | Failure]] = defaultdict(list)
    for event in source.events():
        if not isinstance(event, End):
            asked[event.episode_id].append(event)
    judged: defaultdict[str, list[JudgeQuestion]] = defaultdict(list)
    first: dict[QuestionKey, JudgeQuestion] = {}
    for question in read_judgements(source):
        judged[question.episode_id].append(question)
        if not question.repair and question.text is not None:
            first[question.key] = question
    instances = run.instances.instances.in_order(episode.instance_id for episode in run.episodes)
    for episode, instance in zip(run.episodes, instances, strict=True):
        name = episode.episode_id
        yield from stored[name]
        if events := asked[name]:
            yield from _list_seat_calls(events, _replay_questions(run, instance, episode, events))
        for question in judged[name]:
            yield _judge_call(question, _judge_prompt(question, first.get(question.key._replace(repair=False))))


def parse_calls(rows: Iterable[Row]) -> Iterator[CallRecord]:
    """Yield the questions in rows of ``calls``.

    Raises:
        ValueError: A row holds no such record.
    """
    for row in rows:
        record = parse_cells(CALLS.columns, row)
        yield CallRecord.model_validate(record | {"episode_id": parse_public_id(record["episode_id"])})


def write_calls(folder: Path, calls: Iterable[CallRecord]) -> None:
    """Write questions into a run folder whose journal does not have them."""
    if lines := [call.model_dump_json().encode() + b"\n" for call in calls]:
        write_bytes(folder / CALLS_FILE, b"".join(lines))


class _ListeningTable(RecordedTable):
    """The table of an episode that is played again; keeps what every seat was asked."""

    heard: dict[CallKey, Any]

    async def ask(self, seat: Any, question: Any) -> Any:
        self.heard[CallKey(self._episode_id, question.step, seat.name)] = question
        return await super().ask(seat, question)


def _replay_questions(
    run: PlayedRun, instance: Instance, episode: Episode, events: Iterable[Call | Failure]
) -> Mapping[CallKey, Any]:
    """Return what the seats were asked in an episode, as far as its rules ask the same again."""
    calls = {CallKey(call.episode_id, call.turn, call.role): call for call in events if isinstance(call, Call)}
    failures = [failure for failure in events if isinstance(failure, Failure)]
    table = _ListeningTable(episode.episode_id, calls, failures, build_known_picture)
    table.heard = {}
    # Recorded answers may not lead through the rules that are installed here; what was asked until there is known.
    with suppress(MissingAnswerError, InputError, WorkError):
        pictures: dict[str, Any] = {name: build_known_picture(file) for name, file in instance.pictures.items()}
        words = run.game.read_prompts(None)
        if words.version == run.run.prompts:
            setup = build_setup(run.game, run.run, run.instances, instance, words, pictures, episode.repeat)
            asyncio.run(play_episode(run.game, table, setup))
    return {} if table.odd else table.heard


def _list_seat_calls(events: Iterable[Call | Failure], asked: Mapping[CallKey, Any]) -> Iterator[CallRecord]:
    for event in events:
        question = asked.get(CallKey(event.episode_id, event.turn, event.role))
        call = event if isinstance(event, Call) else None
        failure = event if isinstance(event, Failure) else None
        prompt, shown = call and call.prompt, _select_new_pictures(question)
        yield CallRecord(
            **_list_common_fields(event),
            step=event.turn,
            seat=event.role,
            judge=None,
            task=None,
            order=None,
            repair=False,
            again=False,
            prompt=_clean_text(question.prompt if prompt is None and question is not None else prompt),
            pictures=None if question is None else tuple(picture.sha256 for _, picture in shown),
            captions=None if question is None else tuple(caption for caption, _ in shown),
            choices=None if question is None else getattr(question, "choices", ()),
            answer=_clean_text(call and (call.choice if call.text is None else call.text)),
            rendering=call and call.rendering and call.rendering.sha256,
            notes=tuple(map(redact_leaks, call.notes if call else ())),
            outcome=failure.reason if failure else ANSWERED,
            detail=_clean_text(failure and failure.detail),
        )


def _judge_prompt(question: JudgeQuestion, before: JudgeQuestion | None) -> str | None:
    """Return the words that a judge was asked with, from the built-in ones; None if it had others, which nobody keeps.

    Args:
        question: The question.
        before: Of a request for repair: the question whose answer could not be used.
    """
    words = _load_built_in_prompts("ratings" if question.task in _COMPARED else "facts")
    if question.prompts != words.version:
        return None
    if not question.repair:
        # Which sentences were asked, the journal has as a hash alone.
        return str(getattr(words, question.task)) if question.task in _COMPARED else None
    if before is None or before.task == "facts":
        return None
    form = PREFERENCE_FORM if before.order else SIMILARITY_FORM
    try:
        before.read()
    except AnswerError as problem:
        # Made of the answer before, as the judge's runner makes it.
        return words.format_repair(str(problem), describe_verdicts_form(before.sentences) if before.sentences else form)
    return None


@cache
def _load_built_in_prompts(asks: Asks) -> JudgePrompts:
    return load_judge_prompts(asks=asks)


def _judge_call(question: JudgeQuestion, prompt: str | None) -> CallRecord:
    # The target is shown where pictures are compared, and not where sentences are.
    pictures = (*((question.target,) if question.task in _COMPARED else ()), *question.shown)
    return CallRecord(
        **_list_common_fields(question),
        step=question.turn,
        seat=None,
        judge=question.judge,
        task=question.task,
        order=question.order,
        repair=question.repair,
        again=question.again,
        prompt=_clean_text(prompt),
        pictures=pictures,
        captions=_CAPTIONS[len(pictures)],
        choices=(),
        answer=_clean_text(question.text),
        rendering=None,
        notes=(),
        outcome=question.reason or ANSWERED,
        detail=_clean_text(question.detail),
    )


def _list_common_fields(question: Call | Failure | JudgeQuestion) -> dict[str, Any]:
    """Return the fields that questions to seats and judges share."""
    usage, attempts = find_usage(question), question.attempts
    return {
        "episode_id": question.episode_id,
        "served": _clean_text(next((attempt.served for attempt in reversed(attempts) if attempt.served), None)),
        "requests": usage.requests,
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost_usd,
        # How long somebody waited for an answer that never came, the requests alone say.
        "seconds": measure_seconds(question) if attempts or is_answered(question) else None,
        "attempts": tuple(map(_list_attempt_fields, attempts)),
    }


def _list_attempt_fields(attempt: Attempt) -> Fields:
    # A local server may name a model by the path of its file.
    clean = {"detail": _clean_text(attempt.detail), "served": _clean_text(attempt.served)}
    return attempt.model_copy(update=clean).model_dump(mode="json", exclude_none=True)


@lru_cache(1000)
def _clean_text(text: str | None) -> str | None:
    """Return a text without keys and paths of machines; remembered, since the same prompts come in every episode."""
    return None if text is None else redact_leaks(text)


def _select_new_pictures(question: Any) -> tuple[Captioned, ...]:
    """Return the pictures that come with a question and did not come with an earlier one to the same seat."""
    if isinstance(question, DescriberView):
        return (Captioned("", question.renderings[-1] if question.renderings else question.target),)
    if isinstance(question, Question):
        return question.pictures
    # A view of its own, such as the generator's with its picture before.
    own = (getattr(question, field.name) for field in fields(question)) if is_dataclass(question) else ()
    return tuple(Captioned("", picture) for picture in own if isinstance(picture, Picture))
