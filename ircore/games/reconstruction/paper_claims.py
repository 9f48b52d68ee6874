"""Sentences of the paper compared with the paper's own tables, for the site's page on published scores.

Every sentence is put in this project's words; its section says where the paper has it. What the paper draws without
printing its numbers cannot be checked here: its verdict is ``not printed``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean
from typing import Any

from ircore.core.records import DIFFICULTIES
from ircore.games.declarations import FAIR, Check, Claim, Verdict, check_of_people
from ircore.games.reconstruction.paper_tables import (
    JUDGES,
    REPORTED,
    SOURCE,
    PublishedJudge,
    PublishedPair,
    PublishedScore,
    Reported,
    compute_mean_preferences,
    compute_mean_scores,
    list_published_pairs,
    read_published_agreement,
    read_published_scores,
)
from ircore.games.reconstruction.records import CATEGORIES

BETTER, WORSE = "gpt-5.2", "Qwen-3"
"""The two describers: the paper finds the first about one point better than the second."""

HARDEST = ("functions", "geometry")
"""The categories that the paper finds hardest."""

_AGREEMENTS: tuple[tuple[Any, str, str, int, int], ...] = (
    ("table1", "Judge and judge (table 1)", "All pairs.", 2, 2),
    ("table2", "People and judge (table 2)", "gpt-5.2 + gpt-image-1.5 only.", 2, 2),
    ("table4", "Annotator and annotator (table 4)", "gpt-5.2 + gpt-image-1.5 only; three people.", 3, 1),
)
"""Key, title and caption of each table of agreement, with the decimals that the paper prints of values and shares."""


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


def compare_hard_with_easy() -> tuple[HardAgainstEasy, ...]:
    """Compare hard with easy wherever Table 3 can: four pairs × seven categories × three judges.

    The paper's section 4.2 has hard pictures score consistently lower in all categories and for all pairs. Those
    whose ``difference`` is 0 or more are the counter-examples.
    """
    scores = _index_by_condition()
    return tuple(
        HardAgainstEasy(
            pair,
            category,
            judge,
            scores[pair, category, "easy"].score(judge),
            scores[pair, category, "hard"].score(judge),
        )
        for pair, category, judge in product(compute_mean_scores(), CATEGORIES, JUDGES)
    )


def find_not_lower() -> tuple[HardAgainstEasy, ...]:
    """Return the counter-examples to "hard is consistently lower than easy": hard as high as easy, or higher."""
    return tuple(comparison for comparison in compare_hard_with_easy() if comparison.difference >= 0)


def compare_describers() -> tuple[BetterAgainstWorse, ...]:
    """Compare the describers wherever Table 3 can: two generators × 14 conditions × three judges.

    The paper's section 5.2 has one about a point above the other under all conditions.
    """
    scores = _index_by_condition()
    return tuple(
        BetterAgainstWorse(
            generator,
            category,
            difficulty,
            judge,
            scores[PublishedPair(BETTER, generator), category, difficulty].score(judge),
            scores[PublishedPair(WORSE, generator), category, difficulty].score(judge),
        )
        for generator, category, difficulty, judge in product(list_generators(), CATEGORIES, DIFFICULTIES, JUDGES)
    )


def compute_mean_differences() -> dict[tuple[str, PublishedJudge], float]:
    """Return how far the better describer leads on average, by generator and judge, in points of 0–10.

    These are differences of means rounded to two decimals, so that whoever subtracts the means as they are shown gets
    the same; unrounded means may differ by 0.01 more or less.
    """
    means = {
        pair: {judge: round(mean, 2) for judge, mean in row.items()} for pair, row in compute_mean_scores().items()
    }
    return {
        (generator, judge): round(
            means[PublishedPair(BETTER, generator)][judge] - means[PublishedPair(WORSE, generator)][judge], 2
        )
        for generator, judge in product(list_generators(), JUDGES)
    }


def list_generators() -> tuple[str, ...]:
    """Return the two generators in the order of Table 3."""
    return tuple(dict.fromkeys(score.pair.generator for score in read_published_scores()))


def check_by_count(differences: Iterable[float], noun: str = "comparisons") -> Check:
    """Return the check of a sentence that all of some differences are above 0, from their signs alone.

    >>> check_by_count([0.4, 0.2, 0.1, -0.1, 0.0])
    Check(verdict='exceptions', evidence='3 of 5 comparisons; 1 equal, 1 the other way')
    """
    counts = Counter((difference > 0) - (difference < 0) for difference in differences)
    every, wrong = counts.total(), counts[0] + counts[-1]
    said = f"{counts[1]} of {every} {noun}"
    if not wrong:
        return Check("holds", said)
    verdict: Verdict = "exceptions" if counts[1] > every / 2 else "does not hold"
    return Check(verdict, f"{said}; {counts[0]} equal, {counts[-1]} the other way")


def list_claims() -> tuple[Claim, ...]:
    """Return the sentences of the paper that can be checked, in the order of its sections."""
    return (
        Claim("hard", "4.2", "Hard pictures score lower than easy ones in every category, for every pair.",
              check_by_count([-step.difference for step in compare_hard_with_easy()])),
        Claim("ends", "5.1", "All judges have the same pair first, and the same pair last.", _check_same_ends()),
        Claim("order", "5.2", "All judges rank the pairs alike.", _check_same_order()),
        Claim("dominant", "5.2", "The describer matters more than the generator.", _check_spreads()),
        Claim(
            "ahead", "5.2", "The better describer is ahead under all conditions, by about a point.", _check_one_point()
        ),
        Claim("generator", "5.2", "One generator gives higher scores with each describer.", _check_first_generator()),
        Claim("hardest", "6", "Functions and geometry are the hardest categories.", _check_hardest(), HARDEST),
        Claim("payoff", "5.3", "The generator decides whether refinement helps: with one scores rise, with another "
              "they do not.", _build_not_printed("Figure 15")),
        Claim("turns", "5.3", "More turns do not guarantee a better picture.", _build_not_printed("Figure 5")),
        Claim("single", "5.3", "The weaker describer mostly stops after one turn.", _build_not_printed("Figure 5")),
        Claim("steady", "B", "The better describer's pictures gain over the turns, and more than the weaker one's.",
              _build_not_printed("Figure 19")),
        Claim("preferred", "B", "With one generator the final picture is preferred more often than not, with the other "
              "it is not.", _check_preferred()),
        Claim("budget", "5.4", "Final scores rise with the token budget.", _build_not_printed("Figure 17")),
        Claim("first", "5.4", "First pictures are poorer at small budgets.", _build_not_printed("Figure 17")),
        Claim("budget_preferred", "5.4", "The final picture is preferred less often at larger budgets.",
              _build_not_printed("Figure 18")),
        Claim("vocabulary", "5.5", "The better describer corrects more kinds of things in a message.",
              _build_not_printed("Figure 7")),
        Claim(
            "numeric", "5.5", "The weaker describer hardly ever corrects with numbers.",
            _build_not_printed("Figure 7")),
        Claim("people", "5.6", "People agree moderately on scores (r) and fairly on preferences (κ).",
              _check_among_people()),
        Claim("nearest", "5.6", "The judge that follows people best agrees with their preferences no more than fairly "
              "(κ up to 0.40).", _check_with_people()),
        Claim("tolerant", "5.6", "All judges give higher scores than people.", _check_tolerant()),
        Claim("lipsim", "5.6", "LipSim agrees with people's preferences as well as the second judge does.",
              _check_against_second()),
    )  # fmt: skip


def collect_paper_facts() -> Mapping[str, Any]:
    """Return what the page on published scores shows, by name; see ``Game.collect_paper_facts``."""
    means = compute_mean_scores()
    differences = compare_hard_with_easy()
    generator = "gpt-image-1.5"
    behind = _count_signs(row.difference for row in compare_describers() if row.generator == generator)
    return {
        "origin": REPORTED,
        "source": SOURCE,
        "judges": JUDGES,
        "pairs": [
            {"describer": pair.describer, "generator": pair.generator, "means": [means[pair][j] for j in JUDGES]}
            for pair in sorted(list_published_pairs(), key=lambda pair: -means[pair][JUDGES[0]])
        ],
        "columns": list_published_pairs(),
        "printed": _format_printed_cells(),
        "agreements": [
            {"title": title, "caption": caption, "digits": digits, "percent_digits": percent_digits,
             "rows": read_published_agreement(table)}
            for table, title, caption, digits, percent_digits in _AGREEMENTS
        ],
        "hard": [
            {"category": category, **_count_signs(row.difference for row in differences if row.category == category)}
            for category in CATEGORIES
        ],
        "hard_counts": _count_signs(row.difference for row in differences),
        "exceptions": find_not_lower(),
        "better": _summarise_better(),
        "behind": behind["lower"],
        "compared": behind["all"],
    }  # fmt: skip


def _index_by_condition() -> dict[tuple[PublishedPair, str, str], PublishedScore]:
    return {(score.pair, score.category, score.difficulty): score for score in read_published_scores()}


def _check_spreads() -> Check:
    """Compare, by judge, how far describers and how far generators are apart on average."""
    means, differences = compute_mean_scores(), {}
    names = list_generators()
    for judge in JUDGES:
        cell = {pair: row[judge] for pair, row in means.items()}
        describers = fmean(cell[PublishedPair(BETTER, name)] - cell[PublishedPair(WORSE, name)] for name in names)
        drawn = fmean(
            cell[PublishedPair(who, names[0])] - cell[PublishedPair(who, names[1])] for who in (BETTER, WORSE)
        )
        differences[judge] = describers, drawn
    check = check_by_count([abs(by_words) - abs(by_drawing) for by_words, by_drawing in differences.values()], "judges")
    said = ", ".join(
        f"{judge} {by_words:.2f} against {by_drawing:.2f}" for judge, (by_words, by_drawing) in differences.items()
    )
    return Check(check.verdict, f"describers apart against generators apart, points: {said}")


def _rank_pairs() -> dict[PublishedJudge, list[str]]:
    """Return the pairs by each judge's mean, best first."""
    means = compute_mean_scores()
    return {
        judge: [f"{pair.describer} + {pair.generator}" for pair in sorted(means, key=lambda pair: -means[pair][judge])]
        for judge in JUDGES
    }


