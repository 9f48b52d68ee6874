"""Charts of a game's measures by category: a row for each, a mark for each run, and the paper's figures beside them."""

from collections.abc import Sequence

from ircore.games.base import Measure, PublishedFigure
from ircore.games.declarations import Contrast
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board import measure_column
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.curve_panels import MOST_COLOURED
from leaderboard.charts.grammar import (
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    build_layout,
    escape_for_plotly,
    make_annotation,
    make_axis,
    make_scatter,
    make_whiskers,
)
from leaderboard.games.figures import build_published_table, drop_weak_interval, get_measure, name_setting, scale_ends
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_symbol, token
from leaderboard.words import choose_digits, format_category, format_signed, number, scale_end

_ROW = 40
"""Height of a row, CSS pixels."""

_LINE = 15
"""Height of a name above the plot, CSS pixels."""

_Row = tuple[str, str, list[Estimate]]
"""Key of a category or measure, its title, and the mean of each run."""


def make_contrast_charts(section: GameSection) -> tuple[Chart, ...]:
    """Return a chart for each contrast that the game declares and that has at least two rows."""
    return tuple(
        make_page_chart(
            f"game-{section.game.name}-contrast-{place}", "contrast", _build_sketch(section, contrast), section.source
        )
        for place, contrast in enumerate(section.game.pages.contrasts, 1)
        if len(section.results.categories) + len(contrast.beside) > 1
    )


def _build_sketch(section: GameSection, contrast: Contrast) -> Sketch | Missing:
    shown = get_measure(section, contrast.measure)
    title = f"{shown.title} by category"
    keys = (contrast.measure, *contrast.beside)
    valued = [
        pair for pair in section.ranked if any(section.results.mean(pair.run_id, key).mean is not None for key in keys)
    ]
    pairs = valued[:MOST_COLOURED]
    played = [row for row in _collect_rows(section, contrast, pairs) if any(mean.mean is not None for mean in row[2])]
    if not played:
        return Missing(title, f"No run has a value of {shown.title}.")
    places = {key for key, _, _ in played}
    published = [
        figure
        for figure in section.game.published
        if figure.row in places or (figure.row and figure.measure == contrast.measure)
    ]
    # Categories that the paper alone has, such as the conditions of its people.
    alone = dict.fromkeys(figure.row for figure in published if figure.row not in places)
    nobody = [Estimate(None, None, None, 0)] * len(pairs)
    rows = [*played, *((key, format_category(key), nobody) for key in alone)]
    names = [_name_run(section, pair) for pair in pairs]
    low, high = scale_ends(shown, [mean for _, _, means in rows for mean in means])
    # Runs by other rules stand behind those by the usual ones, however good they are.
    which = "best" if len(section.rule_sets) == 1 else "first"
    few = f" The {which} {MOST_COLOURED} of {len(valued)} are shown." if len(valued) > len(pairs) else ""
    return Sketch(
        title=f"{title}: {_describe_finding(contrast, played, pairs, names, choose_digits(shown))}",
        reading_aid=f"Each mark is a {section.noun}’s mean, with its 95 % interval from five episodes on; further "
        f"right is {'better' if shown.direction == 'higher' else 'worse'}.{few}",
        drawing=_draw_contrast(rows, pairs, names, published, (low, high), shown),
        table=_build_table(section, shown, rows, [pair.name for pair in pairs]),
        published=(build_published_table(section, shown, "row", published),) if published else (),
    )


def _collect_rows(section: GameSection, contrast: Contrast, pairs: Sequence[Pair]) -> list[_Row]:
    results = section.results
    beside: list[_Row] = [
        (key, get_measure(section, key).title, [drop_weak_interval(results.mean(pair.run_id, key)) for pair in pairs])
        for key in contrast.beside
    ]
    categories: list[_Row] = [
        (category, format_category(category),
         [drop_weak_interval(results.mean(pair.run_id, contrast.measure, category)) for pair in pairs])
        for category in results.categories
    ]  # fmt: skip
    return [*beside, *categories]


