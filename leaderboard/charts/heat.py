"""Heat maps: similarity by category and turn, and what correction messages are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil

from ircore.games.reconstruction.language.lexicon import CORRECTIONS
from ircore.results.tables.language import corrections_by_turn_table, corrections_table
from ircore.results.tables.model import Value
from ircore.results.tables.turns import trajectories_table
from leaderboard import labels
from leaderboard.charts.data import MOST_PANELS, MOST_ROWS, RUN, Subject, grouped, of_runs, picked
from leaderboard.charts.panels import across, axis_name, down, panel_title
from leaderboard.charts.parts import (
    CHARACTER,
    FOOT,
    Json,
    Missing,
    Sketch,
    axis,
    interval_words,
    layout,
    mean,
    pair_lines,
    pair_name,
    plain,
    room,
    rounded,
    words,
)
from leaderboard.charts.turns import parts
from leaderboard.messages import CORRECTION_WORDS
from leaderboard.site import Pair
from leaderboard.theme import score_ink_token, score_scale, share_ink_token, share_scale

_TOP = 14
"""Room above a single map, CSS pixels."""

_CELL = 17
"""Height of a row of a small map, CSS pixels."""

_BETWEEN = 66
"""Room between small maps, CSS pixels."""

_KEY = 42
"""Height of the colour key above the maps, CSS pixels."""

_HEAD = 74
"""Room above the first small maps, CSS pixels."""


_CORRECTION_NAMES = [CORRECTION_WORDS[correction] for correction in CORRECTIONS]

Row = Sequence[Value | None]
"""Entries from left to right; None where there is no such cell."""


@dataclass(frozen=True)
class _Map:
    """A map: rows from above, columns numbered by ``first`` upwards."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Row]
    share: bool

    def trace(self) -> Json:
        """Return the heat map; rows and columns are numbered from 0."""
        top = 1 if self.share else 10
        return {
            "type": "heatmap",
            "x": list(range(len(self.columns))),
            "y": list(range(len(self.rows))),
            "z": [[None if value is None else rounded(mean(value)) for value in row] for row in self.cells],
            "zmin": 0,
            "zmax": top,
            "colorscale": share_scale() if self.share else score_scale(),
            "showscale": False,
            "xgap": 1,
            "ygap": 1,
            "hoverongaps": False,
            "customdata": [
                [f"{name}, {column}: {self.hover(value)}" for column, value in zip(self.columns, row, strict=True)]
                for name, row in zip(self.rows, self.cells, strict=True)
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
        }

    def hover(self, value: Value | None) -> str:
        return "" if value is None else f"{self.form(mean(value))}<br>{interval_words(value, self.form)}"

    def form(self, value: float | None) -> str:
        if value is None:
            return labels.MISSING
        return f"{labels.percent(value)} %" if self.share else labels.number(value, 1)

    def numbers(self) -> list[Json]:
        """Return the number of every cell as words on it."""
        return [
            words(
                labels.percent(value) if self.share else labels.number(value, 1),
                column,
                row,
                font={"color": share_ink_token(value) if self.share else score_ink_token(value), "size": 11},
            )
            for row, cells in enumerate(self.cells)
            for column, entry in enumerate(cells)
            if entry is not None and (value := mean(entry)) is not None
        ]


def pair_heat_map_sketch(subject: Subject, pair: Pair) -> Sketch | Missing:
    """Draw one pair's mean similarity by category and turn."""
    title = "In which categories do more turns pay?"
    categories = subject.results.categories
    table = parts(trajectories_table(subject.only(pair).results, subject.judge))
    if not table.rows:
        return Missing(title, "No episode was rated.")
    heat_map = _category_map(categories, grouped(table).get(pair.run_id, ()))
    names = [
        f"{labels.category_title(category)}<br>n {max((value.n or 0 for value in row if value), default=0)}"
        for category, row in zip(categories, heat_map.cells, strict=True)
    ]
    shared = layout(
        _TOP + FOOT + 36 * len(names),
        room([labels.category_title(category) for category in categories], 150),
        8,
        _TOP,
        xaxis=_columns(heat_map, title={"text": "turn"}),
        yaxis=_rows(names),
        annotations=heat_map.numbers(),
    )
    return Sketch(
        title=title,
        reading_aid=(
            "Each cell is the mean similarity a category has reached after a turn, the stronger the colour the more"
            " similar; a row ends where its longest episode ends."
        ),
        traces=[heat_map.trace()],
        wide=shared,
        narrow=shared,
        table=picked(table, ["category", "turn", "reached", "refining"]),
    )


def heat_maps_sketch(subject: Subject) -> Sketch | Missing:
    """Draw similarity by category and turn, a small map a pair, as the paper's Figure 19."""
    some = subject.best(MOST_PANELS)
    table = parts(trajectories_table(some.results, subject.judge))
    if not table.rows:
        return Missing("In which categories do more turns pay?", "No episode was rated.")
    rows = grouped(table)
    maps = [(pair, _category_map(subject.results.categories, rows.get(pair.run_id, ()))) for pair in some.ranked]
    names = [labels.category_short(category) for category in subject.results.categories]
    traces, wide, narrow = _small_maps(maps, names, "turn")
    return Sketch(
        title=_best_gain(subject, rows),
        reading_aid=(
            "Each cell is the mean similarity (0–10) that a category has reached after a turn: the stronger the colour"
            f" the more similar. An episode that has ended keeps its last score.{subject.chosen_words(MOST_PANELS)}"
        ),
        traces=traces,
        wide=wide,
        narrow=narrow,
        table=picked(
            of_runs(table, [pair.run_id for pair in some.ranked]), [RUN, "pair", "category", "turn", "reached"]
        ),
    )


def corrections_sketch(subject: Subject) -> Sketch | Missing:
    """Draw what the correction messages of each pair are about, as the paper's Figure 7."""
    some = subject.best(MOST_ROWS)
    table = of_runs(corrections_table(some.results), [pair.run_id for pair in some.ranked])
    rows = grouped(table)
    said = [pair for pair in some.ranked if mean(rows[pair.run_id][0]["messages"])]
    if not said:
        return Missing("What do corrections talk about?", "No pair has a message after turn 1.")
    cells = [[rows[pair.run_id][0][correction] for correction in CORRECTIONS] for pair in said]
    columns = [CORRECTION_WORDS[correction] for correction in CORRECTIONS]
    names = [plain(pair_name(pair), 80) for pair in said]
    heat_map = _Map(names, columns, cells, share=True)
    return Sketch(
        title=_profile_title(said, cells),
        reading_aid=(
            "Each cell is the share (%) of a pair's messages after turn 1 in which words of a category occur; a message"
            f" may be about several things. Intervals are in the table.{subject.chosen_words(MOST_ROWS)}"
        ),
        traces=[heat_map.trace()],
        wide=_profile_layout(said, heat_map, False),
        narrow=_profile_layout(said, heat_map, True),
        table=picked(table, [RUN, "pair", "messages", *CORRECTIONS]),
    )


def corrections_by_turn_sketch(subject: Subject) -> Sketch | Missing:
    """Draw what corrections are about turn by turn, a small map a pair, as the paper's Figure 13."""
    some = subject.best(MOST_PANELS)
    table = of_runs(corrections_by_turn_table(some.results), [pair.run_id for pair in some.ranked])
    if not table.rows:
        return Missing("Do corrections change over the turns?", "No pair has a message after turn 1.")
    maps, rows = [], grouped(table)
    for pair in some.ranked:
        given = {round(mean(row["turn"]) or 0): row for row in rows.get(pair.run_id, ())}
        turns = range(2, max(given, default=2) + 1)
        cells = [[given[turn][correction] if turn in given else None for turn in turns] for correction in CORRECTIONS]
        maps.append((pair, _Map(_CORRECTION_NAMES, [f"turn {turn}" for turn in turns], cells, share=True)))
    traces, wide, narrow = _small_maps(maps, _CORRECTION_NAMES, "turn", first=2)
    return Sketch(
        title="Do corrections change over the turns?",
        reading_aid=(
            "Each cell is the share of a turn's messages in which words of a category occur: the stronger the colour"
            f" the more. Later turns rest on fewer, and usually harder, episodes.{subject.chosen_words(MOST_PANELS)}"
        ),
        traces=traces,
        wide=wide,
        narrow=narrow,
        table=picked(table, [RUN, "pair", "turn", "messages", *CORRECTIONS]),
    )


def _category_map(categories: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> _Map:
    given = {(str(row["category"].value), round(mean(row["turn"]) or 0)): row["reached"] for row in rows}
    turns = max((turn for _, turn in given), default=1)
    cells = [[given.get((category, turn)) for turn in range(1, turns + 1)] for category in categories]
    names = [labels.category_title(category) for category in categories]
    return _Map(names, [f"turn {turn}" for turn in range(1, turns + 1)], cells, share=False)


def _columns(heat_map: _Map, first: int = 1, every: int = 1, **more: object) -> Json:
    ticks = [(at, str(at + first)) for at in range(0, len(heat_map.columns), every)]
    return axis(-0.5, len(heat_map.columns) - 0.5, ticks, showgrid=False, **more)


def _rows(names: Sequence[str], **more: object) -> Json:
    return axis(len(names) - 0.5, -0.5, list(enumerate(names)), showgrid=False, **more)


def _small_maps(
    maps: Sequence[tuple[Pair, _Map]], names: Sequence[str], title: str, first: int = 1
) -> tuple[list[Json], Json, Json]:
    traces = [
        {**heat_map.trace(), "xaxis": axis_name("x", panel), "yaxis": axis_name("y", panel)}
        for panel, (_, heat_map) in enumerate(maps)
    ]
    count = len(maps)
    wide = _small_layout(maps, names, title, first, min(count, 4 if count != 3 else 3))
    return traces, wide, _small_layout(maps, names, title, first, min(count, 2))


def _small_layout(
    maps: Sequence[tuple[Pair, _Map]], names: Sequence[str], title: str, first: int, columns: int
) -> Json:
    rows, panel_height = ceil(len(maps) / columns), _CELL * len(names)
    most = max(len(heat_map.columns) for _, heat_map in maps)
    axes: Json = {}
    for panel, (_, heat_map) in enumerate(maps):
        row, column = divmod(panel, columns)
        number = "" if panel == 0 else str(panel + 1)
        x = _columns(
            heat_map, first, 1 if most <= 5 else 3, domain=across(column, columns), anchor=axis_name("y", panel)
        )
        # The same width for a turn in every panel: a shorter map leaves room at its right.
        axes[f"xaxis{number}"] = x | {"range": [-0.5, most - 0.5]}
        axes[f"yaxis{number}"] = _rows(
            names,
            domain=down(row, rows, panel_height, _BETWEEN),
            anchor=axis_name("x", panel),
            showticklabels=column == 0,
        )
    annotations = list(
        chain.from_iterable(
            panel_title(panel, pair, 20 if columns <= 2 else 26) for panel, (pair, _) in enumerate(maps)
        )
    )
    annotations.append(words(title, 1, 0, xref="paper", yref="paper", xanchor="right", yanchor="top", yshift=-20))
    annotations += _key(maps[0][1].share)
    height = _HEAD + FOOT + rows * (panel_height + _BETWEEN) - _BETWEEN
    return layout(height, room(names, 120), 8, _HEAD, **axes, annotations=annotations)


def _key(share: bool) -> list[Json]:
    """Return what the colours mean: a row of squares between the ends of the scale."""
    scale = share_scale() if share else score_scale()
    low, high = ("0 %", "100 %") if share else ("0", "10")
    place = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    right = 10 + round(CHARACTER * len(high))
    colours = [str(scale[at * (len(scale) - 1) // 4][1]) for at in range(5)]
    squares = [
        words("■", 1, 1, **place, xanchor="right", xshift=13 * (at - 4) - right, yshift=_KEY, font=ink)
        for at, ink in enumerate({"color": colour, "size": 17} for colour in colours)
    ]
    return [
        words(low, 1, 1, **place, xanchor="right", xshift=-72 - right, yshift=_KEY + 2),
        *squares,
        words(high, 1, 1, **place, xanchor="right", yshift=_KEY + 2),
    ]


def _best_gain(subject: Subject, rows: Mapping[str, Sequence[Mapping[str, Value]]]) -> str:
    """Say in which category the turns bring most to any shown pair: the largest difference of two cells."""
    gains = []
    for run_id, given in rows.items():
        for category in subject.results.categories:
            own = [mean(row["reached"]) or 0.0 for row in given if row["category"].value == category]
            if len(own) > 1:
                gains.append((own[-1] - own[0], category, run_id))
    if not gains or max(gains)[0] < 0.05:
        return "In which categories do more turns pay?"
    gain, category, run_id = max(gains)
    return (
        f"The turns bring most on {labels.category_title(category).lower()}:"
        f" {labels.signed(gain, 1)} for {pair_name(subject.pairs[run_id])}"
    )


def _profile_layout(pairs: Sequence[Pair], heat_map: _Map, narrow: bool) -> Json:
    length = 15 if narrow else 36
    lines = [pair_lines(pair) for pair in pairs]
    names = ["<br>".join(plain(line, length) for line in pair) for pair in lines]
    top, height = 124, 38
    turned = {"textangle": -90, "xanchor": "center"} if narrow else {"textangle": -45, "xanchor": "left"}
    heads = [
        words(name, at, 1, xref="x", yref="paper", yanchor="bottom", yshift=3, **turned)
        for at, name in enumerate(heat_map.columns)
    ]
    return layout(
        top + 12 + height * len(pairs),
        room([line[:length] for pair in lines for line in pair], 250),
        8 if narrow else 70,
        top,
        12,
        xaxis=axis(-0.5, len(heat_map.columns) - 0.5, showgrid=False),
        yaxis=_rows(names),
        annotations=[*heat_map.numbers(), *heads],
    )


def _profile_title(pairs: Sequence[Pair], cells: Sequence[Row]) -> str:
    """Name what corrections talk about most, and where pairs differ most."""
    spans = []
    for at, correction in enumerate(CORRECTIONS):
        known = [value for row in cells if (entry := row[at]) is not None and (value := mean(entry)) is not None]
        if known:
            spans.append((max(known) - min(known), sum(known) / len(known), CORRECTION_WORDS[correction]))
    widest, commonest = max(spans), max(spans, key=lambda span: span[1])
    if len(pairs) < 2 or widest[0] < 0.05:
        return f"Corrections are most often about {commonest[2].lower()}"
    return (
        f"Corrections are most often about {commonest[2].lower()};"
        f" pairs differ most in {widest[2].lower()} ({100 * widest[0]:.0f} points)"
    )
