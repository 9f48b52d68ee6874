"""Heat maps: the machinery of all of them, and similarity by category and turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ircore.results.tables.model import Table, Value
from ircore.results.tables.pairs import ALL
from ircore.results.tables.turns import trajectories_table
from leaderboard import words
from leaderboard.charts.data import (
    MOST_PANELS,
    RUN,
    ChartSubject,
    filter_rows,
    group_by_run,
    select_columns,
    select_runs,
)
from leaderboard.charts.grammar import (
    CHARACTER,
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    build_layout,
    describe_interval,
    format_percent,
    get_mean,
    has_enough_samples,
    make_annotation,
    make_axis,
    make_heatmap,
    measure_margin,
    name_pair,
    round_value,
)
from leaderboard.charts.panels import PanelGrid, count_columns, name_axes, pair_titles
from leaderboard.model.site import Pair
from leaderboard.theme import score_ink_token, score_scale, share_ink_token, share_scale

_TOP = 14
"""Room above a single map, CSS pixels."""

_KEY = 42
"""Height of the colour key above the maps, CSS pixels."""

_QUESTION = "In which categories do more turns pay?"


@dataclass(frozen=True)
class HeatMap:
    """A map of rows, from above, and columns, from the left, both numbered from 0.

    >>> heat = HeatMap(["Bars", "Pies"], ["turn 1"], [[Value(7.5)], [None]], share=False)
    >>> [(number["text"], number["x"], number["y"]) for number in heat.numbers()]
    [('7.5', 0, 0)]
    """

    rows: Sequence[str]
    """Names of the rows."""

    columns: Sequence[str]
    """Names of the columns."""

    cells: Sequence[Sequence[Value | None]]
    """Entries row by row; None where there is no such cell."""

    share: bool
    """Whether the entries are shares 0–1; else similarities 0–10."""

    def trace(self, panel: int = 0) -> Json:
        """Return the trace of the map, in a panel."""
        return make_heatmap(
            x=list(range(len(self.columns))),
            # Numbers, not names: Plotly would merge two rows of the same name.
            y=list(range(len(self.rows))),
            z=[[None if value is None else round_value(get_mean(value)) for value in row] for row in self.cells],
            coloraxis="coloraxis",
            customdata=[
                [
                    f"{name}, {column}: {self._format_hover(value)}"
                    for column, value in zip(self.columns, row, strict=True)
                ]
                for name, row in zip(self.rows, self.cells, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            **name_axes(panel),
        )

    @property
    def coloraxis(self) -> Json:
        """Plotly's scale of colours, which all maps of a figure share."""
        scale, top = (share_scale(), 1) if self.share else (score_scale(), 10)
        return {"colorscale": scale, "cmin": 0, "cmax": top, "showscale": False}

    def _format_hover(self, value: Value | None) -> str:
        return (
            ""
            if value is None
            else f"{self._format_value(get_mean(value))}<br>{describe_interval(value, self._format_value)}"
        )

    def _format_value(self, value: float | None) -> str:
        return format_percent(value) if self.share else words.number(value, 1)

    def numbers(self, keys: Sequence[str] = ()) -> list[Json]:
        """Return text annotations with the number of every cell, named by the keys of rows if there are any."""
        ink = share_ink_token if self.share else score_ink_token
        return [
            # The unit stands in the reading aid; a cell has room for the digits alone.
            make_annotation(self._format_value(value).removesuffix(" %"), (column, row), colour=ink(value), size=11)
            | ({"name": keys[row]} if keys else {})
            for row, cells in enumerate(self.cells)
            for column, entry in enumerate(cells)
            if entry is not None and (value := get_mean(entry)) is not None
        ]


def name_axis(names: Sequence[str]) -> Json:
    """Return the upright axis of a map, with the names of its rows."""
    # From the larger to the smaller end, so that the first row stands above.
    return make_axis(len(names) - 0.5, -0.5, list(enumerate(names)), showgrid=False)


def _turn_axis(turns: int, title: str = "", first: int = 1, step: int = 1) -> Json:
    ticks = [(at, str(at + first)) for at in range(0, turns, step)]
    return make_axis(-0.5, turns - 0.5, ticks, title, showgrid=False)


def draw_small_maps(
    pairs: Sequence[Pair], maps: Sequence[HeatMap], names: Sequence[str], first: int = 1
) -> PlotlyDrawing:
    """Return the drawing with one small heat map per pair; columns are turns.

    Args:
        pairs: In their order.
        maps: Of each pair.
        names: Of the rows.
        first: Turn of the first column.
    """
    traces = [{**heat_map.trace(panel), "meta": pairs[panel].key} for panel, heat_map in enumerate(maps)]
    most = max(len(heat_map.columns) for heat_map in maps)
    # The same axis in every panel: a shorter map leaves room at its right.
    x = _turn_axis(most, "", first, 1 if most <= 5 else 3)
    keys, count = [pair.key for pair in pairs], min(len(maps), MOST_PANELS)
    turn = make_annotation("turn", (1, 0), "paper paper", "right top", (0, -20))
    notes = [turn, *_make_colour_key(maps[0].share)]
    wide, narrow = (
        PanelGrid(count, count_columns(count, narrow), panel=17 * len(names), between=66, top=74).layout(
            lambda *_: (x, name_axis(names)),
            pair_titles(pairs),
            notes,
            measure_margin(names, 120),
            8,
            keys,
            coloraxis=maps[0].coloraxis,
        )
        for narrow in (False, True)
    )
    return PlotlyDrawing(traces, wide, narrow, "panels", keys)


