"""Asks judges that are models: many questions at once, each answer stored before use.

Judges of one command work side by side, each at its own pace. A question that was answered, or declined, is never asked
again; what failed for a technical reason is left without a score, and the same command asks it again.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ircore.core.errors import WorkError
from ircore.core.journal import Recorder
from ircore.core.score_records import FactVerdicts, RenderingFacts, Score
from ircore.core.terminal import show_progress
from ircore.core.untrusted_text import replace_surrogates
from ircore.games.base import Seat
from ircore.players.base import JudgeError, JudgeView, JudgingPlayer, TextAnswer
from ircore.players.calls import ProviderStopError, sum_usage
from ircore.runs.answers import Cache
from ircore.runs.costs.limit import CostLimit, NoMoreError
from ircore.runs.costs.prices import RunPrices, find_own_prices, read_prices, store_prices
from ircore.runs.engine import Engine, Inquiry, Refusal
from ircore.runs.folder import RunFolder, add_facts
from ircore.runs.judge_answers import LONGEST
from ircore.runs.judge_questions import (
    JudgementEntry,
    JudgementWriter,
    JudgeQuestion,
    QuestionKey,
    read_judgements,
)
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.model_judges.items import (
    Ask,
    ItemVerdict,
    JudgedItem,
    JudgedRun,
    Losses,
    PictureQuestion,
    count_losses,
    derive_preferences,
    judge_item,
    plan_run,
)
from ircore.scorers.scoring import ScoreCount, count_score


@dataclass(frozen=True)
class JudgementInquiry(Inquiry[JudgementEntry, TextAnswer], ABC):
    """A question whose answer is a line of ``judgements.jsonl``.

    Attributes:
        folder: The run, or another folder with such a file.
        player: Who is asked; None for a forecast, which asks nobody.
        known: Settled questions by ``key``.

    Example:
        >>> JudgementInquiry.__abstractmethods__ == {"where", "draft", "view"}
        True
    """

    folder: Path
    player: JudgingPlayer | None
    known: Mapping[Any, JudgeQuestion]

    @property
    @abstractmethod
    def draft(self) -> JudgeQuestion:
        """The question without its answer."""

    @property
    @abstractmethod
    def view(self) -> JudgeView:
        """Words and pictures that the player is shown."""

    @property
    def asks(self) -> str:
        """Name of the judge that is asked."""
        return self.draft.judge

    @property
    def key(self) -> Hashable:
        """Key of the question in the cache: the hash of the asked model and of the words."""
        return self.draft.asked_as

    def find_recorded(self) -> JudgementEntry | None:
        """Return the recorded question; None if it has not been settled."""
        known = self.known.get(self.key)
        return None if known is None else JudgementEntry(self.folder, known)

    def find_cached(self) -> JudgementEntry | None:
        """Return None: the answer of another run is not taken."""
        return None

    def ask(self) -> Awaitable[TextAnswer]:
        """Send the question to the player."""
        if self.player is None:
            raise TypeError("a forecast asks nobody")
        return self.player.judge(self.view)

    def record_answer(self, answer: TextAnswer, seconds: float) -> JudgementEntry:
        """Return the question with its answer."""
        # One more character than can be used says that it was longer.
        text = replace_surrogates(answer.text)[: LONGEST + 1]
        return self.entry(text=text, usage=answer.usage, seconds=seconds, attempts=answer.attempts)

    def record_refusal(self, refusal: Refusal) -> JudgementEntry:
        """Return the question with the reason why it has no answer."""
        return self.entry(
            reason="stopped" if isinstance(refusal, ProviderStopError) else refusal.reason,
            detail=replace_surrogates(str(refusal))[:2000],
            usage=sum_usage(refusal.attempts),
            seconds=round(sum(attempt.seconds for attempt in refusal.attempts), 4),
            attempts=refusal.attempts,
        )

    def entry(self, **update: object) -> JudgementEntry:
        """Return the question as a line of the record, with further fields."""
        return JudgementEntry(self.folder, self.draft.model_copy(update=update))


JUDGE: Seat[JudgeView, TextAnswer] = Seat("judge", "Judge", "pictures, and never who made them", "text", method="judge")
"""The seat that every game's judges take: asked, recorded, resumed and cached as the game's own."""


@dataclass(frozen=True)
class JudgingPlan:
    """Settings of asking model judges.

    Attributes:
        every_turn: Whether every rendering is rated, not only the first and the final one.
        concurrency: Things that each judge looks at at the same time, ≥ 1.
        deadline: Seconds after which judging stops, whatever is under way; None for no limit.
        max_cost: US dollars that these judges may cost on these runs in all, earlier commands included.
        prices: A table of prices on top of the others; kept with the runs.
        cache: Folder of answers of other runs.
        preferences: Whether the final rendering is compared with the first one.
        again: Share of what is rated that is rated a second time, kept apart from the scores; None to rate the rest.

    Example:
        >>> JudgingPlan(max_cost=2.5).concurrency
        4
    """

    every_turn: bool = False
    concurrency: int = 4
    deadline: float | None = None
    max_cost: float | None = None
    prices: Path | None = None
    cache: Path | None = None
    preferences: bool = True
    again: float | None = None


@dataclass
class JudgeReport:
    """Counts of one judge's work.

    Example:
        >>> JudgeReport("gpt", ScoreCount(new=3)).count.new
        3

    Attributes:
        name: Of the judge.
        count: Of its scores.
        failed: What was asked in vain for technical reasons, and is asked again by the same command.
        stopped: Why it was asked nothing more, a limit of cost included; None if it was not stopped.
        losses: What became of every question to it about these runs, earlier commands included.
    """

    name: str
    count: ScoreCount
    failed: list[str] = field(default_factory=list)
    stopped: WorkError | None = None
    losses: Losses = field(default_factory=Losses)


def judge_runs(runs: Sequence[RunFolder], judges: Sequence[LoadedJudge], plan: JudgingPlan) -> list[JudgeReport]:
    """Add to runs the scores of judges that they lack.

    Args:
        runs: Each one once.
        judges: Each name once.
        plan: How.

    Raises:
        InputError: A key is missing, another process works on a run, another judge has scored it under the same name,
            or a picture of it is damaged.
        WorkError: Nothing can be written, or the deadline is over; every answer is kept.
    """
    # First of all: a missing key must be told before a run is locked or written to.
    players = [judge.make_player() for judge in judges]
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(run.lock())
            for judge in judges:
                # All are checked before any is stored, so that a refused judge leaves no run half changed.
                run.check_judge(judge.identity_in(run))
        planned = {
            judge.name: [plan_run(run, judge, plan.every_turn, plan.preferences, plan.again) for run in runs]
            for judge in judges
        }
        for run in runs:
            store_prices(run.path, plan.prices)
            for judge in judges:
                run.keep_judge(judge.identity_in(run))
        cost_limit = CostLimit(read_judge_prices(runs, judges, plan.prices), plan.max_cost)
        # With the questions of earlier commands: the limit is on the whole, not on what is asked now.
        cost_limit.begin(
            [question for planned_runs in planned.values() for part in planned_runs for question in part.asked]
        )
        seats = [
            _Seat(judge, player, planned[judge.name], plan.cache) for judge, player in zip(judges, players, strict=True)
        ]
        total = sum(len(seat.items) for seat in seats)
        with JudgementWriter() as writer, show_progress("judge", total) as shown:
            engine = Engine(Recorder(writer), cost_limit, shown)
            asyncio.run(_Session(plan, engine).run(seats))
        if plan.preferences and plan.again is None:
            _add_derived_preferences(runs, seats)
        _count_losses(runs, seats)
    return [seat.report for seat in seats]


def read_judge_prices(runs: Sequence[RunFolder], judges: Sequence[LoadedJudge], table: Path | None) -> RunPrices:
    """Return the prices of judges from the runs' tables and an additional table."""
    prices = read_prices(*(find_own_prices(run.path) for run in runs), table)
    return RunPrices(prices, judges={judge.name: judge.spec for judge in judges})


