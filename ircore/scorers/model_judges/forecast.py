"""Forecast of the questions, tokens and costs of judging, with every assumption stated."""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.episode_records import Usage
from ircore.core.plain_words import format_count
from ircore.core.tokens import count_tokens
from ircore.runs.costs.forecast import IMAGE_READ_TOKENS
from ircore.runs.costs.prices import RunPrices, SeatPrice
from ircore.runs.judge_questions import Order, QuestionKey
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.model_judges.items import JudgedItem, JudgedRun

ANSWER_TOKENS = 20
"""Assumed for an answer; the JSON object itself is fewer than 10."""

VERDICT_TOKENS = 6
"""Assumed for the verdict on one sentence and its number."""

_TASKS = ("similarity", "preference")

ASSUMED = (
    f"assumed: a picture is {IMAGE_READ_TOKENS:,} tokens, an answer {ANSWER_TOKENS}, a verdict on a sentence "
    f"{VERDICT_TOKENS}; no reasoning tokens, no cached input, no repairs, no retries"
)


@dataclass(frozen=True)
class _JudgingEstimate:
    """Forecast for one judge.

    Attributes:
        scores: That are to be had.
        kept: That are there.
        usage: Questions that are to be asked, without repairs and retries, and their tokens.
        cost_usd: US dollars; None if no price is known.
    """

    scores: int
    kept: int
    usage: Usage
    cost_usd: float | None


def estimate_judging(judge: LoadedJudge, planned: Sequence[JudgedRun], prices: RunPrices) -> _JudgingEstimate:
    """Estimate the judgements, tokens and cost of a judge."""
    items = [item for part in planned for item in part.items]
    usage = _estimate_facts_usage(items, judge) if judge.asks == "facts" else _estimate_ratings_usage(items, judge)
    cost = compute_cost(usage, prices.judges[judge.name])
    return _JudgingEstimate(
        sum(len(item.wanted) for item in items), sum(len(plan.kept) for plan in planned), usage, cost
    )


def format_estimate(judge: LoadedJudge, estimated: _JudgingEstimate, prices: RunPrices) -> str:
    """Return an estimate for people, in one line."""
    counts = f"{judge.name}: {format_count(estimated.scores, 'score')} to be had, {estimated.kept:,} kept"
    return f"{counts}; {describe_usage(estimated.usage, prices.judges[judge.name])}"


def describe_usage(usage: Usage, seat: SeatPrice) -> str:
    """Return forecast questions and tokens in words, with their cost by the prices of who is asked."""
    words = (
        f"{format_count(usage.requests, 'question')}, {usage.prompt_tokens or 0:,} tokens read, "
        f"{usage.completion_tokens or 0:,} written"
    )
    cost = compute_cost(usage, seat)
    if cost is None or seat.price is None:
        return f"{words}: no price of {seat.label} is known (--prices FILE)"
    return f"{words}: about {cost:.2f} US$ by prices of {seat.label} on {seat.price.date}"


def compute_cost(usage: Usage, seat: SeatPrice) -> float | None:
    """Return US dollars for forecast usage; None if no price is known."""
    # Players without a network cost nothing, which is something else than an unknown price.
    return 0.0 if seat.offline else seat.price.tokens(usage) if seat.price else None


def _estimate_ratings_usage(items: Sequence[JudgedItem], judge: LoadedJudge) -> Usage:
    similarity, preference = (
        sum(_count_open_questions(item, judge) for item in items if item.task == task) for task in _TASKS
    )
    read = similarity * (count_tokens(judge.prompts.similarity) + 2 * IMAGE_READ_TOKENS)
    read += preference * (count_tokens(judge.prompts.preference) + 3 * IMAGE_READ_TOKENS)
    questions = similarity + preference
    return Usage(requests=questions, prompt_tokens=read, completion_tokens=questions * ANSWER_TOKENS)


def _estimate_facts_usage(items: Sequence[JudgedItem], judge: LoadedJudge) -> Usage:
    # Inside, since facts bring the libraries of the eye, which other forecasts do not need.
    from ircore.scorers.model_judges.fact_questions import iterate_open_questions

    # Of one target all renderings are asked the same sentences.
    items = sorted(items, key=lambda item: item.original.sha256)
    counts = [
        (count_tokens(prompt), sentences) for item in items for prompt, sentences in iterate_open_questions(item, judge)
    ]
    return Usage(
        requests=len(counts),
        prompt_tokens=sum(tokens + IMAGE_READ_TOKENS for tokens, _ in counts),
        completion_tokens=sum(sentences * VERDICT_TOKENS for _, sentences in counts),
    )


def _count_open_questions(item: JudgedItem, judge: LoadedJudge) -> int:
    """Count the questions about an item that nobody has answered."""
    hashes = tuple(rendering.sha256 for rendering in item.renderings)
    # First and final rendering are the same picture: a tie without a question.
    if len(set(hashes)) < len(hashes):
        return 0
    orders: list[tuple[Order | None, tuple[str, ...]]] = [(None, hashes)]
    if item.task == "preference":
        # Asked in both orders, since models prefer a place, such as A.
        orders = [("first_leading", hashes), ("final_leading", hashes[::-1])]
    who, target = judge.asked_as, item.original.sha256
    return sum(QuestionKey(judge.name, who, target, shown, order, False) not in item.known for order, shown in orders)
