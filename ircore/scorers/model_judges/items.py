"""Work lists of judges that are models: each question about a run once, even if several scores need the answer.

An item has the questions that a judge is asked about it, and a score that follows from the answers. A question is lost
if it was asked and answered, or declined, without a usable answer.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple, get_args

from pydantic import JsonValue

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import derive_seed
from ircore.core.score_records import FactVerdicts, Orders, Score
from ircore.players.base import JudgeView, RepairExchange
from ircore.runs.folder import RunFolder
from ircore.runs.judge_answers import (
    PREFERENCE_FORM,
    PREFERENCE_SCHEMA,
    SIMILARITY_FORM,
    SIMILARITY_SCHEMA,
    AnswerError,
)
from ircore.runs.judge_questions import JudgedTask, JudgeQuestion, Order, QuestionKey, read_judgements
from ircore.scorers.judges.base import Judgement, compare_ratings
from ircore.scorers.judges.manifest import JudgePrompts, LoadedJudge, caption_pictures
from ircore.scorers.material import Wanted, find_question
from ircore.scorers.rated_episodes import Original, RatedEpisode, list_rated_episodes, read_original
from ircore.scorers.scoring import index_scores, list_scored_turns

LOSS_LIMIT = 0.1
"""Share of its questions that a judge may lose before its command ends with exit status 1."""

EXAMPLE_CHARACTERS = 60
"""Characters of an unusable answer that are shown."""

_OTHER = "what was asked and answered is kept"
_REMEDIES = {
    "judge_format": "Give the judge parameters.structured: true, other prompts or another model, "
    f"under another name; {_OTHER}.",
    "judge_refused": f"Ask a service that does not withhold answers, or another model, under another name; {_OTHER}.",
    "judge_empty": "Let the model write more (parameters.max_completion_tokens), or ask another one, "
    f"under another name; {_OTHER}.",
}


@dataclass(frozen=True)
class JudgedItem:
    """One item to be judged: a rendering, or the final rendering against the first.

    Attributes:
        run: The run folder.
        original: Picture of the instance that the renderings are compared with.
        task: What is asked.
        renderings: One for similarity; the first and the final one for preference.
        wanted: The scores that it answers: two turns may have the same rendering.
        known: Questions of earlier commands to this judge that were answered, by what identifies them.
        again: Whether it was rated before and is rated a second time.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> target = Original("simple_shapes-easy-01", "target", sha256="a" * 64)
        >>> JudgedItem(RunFolder(Path("run")), target, "similarity", renderings=(), wanted=(), known={}).task
        'similarity'
    """

    run: RunFolder
    original: Original
    task: JudgedTask
    renderings: tuple[Rendering, ...]
    wanted: tuple[Wanted, ...]
    known: dict[QuestionKey, JudgeQuestion]
    again: bool = False


@dataclass(frozen=True)
class JudgedRun:
    """Work of one judge on one run.

    Attributes:
        items: To be judged.
        kept: Scores that are there.
        asked: Every question of earlier commands to this judge, asked in vain or not.
        left_out: Played episodes of categories that the judge does not rate.
    """

    items: tuple[JudgedItem, ...]
    kept: tuple[Score, ...]
    asked: tuple[JudgeQuestion, ...]
    left_out: int = 0


def plan_run(
    run: RunFolder, judge: LoadedJudge, every_turn: bool, preferences: bool = True, again: float | None = None
) -> JudgedRun:
    """List the questions to a judge about a run.

    Args:
        run: The run.
        judge: Who is asked.
        every_turn: Whether every rendering is rated, not only the first and the final one.
        preferences: Whether the final rendering is compared with the first one.
        again: Share of what the judge has rated that is rated a second time, and nothing else; None to rate what is
            not rated yet.

    Raises:
        InputError: A file of the run is damaged, or the judge rates none of its categories, or none of its pictures.
        WorkError: The run's game is broken.
    """
    done = index_scores(run)
    judge_questions = tuple(question for question in read_judgements(run) if question.judge == judge.name)
    who, identity = judge.asked_as, judge.identity_in(run)
    known = {question.key: question for question in judge_questions if question.settled and question.asked_as == who}
    played = list_rated_episodes(run)
    asked_about = [episode for episode in played if identity.rates(episode.category)]
    wanted = [request for episode in asked_about for request in _list_questions(episode, judge.name, every_turn)]
    wanted = [request for request in wanted if preferences or request[2].task != "preference"]
    groups: dict[tuple[str, str, tuple[Rendering, ...]], tuple[Original, list[Wanted]]] = {}
    categories = dict.fromkeys(entry.category for entry in run.instances.instances.entries)
    if not any(map(identity.rates, categories)):
        raise InputError(
            f"{judge.path}: categories: {run.path} has pictures of none of them",
            f"Name some of: {', '.join(categories)}"
            if judge.identity.categories
            else "Name runs of targets whose scenes are known, such as drawn ones.",
        )
    for original, renderings, question in wanted:
        # A judge of facts is asked no preference: it follows from the scores, see ``derive_preferences``.
        if judge.asks == "facts" and question.task == "preference":
            continue
        if again is not None:
            is_due = question in done and done[question].value is not None
        else:
            is_due = question not in done or _can_be_read_now(done[question], original, renderings, who, known)
        if is_due:
            # Turns with the same rendering share one question, and its answer gives each turn its score.
            key = (original.instance_id, original.sha256, renderings)
            groups.setdefault(key, (original, []))[1].append(question)
    items = tuple(
        JudgedItem(run, original, _find_task(renderings), renderings, tuple(questions), known)
        for (_, _, renderings), (original, questions) in groups.items()
    )
    if again is not None:
        retested = {find_question(score) for score in run.retests()}
        items = tuple(
            replace(item, again=True) for item in _sample_items(items, again) if not retested.issuperset(item.wanted)
        )
        return JudgedRun(items, (), judge_questions)
    anew = {question for item in items for question in item.wanted}
    surviving_scores = tuple(done[request] for _, _, request in wanted if request in done and request not in anew)
    return JudgedRun(items, surviving_scores, judge_questions, len(played) - len(asked_about))


def derive_preferences(run: RunFolder, judge: LoadedJudge) -> list[Score]:
    """Return the preferences of a judge of facts that a run lacks and that follow from its scores."""
    done, identity = index_scores(run), judge.identity_in(run)
    new = []
    for episode in list_rated_episodes(run):
        if not episode.compared or not identity.rates(episode.category):
            continue
        first, final = (
            done.get(Wanted(episode.episode_id, turn, "similarity", judge.name, episode.renderings[turn].sha256))
            for turn in episode.compared
        )
        turn = episode.compared[1]
        wanted = Wanted(episode.episode_id, turn, "preference", judge.name, episode.renderings[turn].sha256)
        if first is not None and final is not None and wanted not in done:
            better = compare_ratings(Judgement(first.value, first.reason), Judgement(final.value, final.reason))
            new.append(
                Score(
                    episode_id=wanted.episode_id, step=turn, measure="preference", by=judge.name, value=better.value,
                    reason=better.reason, rendering=wanted.rendering,
                )
            )  # fmt: skip
    return new


class ItemVerdict(NamedTuple):
    """Reading of answers: a value, or the reason for no value; for a preference also the answer in each order.

    ``leniencies`` names what had to be overlooked in the answers that count, see ``ircore.runs.judge_answers``.
    """

    value: float | None
    reason: str | None = None
    orders: Orders | None = None
    leniencies: tuple[str, ...] = ()
    facts: FactVerdicts | None = None
    """Of a judge of facts: the verdicts behind the value."""


@dataclass(frozen=True)
class PictureQuestion:
    """A question: the pictures that the judge sees, in their order."""

    view: JudgeView
    shown: tuple[str, ...]
    order: Order | None
    repair: bool
    words: str | None = None
    """Of sentences: the hash of the words."""
    sentences: int | None = None
    """Of sentences: how many there are."""


Ask = Callable[[JudgedItem, PictureQuestion], Awaitable[JudgeQuestion]]
"""Returns what is known of a question, or asks it; what is neither answered nor declined does not come back."""


async def judge_item(item: JudgedItem, prompts: JudgePrompts, ask: Ask) -> ItemVerdict:
    """Ask a judge all questions about one item.

    Args:
        item: What is judged.
        prompts: Of the judge.
        ask: Asks.
    """
    if item.task == "similarity":
        return await _ask_question(item, prompts, ask, None)
    first, final = item.renderings
    if first.sha256 == final.sha256:
        return ItemVerdict(0.5)  # a judge that must choose could only guess
    preferences: list[float] = []
    leniencies: set[str] = set()
    for order in get_args(Order):
        verdict = await _ask_question(item, prompts, ask, order)
        if verdict.value is None:
            # One order without an answer is enough to lose the preference, so the other is not paid for.
            return verdict
        preferences.append(verdict.value)
        leniencies |= set(verdict.leniencies)
    orders = Orders(*preferences)
    mean = (orders.first_leading + orders.final_leading) / 2
    return ItemVerdict(mean, orders=orders, leniencies=tuple(sorted(leniencies)))


@dataclass
class Losses:
    """Counts of a judge's questions by outcome; a repair counts with the question that it repairs.

    Example:
        >>> losses = Losses(asked=20)
        >>> losses.reasons["the reply holds no number"] += 3
        >>> losses.lost, losses.too_many
        (3, True)
    """

    asked: int = 0
    """Questions that were answered or declined. Those that only failed technically are not among them."""

    reasons: Counter[str] = field(default_factory=Counter)
    """Number of lost questions by reason: judge_format, judge_refused, judge_empty."""

    technical: int = 0
    """Questions that failed technically, or whose repair did; the same command asks them again."""

    example: str = ""
    """One of the unusable answers and why it is one, cut; empty if none came as a text."""

    @property
    def lost(self) -> int:
        """Questions without a usable answer."""
        return self.reasons.total()

    @property
    def too_many(self) -> bool:
        """Whether more than ``LOSS_LIMIT`` of the questions are lost."""
        return self.lost > LOSS_LIMIT * self.asked

    def line(self, judge: str) -> str:
        """Return a line for people: how many scores are lost, why, an example, and a remedy."""
        counts = ", ".join(f"{reason} ({count})" for reason, count in sorted(self.reasons.items()))
        example = f"; for example {self.example}" if self.example else ""
        technical = f"; {self.technical:,} more failed technically and are no part of this" if self.technical else ""
        remedy = _REMEDIES[self.reasons.most_common(1)[0][0]]
        questions = format_count(self.asked, "question")
        return f"{judge}: {self.lost:,} of {questions} are lost: {counts}{example}{technical}. {remedy}"


def count_losses(runs: Iterable[Sequence[JudgeQuestion]]) -> Losses:
    """Count the questions of one judge by outcome.

    Args:
        runs: Of each run, the questions to this judge in the order in which they were answered.
    """
    losses = Losses()
    for questions in runs:
        groups: defaultdict[_Asked, list[JudgeQuestion]] = defaultdict(list)
        for question in questions:
            groups[_Asked(question.target, question.shown, question.order, question.words)].append(question)
        for group in groups.values():
            _count_question(losses, group)
    return losses


def _sample_items(items: Sequence[JudgedItem], share: float) -> Sequence[JudgedItem]:
    """Return a share of what a judge has rated, the same at every call: a larger share holds every smaller one."""
    drawn = sorted(items, key=lambda item: derive_seed(0, item.run.run.run_id, *map(str, item.wanted[0])))
    return drawn[: ceil(share * len(drawn))]


def _can_be_read_now(
    score: Score,
    original: Original,
    renderings: Sequence[Rendering],
    who: str,
    known: dict[QuestionKey, JudgeQuestion],
) -> bool:
    """Return whether a score, lost over the form of its answer, has an answer that the present version can read.

    Of a preference the order that was lost is enough: the other one was not asked after it.
    """
    # Only answers in a bad form may be read by a later version; refusals hold no answer.
    if score.value is not None or not (score.reason or "").startswith("judge_format:"):
        return False
    shown = tuple(rendering.sha256 for rendering in renderings)
    orders: tuple[Order | None, ...] = (None,) if len(shown) == 1 else get_args(Order)
    answers = [
        [known.get(QuestionKey(score.by, who, original.sha256, hashes, order, repair)) for repair in (False, True)]
        for order in orders
        for hashes in [shown[::-1] if order == "final_leading" else shown]
    ]
    answered_orders = [order for order in answers if any(order)]
    return bool(answered_orders) and all(
        any(verdict is not None and verdict.readable for verdict in order) for order in answered_orders
    )


def _find_task(renderings: Sequence[Rendering]) -> JudgedTask:
    return "similarity" if len(renderings) == 1 else "preference"


def _list_questions(
    episode: RatedEpisode, judge: str, every_turn: bool
) -> list[tuple[Original, tuple[Rendering, ...], Wanted]]:
    """List original, renderings and score of each thing that is asked about an episode, the preference last."""
    by_turn = episode.renderings
    scored = list_scored_turns(episode, every_turn)
    requests: list[tuple[Original, tuple[Rendering, ...], Wanted]] = [
        (episode.originals[turn], (by_turn[turn],), Wanted(episode.episode_id, turn, "similarity", judge, sha256))
        for turn, sha256 in scored
    ]
    if episode.compared:
        first, final = episode.compared
        question = Wanted(episode.episode_id, final, "preference", judge, by_turn[final].sha256)
        requests.append((episode.originals[final], (by_turn[first], by_turn[final]), question))
    return requests


async def _ask_question(item: JudgedItem, prompts: JudgePrompts, ask: Ask, order: Order | None) -> ItemVerdict:
    """Ask one question, and once more if the answer cannot be used."""
    pictures = [item.run.rendering(rendering) for rendering in item.renderings]
    if order == "final_leading":
        pictures.reverse()
    target = read_original(item.run, item.original)
    form = SIMILARITY_FORM if order is None else PREFERENCE_FORM
    exchanges: tuple[RepairExchange, ...] = ()
    problem = ""
    for repair in (False, True):
        view = _build_view(prompts, target, pictures, exchanges, order)
        question = await ask(item, PictureQuestion(view, tuple(picture.sha256 for picture in pictures), order, repair))
        if question.text is None:
            return ItemVerdict(None, f"{question.reason}: {question.detail}")
        try:
            reading = question.read()
            return ItemVerdict(reading.value, leniencies=reading.leniencies)
        except AnswerError as error:
            problem = str(error)
        exchanges = (RepairExchange(question.text, prompts.format_repair(problem, form)),)
    return ItemVerdict(None, f"judge_format: {problem}")


def _build_view(
    prompts: JudgePrompts,
    target: Picture,
    pictures: Sequence[Picture],
    exchanges: tuple[RepairExchange, ...],
    order: Order | None,
) -> JudgeView:
    schema: dict[str, JsonValue] = SIMILARITY_SCHEMA if order is None else PREFERENCE_SCHEMA
    names = "".join(picture.sha256 for picture in (target, *pictures))
    return JudgeView(
        prompt=prompts.similarity if order is None else prompts.preference,
        pictures=caption_pictures(target, *pictures),
        exchanges=exchanges,
        # From the pictures alone, so that the same question to the same model is the same in every run.
        seed=int.from_bytes(hashlib.sha256(names.encode()).digest()[:4]),
        schema=schema,
    )


class _Asked(NamedTuple):
    """Key of a question that its repairs share."""

    target: str
    shown: tuple[str, ...]
    order: str | None
    words: str | None


def _count_question(losses: Losses, group: Sequence[JudgeQuestion]) -> None:
    """Count a question with its repair and its failed attempts."""
    if any(question.readable for question in group):
        losses.asked += 1
        return
    # A first answer in a bad form is no end: it was sent back, and the repair decides.
    last = [question for question in group if question.settled and (question.repair or question.text is None)]
    if not last:  # only technical failures, or the repair of an unusable answer has not been answered
        losses.technical += 1
        return
    losses.asked += 1
    # An answer with a text that got here is the repair, and could not be used either.
    losses.reasons["judge_format" if last[-1].text is not None else str(last[-1].reason)] += 1
    losses.example = losses.example or next(
        map(_format_unusable_answer, (question for question in group if question.text is not None)), ""
    )


def _format_unusable_answer(question: JudgeQuestion) -> str:
    """Return an unusable answer, shortened, with the reason why no score can be read from it."""
    text = " ".join((question.text or "").split())
    try:
        question.read()
    except AnswerError as error:
        return f"{_shorten_answer(text)!r} ({error})"
    return repr(_shorten_answer(text))


def _shorten_answer(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else f"{text[: EXAMPLE_CHARACTERS - 1]}…"
