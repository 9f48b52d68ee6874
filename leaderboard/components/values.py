"""Numbers in pages: scores with intervals, shares, differences, ranks, badges, and small plots of them.

A missing number is a dash that says why. Components named after a measure (``main_score``, ``played``, ``rated``) take
the ``Cell`` of a condition and look the same on every page. Plots in table cells are a mean with its interval, bars of
counts, and a range of ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from ircore.core.plain_words import format_count
from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate, are_too_few, clear_of
from ircore.results.tables.formats import count_money_digits
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.components.markup import REMEMBERED, macro
from leaderboard.theme import delta_class, describer_class, score_class
from leaderboard.words import (
    MISSING,
    NOT_RATED,
    describe_interval,
    describe_unrated,
    format_interval_width,
    format_share,
    format_signed,
    number,
    open_words,
    rank,
)

NO_MAIN = "none of what was played is rated"
"""Reason given where a pair has no main score."""

RANK = "From the best to the worst place that paired comparisons of main scores allow"
"""What a rank is."""

CHANCE = "Share of 2,000 redrawn sets of these pictures, spread as the board’s intervals are, on which it is the best"
"""What the chance of being best is."""

_OPEN = 0.1
"""Width, in points of a score of 0–10, from which what facts leave open is written beside it."""

MAIN = (0.0, 100.0)
"""Ends of the main score's scale."""


@lru_cache(maxsize=REMEMBERED)
def missing(reason: str) -> Markup:
    """Return the dash that stands for a missing value, with the reason for pointers and screen readers."""
    return macro("missing")(reason)


@lru_cache(maxsize=REMEMBERED)
def score(estimate: Estimate, why: str = "no rated episode", digits: int = 2) -> Markup:
    """Return a mean with half the width of its interval, or with its ends.

    Args:
        estimate: Mean and interval.
        why: Reason given where there is no mean.
        digits: Decimals.
    """
    if estimate.mean is None:
        return missing(why)
    title, width = describe_interval(estimate, digits), _format_width(estimate, digits)
    return macro("value")(number(estimate.mean, digits), title, width)


def delta(estimate: Estimate) -> Markup:
    """Return ΔQ with its interval, and an arrow where that is clear of 0."""
    if estimate.mean is None:
        return missing("no episode of two or more rated renderings")
    return _render_signed(estimate, render_arrow(estimate))


def difference(estimate: Estimate, digits: int = 2) -> Markup:
    """Return a difference between pairs, signed, with its interval."""
    return escape(MISSING) if estimate.mean is None else _render_signed(estimate, digits=digits)


def extremes(least: float | None, most: float | None, factor: int = 1) -> Markup:
    """Return the least and greatest difference that missing scores could lead to, multiplied to be shown."""
    if least is None or most is None:
        return escape(MISSING)
    if least == most:
        return macro("muted")("nothing missing")
    digits = 2 if factor == 1 else 1
    return escape(f"{format_signed(factor * least, digits)} to {format_signed(factor * most, digits)}")


def stacked(
    estimate: Estimate,
    digits: int = 2,
    why: str = "no rated episode",
    as_difference: bool = False,
    improves: bool = True,
    end_digits: int | None = None,
) -> Markup:
    """Return a mean over half the width of its interval, for the narrow columns of a board.

    Args:
        estimate: Mean and interval.
        digits: Decimals.
        why: Reason given where there is no mean.
        as_difference: Whether the mean has a sign and an arrow.
        improves: Whether a larger difference is better; if not, there is no arrow.
        end_digits: Decimals of the interval's ends; at most one if None.
    """
    value = estimate.mean
    if value is None:
        return missing(why)
    # Two ends with two decimals each would reach into the next column.
    ends = min(digits, 1) if end_digits is None else end_digits
    half = _format_width(estimate, digits, ends, as_difference) or f"n {estimate.n}"
    sign = render_arrow(estimate) if as_difference and improves else ""
    text = sign + format_signed(value, digits) if as_difference else number(value, digits)
    return macro("stacked")(text, describe_interval(estimate, digits), half, are_too_few(estimate.n))