class _Seat:
    """A judge with its player, its questions and its report."""

    def __init__(
        self, judge: LoadedJudge, player: JudgingPlayer, planned: Sequence[JudgedRun], cache: Path | None
    ) -> None:
        self.judge = judge
        self.cache = None if cache is None else Cache(cache, {JUDGE.name: judge.spec})
        self.player = player
        self.asked_as = judge.asked_as
        self.items = [item for part in planned for item in part.items]
        self.report = JudgeReport(judge.name, ScoreCount(left_out=sum(part.left_out for part in planned)))
        self.counts = {judge.name: self.report.count}
        for score in (score for part in planned for score in part.kept):
            count_score(self.counts, score, new=False)


def _add_derived_preferences(runs: Sequence[RunFolder], seats: "Sequence[_Seat]") -> None:
    """Add the preferences of judges of facts, which are not asked but follow from their scores."""
    for seat in seats:
        if seat.judge.asks == "facts":
            for run in runs:
                scores = derive_preferences(run, seat.judge)
                run.add_scores(scores)
                for score in scores:
                    count_score(seat.counts, score, new=True)


def _count_losses(runs: Sequence[RunFolder], seats: "Sequence[_Seat]") -> None:
    """Fill in each judge's report from the recorded answers."""
    recorded = [read_judgements(run) for run in runs]
    for seat in seats:
        own = [
            [
                question
                for question in questions
                if question.judge == seat.judge.name and question.asked_as == seat.asked_as
            ]
            for questions in recorded
        ]
        seat.report.losses = count_losses(own)


