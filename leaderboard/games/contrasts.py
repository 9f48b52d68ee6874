"""Charts of a game's measures by category: a row for each, a mark for each run, and the paper's figures beside them."""

from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

from ircore.core.untrusted_text import format_one_line
from ircore.games.base import Measure, PublishedFigure
from ircore.games.declarations import Contrast
from ircore.results.statistics.intervals import Estimate, are_too_few, clear_of
from ircore.results.tables.board import measure_column
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.curve_panels import MOST_COLOURED, group_alike, name_head
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
from leaderboard.charts.names_beside import GLYPHS, wrap_heads
from leaderboard.games.figures import TOO_FEW_WORDS, build_published_table, get_measure, name_setting, scale_ends
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_symbol, token
from leaderboard.words import choose_digits, describe_estimate, format_category, format_signed, number, scale_end

_ROW = 40
"""Height of a row, CSS pixels."""

_LINE = 15
"""Height of a name above the plot, CSS pixels."""

_CHARACTERS = {False: 90, True: 50}
"""Characters of a line above the plot, by whether it is narrow."""

_SYMBOLS = ("circle", "square", "triangle-up", "cross")
"""Symbols of runs that would have the mark of another one."""

_PUBLISHED_SYMBOLS = ("diamond-open", "triangle-down-open", "star-open")
"""Symbols of the paper's series."""

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


class _Drawn(NamedTuple):
    """A run that is drawn."""

    pair: Pair
    """The run."""

    alike: int
    """Number of further runs by the same rules that have the same values, and are not drawn."""

    setting: str
    """Name of its rules, which stands behind the word "with"; empty where all runs have the same rules."""

    name: str
    """Its players, with the name of its rules where runs differ in them."""

    symbol: str
    """Plotly's symbol of its marks, hollow by other rules than those of the best run."""

    @property
    def head(self) -> str:
        """Its name above the plot, behind its mark."""
        return f"{GLYPHS[self.symbol]}\u00a0{name_head(self.name, self.alike)}"


def _build_sketch(section: GameSection, contrast: Contrast) -> Sketch | Missing:
    shown = get_measure(section, contrast.measure)
    title = f"{shown.title} by category"
    keys = (contrast.measure, *contrast.beside)
    drawn, valued = _select_runs(section, contrast, keys)
    pairs = [run.pair for run in drawn]
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
    low, high = scale_ends(shown, [mean for _, _, means in rows for mean in means])
    left_out = valued - sum(1 + run.alike for run in drawn)
    by_rules = len(section.rule_sets) > 1
    which = f"Shown are {len(drawn)} of {valued}, the best by each set of rules."
    finding = _describe_finding(section, contrast, _drop_weak(played), drawn, choose_digits(shown), left_out)
    if not finding and not (finding := _describe_overall(section, contrast, drawn)):
        seen = _describe_finding(section, contrast, played, drawn, choose_digits(shown), left_out)
        finding = f"{seen}; {TOO_FEW_WORDS}"
    few = which if by_rules else f"The best {len(drawn)} of {valued} are shown."
    return Sketch(
        title=f"{title}: {finding}",
        reading_aid=f"Each mark is a {section.noun}’s mean, with its 95 % interval from five episodes on; further "
        f"right is {'better' if shown.direction == 'higher' else 'worse'}.{f' {few}' * bool(left_out)}"
        f"{' One mark stands for all that are alike.' * any(run.alike for run in drawn)}"
        f"{_explain_empty_rows(list(alone))}{_name_published_measures(section, contrast, published)}"
        f"{_explain_measures(section, keys)}",
        drawing=_draw_contrast(rows, drawn, published, (low, high), shown),
        table=_build_table(section, shown, rows, [pair.name for pair in pairs]),
        published=(build_published_table(section, shown, "row", published),) if published else (),
    )


def _name_published_measures(section: GameSection, contrast: Contrast, published: Sequence[PublishedFigure]) -> str:
    """Return by which measures published figures are that are by another one than their row; empty without such."""
    others = {figure.measure for figure in published if figure.measure not in (contrast.measure, figure.row)}
    titles = [measure.title for measure in section.game.measures if measure.key in others]
    return f" Published values are by {', '.join(titles)}." if titles else ""


def _explain_measures(section: GameSection, keys: Sequence[str]) -> str:
    """Return what measures say, a sentence each with a blank before it; empty where their titles say all."""
    measures = [get_measure(section, key) for key in keys]
    return "".join(f" {shown.title}: {shown.about}" for shown in measures if shown.about)