def _check_same_ends() -> Check:
    orders = _rank_pairs().values()
    same = len({order[0] for order in orders}) == len({order[-1] for order in orders}) == 1
    first = next(iter(orders))
    said = f"{first[0]} first and {first[-1]} last by all {len(orders)}"
    return Check("holds", said) if same else Check("does not hold", "the ends differ by judge")


def _check_same_order() -> Check:
    orders = _rank_pairs()
    if len({tuple(order) for order in orders.values()}) == 1:
        return Check("holds", "the same order by all")
    reference = orders[JUDGES[0]]
    swapped = [
        f"{judge} has {better} above {worse}"
        for judge, order in orders.items()
        for worse, better in combinations(reference, 2)
        if order.index(better) < order.index(worse)
    ]
    return Check("exceptions", f"{'; '.join(swapped)}, unlike {JUDGES[0]}")


def _check_one_point() -> Check:
    means, check = (
        compute_mean_differences().values(),
        check_by_count([step.difference for step in compare_describers()]),
    )
    return Check(
        check.verdict,
        f"ahead in {check.evidence}; by {min(means):.2f} to {max(means):.2f} on average by judge and generator",
    )


def _check_first_generator() -> Check:
    first, second = list_generators()
    means = compute_mean_scores()
    return check_by_count(
        [
            means[PublishedPair(who, first)][judge] - means[PublishedPair(who, second)][judge]
            for who, judge in product((BETTER, WORSE), JUDGES)
        ],
        "means by describer and judge",
    )


