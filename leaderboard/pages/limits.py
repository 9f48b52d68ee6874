"""Limits of the site's numbers, computed from the runs, so that the page is never out of date."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from ircore.core.score_records import HUMAN
from ircore.results.arrays import select_condition
from ircore.results.headline import judge_kind
from ircore.results.model import Results
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.games import published_table
from ircore.results.tables.judges import agreement_table, maps_table
from ircore.results.tables.model import Table, Value
from leaderboard.charts.data import filter_rows, list_entries, select_columns
from leaderboard.model.site import Page, Pair, Site
from leaderboard.words import judge_name

_MEASURES = ("pearson", "spearman", "agreement", "kappa")


def build_limits_page(site: Site) -> Page:
    """Return the page."""
    later = partial(_collect_values, site)
    return Page("limits", "What the numbers cannot tell", "limits", searchable=True, later=later, found_by="limits")


def _collect_values(site: Site) -> Mapping[str, Any]:
    results = site.results
    return {
        "sizes": _list_sizes(site),
        "judges": _list_judges(site),
        "computed_only": all(judge_kind(results, judge) == "computed" for judge in results.judges),
        "human": HUMAN in results.judges,
        "agreements": build_agreements(results),
        "published": _build_published_agreements(results),
        "missing": [_count_missing(site, pair) for pair in site.pairs.values()],
        "self_judged": [
            {"pair": pair, "judge": judge}
            for pair, judge in product(site.pairs.values(), site.results.judges)
            if site.results.cell(pair.run_id, judge).same_family
        ],
        "crossed": _is_fully_crossed(site),
        "repeated": any(pair.result.run.repeats > 1 for pair in site.pairs.values()),
        "paper": _find_best_with_people(site),
    }


@dataclass(frozen=True)
class _Agreements:
    """Agreement of judges with people, and with each other."""

    people: Table
    """A row a judge; none where people rated nothing that a judge rated."""

    judges: Table
    """A row every two judges."""

    maps: Table | None
    """Error of each judge before and after recalibration to people's scale; None without people's ratings."""

    notes: tuple[str, ...]
    """Notes on reading the numbers."""


def build_agreements(results: Results) -> _Agreements:
    """Return the tables of agreement between judges, of this site and of the paper."""
    every = agreement_table(results)
    people = filter_rows(every, "kind", lambda kind: kind == "judge × human")
    judges = filter_rows(every, "kind", lambda kind: kind == "judge × judge")
    maps = select_columns(maps_table(results), ("judge", "method", "bias_before", "absolute_before", "absolute_after"))
    return _Agreements(
        _rename_headings(select_columns(people, ("one", *_MEASURES), title="Here: judge against people")),
        _rename_headings(select_columns(judges, ("one", "other", *_MEASURES), title="Here: judge against judge")),
        maps if people.rows else None,
        every.notes,
    )


def _build_published_agreements(results: Results) -> _Agreements:
    """Return the paper's Tables 2 and 1 under the same columns: reported by the paper, not computed here."""
    people, judges = (
        _rename_judges(published_table(results.game, name)) for name in ("published_table2", "published_table1")
    )
    return _Agreements(
        _rename_headings(
            select_columns(people, ("other", *_MEASURES), title="In the paper, not run here: judge against people")
        ),
        _rename_headings(
            select_columns(
                judges, ("one", "other", *_MEASURES), title="In the paper, not run here: judge against judge"
            )
        ),
        None,
        (),
    )


def _rename_judges(table: Table) -> Table:
    """Call the paper's judges by the names that pages use."""
    keys = [column.key for column in table.columns]
    names = ("one", "other")
    named = (row | {key: Value(judge_name(str(row[key].value))) for key in names} for row in list_entries(table))
    return replace(table, rows=tuple(tuple(row[key] for key in keys) for row in named))


def _rename_headings(table: Table) -> Table:
    """Head the judges' columns as readers expect, and give every measure two decimals."""
    titles = iter(("judge", "and judge"))
    # Two decimals, as in the tables of the paper that stand beside these.
    columns = (
        replace(column, title=next(titles)) if column.key in ("one", "other") else replace(column, digits=2)
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _list_sizes(site: Site) -> list[dict[str, Any]]:
    """Return the number of targets and the smallest detectable difference, overall and for every category."""
    results = site.under()
    levels = (None, *results.difficulties)
    return [
        {"category": category, "levels": [_build_size(results, site.judge, category, level) for level in levels]}
        for category in (None, *results.categories)
    ]


def _build_size(results: Results, judge: str, category: str | None, difficulty: str | None) -> dict[str, Any]:
    known = (category, difficulty, judge) in results.standings
    return {
        "n": _count_targets(results, judge, category, difficulty),
        # No board exists for a condition without targets, so the difference is not computed there.
        "detectable": results.detectable(judge, category, difficulty) if known else None,
    }


def _count_targets(results: Results, judge: str, category: str | None, difficulty: str | None) -> int:
    """Return the number of targets of a condition that a judge rates."""
    scope = results.scopes.get(judge)
    return sum(
        scope is None or target.category in scope
        for target in select_condition(results.instances, category, difficulty)
    )


def _list_judges(site: Site) -> list[dict[str, Any]]:
    """Return each judge's name, label, kind, and the map from its scores to people's or why it is missing."""
    maps = site.results.raters.maps
    judges = []
    for judge in site.results.judges:
        identity = site.results.judge_identities.get(judge)
        map_ = maps.get(judge)
        judges.append(
            {
                "name": judge,
                "label": identity.label if identity else judge,
                "kind": judge_kind(site.results, judge),
                "map": None if map_ is None or isinstance(map_, Refusal) else map_,
                "why": map_.reason if isinstance(map_, Refusal) else "nobody has rated the same renderings",
            }
        )
    return judges


def _count_missing(site: Site, pair: Pair) -> dict[str, Any]:
    """Return a pair's cell, with counts of unrated episodes by reason, and the number of episodes without a ΔQ."""
    # An episode with a single rendering has a score but no ΔQ, because nothing was corrected.
    played = [result for result in site.results.episodes[pair.run_id] if result.episode.played]
    return {
        "pair": pair,
        "cell": site.results.cell(pair.run_id, site.judge),
        "single": sum(len(result.episode.renderings) == 1 for result in played),
    }


def _is_fully_crossed(site: Site) -> bool:
    """Return whether every describer has been played with every generator by the site's own rules."""
    played = {(submission.describer, submission.generator) for submission in site.under().submissions}
    return set(product(site.describers, site.generators)) == played


def _find_best_with_people(site: Site) -> dict[str, Any]:
    """Return the judge of the paper's Table 2 whose ratings follow people's most, with its correlation."""
    rows = list_entries(published_table(site.game, "published_table2"))
    best = max(rows, key=lambda row: float(row["pearson"].value or 0))
    return {"other": best["other"].value, "pearson": best["pearson"].value}
