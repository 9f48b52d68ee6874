"""Words of all pages: terms, number formats, sentences, alternative texts of pictures, and messages as pages tint them.

Each concept has a single name, and each number one format. Sentences say the finding of a page: a board's leader, a
run's place, a player's best condition. Alternative texts say the content of a target, and the author and score of a
rendering. Messages are cut into segments by the corrections that their words make. They and manifests are data, never
markup: a stranger's text becomes HTML that does nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from colorsys import rgb_to_hls
from functools import cache, reduce
from operator import or_
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ircore.core.episode_records import AbortReason
from ircore.core.plain_words import format_count
from ircore.core.records import Element, Instance
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.games.base import Measure
from ircore.results.cells import Cell
from ircore.results.corrections import CORRECTIONS, Correction, find_corrections
from ircore.results.episodes import Convergence, Doubt
from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import TOO_FEW, Estimate, are_too_few
from ircore.results.tables.formats import format_interval_text
from ircore.results.tables.formats import number as written
from ircore.results.tables.pairs import explain_no_rank

MISSING = "–"
"""Sign in place of a missing value; the reason stands in its tooltip or beside it."""

PROGRAM_MARK = "°"
"""Sign behind the name of a player that is a program of this project."""

PROGRAM_MEANING = "a program that comes with this project, no AI model"

NOT_RATED: Mapping[str, tuple[str, str]] = {
    "unplayed": (MISSING, "not played"),
    "unfinished": (MISSING, "no result yet"),
    "refused": ("×", "refused by the judge"),
    "pending": ("…", "not rated yet"),
    "outside": ("n/a", "not applicable: the judge does not rate such pictures"),
}
"""Sign shown in place of an episode's score, and its explanation, by kind."""

_CATEGORIES: Mapping[str, tuple[str, str]] = {
    "bar_graph": ("Bar graphs", "Bar"),
    "functions": ("Functions", "Func."),
    "geometry": ("Geometry", "Geom."),
    "line_graph": ("Line graphs", "Line"),
    "pie_graph": ("Pie graphs", "Pie"),
    "simple_shapes": ("Simple shapes", "Shapes"),
    "photos": ("Photos", "Photos"),
    "tangrams": ("Tangrams", "Tangrams"),
}

_PAPER_JUDGES: Mapping[str, str] = {
    "gpt": "GPT",
    "claude": "Claude",
    "qwen3": "Qwen3",
    "lipsim": "LipSim",
    "human": "People",
}
"""Names of the paper's judges on pages."""

OUTCOMES: Mapping[str, str] = {
    "converged": "converged",
    "turn_limit": "turn limit",
    "aborted": "aborted",
}

CONVERGENCES: Mapping[Convergence, str] = {
    "improved": "improved",
    "stable": "stable",
    "regressed": "regressed",
    "no_refinement": "single turn",
}

REASONS: Mapping[AbortReason, str] = {
    "describer_format": "the describer broke the answer format",
    "describer_empty": "the describer said nothing",
    "describer_done_first": "the describer was done before anything was drawn",
    "describer_over_budget": "the describer's message was over the token budget",
    "describer_refused": "the describer refused to look or to speak",
    "generator_refused": "the generator refused to draw",
    "generator_no_image": "the generator returned no picture",
    "too_many_pictures": "the service takes fewer pictures than the rules show",
    "context_too_long": "the dialogue is longer than the service's context",
    "provider_error": "a provider failed",
    "given_up": "given up: the run was declared final without it",
}

LONGEST_ALT_TEXT = 280
"""Characters: screen readers read an alt text in one breath."""

_PICTURE_KINDS: Mapping[str, str] = {
    "bar_graph": "Bar graph",
    "functions": "Function graph",
    "geometry": "Geometric figure",
    "line_graph": "Line graph",
    "pie_graph": "Pie graph",
    "simple_shapes": "Simple shapes",
    "photos": "Photograph",
}

_FURNITURE = frozenset(
    {
        "angle", "arrow_head", "arrowhead", "axis", "background", "frame", "grid_line", "gridline", "leader", "marker",
        "panel", "patch", "right_angle", "tick", "zero_line",
    }
)  # fmt: skip
"""Element types that an alternative text skips where the figure has other content."""

