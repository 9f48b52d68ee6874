"""The boards of the site: their paths, titles and captions, and the links from one board to the next.

The boards as files for other programs hold every condition, in full precision.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.benchmark_version import Version, find_version
from ircore.results.headline import VERIFIED, describe_headline, judge_kind
from ircore.results.image_metrics import describe_metric
from ircore.results.model import Order, Results
from ircore.results.ranking import RankedRow
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import describe_source, format_csv, list_flat_records, list_flat_units
from ircore.results.tables.model import Table
from leaderboard.components.markup import Chip
from leaderboard.model.site import LEADERBOARD, Site
from leaderboard.model.site_judge import has_rated
from leaderboard.model.trust import find_tier
from leaderboard.words import format_category, lead_words, lower_title


@dataclass(frozen=True)
class BoardView:
    """Selection and order of one board.

    >>> BoardView("structural").overall, BoardView("structural", "geometry", "hard").overall
    (True, False)
    """

    judge: str
    """Judge of the board, or the measure that it is by."""

    category: str | None = None
    """Category of the board, or None for all."""

    difficulty: str | None = None
    """Difficulty of the board, or None for both."""

    rules: Any = None
    """Runs under these rules alone; None for all runs, each row saying its rules."""

    order: Order = "main"
    """Measure that orders the rows; ranks always follow the main score."""

    @property
    def overall(self) -> bool:
        """Whether the board covers every target."""
        return self.category is None and self.difficulty is None


def list_views(site: Site) -> Iterator[BoardView]:
    """Yield every board: judges × rules × conditions; if rules differ, also one overall board per judge."""
    for judge, rules in product(site.results.judges, site.rule_sets):
        for category, difficulty in product((None, *site.results.categories), (None, *site.results.difficulties)):
            if _has_condition(site, category, difficulty):
                yield BoardView(judge, category, difficulty, rules)
    if len(site.rule_sets) > 1:
        for judge in site.results.judges:
            yield BoardView(judge)


def list_quality_views(site: Site) -> Iterator[BoardView]:
    """Yield the overall boards ordered by quality, for readers without JavaScript; conditions have none."""
    for view in list_views(site):
        if view.overall and is_rated(site, view):
            yield replace(view, order="quality")


def select_view_results(site: Site, view: BoardView) -> Results:
    """Return the results that a board ranks."""
    return site.results if view.rules is None else site.under(view.rules)


def view_path(site: Site, view: BoardView) -> str:
    """Return where a board stands, without suffix: ``boards/index`` for the site's judge, rules and every target."""
    return f"{site.path('boards')}/{name_view(site, view)}"


def name_view(site: Site, view: BoardView) -> str:
    """Return the name of a board in the folder of its game's boards, which its files and its matrix have too."""
    parts = []
    if view.judge != site.judge:
        parts.append(f"by-{view.judge}")
    if view.rules is None:
        parts.append("all-rules")
    elif view.rules != site.rule_sets[0]:
        parts.append(view.rules.slug(site.rule_sets))
    overall = "index" if view.order == "main" else "quality"
    name = overall if view.overall else f"{view.category or 'all'}-{view.difficulty or 'both'}"
    return "/".join([*parts, name])


def make_condition_anchor(category: str | None, difficulty: str | None) -> str:
    """Return where on a pair's page the episodes of a condition stand."""
    if category is None:
        return "conditions"
    return category if difficulty is None else f"{category}-{difficulty}"


def format_view_heading(view: BoardView) -> str:
    """Return a board's heading."""
    if view.overall:
        return "Leaderboard"
    condition = (format_category(view.category) if view.category else "All categories", view.difficulty)
    return ", ".join(part for part in condition if part)


def format_view_title(site: Site, view: BoardView) -> str:
    """Return a board's title for the browser's tab: only words of our own and checked identifiers."""
    judged = f", judged by {view.judge}" if view.judge != site.judge else ""
    rules = "" if view.rules == site.rule_sets[0] else f", {format_one_line(label_rules(site, view.rules), 80)}"
    order = ", ordered by the quality of what was played" if view.order == "quality" else ""
    return site.title_prefix + format_view_heading(view) + judged + rules + order


def describe_view(site: Site, view: BoardView) -> str:
    """Describe a board in words: condition, judge, episodes and rules."""
    results = select_view_results(site, view)
    category = view.category or (results.categories[0] if len(results.categories) == 1 else None)
    targets = format_category(category) if category else f"All {len(results.categories)} categories"
    which = view.difficulty or " and ".join(results.difficulties)
    # Every pair plays the same set, so the first pair tells the number of episodes.
    size = results.cell(results.submissions[0].run_id, view.judge, view.category, view.difficulty).episodes
    how = f"judged by {view.judge}" if site.game.is_judged else f"by {lower_title(site.game.headline.title)}"
    if site.game.is_judged and judge_kind(results, view.judge) == "computed":
        how += " (computed, no human or model)"
    beside = f"each {site.noun} by the rules that stand beside it"
    rules = beside if view.rules is None else view.rules.describe(site.rule_sets)
    parts = (f"{targets}, {which}", how, f"{format_count(size, 'episode')} a {site.noun}", rules)
    return "; ".join(filter(None, parts))