@lru_cache(maxsize=REMEMBERED)
def share(estimate: Estimate, why: str, counts: str = "") -> Markup:
    """Return a share in percent over the counts behind it.

    Args:
        estimate: Share, 0–1.
        why: Reason given where there is none.
        counts: Such as ``40/42``; by default the number of episodes.
    """
    if estimate.mean is None:
        return missing(why)
    title = describe_interval(estimate.times(100), 0, " %")
    few = not counts and are_too_few(estimate.n)
    return macro("stacked")(format_share(estimate.mean), title, counts or f"n {estimate.n}", few)


def render_arrow(change: Estimate) -> Markup:
    """Return an arrow up or down for a change whose interval is clear of 0; empty for any other."""
    direction = clear_of(change, 0)
    return _render_sign("↑" if direction == 1 else "↓") if direction else Markup()


@cache
def _render_sign(sign: str) -> Markup:
    return macro("arrow")(sign)


@lru_cache(maxsize=REMEMBERED)
def badge(value: float | None, label: str = "") -> Markup:
    """Return a similarity, 0–10, on its colour; ``label`` continues the tooltip, such as ``, judged by eye``."""
    if value is None:
        return macro("no_badge")()
    return macro("badge")(score_class(value), f"similarity {number(value)} of 10{label}", number(value, 1))


def heat(value: float | None, title: str = "", text: str = "", few: bool = False) -> Markup:
    """Return a small cell of a table, coloured by a similarity unless it rests on too few pictures.

    Args:
        value: Similarity, 0–10; None for an empty cell.
        title: Tooltip, in words; empty for none.
        text: What stands in the cell; by default the value with one decimal, or a dash.
        few: Whether fewer pictures than allow a claim are behind the value.
    """
    # A colour reads as a claim, so a value on too few pictures gets none.
    colour = "none" if value is None else "few" if few else score_class(value)
    return macro("heat")(colour, title, text or number(value, 1))


class EpisodeLink(NamedTuple):
    """A link to an episode of a pair from a small cell of a table.

    >>> EpisodeLink("geometry-easy-01", 8.5, "8.5", "Geometry, easy, 1: score 8.5").text
    '8.5'
    """

    instance_id: str
    """The target."""

    score: float | None
    """Final similarity, 0–10; None if there is none."""

    text: str
    """The score, or the sign of its absence."""

    title: str
    """Tooltip, in words."""


def episode_links(links: Sequence[EpisodeLink], key: str, root: str) -> Markup:
    """Return small cells that lead to the episodes of a pair.

    Args:
        links: The episodes.
        key: Of the pair.
        root: Relative address of the site's root.
    """
    cells = [
        (link.instance_id, "none" if link.score is None else score_class(link.score), link.title, link.text)
        for link in links
    ]
    return macro("episode_links")(cells, root, quote(key), key)


def condition_heat(cell: Cell | None, where: str, href: str) -> Markup:
    """Return the small cell of a condition, which leads to its episodes.

    Args:
        cell: Numbers of the condition; None if the set has no such instance.
        where: The condition in words.
        href: Where its episodes stand.
    """
    if cell is None:
        return heat(None, f"{where}: no such instance in this set")
    if cell.score.mean is None:
        text, why = describe_empty_cell(cell)
        shown = heat(None, f"{where}: {why}", text)
    else:
        said = f"{where}: {number(cell.score.mean)}, {describe_interval(cell.score)}"
        shown = heat(cell.score.mean, said, few=are_too_few(cell.score.n))
    return macro("heat_link")(href, shown)


def difference_heat(first: float | None, second: float | None, factor: int = 1) -> Markup:
    """Return the small cell of a difference between two scores, 0–10, coloured by a diverging map.

    Args:
        first: Score of the first; None if it has none.
        second: Score of the second.
        factor: What the difference is multiplied by to be shown: 10 for a share of right answers, on a scale of 100.
    """
    if first is None or second is None:
        return macro("heat")("none", "not both have a score", MISSING)
    return macro("heat")(
        delta_class(first - second), "", format_signed(factor * (first - second), 1 if factor == 1 else 0)
    )


def describe_empty_cell(cell: Cell) -> tuple[str, str]:
    """Return the sign and the reason for a cell without a score; missing differs from not applicable."""
    if not cell.played:
        text, why = NOT_RATED["unfinished" if cell.unfinished == cell.episodes else "unplayed"]
        return text, f"{why}, {format_count(cell.episodes, 'episode')}"
    kinds = [kind for kind, _ in describe_unrated(cell)]
    text, why = NOT_RATED["pending" if "pending" in kinds else kinds[0]]
    return text, f"{why}, {cell.played} played"


