"""Page of the paper's published figures, beside ours and never mixed with them, and of its sentences, checked here."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ircore.games.reconstruction.published import claims
from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    REPORTED,
    SOURCE,
    PublishedPair,
    mean_scores,
    published_agreement,
    published_pairs,
    published_scores,
)
from ircore.games.reconstruction.records import CATEGORIES
from ircore.results.tables.paper_claims import paper_checks
from leaderboard.model.site import Page, Site
from leaderboard.model.site_judge import rates
from leaderboard.words.labels import category_title, judge_name

CHARTS = ("convergence-pooled", "deltas-sem", "budget-scores-sem")
"""Figures as the paper draws them, where ours differ."""

BESIDE = 4
"""Pairs of this site beside the paper's four."""


def paper_page(site: Site) -> Page:
    """Return the page of the published scores, beside which stand the best pairs of the site."""
    means = mean_scores()
    pairs = published_pairs()
    return Page(
        "paper",
        "Published scores",
        "paper",
        {
            "origin": REPORTED,
            "source": SOURCE,
            "judges": [judge_name(judge) for judge in JUDGES],
            "pairs": [
                {"describer": pair.describer, "generator": pair.generator, "means": [means[pair][j] for j in JUDGES]}
                for pair in sorted(pairs, key=lambda pair: -means[pair][JUDGES[0]])
            ],
            "columns": pairs,
            "charts": CHARTS,
            "agreements": _agreements(),
            "hard": _hard(),
            "hard_counts": _signs(exception.difference for exception in claims.hard_against_easy()),
            "exceptions": [_exception(exception) for exception in claims.not_lower()],
            "better": _better(),
            **_behind("gpt-image-1.5"),
        },
        searchable=True,
        later=partial(_beside, site),
    )


def _beside(site: Site) -> dict[str, Any]:
    """Return what the runs of the site add: the grid with their pairs, and the checks of the paper's sentences."""
    results = site.under()
    rows = results.board(site.judge)[:BESIDE]
    others = [judge for judge in results.judges if judge != site.judge and rates(results, judge)]
    judges = [site.judge, *others][: len(JUDGES)]
    checks = paper_checks(site.results, site.judge)
    return {
        "conditions": _conditions(published_pairs(), site, [row.submission.run_id for row in rows], judges),
        "own": [site.pairs[row.submission.run_id] for row in rows],
        "own_judges": judges,
        "claims": [{"claim": claim, "here": checks[claim.key]} for claim in claims.claims()],
    }


def _conditions(
    pairs: Iterable[PublishedPair], site: Site, run_ids: Sequence[str], judges: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rows of Table 3: for each condition the published scores of each pair, and the means of our pairs."""
    scores = {(score.category, score.difficulty, score.pair): score for score in published_scores()}
    cells = site.under().cells
    return [
        {
            "name": f"{category_title(category)}, {difficulty}",
            "values": [
                {
                    "scores": [scores[category, difficulty, pair].score(judge) for judge in JUDGES],
                    "preferred": scores[category, difficulty, pair].final_preferred,
                    "human": scores[category, difficulty, pair].human,
                }
                for pair in pairs
            ],
            "own": [
                [
                    cells[key].score.mean if (key := (run_id, category, difficulty, judge)) in cells else None
                    for judge in judges
                ]
                for run_id in run_ids
            ],
        }
        for category, difficulty in dict.fromkeys((score.category, score.difficulty) for score in published_scores())
    ]


def _agreements() -> list[dict[str, Any]]:
    """Return the three tables of agreement, each with the decimals that the paper prints."""
    tables = (
        ("table1", "Judge and judge (table 1)", "All pairs.", 2, 2),
        ("table2", "People and judge (table 2)", "gpt-5.2 + gpt-image-1.5 only.", 2, 2),
        ("table4", "Annotator and annotator (table 4)", "gpt-5.2 + gpt-image-1.5 only; three people.", 3, 1),
    )
    return [
        {
            "title": title,
            "caption": caption,
            "digits": digits,
            "percent_digits": percent_digits,
            "rows": [
                {"first": judge_name(row.one),
                 "other": judge_name(row.other), "row": row}
                for row in published_agreement(table)
            ],
        }
        for table, title, caption, digits, percent_digits in tables
    ]  # fmt: skip


def _hard() -> list[dict[str, Any]]:
    """Return by category how often hard is lower than, equal to or higher than easy."""
    every = claims.hard_against_easy()
    return [
        {
            "category": category_title(category),
            **_signs(exception.difference for exception in every if exception.category == category),
        }
        for category in CATEGORIES
    ]


def _exception(exception: claims.HardAgainstEasy) -> dict[str, Any]:
    return {
        "category": category_title(exception.category),
        "pair": exception.pair,
        "judge": judge_name(exception.judge),
        "easy": exception.easy,
        "hard": exception.hard,
        "difference": exception.difference,
    }


def _better() -> list[dict[str, Any]]:
    """Return, by generator and judge, the better describer's mean lead and the number of conditions it leads."""
    every = claims.better_against_worse()
    return [
        {
            "generator": generator,
            "judge": judge_name(judge),
            "mean": mean,
            **_signs(
                exception.difference
                for exception in every
                if (exception.generator, exception.judge) == (generator, judge)
            ),
        }
        for (generator, judge), mean in claims.mean_differences().items()
    ]


def _behind(generator: str) -> dict[str, int]:
    signs = _signs(
        exception.difference for exception in claims.better_against_worse() if exception.generator == generator
    )
    return {"behind": signs["lower"], "compared": signs["all"]}


def _signs(differences: Iterable[float]) -> dict[str, int]:
    counted = Counter(
        "higher" if difference > 0 else "lower" if difference < 0 else "equal" for difference in differences
    )
    return {sign: counted[sign] for sign in ("lower", "equal", "higher")} | {"all": counted.total()}