def _name_run(section: GameSection, pair: Pair) -> str:
    """Return a run's players, with the name of its rules where runs differ in them."""
    setting = name_setting(section, pair) if len(section.rule_sets) > 1 else ""
    return f"{pair.players} ({setting})" if setting else pair.players


def _describe_finding(
    contrast: Contrast, rows: Sequence[_Row], pairs: Sequence[Pair], names: Sequence[str], digits: int
) -> str:
    """Return what lies between the two measures beside the categories, and otherwise where runs differ most."""
    beside = [row for row in rows if row[0] in contrast.beside]
    gap = ""
    if len(beside) == len(contrast.beside) == 2:
        (_, first, above), (_, second, below) = beside
        # The best run by the usual rules, and by others.
        other = next((at for at, pair in enumerate(pairs) if not _is_filled(pair, pairs)), 1)
        gaps = {at: _subtract(above[at], below[at], digits) for at in dict.fromkeys((0, other)) if at < len(pairs)}
        gap = f"{first} less {second} is "
        if len(set(gaps.values())) == len(gaps):
            return gap + ", ".join(f"{value} with {names[at]}" for at, value in gaps.items())
        # Where both leave as much between the two measures, the categories tell more.
        gap += f"{gaps[0]} with {'either' if len(pairs) == 2 else ' and '.join(names[at] for at in gaps)}; "
    known = [
        (title, [(mean.mean, name) for mean, name in zip(means, names, strict=True) if mean.mean is not None])
        for key, title, means in rows
        if key not in contrast.beside
    ]
    return gap + _describe_widest_gap(known, names, digits) if known else gap.removesuffix("; ")


def _subtract(first: Estimate, second: Estimate, digits: int) -> str:
    """Return the difference of two means in words."""
    if first.mean is None or second.mean is None:
        return "not known"
    return format_signed(first.mean - second.mean, digits)


def _describe_widest_gap(
    known: Sequence[tuple[str, list[tuple[float, str]]]], names: Sequence[str], digits: int
) -> str:
    """Return the row in which two runs differ most, with both values; of a single run its lowest row."""
    title, values = max(known, key=lambda row: max(row[1])[0] - min(row[1])[0])
    (low, worst), (high, best) = min(values), max(values)
    if low < high:
        return f"{best} and {worst} differ most in {title}, {number(high, digits)} and {number(low, digits)}"
    title, values = min(known, key=lambda row: row[1])
    return f"lowest in {title}, {number(values[0][0], digits)}" if len(names) == 1 else "no run differs from another"


def _draw_contrast(
    rows: Sequence[_Row],
    pairs: Sequence[Pair],
    names: Sequence[str],
    published: Sequence[PublishedFigure],
    ends: tuple[float, float],
    shown: Measure,
) -> PlotlyDrawing:
    places = {key: len(rows) - 1 - at for at, (key, _, _) in enumerate(rows)}
    # Runs with one value lie one below the other, so that each is seen.
    shifts = [0.12 * ((len(pairs) - 1) / 2 - at) for at in range(len(pairs))]
    marks = [
        _draw_marks(
            rows,
            places,
            at,
            pair,
            shift,
            f"{escape_for_plotly(name)}<br>",
            choose_digits(shown),
            _is_filled(pair, pairs),
        )
        for at, (pair, name, shift) in enumerate(zip(pairs, names, shifts, strict=True))
    ]
    reported = [_draw_published(published, places)] if published else []
    wide, narrow = (_build_layout(rows, places, pairs, names, published, ends, shown, small) for small in (False, True))
    return PlotlyDrawing([*reported, *reversed(marks)], wide, narrow)