def main_score(cell: Cell) -> Markup:
    """Return the main score, 0–100, with its interval."""
    return score(cell.main, NO_MAIN, 1)


def quality(cell: Cell) -> Markup:
    """Return the score of the rated episodes, 0–10, with its interval unless it is a tenth of the main score."""
    return (render_repeated_mean(cell.score) if is_tenth(cell) else score(cell.score)) + render_possible(cell)


def render_price(cost: Estimate) -> Markup:
    """Return a cost in US dollars over its interval, with two significant digits at least; ``free`` for none.

    >>> free, unknown = Estimate(0.0, None, None, 42), Estimate(None, None, None, 0)
    >>> render_price(free), render_price(unknown) == missing("cost not known")
    (Markup('free'), True)
    """
    if not cost.mean:
        return missing("cost not known") if cost.mean is None else Markup("free")
    digits = count_money_digits(cost.mean, 3)
    # A spread that is not seen in these digits is no spread.
    if cost.half_width is not None and round(cost.half_width, digits) == 0:
        cost = Estimate(cost.mean, None, None, cost.n)
    return stacked(cost, digits, end_digits=digits)


def render_stacked_quality(cell: Cell) -> Markup:
    """Return the score of the rated episodes over its interval, for the narrow column of a board."""
    return (render_repeated_mean(cell.score) if is_tenth(cell) else stacked(cell.score, 2)) + render_possible(cell)


def render_possible(cell: Cell) -> Markup:
    """Return the interval of a score that facts leave open which could not be told; empty if narrower than a tenth."""
    doubt = cell.doubt
    if doubt is None or cell.score.mean is None or doubt.high - doubt.low < _OPEN:
        return Markup()
    ends = f"{number(doubt.low)}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{number(doubt.high)}"
    return macro("possible")(open_words(doubt), ends)


def is_tenth(cell: Cell) -> bool:
    """Return whether the score only repeats the main score, since every episode was played and rated.

    The interval of the main score, which allows for episodes that may fail another time, then stands for both.
    """
    return cell.main.low is not None and cell.episodes == cell.played == cell.applicable == cell.rated


def render_repeated_mean(estimate: Estimate, digits: int = 2) -> Markup:
    """Return a mean that a main score beside it says on another scale, with the interval of both.

    Args:
        estimate: The mean.
        digits: Decimals.
    """
    title = "the main score on another scale: everything was played and rated, and its interval stands for both"
    return macro("value")(number(estimate.mean, digits), title)


def played(cell: Cell) -> Markup:
    """Return how many episodes were played, of all."""
    return macro("value")(f"{cell.played}/{cell.episodes}")


def rated(cell: Cell) -> Markup:
    """Return the number of rated renderings out of all applicable ones, and counts of the unrated by reason."""
    if not cell.played:
        return missing("nothing was played")
    counts = f"{cell.rated}/{cell.applicable}" if cell.applicable else "n/a"
    title = f"{cell.rated} rated of {cell.applicable} that the judge rates, of {cell.played} played"
    return _render_rated(title, counts, tuple(describe_unrated(cell)))


@lru_cache(maxsize=REMEMBERED)
def _render_rated(title: str, counts: str, unrated: tuple[tuple[str, str], ...]) -> Markup:
    return macro("rated")(title, counts, unrated)


def rank_word() -> Markup:
    """Return the heading of ranks, explained."""
    return macro("explained")("Rank", RANK)


def chance_word() -> Markup:
    """Return the heading of the chances of being best, explained."""
    return macro("explained")("Best", CHANCE)


def rank_range(row: BoardRow) -> Markup:
    """Return a pair's range of possible ranks, or a dash with the reason why the pair has no rank."""
    if row.rank_low is None:
        return missing(f"no rank: {explain_no_rank(row)}")
    return escape(rank(row.rank_low, row.rank_high))


def no_rank(row: BoardRow) -> Markup:
    """Return in words why a pair has no rank; empty if the pair has a rank."""
    if row.rank_low is not None:
        return Markup()
    return macro("no_rank")(explain_no_rank(row))