def _check_hardest() -> Check:
    """Compare functions and geometry with every other category, by judge, over pairs and difficulties."""
    by_judge = {
        judge: {
            category: fmean(score.score(judge) for score in read_published_scores() if score.category == category)
            for category in CATEGORIES
        }
        for judge in JUDGES
    }
    return check_by_count(
        [
            means[other] - means[hard]
            for means in by_judge.values()
            for hard, other in product(HARDEST, CATEGORIES)
            if other not in HARDEST
        ]
    )


def _check_preferred() -> Check:
    shares = compute_mean_preferences()
    first, _ = list_generators()
    said = ", ".join(f"{pair.describer} + {pair.generator} {100 * share:.0f} %" for pair, share in shares.items())
    right = [share > 0.5 if pair.generator == first else share <= 0.5 for pair, share in shares.items()]
    verdict: Verdict = "holds" if all(right) else "exceptions" if sum(right) > len(right) / 2 else "does not hold"
    return Check(verdict, f"LipSim, mean over conditions: {said}")


def _check_tolerant() -> Check:
    rated = [score for score in read_published_scores() if score.human is not None]
    check = check_by_count([score.score(judge) - (score.human or 0.0) for score, judge in product(rated, JUDGES)])
    biases = ", ".join(
        f"{judge} {fmean(score.score(judge) - (score.human or 0.0) for score in rated):+.2f}" for judge in JUDGES
    )
    return Check(check.verdict, f"{check.evidence}; on average {biases} points")


