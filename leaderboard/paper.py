"""The published figures of the paper, shown beside ours and never mixed with them."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leaderboard.labels import category_title
from leaderboard.site import Page

SOURCE = "irg_table3.csv"
"""Table 3 of arXiv 2606.01901: mean score of the final rendering by pair, category, difficulty and judge."""

JUDGES = ("gpt", "claude", "qwen3")
_NAMES = {"gpt": "GPT", "claude": "Claude", "qwen3": "Qwen3"}

Row = dict[str, str]


def paper_page() -> Page:
    """Return the page of the published scores."""
    rows = published_rows()
    pairs = list(dict.fromkeys((row["describer"], row["generator"]) for row in rows))
    means = {pair: _means([row for row in rows if (row["describer"], row["generator"]) == pair]) for pair in pairs}
    return Page(
        "paper",
        "Published scores",
        "paper",
        {
            "judges": [_NAMES[judge] for judge in JUDGES],
            "pairs": [
                {"describer": one[0], "generator": one[1], "means": [means[one][judge] for judge in JUDGES]}
                for one in sorted(pairs, key=lambda pair: -means[pair][JUDGES[0]])
            ],
            "columns": pairs,
            "conditions": _conditions(rows, pairs),
        },
        searchable=True,
    )


def published_rows() -> list[Row]:
    """Return the 56 rows of the published table as they stand."""
    text = (Path(__file__).parent / "data" / SOURCE).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _means(rows: Sequence[Row]) -> dict[str, float]:
    return {judge: sum(float(row[judge]) for row in rows) / len(rows) for judge in JUDGES}


def _conditions(rows: Sequence[Row], pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    by_condition: dict[tuple[str, str], dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in rows:
        by_condition[row["category"], row["difficulty"]][row["describer"], row["generator"]] = row
    return [
        {
            "name": f"{category_title(category.lower().replace(' ', '_'))}, {difficulty}",
            "values": [[float(found[pair][judge]) for judge in JUDGES] for pair in pairs],
        }
        for (category, difficulty), found in by_condition.items()
    ]
