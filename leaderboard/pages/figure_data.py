"""Numbers of all pairs, from which figures are drawn again for the pairs, judge and category that a reader chooses.

``data/figures/pairs.json`` names pairs, judges and categories; ``cells-JUDGE.json`` holds what stands on boards,
``turns-JUDGE.json`` the similarity by turn, ``words.json`` the language of describers. Entries of pairs stand in the
order of ``pairs.json``; a number with its interval is ``[mean, low, high, n]``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ircore.core.untrusted_text import visible
from ircore.results.cell import Cell
from ircore.results.episodes import CONVERGENCES
from ircore.results.language.lexicon import CORRECTIONS
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board_columns import cell_value
from ircore.results.tables.language import corrections_by_turn_table, corrections_table, messages_table
from ircore.results.tables.model import Value
from ircore.results.tables.pairs import ALL
from ircore.results.tables.turns import trajectories_table
from leaderboard.charts.catalogue import named_alike
from leaderboard.charts.data import Entry, grouped
from leaderboard.model.site import Pair, Site
from leaderboard.pages.board_views import View
from leaderboard.pages.sharing import provenance_facts
from leaderboard.theme import describer_class, generator_dash, generator_symbol
from leaderboard.words.labels import category_short, category_title
from leaderboard.words.marked_messages import CORRECTION_WORDS

FOLDER = "data/figures"
"""Folder of the files, relative to the site's root."""

MEASURES: Mapping[str, tuple[str, ...]] = {
    "score": ("score",),
    "delta": ("delta",),
    "preference": ("preference",),
    "cost": ("amounts", "cost"),
    "seconds": ("amounts", "seconds"),
}
"""Estimates of a cell that figures draw, and where they stand in it."""

Numbers = list[float | int | None]


def figure_data_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the files of the runs under the most common rules: path below the site's root, and text."""
    results = site.under()
    # In the order of the board, in which a reader looks for pairs.
    pairs = named_alike([site.pairs[row.submission.run_id] for row in results.board(site.judge)])
    yield f"{FOLDER}/pairs.json", _text(_index(site, pairs))
    for judge in results.judges:
        yield f"{FOLDER}/cells-{judge}.json", _text(_cells(site, judge, list(pairs)))
        yield f"{FOLDER}/turns-{judge}.json", _text(_turns(site, judge, list(pairs)))
    yield f"{FOLDER}/words.json", _text(_words(site, list(pairs)))


def _index(site: Site, pairs: Mapping[str, Pair]) -> dict[str, Any]:
    results = site.under()
    return {
        "judge": site.judge,
        "judges": results.judges,
        "categories": [
            [category, category_title(category), category_short(category)] for category in results.categories
        ],
        "corrections": [CORRECTION_WORDS[correction] for correction in CORRECTIONS],
        "pairs": [_named(pair) for pair in pairs.values()],
        "about": provenance_facts(site, View(site.judge, rules=site.rule_sets[0])),
    }


def _named(pair: Pair) -> dict[str, Any]:
    """Return a pair's names and marks; the names are a stranger's words, so that scripts escape them."""
    return {
        "key": pair.key,
        "describer": visible(pair.describer),
        "generator": visible(pair.generator),
        "names": [visible(name) for name in pair.names],
        "apart": visible(pair.apart),
        "hue": describer_class(pair.hue),
        "symbol": generator_symbol(pair.shape),
        "dash": generator_dash(pair.shape),
    }


def _cells(site: Site, judge: str, run_ids: Sequence[str]) -> dict[str, Any]:
    """Return the order of a judge's board, and the measures of every pair, overall and by category."""
    results = site.under()
    places = {run_id: place for place, run_id in enumerate(run_ids)}
    conditions: dict[str, dict[str, Any]] = {}
    for category in (None, *results.categories):
        cells = [results.cell(run_id, judge, category) for run_id in run_ids]
        conditions[category or ""] = {**_measures(cells), "ranks": _ranks(site, judge, category, run_ids)}
    return {
        "order": [places[row.submission.run_id] for row in results.board(judge)],
        "family": [int(results.cell(run_id, judge).same_family) for run_id in run_ids],
        "conditions": conditions,
    }


def _ranks(site: Site, judge: str, category: str | None, run_ids: Sequence[str]) -> list[list[int] | None]:
    """Return each pair's best and worst possible rank on a board; None for a pair without a rank."""
    rows = {row.submission.run_id: row for row in site.under().board(judge, category)}
    ranges = ((rows[run_id].rank_low, rows[run_id].rank_high) for run_id in run_ids)
    return [None if low is None or high is None else [low, high] for low, high in ranges]


def _measures(cells: Sequence[Cell]) -> dict[str, list[Numbers | None]]:
    """Return each measure of cells; a measure that no cell has is left out."""
    made = {name: [_numbers(cell_value(cell, field)) for cell in cells] for name, field in MEASURES.items()}
    known: dict[str, list[Numbers | None]] = {name: list(values) for name, values in made.items() if any(values)}
    return {**known, "outcomes": [[cell.convergence[outcome] for outcome in CONVERGENCES] for cell in cells]}


def _turns(site: Site, judge: str, run_ids: Sequence[str]) -> dict[str, list[list[Numbers]]]:
    """Return similarity by turn and category (empty for all): ``[turn, mean, low, high, n, still refining]``."""
    results = site.under()
    rows = grouped(trajectories_table(results, judge))
    made: dict[str, list[list[Numbers]]] = {"": [], **{category: [] for category in results.categories}}
    for run_id in run_ids:
        # A list for every category, even an empty one, keeps entries in the order of pairs.json.
        by_category: dict[str, list[Numbers]] = {category: [] for category in made}
        for row in rows.get(run_id, ()):
            category = "" if row["category"].value == ALL else str(row["category"].value)
            by_category[category].append([_whole(row, "turn"), *_ends(row["reached"]), _whole(row, "refining")])
        for category, points in by_category.items():
            made[category].append(points)
    return made


def _words(site: Site, run_ids: Sequence[str]) -> dict[str, Any]:
    """Return length and novelty of messages by turn, and shares of corrections, overall and by turn."""
    results = site.under()
    messages, corrections, by_turn = (
        grouped(table(results)) for table in (messages_table, corrections_table, corrections_by_turn_table)
    )
    return {
        "messages": [
            [
                [_whole(row, "turn"), _whole(row, "messages"), _ends(row["tokens"]), _ends(row["novelty"])]
                for row in messages.get(run_id, ())
            ]
            for run_id in run_ids
        ],
        "corrections": [
            [_whole(row, "messages"), [_ends(row[name]) for name in CORRECTIONS]]
            for run_id in run_ids
            for row in corrections[run_id]
        ],
        "by_turn": [
            [
                [_whole(row, "turn"), _whole(row, "messages"), [_ends(row[name]) for name in CORRECTIONS]]
                for row in by_turn.get(run_id, ())
            ]
            for run_id in run_ids
        ],
    }


def _numbers(estimate: Estimate) -> Numbers | None:
    if estimate.mean is None:
        return None
    return [_rounded(estimate.mean), _rounded(estimate.low), _rounded(estimate.high), estimate.n]


def _ends(value: Value) -> Numbers:
    return [*(_rounded(end) for end in (_number(value), value.low, value.high)), value.n]


def _number(value: Value) -> float | None:
    return float(value.value) if isinstance(value.value, int | float) else None


def _whole(row: Entry, key: str) -> int:
    return round(_number(row[key]) or 0)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 8)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