def _make_colour_key(share: bool) -> list[Json]:
    """Return the colour legend: a row of squares between the two ends of the scale."""
    scale = share_scale() if share else score_scale()
    low, high = ("0 %", "100 %") if share else ("0", "10")
    right = 10 + round(CHARACTER * len(high))
    # Squares are words, so that the still picture and Plotly draw the key alike.
    marks = [("■", 13 * (at - 4) - right, _KEY, str(scale[at * (len(scale) - 1) // 4][1])) for at in range(5)]
    return [
        make_annotation(low, (1, 1), "paper paper", "right bottom", (-72 - right, _KEY + 2)),
        *(
            make_annotation(mark, (1, 1), "paper paper", "right bottom", (x, y), colour=colour, size=17)
            for mark, x, y, colour in marks
        ),
        make_annotation(high, (1, 1), "paper paper", "right bottom", (0, _KEY + 2)),
    ]


def sketch_pair_heat_map(subject: ChartSubject, pair: Pair) -> Sketch | Missing:
    """Draw one pair's mean similarity by category and turn."""
    categories = subject.results.categories
    table = _select_categories(trajectories_table(subject.only(pair).results, subject.judge))
    if not table.rows:
        return Missing(_QUESTION, "No episode was rated.")
    heat_map = _build_category_map(categories, group_by_run(table).get(pair.run_id, ()))
    titles = [words.format_category(category) for category in categories]
    counts = [max((value.n or 0 for value in row if value), default=0) for row in heat_map.cells]
    names = [f"{title}<br>n {count}" for title, count in zip(titles, counts, strict=True)]
    shared = build_layout(
        _TOP + FOOT + 36 * len(names),
        measure_margin(titles, 150),
        8,
        _TOP,
        xaxis=_turn_axis(len(heat_map.columns), "turn"),
        yaxis=name_axis(names),
        annotations=heat_map.numbers(),
        coloraxis=heat_map.coloraxis,
    )
    return Sketch(
        title=_QUESTION,
        reading_aid=(
            "Each cell is the mean similarity a category has reached after a turn, the stronger the colour the more"
            " similar; a row ends where its longest episode ends."
        ),
        drawing=PlotlyDrawing([heat_map.trace()], shared, shared),
        table=select_columns(table, ["category", "turn", "reached", "refining"]),
    )


def sketch_heat_maps(subject: ChartSubject) -> Sketch | Missing:
    """Draw similarity by category and turn, a small map a pair, as the paper's Figure 19."""
    some = subject.best(MOST_PANELS)
    table = _select_categories(some.table(trajectories_table, subject.judge))
    if not table.rows:
        return Missing(_QUESTION, "No episode was rated.")
    rows, categories = group_by_run(table), subject.results.categories
    maps = [_build_category_map(categories, rows.get(pair.run_id, ())) for pair in some.ranked]
    shown = select_runs(table, [pair.run_id for pair in some.ranked])
    best = {pair.run_id: rows[pair.run_id] for pair in some.ranked[:MOST_PANELS] if pair.run_id in rows}
    return Sketch(
        title=subject.among_words(MOST_PANELS) + _describe_best_gain(subject, best),
        reading_aid=(
            "Each cell is the mean similarity (0–10) that a category has reached after a turn: the stronger the colour"
            " the more similar. An episode that has ended keeps its last score."
        ),
        selection_words=subject.selection_words(MOST_PANELS),
        drawing=draw_small_maps(some.ranked, maps, [words.shorten_category(category) for category in categories]),
        table=select_columns(shown, [RUN, "pair", "category", "turn", "reached"]),
        question=_QUESTION,
    )


def _select_categories(table: Table) -> Table:
    """Return the rows of a table of trajectories for single categories, without the rows for all categories."""
    return filter_rows(table, "category", lambda category: category != ALL)


def _build_category_map(categories: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> HeatMap:
    reached = {(str(row["category"].value), round(get_mean(row["turn"]) or 0)): row["reached"] for row in rows}
    turns = range(1, max((turn for _, turn in reached), default=1) + 1)
    cells = [[reached.get((category, turn)) for turn in turns] for category in categories]
    names = [words.format_category(category) for category in categories]
    return HeatMap(names, [f"turn {turn}" for turn in turns], cells, share=False)


def _describe_best_gain(subject: ChartSubject, rows: Mapping[str, Sequence[Mapping[str, Value]]]) -> str:
    """Say in which category the turns bring most to any shown pair: the largest difference of two cells.

    A pair with too few pictures of a category is left out.
    """
    gains = []
    for run_id, entries in rows.items():
        if not all(has_enough_samples(row["reached"]) for row in entries):
            continue
        for category in subject.results.categories:
            reached = [get_mean(row["reached"]) or 0.0 for row in entries if row["category"].value == category]
            if len(reached) > 1:
                gains.append((reached[-1] - reached[0], category, run_id))
    # A smaller gain would be shown as zero.
    if not gains or max(gains)[0] < 0.05:
        return _QUESTION
    gain, category, run_id = max(gains)
    return (
        f"The turns bring most on {words.format_category(category).lower()}:"
        f" {words.format_signed(gain, 1)} for {name_pair(subject.pairs[run_id])}"
    )