class _TechnicalError(Exception):
    """A question was asked in vain, for a reason that says nothing about the pictures."""


@dataclass(frozen=True)
class _Session:
    """State that all judges share while they are asked."""

    plan: JudgingPlan
    engine: Engine[JudgementEntry]

    async def run(self, seats: Sequence[_Seat]) -> None:
        """Let each judge look at ``concurrency`` things at a time; the first failure of the work stops all of them."""
        workers = []
        for seat in seats:
            waiting = iter(seat.items)
            workers += [
                self._judge_waiting_items(seat, waiting) for _ in range(min(self.plan.concurrency, len(seat.items)))
            ]
        await self.engine.run(workers, self.plan.deadline, [seat.player for seat in seats])

    async def _judge_waiting_items(self, seat: _Seat, waiting: Iterator[JudgedItem]) -> None:
        asker = _Asker(self, seat)
        for item in waiting:
            if seat.report.stopped is not None:
                return
            try:
                verdict = await _judge_item(item, seat.judge, asker.ask)
            except (ProviderStopError, NoMoreError) as error:
                # Several workers of a judge meet the same end; the first error tells most.
                seat.report.stopped = seat.report.stopped or error
                return
            except _TechnicalError as error:
                seat.report.failed.append(f"{item.wanted[0].episode_id}, turn {item.wanted[0].turn}: {error}")
                self._finish_question("failed")
                continue
            scores = _build_scores(item, verdict)
            if item.again:
                item.run.add_retests(scores)
                for score in scores:
                    count_score(seat.counts, score, new=True)
                self._finish_question("judged again")
                continue
            if verdict.facts is not None:
                # First, as in ``score_runs``: what has a score is not asked again.
                add_facts(item.run, _build_rendering_facts(item, verdict.facts))
            item.run.add_scores(scores)
            for score in scores:
                count_score(seat.counts, score, new=True)
            self._finish_question("judged" if verdict.value is not None else "without a value")

    def _finish_question(self, outcome: str) -> None:
        self.engine.cost_limit.count_end(outcome)
        self.engine.shown.advance(self.engine.cost_limit.note())


