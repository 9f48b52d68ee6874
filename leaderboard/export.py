"""The boards as files for other programs: every condition, full precision."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from ircore.results.model import BoardRow, Results
from ircore.statistics.estimate import Estimate

ALL = "all"
"""Stands for every category, or both difficulties, as in the dataset."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that spreadsheets take for a formula."""


def leaderboard_records(results: Results) -> Iterator[dict[str, Any]]:
    """Yield one flat record per judge, category, difficulty and pair, in the order of the boards."""
    for judge, category, difficulty in product(
        results.judges, (None, *results.categories), (None, *results.difficulties)
    ):
        for row in results.board(judge, category, difficulty):
            yield _record(row)


def leaderboard_json(results: Results) -> str:
    """Return the boards as one JSON document."""
    document = {"instance_set": results.instance_set, "rows": list(leaderboard_records(results))}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def leaderboard_csv(results: Results) -> str:
    """Return the boards as CSV; a text that a spreadsheet would run as a formula begins with an apostrophe."""
    records = list(leaderboard_records(results))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in record.items()} for record in records)
    return buffer.getvalue()


def _record(row: BoardRow) -> dict[str, Any]:
    cell, run = row.cell, row.submission.run
    return {
        "run_id": run.run_id,
        "submission": run.slug,
        "describer": row.submission.describer,
        "generator": row.submission.generator,
        "token_budget": run.rules.token_budget,
        "max_turns": run.rules.max_turns,
        "judge": cell.judge,
        "category": cell.category or ALL,
        "difficulty": cell.difficulty or ALL,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "episodes": cell.episodes,
        "played": cell.played,
        "played_share": cell.played_share,
        "main_score": cell.main_score,
        **_estimate("score", cell.score),
        **_estimate("delta", cell.delta),
        **_estimate("preference", cell.preference),
        **{str(name): count for name, count in cell.convergence.items()},
        "turns": cell.turns.mean,
        "tokens": cell.tokens.mean,
        "seconds": cell.seconds.mean,
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {
        name: estimate.mean,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
        f"{name}_n": estimate.n,
    }


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