def describe_origin(site: Site, view: BoardView) -> str:
    """Return what a citation of a board names beside its numbers: key of the rules, version of ircore."""
    rules = "rules of each row" if view.rules is None else f"rules {view.rules.key}"
    return f"{rules}; ircore {name_versions(site, view.rules)}"


@lru_cache(maxsize=8)  # each page of a board names them
def name_versions(site: Site, rules: Any = None) -> str:
    """Return the versions of ircore that played the runs under some rules, or all runs."""
    results = site.results if rules is None else site.under(rules)
    return ", ".join(sorted({submission.run.version for submission in results.submissions}))


def judge_words(site: Site, judge: str) -> str:
    """Say who judged, and that a computed judge is no person and no model; empty of a game that measures itself."""
    if not site.game.is_judged:
        return ""
    if judge == VERIFIED:
        return (
            "Judged by verified: a program checks the facts of each drawn target; no human or language-model judgement."
        )
    if judge_kind(site.results, judge) == "computed":
        return f"Judged by {judge}, which is computed from the pixels: no human or language-model judgement."
    return f"Judged by {judge}."


def describe_leader(
    site: Site, judge: str, rows: Sequence[RankedRow[Any, Any]], name: str, noun: str, ties: str
) -> str:
    """Return in sentences who leads a board, and how far its rows can be told apart.

    Args:
        site: What is shown.
        judge: Of the board.
        rows: Of the board.
        name: Of the first row.
        noun: What a row is called.
        ties: How far rows can be told apart, in a sentence; empty for nothing.
    """
    lead = lead_words(rows, format_one_line(name, 80), noun)
    judged = f", judged by {judge}." if site.game.is_judged else "."
    # Where nothing can be told apart, the lead says so itself.
    shown_ties = ties if any(row.rank_low is not None and not row.top for row in rows) else ""
    return " ".join(filter(None, (lead and lead + judged, shown_ties if lead else ties)))


_JUDGE_NOTES = {"human": "people", "model": "a model looks", "computed": "pixels compared"}
"""What judges of a kind do, in a menu."""


def build_judge_chip(site: Site, judge: str, path: str, current: bool) -> Chip:
    """Return the link to a judge's board, with a word on who judges there; measures of a game say it themselves."""
    note = "facts checked" if judge == VERIFIED else _JUDGE_NOTES[judge_kind(site.results, judge)]
    return Chip(judge, path, current, note if site.game.is_judged else "")


def describe_applicable(site: Site, view: BoardView) -> str:
    """Return how many targets ``verified`` can rate, or why it is not the headline; empty if all targets."""
    if not site.game.is_judged or view.judge not in (VERIFIED, site.judge):
        return ""
    return describe_headline(select_view_results(site, view), view.category, view.difficulty) or ""


def label_rules(site: Site, rules: Any) -> str:
    """Return a short name of rules that tells them apart from the others on the site; may be a stranger's words."""
    return "all rules" if rules is None else str(rules.label(site.rule_sets))


def build_chips(
    site: Site, view: BoardView, path: Callable[[Site, BoardView], str] = view_path
) -> list[tuple[str, list[Chip]]]:
    """Return links to the boards that differ from this board in a single choice, grouped by that choice.

    Args:
        site: What is shown.
        view: This board.
        path: Where a view's page stands; by default its board.
    """
    results = site.results
    category = {"All": None, **{format_category(category): category for category in results.categories}}
    difficulty = {"Both": None, **{difficulty.capitalize(): difficulty for difficulty in results.difficulties}}
    rules = [*site.rule_sets, *([None] if view.overall and len(site.rule_sets) > 1 else [])]
    # A board of all rules exists for every target only: from it, a condition leads to the site's own rules.
    single = view if view.rules is not None else replace(view, rules=site.rule_sets[0])
    groups = (
        ("Order", _list_orders(site, view)),
        (
            "Category",
            [(title, replace(single, category=choice), choice == view.category) for title, choice in category.items()],
        ),
        (
            "Difficulty",
            [(t, replace(single, difficulty=choice), choice == view.difficulty) for t, choice in difficulty.items()],
        ),
        ("Judge", [(judge, replace(view, judge=judge), judge == view.judge) for judge in results.judges]),
        (
            "Rules",
            [
                (format_one_line(label_rules(site, choice), 60), replace(view, rules=choice), choice == view.rules)
                for choice in rules
            ],
        ),
    )
    menus = [
        (
            label,
            [
                (partial(build_judge_chip, site) if label == "Judge" else Chip)(
                    text,
                    path(site, _replace_order(site, other if current else _replace_judge(site, view, other))),
                    current,
                )
                for text, other, current in links
                if _has_condition(site, other.category, other.difficulty)
            ],
        )
        for label, links in groups
    ]
    metrics = [Chip(describe_metric(metric).title, metric_path(metric), current=False) for metric in results.metrics]
    several = [(label, links) for label, links in menus if len(links) > 1]
    return [*several, ("Metric", metrics)] if metrics and view.overall else several


