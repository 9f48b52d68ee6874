"""The figures of the site, as Plotly's JSON.

A chart is data: its colours are names of CSS variables, which ``assets/js/charts.js`` looks up when it draws. It has
its numbers as a table for those who cannot or do not want to see it, and a still picture for pages without JavaScript.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from markupsafe import Markup

from ircore.results.benchmark_version import Version, find_version
from ircore.results.model import Results
from ircore.results.subsets import select_by_rules
from ircore.results.tables.formats import (
    SEM,
    describe_source,
    format_csv,
    format_units,
    list_flat_names,
    list_flat_rows,
    list_flat_units,
)
from ircore.results.tables.model import Table
from ircore.results.tables.pairs import RULES, add_rules_column
from leaderboard.charts.categories import sketch_categories
from leaderboard.charts.costs import sketch_costs, sketch_seconds
from leaderboard.charts.data import RUN, ChartSubject
from leaderboard.charts.grammar import Missing, Sketch, escape_for_plotly
from leaderboard.charts.heat import sketch_heat_maps, sketch_pair_heat_map
from leaderboard.charts.judges import sketch_agreement, sketch_ratings, sketch_reliability
from leaderboard.charts.language import sketch_corrections, sketch_corrections_by_turn, sketch_lengths, sketch_novelty
from leaderboard.charts.metrics import sketch_correlations, sketch_metric_preferences
from leaderboard.charts.outcome_bars import (
    sketch_budget_outcomes,
    sketch_convergence,
    sketch_pair_convergence,
    sketch_pooled_convergence,
)
from leaderboard.charts.scores import (
    sketch_delta,
    sketch_deltas,
    sketch_deltas_sem,
    sketch_preferences,
    sketch_scores,
    sketch_variance,
)
from leaderboard.charts.still import draw_still
from leaderboard.charts.turns import (
    sketch_budget_deltas,
    sketch_budget_scores,
    sketch_budget_scores_sem,
    sketch_pair_facts,
    sketch_pair_trajectory,
    sketch_trajectories,
)
from leaderboard.model.site import Pair
from leaderboard.storage.output_folder import dump_compact
from leaderboard.theme import NARROW

TALL = 760
"""Height of a wide layout, CSS pixels, above which a figure has a printed page to itself; as in charts.js."""


@dataclass(frozen=True)
class Chart:
    """A figure with its title, reading aid and table.

    Example:
        >>> chart = Chart("cost", "cost", "Cost", "", figure={}, table=None, missing="No run has a cost.")
        >>> chart.missing
        'No run has a cost.'
    """

    id: str
    """Unique on the site and safe as a file name: ``charts/<id>.json`` and ``charts/<id>.csv``."""

    kind: str
    """Name of the kind of figure, such as ``delta``."""

    title: str
    """The finding, or the question that it answers; may hold a stranger's words, so escape it."""

    reading_aid: str
    """One sentence on how to read it; empty if there is no figure."""

    figure: Mapping[str, Any]
    """``Drawing.plotly``, ``title``, ``units`` of the numbers, and ``breakpoint``: width, CSS pixels, of narrow."""

    table: Table | None
    """The numbers drawn; may hold a stranger's words, so escape them. None if there is no figure."""

    missing: str = ""
    """Reason why there is no figure; empty if there is a figure."""

    published: tuple[Table, ...] = ()
    """The paper's values drawn beside ours, never in one table with them."""

    selection_words: str = ""
    """Sentence that says which pairs are shown; empty if all are."""

    source: Mapping[str, str | None] = field(default_factory=dict)
    """Where the numbers come from, as ``format_csv`` takes it."""

    @property
    def height(self) -> int:
        """Height of the wide layout, CSS pixels."""
        return int(self.figure["layout"]["height"])

    @property
    def tall(self) -> bool:
        """Whether it is so tall that nobody could read it in half a printed page."""
        return self.height > TALL

    def json(self) -> str:
        """Return the content of ``charts/<id>.json``."""
        return dump_compact(self.figure) + "\n"

    def csv(self) -> str:
        """Return the content of ``charts/<id>.csv``: the table in full precision, and where its numbers come from."""
        return format_csv(self.table, self.source) if self.table else ""

    def still(self) -> Markup:
        """Return the wide and the narrow still picture; the stylesheet shows one, by the width of the window."""
        return draw_still(self.figure, narrow=False) + draw_still(self.figure, narrow=True)