def _draw_marks(
    rows: Sequence[_Row],
    places: dict[str, int],
    at: int,
    pair: Pair,
    shift: float,
    name: str,
    digits: int,
    filled: bool,
) -> Json:
    known = [(places[key] + shift, title, means[at]) for key, title, means in rows if means[at].mean is not None]
    colour = describer_token(pair.hue)
    return make_scatter(
        mode="markers",
        x=[mean.mean for _, _, mean in known],
        y=[place for place, _, _ in known],
        error_x=make_whiskers([Value.of(mean) for _, _, mean in known], colour),
        marker={"symbol": f"{generator_symbol(pair.shape)}{'' if filled else '-open'}", "size": 10, "color": colour},
        cliponaxis=False,
        customdata=[
            [f"{name}{escape_for_plotly(title)}: {number(mean.mean, digits)}, n = {mean.n}"] for _, title, mean in known
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _is_filled(pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether a run has filled marks: those by other rules than the first run are hollow."""
    return bool(pair.result.rules == pairs[0].result.rules)


_BELOW = 0.3
"""How far below the runs of a row the paper's figures stand, in rows."""


def _draw_published(published: Sequence[PublishedFigure], places: dict[str, int]) -> Json:
    return make_scatter(
        mode="markers",
        x=[figure.value for figure in published],
        y=[places[figure.row] - _BELOW for figure in published],
        marker={"symbol": "diamond-open", "size": 7, "color": token("muted")},
        cliponaxis=False,
        customdata=[[f"{escape_for_plotly(figure.label)}: {figure.value:g}"] for figure in published],
        hovertemplate="%{customdata[0]}<br>published, not run here<extra></extra>",
    )


def _build_layout(
    rows: Sequence[_Row],
    places: dict[str, int],
    pairs: Sequence[Pair],
    names: Sequence[str],
    published: Sequence[PublishedFigure],
    ends: tuple[float, float],
    shown: Measure,
    narrow: bool,
) -> Json:
    low, high = ends
    top = _LINE * len(pairs) + 16
    heads = [
        make_annotation(
            f"{'●' if _is_filled(pair, pairs) else '○'} {escape_for_plotly(name, 44 if narrow else 90)}",
            (0, 1), "paper paper", "left bottom", (0, 8 + _LINE * (len(pairs) - 1 - at)), align="left",
            colour=describer_token(pair.hue, "-text"),
        )
        for at, (pair, name) in enumerate(zip(pairs, names, strict=True))
    ]  # fmt: skip
    left = 20 + 7 * max(len(title) for _, title, _ in rows)
    unit = f" ({escape_for_plotly(shown.unit)})" if shown.unit else ""
    ticks = [(place, scale_end(place)) for place in (low, (low + high) / 2, high)]
    return build_layout(
        len(rows) * _ROW + top + FOOT,
        left,
        # Beside a scale that ends at the right edge, names of figures need room.
        30 if narrow or not published else 150,
        top,
        xaxis=make_axis(low - 0.03 * (high - low), high, ticks, f"{escape_for_plotly(shown.title)}{unit}"),
        yaxis=make_axis(
            -0.6, len(rows) - 0.4, [(places[key], escape_for_plotly(title)) for key, title, _ in rows], showgrid=False,
        ),
        annotations=[*heads, *([] if narrow else _name_published(published, places))],
    )  # fmt: skip


def _name_published(published: Sequence[PublishedFigure], places: dict[str, int]) -> list[Json]:
    """Return the names of the paper's series: of two in a row the lower on the left of its mark, the higher right."""
    lowest = {figure.row: figure.value for figure in sorted(published, key=lambda figure: -figure.value)}
    several = {figure.row for figure in published if figure.value > lowest[figure.row]}
    return [
        make_annotation(
            escape_for_plotly(figure.series, 30), (figure.value, places[figure.row] - _BELOW), "x y",
            "right middle" if on_left else "left middle", (-8 if on_left else 8, 0), size=10, colour=token("muted"),
        )
        for figure in published
        for on_left in [figure.row in several and figure.value == lowest[figure.row]]
    ]  # fmt: skip


def _build_table(section: GameSection, shown: Measure, rows: Sequence[_Row], names: Sequence[str]) -> Table:
    return Table(
        name=f"contrast_{shown.key}",
        title=f"{section.game.title}: {shown.title} by category",
        caption="Means with their 95 % intervals.",
        columns=(
            Column("row", "Category", "Category of instances, or a measure of all of them.", digits=None),
            Column("run", "Run", "Players of the run.", digits=None),
            measure_column(shown),
        ),
        rows=tuple(
            (Value(title), Value(name), Value.of(mean, missing="no value"))
            for _, title, means in rows
            for name, mean in zip(names, means, strict=True)
        ),
    )