def _explain_empty_rows(rows: Sequence[str]) -> str:
    """Return why some rows hold no run, with a blank before it; empty without such rows."""
    if not rows:
        return ""
    only = f"Only the paper has {', '.join(map(format_category, rows))}"
    return f" {only}: nothing of {'this kind' if len(rows) == 1 else 'these kinds'} was played here."


def _select_runs(section: GameSection, contrast: Contrast, keys: Sequence[str]) -> tuple[list[_Drawn], int]:
    """Return the runs that are drawn, and how many have values.

    They are the best by each set of rules, then the second best, and so on, in the order of the game's boards. Of runs
    by the same rules with the same values the best is drawn, since the others would lie on it.
    """
    chosen: list[tuple[int, int, Pair, int, str]] = []
    valued = 0
    for place, board in enumerate(section.boards):
        several = [section.pairs[row.submission.run_id] for row in board.rows]
        pairs = [
            pair for pair in several if any(section.results.mean(pair.run_id, key).mean is not None for key in keys)
        ]
        valued += len(pairs)
        rows = [means for _, _, means in _collect_rows(section, contrast, pairs)]
        distinct = group_alike(pairs, list(zip(*rows, strict=True)))
        chosen += [(at, place, pair, alike, board.label) for at, (pair, alike) in enumerate(distinct)]
    chosen = sorted(sorted(chosen, key=lambda run: run[:2])[:MOST_COLOURED], key=lambda run: (run[1], run[0]))
    drawn: list[_Drawn] = []
    marks: set[tuple[int, str]] = set()
    for _, place, pair, alike, label in chosen:
        hollow = "" if place == chosen[0][1] else "-open"
        symbols = [f"{symbol}{hollow}" for symbol in (generator_symbol(pair.shape), *_SYMBOLS)]
        # Runs without a colour of their own would have one mark.
        symbol = next(symbol for symbol in symbols if (pair.hue, symbol) not in marks)
        marks.add((pair.hue, symbol))
        drawn.append(_Drawn(pair, alike, label, _name_run(section, pair), symbol))
    return drawn, valued


def _collect_rows(section: GameSection, contrast: Contrast, pairs: Sequence[Pair]) -> list[_Row]:
    results = section.results
    beside: list[_Row] = [
        (key, get_measure(section, key).title, [results.mean(pair.run_id, key) for pair in pairs])
        for key in contrast.beside
    ]
    categories: list[_Row] = [
        (category, format_category(category),
         [results.mean(pair.run_id, contrast.measure, category) for pair in pairs])
        for category in results.categories
    ]  # fmt: skip
    return [*beside, *categories]


def _name_run(section: GameSection, pair: Pair) -> str:
    """Return a run's players, with the name of its rules where runs differ in them."""
    setting = name_setting(section, pair) if len(section.rule_sets) > 1 else ""
    return f"{pair.players} ({setting})" if setting else pair.players


def _drop_weak(rows: Sequence[_Row]) -> list[_Row]:
    """Return rows without the means of fewer than five episodes, of which nothing is claimed."""
    nothing = Estimate(None, None, None, 0)
    return [(key, title, [nothing if are_too_few(mean.n) else mean for mean in means]) for key, title, means in rows]


def _describe_finding(
    section: GameSection,
    contrast: Contrast,
    rows: Sequence[_Row],
    drawn: Sequence[_Drawn],
    digits: int,
    left_out: int,
) -> str:
    """Return what lies between the two measures beside the categories, and otherwise where runs differ most.

    Where runs were played by several rules, this is said of the best run by each of the first two. Empty where rows
    have no values.
    """
    beside = [row for row in rows if row[0] in contrast.beside]
    names, spoken, whose = [run.name for run in drawn], list(range(len(drawn))), ""
    gap = ""
    if len(beside) == len(contrast.beside) == 2:
        settings = {run.setting: at for at, run in reversed(list(enumerate(drawn)))}
        by_rules = len(settings) > 1
        if by_rules:
            names, spoken = [run.setting for run in drawn], sorted(settings.values())[:2]
        (_, first, above), (_, second, below) = beside
        gaps = {at: value for at in spoken[:2] if (value := _subtract(above[at], below[at], digits))}
        if by_rules:
            whose = f" in the best {section.noun}{' of each' * (len(gaps) > 1)}"
        differ = len(set(gaps.values())) == len(gaps)
        said = (
            ", ".join(f"{value} with {names[at]}" for at, value in gaps.items())
            if differ
            else f"{gaps[spoken[0]]} with {' and with '.join(names[at] for at in gaps)}"
        )
        gap = f"{first} less {second} is {said}{whose}" if gaps else ""
        if gap and differ and not by_rules:
            # Where runs leave as much between the two measures, the categories tell more.
            return gap
    known = [
        (title, [(mean, names[at]) for at in spoken if (mean := means[at].mean) is not None])
        for key, title, means in rows
        if key not in contrast.beside
    ]
    # A row of a single run says nothing about others.
    compared = [(title, values) for title, values in known if len(values) >= min(2, len(drawn))]
    widest = _describe_widest_gap(section, compared, len(drawn), digits, left_out) if compared else ""
    against = "" if beside else _describe_extremes(section, known, drawn[0].name, digits)
    return "; ".join(filter(None, (gap, against, widest)))


