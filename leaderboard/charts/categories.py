"""Small multiples: the same pairs in a panel per category, with one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ircore.core.plain_words import format_count
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.tables.model import Column, Table, Value
from leaderboard import words
from leaderboard.charts.data import MOST_PANELS, RUN, ChartSubject, select_runs
from leaderboard.charts.grammar import (
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    describe_interval,
    escape_for_plotly,
    get_mean,
    has_enough_samples,
    list_pair_lines,
    make_annotation,
    make_axis,
    make_scatter,
    make_ticks,
    make_whiskers,
    name_pair,
    round_value,
)
from leaderboard.charts.panels import PanelGrid, name_axes, name_panel_refs
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_symbol, token

_ROW = {False: 22, True: 36}
"""Height of a pair's row in a panel, CSS pixels, by whether names stand on two lines."""

_CHARACTERS = 32
"""Characters of a line of a name beside wide panels."""

_TITLE = "Which category is hardest?"

_ByCategory = Mapping[str, Mapping[str, Value]]
"""Scores by category and run_id."""


def sketch_categories(subject: ChartSubject) -> Sketch | Missing:
    """Draw the mean score of the same pairs in each category, a panel per category."""
    categories = subject.results.categories
    boards = {category: subject.board(subject.judge, [RUN, "pair", "score"], category) for category in categories}
    scores = {
        category: {str(run.value): value for run, _, value in board.rows}
        for category, board in boards.items()
        if any(value.n for value in board.column("score"))
    }
    # With one category there is nothing to compare.
    if len(scores) < 2:
        return Missing(_TITLE, "Fewer than two categories were rated.")
    pairs = subject.shown(MOST_PANELS)
    wide, narrow = (_build_layout(pairs, list(scores), narrow) for narrow in (False, True))
    return Sketch(
        title=subject.among_words() + _compose_title(scores, [pair.run_id for pair in subject.ranked]),
        reading_aid=(
            "Each panel is a category, each mark a pair's mean similarity of the final rendering there, each line, from"
            f" {MINIMUM_PICTURES} pictures on, its 95 % interval; the pairs stand in the same order and on the same"
            " scale in every panel."
        ),
        selection_words=subject.selection_words(MOST_PANELS),
        drawing=PlotlyDrawing(
            [
                _draw_mark(pair, category, by_run[pair.run_id], row, panel)
                for panel, (category, by_run) in enumerate(scores.items())
                for row, pair in enumerate(pairs)
                if get_mean(by_run[pair.run_id]) is not None
            ],
            wide,
            narrow,
            "rows",
            [pair.key for pair in pairs],
        ),
        table=_build_table({category: boards[category] for category in scores}, [pair.run_id for pair in pairs]),
        question=_TITLE,
    )


def _draw_mark(pair: Pair, category: str, value: Value, row: int, panel: int) -> Json:
    colour = describer_token(pair.hue)
    return make_scatter(
        mode="markers",
        cliponaxis=False,  # a mark at the end of its scale is whole
        ids=[pair.key],
        x=[round_value(get_mean(value))],
        y=[row],
        error_x=make_whiskers([value], colour),
        marker={"symbol": generator_symbol(pair.shape), "size": 9, "color": colour},
        hovertemplate=(
            f"{escape_for_plotly(name_pair(pair))}<br>{words.format_category(category)}: "
            f"{words.number(get_mean(value))}"
            f"<br>{describe_interval(value)}<extra></extra>"
        ),
        **name_axes(panel),
    )


def _build_layout(pairs: Sequence[Pair], categories: Sequence[str], narrow: bool) -> Json:
    columns, length, left = (1, 22, 160) if narrow else (min(3, len(categories)), _CHARACTERS, 225)
    # Cut to one line, pairs of one describer would have the same name.
    two = narrow or any(len(name_pair(pair)) > _CHARACTERS for pair in pairs)
    lines = [list_pair_lines(pair) if two else (name_pair(pair),) for pair in pairs]
    names = [(row, "<br>".join(escape_for_plotly(line, length) for line in name)) for row, name in enumerate(lines)]

    def axes(panel: int, grid: PanelGrid) -> tuple[Json, Json]:
        lowest = panel + grid.columns >= grid.count
        # Ticks stand below the lowest panel of a column alone, since all share one scale.
        # A line at the very end of an axis is not drawn.
        across = make_axis(-0.1, 10.1, make_ticks(0, 10, 5), showticklabels=lowest)
        return across, make_axis(len(pairs) - 0.5, -0.5, names, showgrid=False)

    def title(panel: int, _: PanelGrid) -> list[Json]:
        ink: Json = {"colour": token("text"), "weight": 700}
        return [
            make_annotation(
                words.format_category(categories[panel]), (0, 1), name_panel_refs(panel), "left bottom", (0, 4), **ink
            )
        ]

    note = make_annotation(
        "mean similarity of the final rendering (0–10)", (1, 0), "paper paper", "right top", (0, -20)
    )
    grid = PanelGrid(len(categories), columns, panel=_ROW[two] * len(pairs), between=34, top=28)
    return grid.layout(axes, title, [note], left)


def _build_table(boards: Mapping[str, Table], run_ids: Sequence[str]) -> Table:
    """Return the scores of all categories under each other, the category in a column of its own."""
    tables = {category: select_runs(board, run_ids) for category, board in boards.items()}
    first = next(iter(tables.values()))
    column = Column("category", "category", "Of the targets.", digits=None)
    rows = [
        (run, pair, Value(words.format_category(category)), score)
        for category, table in tables.items()
        for run, pair, score in table.rows
    ]
    columns = (*first.columns[:2], column, first.columns[2])
    return replace(first, title="Score by category", caption="", columns=columns, rows=tuple(rows))


def _compose_title(scores: _ByCategory, run_ids: Sequence[str]) -> str:
    """Name the category in which most pairs score lowest, over all pairs with enough pictures of every category."""
    lowest: dict[str, int] = {}
    known = 0
    for run_id in run_ids:
        values = {category: by_run[run_id] for category, by_run in scores.items()}
        numbers = {category: get_mean(value) or 0.0 for category, value in values.items() if has_enough_samples(value)}
        # A pair with some categories only, or too few pictures of one, could name no hardest of all.
        if len(numbers) == len(scores):
            known += 1
            hardest = min(numbers, key=lambda category: numbers[category])
            lowest[hardest] = lowest.get(hardest, 0) + 1
    if not known:
        return f"{_TITLE} No pair has {MINIMUM_PICTURES} rated pictures of every category: too few to tell"
    most = max(lowest.values())
    # Two categories that lead equally often leave the question open.
    hardest, *others = (category for category in scores if lowest.get(category) == most)
    if others:
        return f"{_TITLE} None scores lowest for most of {format_count(known, 'pair')}"
    pairs = format_count(known, "pair")
    return f"{_TITLE} {words.format_category(hardest)} score lowest for {most} of {pairs}"
