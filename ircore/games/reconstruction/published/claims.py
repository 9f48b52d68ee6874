"""Two sentences of the paper compared with the paper's own Table 3."""

from dataclasses import dataclass
from itertools import product

from ircore.core.records import CATEGORIES, DIFFICULTIES
from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    REPORTED,
    PublishedJudge,
    PublishedPair,
    PublishedScore,
    Reported,
    mean_scores,
    published_scores,
)

BETTER, WORSE = "gpt-5.2", "Qwen-3"
"""The two describers: the paper finds the first about one point better than the second."""


@dataclass(frozen=True)
class HardAgainstEasy:
    """Easy and hard scores of a pair in a category by the same judge.

    >>> pair = PublishedPair("gpt-5.2", "gemini-3.1")
    >>> HardAgainstEasy(pair, "photos", "gpt", easy=6.0, hard=6.2).difference
    0.2

    Attributes:
        pair: The pair.
        category: Of the pictures.
        judge: Whose means.
        easy: Mean final score on easy pictures, 0–10.
        hard: The same on hard ones.
        origin: Never a result of a run.
    """

    pair: PublishedPair
    category: str
    judge: PublishedJudge
    easy: float
    hard: float
    origin: Reported = REPORTED

    @property
    def difference(self) -> float:
        """Score on hard minus score on easy pictures, to the table's single decimal."""
        return round(self.hard - self.easy, 1)


@dataclass(frozen=True)
class BetterAgainstWorse:
    """Scores of both describers with the same generator under the same condition by the same judge.

    >>> BetterAgainstWorse("gemini-3.1", "photos", "easy", "gpt", better=7.1, worse=6.0).difference
    1.1

    Attributes:
        generator: Generator of both describers.
        category: Of the pictures.
        difficulty: easy or hard.
        judge: Whose means.
        better: Mean final score with ``BETTER``, 0–10.
        worse: The same with ``WORSE``.
        origin: Never a result of a run.
    """

    generator: str
    category: str
    difficulty: str
    judge: PublishedJudge
    better: float
    worse: float
    origin: Reported = REPORTED

    @property
    def difference(self) -> float:
        """The better describer's score minus the worse one's, to the table's single decimal."""
        return round(self.better - self.worse, 1)


def hard_against_easy() -> tuple[HardAgainstEasy, ...]:
    """Compare hard with easy wherever Table 3 can: four pairs × seven categories × three judges.

    The paper's section 4.2 has hard pictures score consistently lower in all categories and for all pairs. Those
    whose ``difference`` is 0 or more are the counter-examples.
    """
    scores = _by_condition()
    return tuple(
        HardAgainstEasy(
            pair,
            category,
            judge,
            scores[pair, category, "easy"].score(judge),
            scores[pair, category, "hard"].score(judge),
        )
        for pair, category, judge in product(mean_scores(), CATEGORIES, JUDGES)
    )


def _by_condition() -> dict[tuple[PublishedPair, str, str], PublishedScore]:
    return {(score.pair, score.category, score.difficulty): score for score in published_scores()}


def not_lower() -> tuple[HardAgainstEasy, ...]:
    """Return the counter-examples to "hard is consistently lower than easy": hard as high as easy, or higher."""
    return tuple(comparison for comparison in hard_against_easy() if comparison.difference >= 0)


def better_against_worse() -> tuple[BetterAgainstWorse, ...]:
    """Compare the describers wherever Table 3 can: two generators × 14 conditions × three judges.

    The paper's section 5.2 has one about a point above the other under all conditions.
    """
    scores = _by_condition()
    return tuple(
        BetterAgainstWorse(
            generator,
            category,
            difficulty,
            judge,
            scores[PublishedPair(BETTER, generator), category, difficulty].score(judge),
            scores[PublishedPair(WORSE, generator), category, difficulty].score(judge),
        )
        for generator, category, difficulty, judge in product(generators(), CATEGORIES, DIFFICULTIES, JUDGES)
    )


def mean_differences() -> dict[tuple[str, PublishedJudge], float]:
    """Return how far the better describer leads on average, by generator and judge, in points of 0–10.

    These are differences of means rounded to two decimals, so that whoever subtracts the means as they are shown gets
    the same; unrounded means may differ by 0.01 more or less.
    """
    means = {pair: {judge: round(mean, 2) for judge, mean in row.items()} for pair, row in mean_scores().items()}
    return {
        (generator, judge): round(
            means[PublishedPair(BETTER, generator)][judge] - means[PublishedPair(WORSE, generator)][judge], 2
        )
        for generator, judge in product(generators(), JUDGES)
    }


def generators() -> tuple[str, ...]:
    """Return the two generators in the order of Table 3."""
    return tuple(dict.fromkeys(score.pair.generator for score in published_scores()))