def _check_with_people() -> Check:
    rows = read_published_agreement("table2")
    best = max((row for row in rows if row.pearson is not None), key=lambda row: row.pearson or 0.0)
    verdict: Verdict = "holds" if max(row.kappa for row in rows) <= FAIR[1] else "does not hold"
    return Check(verdict, f"{best.other}: r = {best.pearson:.2f}, κ = {best.kappa:.2f}, the highest of {len(rows)}")


def _check_among_people() -> Check:
    couples = read_published_agreement("table4")
    return check_of_people(
        fmean(row.pearson or 0.0 for row in couples), fmean(row.kappa for row in couples), len(couples)
    )


def _check_against_second() -> Check:
    """Compare LipSim with the second-best judge of Table 2 by agreement and by κ."""
    rows = {row.other: row for row in read_published_agreement("table2")}
    lipsim = rows.pop("lipsim")
    second = sorted(rows.values(), key=lambda row: -row.agreement)[1]
    fits = [lipsim.agreement >= second.agreement, lipsim.kappa >= second.kappa]
    verdict: Verdict = "holds" if all(fits) else "exceptions" if any(fits) else "does not hold"
    return Check(
        verdict,
        f"against {second.other}: {100 * lipsim.agreement:.2f} and {100 * second.agreement:.2f} %, "
        f"κ {lipsim.kappa:.2f} and {second.kappa:.2f}",
    )


def _build_not_printed(figure: str) -> Check:
    return Check("not printed", f"{figure} has no numbers in the text")


def _format_printed_cells() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the cells of Table 3 by condition: for each pair its scores, its preference and people's mean."""
    scores = {(score.category, score.difficulty, score.pair): score for score in read_published_scores()}
    return {
        (category, difficulty): [
            {
                "scores": [scores[category, difficulty, pair].score(judge) for judge in JUDGES],
                "preferred": scores[category, difficulty, pair].final_preferred,
                "human": scores[category, difficulty, pair].human,
            }
            for pair in list_published_pairs()
        ]
        for category, difficulty in dict.fromkeys(
            (score.category, score.difficulty) for score in read_published_scores()
        )
    }


def _summarise_better() -> list[dict[str, Any]]:
    """Return, by generator and judge, the better describer's mean lead and the number of conditions it leads."""
    every = compare_describers()
    return [
        {
            "generator": generator,
            "judge": judge,
            "mean": mean,
            **_count_signs(row.difference for row in every if (row.generator, row.judge) == (generator, judge)),
        }
        for (generator, judge), mean in compute_mean_differences().items()
    ]


def _count_signs(differences: Iterable[float]) -> dict[str, int]:
    counted = Counter(
        "higher" if difference > 0 else "lower" if difference < 0 else "equal" for difference in differences
    )
    return {sign: counted[sign] for sign in ("lower", "equal", "higher")} | {"all": counted.total()}