_ELEMENT_PLURALS = {"box": "boxes", "cross": "crosses", "polyline": "lines"}
_ELEMENT_NAMES = {"polyline": "line"}

_FEW_ELEMENTS = 6
"""Number of elements up to which each is described by colour, value or name."""

_HUE_NAMES = ((18, "red"), (45, "orange"), (68, "yellow"), (165, "green"), (195, "teal"), (258, "blue"),
              (295, "purple"), (342, "pink"), (361, "red"))  # fmt: skip
"""Name of a colour by the upper end of its range of hues, in degrees."""

LONGEST_MESSAGE = 4000
"""Characters of a message that a page shows; nobody reads more under a picture, and pages stay bounded."""

CORRECTION_WORDS: Mapping[Correction, str] = {
    "position": "position",
    "size": "size",
    "colour": "colour",
    "add_remove": "add or remove",
    "shape": "shape",
    "label": "label",
    "style": "style",
    "comparison": "comparison",
    "numeric": "number",
    "acknowledgement": "acknowledgement",
}
"""Names of the correction categories on pages, in the order of the legend."""

_BITS: Mapping[Correction, int] = {correction: 1 << place for place, correction in enumerate(CORRECTIONS)}


def format_category(category: str) -> str:
    """Return a category's name for headings; for an unknown category its identifier in plain words."""
    known = _CATEGORIES.get(category)
    return known[0] if known else category.replace("_", " ").capitalize()


def shorten_category(category: str) -> str:
    """Return a category's name for a narrow column."""
    known = _CATEGORIES.get(category)
    return known[1] if known else format_category(category)


def name_instances(instances: Iterable[Instance]) -> dict[str, str]:
    """Return the names of a set's instances for headings, such as ``Pie graphs, hard, 3``, by their ids.

    Args:
        instances: All instances of the set in its order, since they are counted by category and difficulty.
    """
    counted: Counter[tuple[str, str]] = Counter()
    titles = {}
    for instance in instances:
        condition = instance.category, instance.difficulty
        counted[condition] += 1
        titles[instance.instance_id] = f"{format_category(condition[0])}, {condition[1]}, {counted[condition]}"
    return titles