@dataclass(frozen=True)
class RenderedFigure:
    """A figure rendered as files and HTML for the page that shows the figure."""

    id: str
    """Identifier, as in ``Chart``."""

    missing: str
    """Reason why there is no figure, as in ``Chart``."""

    figure: str
    """Content of ``charts/<id>.json``; empty if there is no figure."""

    numbers: str
    """Content of ``charts/<id>.csv``; empty likewise."""

    html: str
    """HTML of the figure in the page."""

    @property
    def block(self) -> Markup:
        """The HTML, marked as safe: a template produced and escaped it."""
        return Markup(self.html)  # noqa: S704 - see above

    def json(self) -> str:
        """Return the content of ``charts/<id>.json``."""
        return self.figure

    def csv(self) -> str:
        """Return the content of ``charts/<id>.csv``."""
        return self.numbers


def make_figures(
    results: Results,
    pairs: Mapping[str, Pair],
    wanted: Collection[str] | None = None,
    site_judge: str | None = None,
    comparable: Results | None = None,
    version: Version | None = None,
) -> dict[str, Chart]:
    """Make the figures of the site.

    Args:
        results: Results of every run.
        pairs: Names and marks of the pairs, by run_id.
        wanted: Ids of the figures to make; None makes all.
        site_judge: Judge whose figures have ids without a judge's name; None for the first judge by name.
        comparable: Results of the runs under the most common rules, for figures of all pairs, since a board never
            mixes rules; None to choose them here.
        version: Benchmark version of the results; None for the version by the project's own records.

    Returns:
        Figures by ``make_chart_id``: ``OF_ALL``, for each judge ``OF_JUDGE``, for each judge and pair ``OF_PAIR``, each
        pair ``OF_PAIR_ONCE``.
    """
    charts, version = {}, version or find_version(results)
    # A board never mixes rules, so figures of all pairs do not either.
    same = comparable or select_by_rules(results, results.rule_sets[0])
    for identity, kind, shown, draw in _list_drawings(results, pairs, site_judge or results.judges[0], same):
        if wanted is None or identity in wanted:
            charts[identity] = _make_chart(identity, kind, draw(), shown, version)
    return charts


def make_chart_id(kind: str, pair_key: str | None = None, judge: str | None = None) -> str:
    """Return the id of a chart.

    Args:
        kind: Name of the kind of figure.
        pair_key: ``Pair.key``; None for a chart of all pairs.
        judge: None for the site's own judge, and for figures of all judges.
    """
    parts = (kind, pair_key, f"by-{judge}" if judge else None)
    return "-".join(part for part in parts if part)


OF_ALL: Mapping[str, Callable[[ChartSubject], Sketch | Missing]] = {
    "scores": sketch_scores,
    "categories": sketch_categories,
    "deltas": sketch_deltas,
    "preferences": sketch_preferences,
    "heat-maps": sketch_heat_maps,
    "budget-scores": sketch_budget_scores,
    "budget-deltas": sketch_budget_deltas,
    "budget-outcomes": sketch_budget_outcomes,
    "corrections": sketch_corrections,
    "corrections-by-turn": sketch_corrections_by_turn,
    "lengths": sketch_lengths,
    "novelty": sketch_novelty,
    "agreement": sketch_agreement,
    "ratings": sketch_ratings,
    "reliability": sketch_reliability,
    "metric-correlations": sketch_correlations,
    "metric-preferences": sketch_metric_preferences,
    "costs": sketch_costs,
    "seconds": sketch_seconds,
    "variance": sketch_variance,
    "convergence-pooled": sketch_pooled_convergence,
    "deltas-sem": sketch_deltas_sem,
    "budget-scores-sem": sketch_budget_scores_sem,
}
"""Figures that the site has once: about all judges, about no judge, or by the site's own judge."""

ACROSS_RULES = frozenset(
    {
        "budget-scores", "budget-scores-sem", "budget-deltas", "budget-outcomes", "agreement", "ratings", "reliability",
        "metric-correlations", "metric-preferences",
    }
)  # fmt: skip
"""Figures of all runs: they compare rules, or runs under different rules may stand together in them."""

OF_JUDGE: Mapping[str, Callable[[ChartSubject], Sketch | Missing]] = {
    "trajectories": sketch_trajectories,
    "delta": sketch_delta,
    "convergence": sketch_convergence,
}
"""Figures of all pairs for each judge."""

OF_PAIR: Mapping[str, Callable[[ChartSubject, Pair], Sketch | Missing]] = {
    "trajectory": sketch_pair_trajectory,
    "heat-map": sketch_pair_heat_map,
    "pair-convergence": sketch_pair_convergence,
}
"""Figures of one pair for each judge."""

OF_PAIR_ONCE: Mapping[str, Callable[[ChartSubject, Pair], Sketch | Missing]] = {"said": sketch_pair_facts}
"""Figures of one pair that do not depend on a judge."""