def _describe_overall(section: GameSection, contrast: Contrast, drawn: Sequence[_Drawn]) -> str:
    """Return how the two best runs drawn differ over all categories, where each alone has too few; empty if unclear."""
    if contrast.measure != section.game.headline.key or len(drawn) < 2:
        return ""
    orders = (drawn[0], drawn[1]), (drawn[1], drawn[0])
    couples = [(better.pair.run_id, worse.pair.run_id) for better, worse in orders]
    for (better, worse), compared in zip(orders, section.results.compare_couples(couples, section.judge), strict=True):
        if clear_of(compared.alone, 0) == 1:
            by_rules = better.setting != worse.setting
            names = [f"with {run.setting}" if by_rules else f"of {run.name}" for run in (better, worse)]
            size = describe_estimate(compared.alone, 1)
            return (
                f"over all, the main score {names[0]} is higher than {names[1]} by {size}; by category {TOO_FEW_WORDS}"
            )
    return ""


def _describe_extremes(
    section: GameSection, known: Sequence[tuple[str, list[tuple[float, str]]]], best: str, digits: int
) -> str:
    """Return the paper's rows that the best run finds easiest and hardest, and what the paper reports of them."""
    reported: dict[str, dict[str, PublishedFigure]] = {}
    for figure in section.game.published:
        if figure.row:
            reported.setdefault(figure.series, {})[format_category(figure.row)] = figure
    for series, rows in reported.items():
        values = {title: value for title, of in known if title in rows for value, name in of if name == best}
        low, high = (pick(values, key=values.__getitem__, default="") for pick in (min, max))
        if values and values[low] < values[high]:
            ends = " and ".join(f"{number(values[title], digits)} in {title}" for title in (high, low))
            reported_values = " and ".join(number(rows[title].value, digits) for title in (high, low))
            return f"{best} has {ends}, {series} {reported_values}"
    return ""


def _subtract(first: Estimate, second: Estimate, digits: int) -> str:
    """Return the difference of two means in words; empty if it is not known."""
    if first.mean is None or second.mean is None:
        return ""
    return format_signed(first.mean - second.mean, digits)


def _describe_widest_gap(
    section: GameSection, known: Sequence[tuple[str, list[tuple[float, str]]]], drawn: int, digits: int, left_out: int
) -> str:
    """Return the row in which two runs differ most, with both values; of a single run its lowest row.

    Args:
        section: The game.
        known: Title of each row, with the values that are spoken of and whose they are.
        drawn: Number of runs that are drawn.
        digits: Digits of the values.
        left_out: Number of runs that are neither drawn nor alike one that is.
    """
    _, values = max(known, key=lambda row: max(row[1])[0] - min(row[1])[0])
    # Of equal values the first named is the best run's.
    (low, worst), (high, best) = (pick(values, key=lambda of: of[0]) for pick in (min, max))
    if low < high:
        alike = ", ".join(title for title, others in known if others == values)
        return f"{best} and {worst} differ most in {alike}, {number(high, digits)} and {number(low, digits)}"
    if drawn == 1:
        title, values = min(known, key=lambda row: row[1])
        return f"lowest in {title}, {number(values[0][0], digits)}"
    return f"the {drawn} {section.noun}s shown do not differ" if left_out else f"no {section.noun} differs from another"