def name_run_pages(runs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the name of each run's page: the slug, or the run's id where the slug alone would not be unique.

    Args:
        runs: Slug and id of each run.

    Returns:
        Names by run id. No two runs share one, even if a slug is the id of another run.

    >>> name_run_pages([("a", "a-97e64db0"), ("b", "b-00000000"), ("b", "b-11111111")])
    {'a-97e64db0': 'a', 'b-00000000': 'b-00000000', 'b-11111111': 'b-11111111'}
    >>> name_run_pages([("a", "a-97e64db0"), ("a-97e64db0", "a-97e64db0-22222222")])["a-97e64db0-22222222"]
    'a-97e64db0-22222222'
    """
    counts, run_ids = Counter(slug for slug, _ in runs), {run_id for _, run_id in runs}
    return {run_id: slug if counts[slug] == 1 and slug not in run_ids else run_id for slug, run_id in runs}


def name_waiting_page(slug: str, run_ids: Collection[str]) -> str:
    """Return the name of the page of a submission without a run.

    Args:
        slug: The submission's folder name.
        run_ids: Ids of the runs on the site, which may be names of pages.
    """
    # No slug has a tilde, so that this name is nobody else's.
    return f"{slug}~waiting" if slug in run_ids else slug


def lower_title(title: str) -> str:
    """Return the title of a measure for the middle of a sentence: abbreviations keep their capitals.

    >>> lower_title("Element F1, last hop"), lower_title("SSIM")
    ('element F1, last hop', 'SSIM')
    """
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with a true minus sign; a dash where there is none."""
    return MISSING if value is None else written(value, digits)


def scale_end(value: float) -> str:
    """Return an end of a scale with as many digits as it has: ``1``, ``0.5``, ``−2``."""
    return f"{value:.12g}".replace("-", "−")


def format_signed(value: float | None, digits: int = 2) -> str:
    """Format a difference with its sign; zero has none."""
    return MISSING if value is None else written(value, digits, signed=True)


def format_share(share: float | None) -> str:
    """Format a share 0–1 as whole percent, without the sign; the unit stands in the header."""
    return MISSING if share is None else f"{100 * share:.0f}"


def describe_interval(estimate: Estimate, digits: int = 2, unit: str = "") -> str:
    """Return a mean's confidence interval and sample size in words, or the reason why there is no interval.

    Args:
        estimate: Mean and interval.
        digits: Decimals.
        unit: Written behind the upper end, such as `` %``.
    """
    if estimate.mean is None:
        return "no rated episode"
    if estimate.low is None or estimate.high is None:
        return "one episode, so no interval" if estimate.n == 1 else f"no interval, n = {estimate.n}"
    # An interval of few pictures is shown, but never without the warning.
    few = f", {TOO_FEW}" if are_too_few(estimate.n) else ""
    return (
        f"95 % interval {number(estimate.low, digits)} to {number(estimate.high, digits)}{unit}, n = {estimate.n}{few}"
    )


def rank(low: int | None, high: int | None) -> str:
    """Format a range of ranks: ``2–4``, or ``1`` for a single rank."""
    if low is None or high is None:
        return MISSING
    return str(low) if low == high else f"{low}–{high}"


def open_words(doubt: Doubt) -> str:
    """Return in words how far facts that could not be told leave a score open.

    >>> from ircore.results.episodes import Doubt
    >>> open_words(Doubt(low=5.8, high=10.0, undecided=0.22, unread=True))
    '5.80 to 10.00 possible: 22 % of the facts open, labels not read'
    """
    share = f"{100 * doubt.undecided:.0f}" if doubt.undecided >= 0.005 else "under 1"
    read = ", labels not read" if doubt.unread else ""
    low, high = number(doubt.low), number(doubt.high)
    reach = f"{low} to {high} possible: " if low != high else ""
    return f"{reach}{share} % of the facts open{read}"


def describe_unrated(cell: Cell) -> list[tuple[str, str]]:
    """Return the kinds of unrated renderings: a keyword for programs, and a count in words.

    Returns:
        Any of ``refused``, ``pending`` and ``outside`` (nothing that this judge rates), those that occur.
    """
    outside = cell.played - cell.applicable
    said = (
        ("refused", cell.refused, "refused"),
        ("pending", cell.pending, "not yet"),
        ("outside", outside, "not applicable"),
    )
    return [(kind, f"{count} {words}") for kind, count, words in said if count]


def judge_name(judge: str) -> str:
    """Return the name on pages of a judge of the paper, or of one of its annotators."""
    return _PAPER_JUDGES.get(judge) or judge.removeprefix("annotator ")


def choose_digits(measure: Measure) -> int:
    """Return the number of decimals by the width of a measure's range: 2 up to 10, 1 up to 1000, else 0.

    Without bounds, an amount in a unit, such as words, has 1, and any other number 2.
    """
    width = measure.bounds[1] - measure.bounds[0] if measure.bounds else 100.0 if measure.unit else 1.0
    return 2 if width <= 10 else 1 if width <= 1000 else 0


def format_interval_width(
    estimate: Estimate, digits: int = 2, end_digits: int | None = None, difference: bool = False
) -> str:
    """Return half the width of an interval, or its ends where ± would mislead; empty without an interval."""
    ends = estimate.low, estimate.high
    return format_interval_text(estimate.mean, ends, estimate.n, digits, difference, end_digits=end_digits)


def lead_words(rows: Sequence[RankedRow[Any, Any]], name: str, noun: str = "pair") -> str:
    """Return who leads a board, with the main score and its interval, over how many; empty without a main score.

    Args:
        rows: Rows of the board, best first.
        name: Name of the first row.
        noun: Who is ranked, in the singular.
    """
    if not rows or rows[0].cell.main.mean is None:
        return ""
    score = describe_estimate(rows[0].cell.main, 1)
    if len(rows) == 1:
        return f"{name} has a main score of {score}"
    ranked, top = sum(row.rank_low is not None for row in rows), sum(row.top for row in rows)
    if not ranked:
        return f"{name} has the highest main score of {len(rows)} {noun}s, {score}; none of them has a rank"
    among = f"{len(rows)} {noun}s" if ranked == len(rows) else f"{ranked} {noun}s with a rank"
    if top > 1:
        return f"{name} has the highest main score of {among}, {score}; {top} of them may be the best"
    return f"{name} leads {among}, main score {score}"


def place_words(row: RankedRow[Any, Any], among: int) -> str:
    """Return a run's rank among so many, or why it has none, and its main score with its interval."""
    ranks = rank(row.rank_low, row.rank_high)
    place = f"no rank ({explain_no_rank(row)})" if row.rank_low is None else f"rank {ranks} of {among}"
    main = row.cell.main
    return place if main.mean is None else f"{place}, main score {describe_estimate(main, 1)}"


def describe_estimate(estimate: Estimate, digits: int = 2) -> str:
    """Return a mean with its interval and n in brackets.

    >>> describe_estimate(Estimate(79.84, 70.1, 88.9, 42), 1)
    '79.8 (95 % interval 70.1 to 88.9, n = 42)'
    """
    return f"{number(estimate.mean, digits)} ({describe_interval(estimate, digits)})"


def describe_extremes(best: tuple[str, float], worst: tuple[str, float]) -> str:
    """Return on what the score is highest and lowest, each with its score, 0–10.

    >>> describe_extremes(("geometry, easy", 9.81), ("photos", 2.0))
    'best on geometry, easy (9.8), worst on photos (2.0)'
    """
    return f"best on {best[0]} ({number(best[1], 1)}), worst on {worst[0]} ({number(worst[1], 1)})"


def describe_target_picture(instance: Instance) -> str:
    """Describe a target in words: its kind, its drawn elements and its texts.

    Args:
        instance: With or without a scene; without one its source is named.

    Returns:
        At most ``LONGEST_ALT_TEXT`` characters on one line, such as ``Pie graph with 3 wedges: Mouse 55 %, …``.
    """
    kind = _PICTURE_KINDS.get(instance.category, instance.category.replace("_", " ").capitalize())
    if instance.scene is None:
        return format_one_line(f"{kind}, {instance.difficulty}: {instance.source}", LONGEST_ALT_TEXT)
    things = [
        element
        for element in instance.scene.elements
        if element.type not in _FURNITURE and not element.type.endswith("label")
    ]
    parts = [", ".join(_count_kinds(things)) or "nothing but a ground"]
    descriptions = list(_describe_elements(things)) if len(things) <= _FEW_ELEMENTS else []
    words = f"{kind} with {parts[0]}" + (f": {', '.join(descriptions)}" if descriptions else "")
    written = list(dict.fromkeys(_list_texts(instance.scene.elements, descriptions)))
    return format_one_line(words + (f"; labelled {', '.join(written)}" if written else ""), LONGEST_ALT_TEXT)


def describe_rendering(turn: int, pair: str, score: float | None, judge: str) -> str:
    """Describe a rendering in words: its turn, its pair and its score.

    Args:
        turn: 1-based.
        pair: Describer and generator.
        score: Similarity 0–10, or None if it was not scored.
        judge: Judge that gave the score.
    """
    rated = "not scored" if score is None else f"score {score:.1f} by {judge}"
    return f"Rendering of turn {turn} by {format_one_line(pair, 80)}, {rated}"


def colour_name(colour: str) -> str:
    """Return a plain name for a colour ``#rrggbb``: a hue out of eight, brown, black, grey or white."""
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    hue, lightness, saturation = rgb_to_hls(red, green, blue)
    # Without chroma the hue is noise, so a tinted grey must not be called by a hue.
    if max(red, green, blue) - min(red, green, blue) < 0.1 or saturation < 0.12:
        return "black" if lightness < 0.2 else "white" if lightness > 0.92 else "grey"
    name = next(name for limit, name in _HUE_NAMES if 360 * hue < limit)
    # English has a word of its own for dark orange and dull red.
    dull = name == "red" and saturation < 0.4 and lightness < 0.55
    return "brown" if dull or (name in ("orange", "yellow") and lightness < 0.38) else name


class Segment(NamedTuple):
    """A piece of a message."""

    text: str
    """Text of the segment, as the describer wrote it."""

    corrections: tuple[Correction, ...]
    """The categories whose words cover it, in their order; none for other words."""


class MarkedMessage(NamedTuple):
    """A message cut into the segments that pages show.

    >>> marked = mark_message("Move it to the left.", turn=2)
    >>> "".join(segment.text for segment in marked.segments), marked.left_out
    ('Move it to the left.', 0)
    >>> mark_message("A red circle at the left.", turn=1).corrections
    ()
    """

    segments: tuple[Segment, ...]
    """Segments that together give the message, or its beginning."""

    left_out: int
    """Characters at the end that are not shown."""

    corrections: tuple[Correction, ...]
    """Every category that fires in what is shown, in their order."""


def mark_message(message: str, turn: int) -> MarkedMessage:
    """Cut a message where a word of correction begins or ends (``find_corrections``).

    Args:
        message: As the describer wrote it; of a very long one only the first ``LONGEST_MESSAGE`` characters are shown.
        turn: Its turn, 1-based. On turn 1 there is nothing yet to correct, so nothing is marked.
    """
    shown = message[:LONGEST_MESSAGE]
    # Cut before the search, so that no mark reaches beyond what is shown.
    marks = find_corrections(shown) if turn > 1 else ()
    # Marks of one category never overlap: each place where one begins or ends turns the category's bit over.
    turned: dict[int, int] = defaultdict(int)
    for mark in marks:
        for place in (mark.start, mark.end):
            turned[place] ^= _BITS[mark.correction]
    segments, begun, active = [], 0, 0
    for place in sorted(turned):
        # A mark may begin the message, with no text before it.
        if place > begun:
            segments.append(Segment(shown[begun:place], _list_categories(active)))
            begun = place
        active ^= turned[place]
    if begun < len(shown):
        segments.append(Segment(shown[begun:], ()))
    every = reduce(or_, (_BITS[mark.correction] for mark in marks), 0)
    return MarkedMessage(tuple(segments), len(message) - len(shown), _list_categories(every))


def render_untrusted(text: str) -> Markup:
    """Return a stranger's text as HTML that does nothing: escaped, hidden characters shown, direction isolated.

    Line breaks become character references, so that the text never adds a line to the page's source.
    """
    return Markup('<bdi dir="auto">{}</bdi>').format(escape_untrusted(text))


def escape_untrusted(text: str) -> Markup:
    """Return a piece of a stranger's text as HTML that does nothing, for use within a ``bdi`` that holds all pieces."""
    safe = str(escape(make_visible(text))).replace("\n", "&#10;").replace("\t", "&#9;")
    return Markup(safe)  # noqa: S704 - escaped one line above


def _count_kinds(things: Iterable[Element]) -> Iterable[str]:
    for kind, count in Counter(element.type for element in things).items():
        name = _ELEMENT_NAMES.get(kind, kind).replace("_", " ")
        yield format_count(count, name, _ELEMENT_PLURALS.get(kind, ""))


def _describe_elements(things: Iterable[Element]) -> Iterable[str]:
    """Yield a description of each element: its name and value, or its colour and type."""
    for element in things:
        value = element.parameters.get("share", element.parameters.get("value"))
        name = element.parameters.get("category")
        if isinstance(name, str) and isinstance(value, int | float):
            yield f"{name} {value:g}{' %' if 'share' in element.parameters else ''}"
        elif element.colour is not None:
            yield f"{colour_name(element.colour)} {_ELEMENT_NAMES.get(element.type, element.type).replace('_', ' ')}"


def _list_texts(elements: Iterable[Element], descriptions: Iterable[str]) -> Iterable[str]:
    """Yield the texts of elements, without values along axes and texts already described."""
    said = {description.rpartition(" ")[0] for description in descriptions} | {
        description.split(" ")[0] for description in descriptions
    }
    for element in elements:
        numeric = element.text is not None and element.text.strip("−-+%°.,").replace(".", "").isdigit()
        # Numbers along an axis would fill the text and say little.
        skipped = element.type == "value_label" or (element.type in ("tick_label", "wedge_label") and numeric)
        if element.text is not None and not skipped and element.text not in said:
            yield f"“{element.text}”"


@cache
def _list_categories(bits: int) -> tuple[Correction, ...]:
    """Return the categories of a set of bits, in their order."""
    return tuple(correction for correction, bit in _BITS.items() if bits & bit)