def _list_drawings(
    results: Results, pairs: Mapping[str, Pair], own: str, comparable: Results
) -> Iterator[tuple[str, str, Results, Callable[[], Sketch | Missing]]]:
    """Yield for every figure its id, kind, results and drawing function."""
    alike = shorten_pair_names([pairs[submission.run_id] for submission in comparable.submissions])
    for judge in results.judges:
        subject, usual = ChartSubject(results, pairs, judge), ChartSubject(comparable, alike, judge)
        said = None if judge == own else judge
        for kind, of_all in (OF_ALL if judge == own else {}).items():
            about = subject if kind in ACROSS_RULES else usual
            yield kind, kind, about.results, partial(of_all, about)
        for kind, of_judge in OF_JUDGE.items():
            yield make_chart_id(kind, None, said), kind, usual.results, partial(of_judge, usual)
        for pair in pairs.values():
            for kind, of_one in {**OF_PAIR, **(OF_PAIR_ONCE if judge == own else {})}.items():
                yield make_chart_id(kind, pair.key, said), kind, subject.results, partial(of_one, subject, pair)


def shorten_pair_names(pairs: Sequence[Pair]) -> dict[str, Pair]:
    """Return pairs under the same rules by run_id: these need not stand in their names."""
    count = Counter((pair.describer, pair.generator) for pair in pairs)
    return {
        pair.run_id: replace(pair, apart=pair.result.slug if count[pair.describer, pair.generator] > 1 else "")
        for pair in pairs
    }


def _make_chart(identity: str, kind: str, sketch: Sketch | Missing, results: Results, version: Version) -> Chart:
    chart = make_page_chart(identity, kind, sketch)
    if chart.table is None:
        return chart
    table = add_rules_column(chart.table, results)
    bars = {"bars": "one standard error of the mean"} if SEM in table.carried else {}
    return replace(chart, table=table, source={**describe_source(chart.table, version), **bars})


def build_choosable_figure(sketch: Sketch, subject: ChartSubject, usual: int, version: Version) -> dict[str, Any]:
    """Return a figure of every pair, among which a reader chooses.

    Args:
        sketch: The figure under a choice, so that it holds every pair.
        subject: What it was drawn from.
        usual: Number of pairs that it shows as long as no pairs are chosen.
        version: Benchmark version of the results.

    Returns:
        Plotly's ``data`` and both layouts, without what all figures share; ``parts`` and ``pairs`` as in ``Drawing``;
        ``shown``, the keys of the pairs that it shows by itself; its words; and its numbers as flat rows, each after
        the key of its pair.
    """
    drawing, keys = sketch.drawing, {pair.run_id: pair.key for pair in subject.ranked}
    best = {pair.key for pair in subject.ranked[:usual]}
    # Each row is of one run: its rules need no ``add_rules_column``, which looks for the runs of any row.
    rules = {pair.run_id: pair.result.rules.key for pair in subject.ranked}
    runs = [str(run.value) for run in sketch.table.column(RUN)]
    return {
        "title": sketch.title,
        "scope": subject.scope,
        "question": sketch.question,
        "says": sketch.says,
        "parts": drawing.parts,
        "pairs": drawing.pairs,
        # Of points the drawing says itself which are shown: those on the frontier need not be among the best.
        "shown": [key for key in drawing.pairs if key in best or drawing.parts == "points"],
        "behind": drawing.behind,
        "data": drawing.traces,
        "layout": drawing.wide,
        "narrow": drawing.narrow,
        "source": describe_source(sketch.table, version),
        "head": [*list_flat_names(sketch.table), RULES.key],
        "rows": [
            [keys[run], *[round(value, 8) if isinstance(value, float) else value for value in row], rules[run]]
            for run, row in zip(runs, list_flat_rows(sketch.table), strict=True)
        ],
    }


def make_page_chart(
    identity: str, kind: str, sketch: Sketch | Missing, source: Mapping[str, str | None] | None = None
) -> Chart:
    """Return a sketch as a chart of a page.

    Args:
        identity: Id, unique on the site and safe as a file name.
        kind: Name of the kind of chart.
        sketch: The drawing with its words and its table, or why there is none.
        source: Where its numbers come from; None if the page adds that.
    """
    if isinstance(sketch, Missing):
        return Chart(identity, kind, sketch.title, "", {}, None, sketch.reason)
    units = list_flat_units(sketch.table)
    return Chart(
        id=identity,
        kind=kind,
        title=sketch.title,
        reading_aid=sketch.reading_aid,
        figure={
            **sketch.drawing.plotly(),
            "breakpoint": NARROW,
            "title": escape_for_plotly(sketch.title),
            "units": units,
        },
        table=sketch.table,
        published=sketch.published,
        selection_words=sketch.selection_words,
        source={**(source or {}), "units": format_units(units)},
    )
