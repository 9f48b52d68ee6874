"""The paper's printed numbers, and what its own Table 3 does not bear out, for the site's page on published scores."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ircore.games.reconstruction.published import claims
from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    REPORTED,
    SOURCE,
    mean_scores,
    published_agreement,
    published_pairs,
    published_scores,
)
from ircore.games.reconstruction.records import CATEGORIES

_AGREEMENTS: tuple[tuple[Any, str, str, int, int], ...] = (
    ("table1", "Judge and judge (table 1)", "All pairs.", 2, 2),
    ("table2", "People and judge (table 2)", "gpt-5.2 + gpt-image-1.5 only.", 2, 2),
    ("table4", "Annotator and annotator (table 4)", "gpt-5.2 + gpt-image-1.5 only; three people.", 3, 1),
)
"""Key, title and caption of each table of agreement, with the decimals that the paper prints of values and shares."""


def paper_facts() -> Mapping[str, Any]:
    """Return what the page on published scores shows, by name; see ``Game.paper_facts``."""
    means = mean_scores()
    differences = claims.hard_against_easy()
    generator = "gpt-image-1.5"
    behind = _signs(row.difference for row in claims.better_against_worse() if row.generator == generator)
    return {
        "origin": REPORTED,
        "source": SOURCE,
        "judges": JUDGES,
        "pairs": [
            {"describer": pair.describer, "generator": pair.generator, "means": [means[pair][j] for j in JUDGES]}
            for pair in sorted(published_pairs(), key=lambda pair: -means[pair][JUDGES[0]])
        ],
        "columns": published_pairs(),
        "printed": _printed(),
        "agreements": [
            {"title": title, "caption": caption, "digits": digits, "percent_digits": percent_digits,
             "rows": published_agreement(table)}
            for table, title, caption, digits, percent_digits in _AGREEMENTS
        ],
        "hard": [
            {"category": category, **_signs(row.difference for row in differences if row.category == category)}
            for category in CATEGORIES
        ],
        "hard_counts": _signs(row.difference for row in differences),
        "exceptions": claims.not_lower(),
        "better": _better(),
        "behind": behind["lower"],
        "compared": behind["all"],
    }  # fmt: skip


def _printed() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the cells of Table 3 by condition: for each pair its scores, its preference and people's mean."""
    scores = {(score.category, score.difficulty, score.pair): score for score in published_scores()}
    return {
        (category, difficulty): [
            {
                "scores": [scores[category, difficulty, pair].score(judge) for judge in JUDGES],
                "preferred": scores[category, difficulty, pair].final_preferred,
                "human": scores[category, difficulty, pair].human,
            }
            for pair in published_pairs()
        ]
        for category, difficulty in dict.fromkeys((score.category, score.difficulty) for score in published_scores())
    }


def _better() -> list[dict[str, Any]]:
    """Return, by generator and judge, the better describer's mean lead and the number of conditions it leads."""
    every = claims.better_against_worse()
    return [
        {
            "generator": generator,
            "judge": judge,
            "mean": mean,
            **_signs(row.difference for row in every if (row.generator, row.judge) == (generator, judge)),
        }
        for (generator, judge), mean in claims.mean_differences().items()
    ]


def _signs(differences: Iterable[float]) -> dict[str, int]:
    counted = Counter(
        "higher" if difference > 0 else "lower" if difference < 0 else "equal" for difference in differences
    )
    return {sign: counted[sign] for sign in ("lower", "equal", "higher")} | {"all": counted.total()}