@dataclass(frozen=True)
class BarPart:
    """A part of a bar of counts.

    Two of eight episodes, behind six others:

    >>> part = BarPart("aborted", "aborted", 2, start=75, width=25)
    >>> part.start + part.width
    100
    """

    name: str
    """Name of its colour, as in the class ``part-NAME``."""

    label: str
    """Its meaning, in words."""

    count: int
    """Number of episodes."""

    start: float
    """Left end, percent of the bar."""

    width: float
    """Width, percent of the bar."""


@lru_cache(maxsize=REMEMBERED)
def dot(
    estimate: Estimate,
    hue: int | None = None,
    low: float = 0,
    high: float = 10,
    zero: float | None = None,
    labelled: bool = True,
    references: tuple[float, ...] = (),
) -> Markup:
    """Return a mean with its interval on a fixed scale, as a picture of 120 × 20 units; empty without a mean.

    Args:
        estimate: Mean and interval.
        hue: Number of the describer's colour, 0-based; None for a neutral colour.
        low: Lower end of the scale.
        high: Upper end.
        zero: Position of a vertical line; None for no line.
        labelled: Whether screen readers are told the numbers; False where these stand beside it.
        references: Values of ceilings and floors, drawn as upright lines.
    """
    if estimate.mean is None:
        return Markup()

    def place(value: float) -> str:
        # Four units of margin at both ends leave room for half a dot; values beyond the scale stand on its end.
        return f"{4 + 112 * (min(max(value, low), high) - low) / (high - low):.1f}"

    # Without an interval in words there is none in the plot.
    known = estimate.low is not None and estimate.high is not None and not are_too_few(estimate.n)
    return macro("dot")(
        "" if hue is None else f" {describer_class(hue)}",
        f"{number(estimate.mean)}, {describe_interval(estimate)}" if labelled else "",
        None if zero is None else place(zero),
        [place(value) for value in references],
        [place(end) for end in (estimate.low, estimate.high) if end is not None] if known else None,
        place(estimate.mean),
    )


def reference_key() -> Markup:
    """Return the line of a reference alone, for a legend."""
    return macro("reference_key")()


def main_dot(cell: Cell, hue: int | None = None, labelled: bool = True, references: tuple[float, ...] = ()) -> Markup:
    """Return the main score on its scale; see ``dot``."""
    return dot(cell.main, hue, *MAIN, labelled=labelled, references=references)


def scale(span: float, caption: str = "Interval, from −{0} to {0}") -> Markup:
    """Return the heading of a column of dots around 0: the ends of the scale and its middle."""
    return macro("scale")(span, caption.format(span))


def wins_bar(wins: int, ties: int, losses: int) -> Markup:
    """Return on how many instances the first pair was better, equal or worse, as counts around a bar."""
    # Without common instances all widths are zero, and the division must not fail.
    total = (wins + ties + losses) or 1
    starts = (("first", 0, wins), ("tie", wins, ties), ("second", wins + ties, losses))
    parts = [_format_part(name, 100 * start / total, 100 * count / total) for name, start, count in starts]
    return macro("wins_bar")(wins, ties, losses, parts)


def counts_bar(parts: Sequence[BarPart]) -> Markup:
    """Return a bar whose parts are shares of all episodes; parts without an episode are left out."""
    words = ", ".join(f"{part.label}: {part.count}" for part in parts)
    return macro("counts_bar")(words, [_format_part(part.name, part.start, part.width) for part in parts if part.count])


def rank_bar(low: int, high: int, rows: int) -> Markup:
    """Return the range of a rank, 1-based, on a scale of all rows of a board."""
    return macro("rank_bar")(low, high, rows)


def _render_signed(estimate: Estimate, sign: str = "", digits: int = 2) -> Markup:
    title, width = describe_interval(estimate, digits), _format_width(estimate, digits, difference=True)
    return macro("value")(sign + format_signed(estimate.mean, digits), title, width)


def _format_width(estimate: Estimate, digits: int, end_digits: int | None = None, difference: bool = False) -> str:
    """Return the interval beside a mean; empty for a mean of too few pictures, which its n says once for a table."""
    return "" if are_too_few(estimate.n) else format_interval_width(estimate, digits, end_digits, difference)


def _format_part(name: str, start: float, width: float) -> tuple[str, str, str]:
    return name, f"{start:.2f}", f"{width:.2f}"