@dataclass(frozen=True)
class _Asker:
    """Asks one judge through the engine."""

    session: _Session
    seat: _Seat

    async def ask(self, item: JudgedItem, question: PictureQuestion) -> JudgeQuestion:
        """Return the outcome of a question.

        Raises:
            _TechnicalError: It was asked in vain.
            ProviderStopError: So would be every other one.
            NoMoreError: No more may be spent, or a signal stopped the work.
        """
        inquiry = _JudgeInquiry(item.run.path, self.seat.player, item.known, item, question, self.seat)
        try:
            settled = (await self.session.engine.settle(inquiry)).question
        except JudgeError as error:
            # The engine has recorded the refusal; the same entry is made here to go on with.
            settled = inquiry.record_refusal(error).question
        if not settled.settled:
            raise _TechnicalError(f"{settled.reason}: {settled.detail}")
        return settled


@dataclass(frozen=True)
class _JudgeInquiry(JudgementInquiry):
    """A question to a judge about renderings."""

    item: JudgedItem
    question: PictureQuestion
    seat: _Seat

    @property
    def where(self) -> str:
        wanted = self.item.wanted[0]
        return f"{wanted.episode_id}, turn {wanted.turn}: the judge {self.seat.judge.name}"

    @property
    def view(self) -> JudgeView:
        return self.question.view

    @property
    def key(self) -> QuestionKey:
        return self.draft.key

    @property
    def draft(self) -> JudgeQuestion:
        return JudgeQuestion(
            judge=self.seat.judge.name,
            asked_as=self.seat.asked_as,
            prompts=self.seat.judge.prompts.version,
            episode_id=self.item.wanted[0].episode_id,
            turn=self.item.wanted[0].turn,
            task="sentences" if self.question.words else self.item.task,
            target=self.item.original.sha256,
            shown=self.question.shown,
            order=self.question.order,
            words=self.question.words,
            sentences=self.question.sentences,
            repair=self.question.repair,
            again=self.item.again,
        )

    def find_cached(self) -> JudgementEntry | None:
        # What was answered before says nothing of what is answered now.
        cache = None if self.item.again else self.seat.cache
        answer = cache.answer(JUDGE, self.question.view) if cache else None
        return self.entry(text=answer.text, usage=answer.usage) if isinstance(answer, TextAnswer) else None

    def keep(self, entry: JudgementEntry) -> None:
        if self.seat.cache and not self.item.again:
            # The text as recorded, without lone surrogates and cut, so that a cached answer gives the same record.
            self.seat.cache.keep(JUDGE, self.question.view, TextAnswer(entry.question.text or ""))


async def _judge_item(item: JudgedItem, judge: LoadedJudge, ask: Ask) -> ItemVerdict:
    """Ask a judge about an item what it is there for."""
    if judge.asks == "ratings":
        return await judge_item(item, judge.prompts, ask)
    # Inside, since facts bring the libraries of the eye, which judges that rate do not need.
    from ircore.scorers.model_judges.fact_questions import judge_by_facts

    return await judge_by_facts(item, judge, ask)


def _build_rendering_facts(item: JudgedItem, verdicts: FactVerdicts) -> list[RenderingFacts]:
    """Return the verdicts as lines, one for each episode that shows the rendering."""
    places = dict.fromkeys((wanted.episode_id, wanted.rendering, wanted.judge) for wanted in item.wanted)
    return [RenderingFacts.of(*place, verdicts) for place in places]


def _build_scores(item: JudgedItem, verdict: ItemVerdict) -> list[Score]:
    facts, has_value = verdict.facts, verdict.value is not None
    return [
        Score(
            episode_id=request.episode_id,
            step=request.turn,
            measure=request.task,
            by=request.judge,
            value=verdict.value,
            reason=verdict.reason[:500] if verdict.reason else None,
            rendering=request.rendering,
            orders=verdict.orders,
            leniencies=verdict.leniencies,
            low=facts.low if facts is not None and has_value else None,
            high=facts.high if facts is not None and has_value else None,
            undecided=None if facts is None else facts.undecided,
        )
        for request in item.wanted
    ]
