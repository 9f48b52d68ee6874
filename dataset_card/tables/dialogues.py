"""Tables for training: ``dialogues``, each episode as one of its seats saw it, and ``preferences``, pairs of answers.

Dialogues are in the form that chat templates take. Of two answers to the same question, one is preferred for what came
of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dataset_card.tables.calls import ANSWERED, CallRecord, list_calls
from dataset_card.tables.rows import Row, build_episode_columns, make_public_id
from ircore.core.episode_records import Episode
from ircore.core.score_records import VERIFIED
from ircore.players.openai.conversations import CHOOSE
from ircore.results.headline import find_headline_judge
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun

Message = dict[str, object]
"""A message: ``role``, and ``content``, a list of texts and of places of pictures."""

IMAGE: dict[str, object] = {"type": "image", "text": None}
"""The place of a picture in a message; pictures stand beside the messages, in the same order."""


def build_dialogue_rows(run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``dialogues`` of a run: by episode, then by seat in the order in which seats were asked.

    A seat of whose questions not all words and pictures are known has no row.
    """
    results = {result.episode.episode_id: result for result in run.results}
    by_episode: defaultdict[str, defaultdict[str, list[CallRecord]]] = defaultdict(lambda: defaultdict(list))
    for call in list_calls(run):
        if call.seat is not None:
            by_episode[call.episode_id][call.seat].append(call)
    for episode in run.episodes:
        judged = results[episode.episode_id].judged
        # The order of judges is that of this run alone: other runs must not change its rows.
        judge = min(judged, key=lambda name: (name != VERIFIED, name), default=None)
        for seat, calls in by_episode[episode.episode_id].items():
            asked = select_last_calls(calls)
            if all(is_known(call) for call in asked):
                messages = [message for call in asked for message in list_messages(call)]
                yield build_episode_columns(run, episode) | {
                    "seat": seat,
                    "messages": messages,
                    "images_sha256": [sha256 for call in asked for sha256 in list_pictures(call)],
                    "outcome": episode.outcome,
                    "judge": judge,
                    "score": None if judge is None else judged[judge].final,
                }


def is_known(call: CallRecord) -> bool:
    """Return whether words and pictures of a question are known."""
    return call.prompt is not None and call.pictures is not None


def select_last_calls(calls: Sequence[CallRecord]) -> list[CallRecord]:
    """Return the last question of each step: one that brought no answer may have been asked again."""
    return [*{call.step: call for call in calls}.values()]


def list_messages(call: CallRecord) -> Iterator[Message]:
    """Yield a question, and the answer if there is one, as messages."""
    yield {"role": "user", "content": build_question_parts(call)}
    if call.outcome == ANSWERED:
        yield {"role": "assistant", "content": answer_parts(call)}


def build_question_parts(call: CallRecord) -> list[dict[str, object]]:
    """Return a question as parts of a message: the words, each picture behind its caption, the choices."""
    pictures = [part for caption in call.captions or () for part in (*_build_text_parts([caption]), IMAGE)]
    offered = ["\n".join([CHOOSE, *call.choices])] if call.choices else []
    return [*_build_text_parts([call.prompt or ""]), *pictures, *_build_text_parts(offered)]


def answer_parts(call: CallRecord) -> list[dict[str, object]]:
    """Return an answer as parts of a message."""
    return [IMAGE] if call.rendering is not None else _build_text_parts([call.answer or ""])


def list_pictures(call: CallRecord) -> tuple[str, ...]:
    """Return the SHA-256 of the pictures of question and answer, in order."""
    return (*(call.pictures or ()), *(() if call.rendering is None else (call.rendering,)))


def _build_text_parts(texts: Iterable[str]) -> list[dict[str, object]]:
    return [{"type": "text", "text": text} for text in texts if text]


_Question = tuple[str, ...]
"""Instance, rules, seat, who took the other seats, pictures and words."""


class _RatedAnswer(NamedTuple):
    """The first answer of a seat in an episode, with the rating of what came of it."""

    score: float
    run: PlayedRun
    episode: Episode
    call: CallRecord


def build_preference_rows(results: Results, runs: Sequence[PlayedRun]) -> Iterator[Row]:
    """Yield the rows of ``preferences`` of runs on one instance set, by question, from the worst answer to the best.

    Compared are first answers to the same question under the same rules, where the same players took all other seats,
    each with the next better one. The headline judge decides: by the first rendering if it rated that, else by the
    result.

    Args:
        results: Of the runs.
        runs: Of one game.
    """
    judge = find_headline_judge(results)
    answers: defaultdict[_Question, list[_RatedAnswer]] = defaultdict(list)
    for run in runs if judge is not None else ():
        for question, answer in _find_first_answers(run, str(judge)):
            answers[question].append(answer)
    for question in sorted(answers):
        for rejected, chosen in pairwise(sorted(answers[question], key=lambda answer: answer.score)):
            if chosen.score == rejected.score or _answer(chosen.call) == _answer(rejected.call):
                continue
            shared = build_episode_columns(chosen.run, chosen.episode)
            yield {
                **{name: shared[name] for name in ("game", "instance_id", "category", "difficulty", "rules")},
                "instance_set": chosen.run.run.instance_set,
                "seat": chosen.call.seat,
                "prompt": [{"role": "user", "content": build_question_parts(chosen.call)}],
                "images_sha256": [*(chosen.call.pictures or ())],
                **_build_answer_columns("chosen", chosen),
                **_build_answer_columns("rejected", rejected),
                "judge": judge,
                "margin": chosen.score - rejected.score,
            }


def _find_first_answers(run: PlayedRun, judge: str) -> Iterator[tuple[_Question, _RatedAnswer]]:
    results = {result.episode.episode_id: result for result in run.results}
    players = {seat: spec.model_dump_json() for seat, spec in run.run.submission.players.items()}
    seen: set[tuple[str, str]] = set()
    for call in list_calls(run):
        result = results[call.episode_id]
        rated = result.judged.get(judge)
        if call.seat is None or not is_known(call) or (call.episode_id, call.seat) in seen:
            continue
        seen.add((call.episode_id, call.seat))
        score = None if rated is None else rated.final if rated.first is None else rated.first
        if call.outcome == ANSWERED and score is not None:
            others = "".join(spec for seat, spec in sorted(players.items()) if seat != call.seat)
            about = (
                result.episode.instance_id,
                run.rules.key,
                call.seat,
                others,
                *(call.pictures or ()),
                str(call.prompt),
            )
            yield about, _RatedAnswer(score, run, result.episode, call)


def _answer(call: CallRecord) -> tuple[str | None, str | None]:
    return call.answer, call.rendering


def _build_answer_columns(name: str, answer: _RatedAnswer) -> Row:
    """Return the columns of the chosen or the rejected answer."""
    return {
        name: [{"role": "assistant", "content": answer_parts(answer.call)}],
        f"{name}_sha256": answer.call.rendering,
        f"{name}_episode_id": make_public_id(answer.run.run.run_id, answer.episode.episode_id),
    }
