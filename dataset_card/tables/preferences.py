"""The table ``preferences``: two answers to the same question, one of them preferred for what came of it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dataset_card.tables.calls import ANSWERED, CallRecord, list_calls
from dataset_card.tables.dialogues import answer_parts, build_question_parts, is_known
from dataset_card.tables.rows import Row, build_episode_columns, make_public_id
from ircore.core.episode_records import Episode
from ircore.results.headline import find_headline_judge
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun

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