_SCORERS = ("Judge", "Metric", "Order")
"""What the menu of who scored and in which order joins."""


def split_chips(groups: Sequence[tuple[str, list[Chip]]]) -> dict[str, list[tuple[str, list[Chip]]]]:
    """Return the links above a board as ``chips``, which stand in a row, and ``menus``, which open.

    Args:
        groups: As ``build_chips`` returns them.
    """
    scorers = [
        chip for label, links in groups if label in _SCORERS for chip in links if label != "Order" or not chip.current
    ]
    menus = [("Scored by", scorers)] if scorers else []
    menus += [(label, links) for label, links in groups if label == "Rules"]
    return {
        "chips": [(label, links) for label, links in groups if label not in (*_SCORERS, "Rules")],
        "menus": menus,
    }


def _replace_judge(site: Site, view: BoardView, other: BoardView) -> BoardView:
    """Return the view that a link leads to, by a judge that rates its condition where the same judge does not."""
    results = select_view_results(site, other)
    condition = other.category, other.difficulty
    # A judge that only compares rates nothing anywhere, and yet has boards.
    if other.judge != view.judge or not has_rated(results, view.judge) or has_rated(results, view.judge, *condition):
        return other
    judges = (judge for judge in results.judges if has_rated(results, judge, *condition))
    return replace(other, judge=next(judges, other.judge))


def _list_orders(site: Site, view: BoardView) -> list[tuple[str, BoardView, bool]]:
    if not view.overall or not is_rated(site, view):
        return []
    orders: tuple[tuple[str, Order], ...] = (("By main score", "main"), ("By quality of what was played", "quality"))
    return [(title, replace(view, order=order), order == view.order) for title, order in orders]


def _replace_order(site: Site, view: BoardView) -> BoardView:
    """Return a view with its order changed to one that has a page."""
    return view if view.overall and is_rated(site, view) else replace(view, order="main")


def metric_path(metric: str) -> str:
    """Return where an image metric's board stands."""
    return f"boards/metric-{metric}"


def is_rated(site: Site, view: BoardView) -> bool:
    """Return whether a board's judge rated similarity; judges that only compare give no score, ΔQ or ranks."""
    return has_rated(select_view_results(site, view), view.judge)


def _has_condition(site: Site, category: str | None, difficulty: str | None) -> bool:
    # Every run is of the same set, so any pair tells which conditions exist.
    return (next(iter(site.pairs)), category, difficulty, site.judge) in site.results.cells


def build_leaderboard_files(results: Results, version: Version | None = None) -> Iterator[tuple[str, str]]:
    """Yield both files: path below the site's root, and text.

    Args:
        results: Results that the boards show.
        version: Benchmark version of the boards; None for the version by the project's own records.
    """
    table, version = leaderboard_table(results), version or find_version(results)
    yield LEADERBOARD[0], format_csv(table, describe_source(table, version))
    yield LEADERBOARD[1], _dump_json(table, version, _collect_run_facts(results))


def _collect_run_facts(results: Results) -> dict[str, dict[str, str]]:
    """Return the facts on a board about each run, by run_id: trust, day of play, version, rules.

    ``rules`` are words for people; ``rules_key`` is their key, as in the rows.
    """
    return {
        submission.run_id: {
            "trust": find_tier(submission).label,
            "date": submission.run.started[:10],
            "ircore": submission.run.version,
            "rules": submission.rules.words,
            "rules_key": submission.rules.key,
        }
        for submission in results.submissions
    }


def _dump_json(table: Table, version: Version, runs: Mapping[str, Mapping[str, str]]) -> str:
    """Return a JSON document of flat rows, a row per line, equal to the rows of the dataset."""
    head = json.dumps({**version.as_dict(), "units": list_flat_units(table), "runs": runs}, ensure_ascii=False)
    # NaN is no JSON: a value that is not finite fails here instead of in a reader's program.
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)
    rows = ",\n".join(map(encoder.encode, list_flat_records(table)))
    return f'{head.removesuffix("}")}, "rows": [\n{rows}\n]}}\n'