def _draw_contrast(
    rows: Sequence[_Row],
    drawn: Sequence[_Drawn],
    published: Sequence[PublishedFigure],
    ends: tuple[float, float],
    shown: Measure,
) -> PlotlyDrawing:
    places = {key: len(rows) - 1 - at for at, (key, _, _) in enumerate(rows)}
    # Runs with one value lie one below the other, so that each is seen.
    shifts = [0.12 * ((len(drawn) - 1) / 2 - at) for at in range(len(drawn))]
    marks = [
        _draw_marks(rows, places, at, run, shift, choose_digits(shown))
        for at, (run, shift) in enumerate(zip(drawn, shifts, strict=True))
    ]
    series = _mark_series(published)
    reported = [_draw_published(name, symbol, published, places) for name, symbol in series.items()]
    wide, narrow = (_build_layout(rows, places, drawn, series, ends, shown, small) for small in (False, True))
    return PlotlyDrawing([*reported, *reversed(marks)], wide, narrow)


def _draw_marks(rows: Sequence[_Row], places: dict[str, int], at: int, run: _Drawn, shift: float, digits: int) -> Json:
    known = [(places[key] + shift, title, means[at]) for key, title, means in rows if means[at].mean is not None]
    name, colour = escape_for_plotly(run.name), describer_token(run.pair.hue)
    return make_scatter(
        mode="markers",
        x=[mean.mean for _, _, mean in known],
        y=[place for place, _, _ in known],
        error_x=make_whiskers([Value.of(mean) for _, _, mean in known], colour),
        marker={"symbol": run.symbol, "size": 10, "color": colour},
        cliponaxis=False,
        customdata=[
            [f"{name}<br>{escape_for_plotly(title)}: {number(mean.mean, digits)}, n = {mean.n}"]
            for _, title, mean in known
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


_BELOW = 0.3
"""How far below the runs of a row the paper's figures stand, in rows."""


def _mark_series(published: Sequence[PublishedFigure]) -> dict[str, str]:
    """Return the symbol of each of the paper's series, by its name; further ones share symbols."""
    names = dict.fromkeys(figure.series for figure in published)
    return dict(zip(names, cycle(_PUBLISHED_SYMBOLS), strict=False))


def _draw_published(name: str, symbol: str, published: Sequence[PublishedFigure], places: dict[str, int]) -> Json:
    figures = [figure for figure in published if figure.series == name]
    return make_scatter(
        mode="markers",
        x=[figure.value for figure in figures],
        y=[places[figure.row] - _BELOW for figure in figures],
        marker={"symbol": symbol, "size": 7, "color": token("muted")},
        cliponaxis=False,
        customdata=[[f"{escape_for_plotly(figure.label)}: {figure.value:g}"] for figure in figures],
        hovertemplate="%{customdata[0]}<br>published, not run here<extra></extra>",
    )


def _build_layout(
    rows: Sequence[_Row],
    places: dict[str, int],
    drawn: Sequence[_Drawn],
    series: dict[str, str],
    ends: tuple[float, float],
    shown: Measure,
    narrow: bool,
) -> Json:
    low, high = ends
    left = 20 + 7 * max(len(title) for _, title, _ in rows)
    heads = [(run.head, describer_token(run.pair.hue, "-text"), 0) for run in drawn]
    heads += [
        (f"{GLYPHS[symbol]}\u00a0{format_one_line(name, 200)}, published", token("muted"), 0)
        for name, symbol in series.items()
    ]
    lines = wrap_heads(heads, _CHARACTERS[narrow])
    top = _LINE * len(lines) + 16
    names = [
        make_annotation(
            # Above the names of rows, too: a phone has no room beside them.
            text, (0, 1), "paper paper", "left bottom", (8 - left if narrow else 0, 8 + _LINE * (len(lines) - 1 - at)),
            align="left", colour=colour,
        )
        for at, (text, colour, _) in enumerate(lines)
    ]  # fmt: skip
    unit = f" ({escape_for_plotly(shown.unit)})" if shown.unit else ""
    ticks = [(place, scale_end(place)) for place in (low, (low + high) / 2, high)]
    return build_layout(
        len(rows) * _ROW + top + FOOT,
        left,
        30,
        top,
        xaxis=make_axis(low - 0.03 * (high - low), high, ticks, f"{escape_for_plotly(shown.title)}{unit}"),
        yaxis=make_axis(
            -0.6, len(rows) - 0.4, [(places[key], escape_for_plotly(title)) for key, title, _ in rows], showgrid=False,
        ),
        annotations=names,
    )  # fmt: skip


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
