"""A chart or graph as it was described, before it has a place in the picture: plain data; its axes and look."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ircore.players.builtin.canvas.figures.prose import (
    HEX,
    NUMBER,
    find_colours,
    find_numbers,
    find_quoted,
    remove_colours,
)
from ircore.players.builtin.canvas.sheet import Kind

_MENTION = re.compile(
    r"\b(?:(x|y)(?:\s+and\s+(?:the\s+)?(x|y))?|(horizontal|vertical))\s*[- ]?\s*ax[ei]s(?:[- ](?:line|label"
    r"|title|range)s?)?\b"
    r"|\b(both)\s+(?:the\s+)?ax[ei]s\b|\b(axes)\b|\b(x|y)(?=[- ]?(?:categor|label|range|title|ticks?\b|values?\b))",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"\b([xy])\b\s*(?:=\s*|is\s+|ranges?\s+|goes\s+|runs\s+|:\s*)?(?:from\s+)?(?={NUMBER}\s+to\s+{NUMBER})"
)
_BOTH = re.compile(rf"{NUMBER}\s+to\s+{NUMBER}\s+(?:in|on|for) both\b")
_RANGE = re.compile(rf"({NUMBER}),?\s*(?:to|up to|through|and|until|\.\.\.?)\s*({NUMBER})(?!\s*(?:,|and)\s*-?\d)")
_LIST = re.compile(rf"{NUMBER}(?:\s*,?\s*(?:and\s+|or\s+)?{NUMBER}|\s*,\s*(?:and\s+)?{NUMBER})+")
_STEP = re.compile(
    rf"\b(?:every|each|in steps of|steps? of|step|increments of|intervals? of|spaced by|multiples of)\s+({NUMBER})"
)
_STEPS = {"two": 2.0, "five": 5.0, "ten": 10.0, "three": 3.0, "four": 4.0, "one": 1.0, "twenty": 20.0, "fifty": 50.0}
_STEP_WORD = re.compile(rf"\b(?:every|in steps of|steps? of)\s+({'|'.join(_STEPS)})\b")
_TICKS = re.compile(r"\b(?:tick|label|mark|value|number)(?:s|ed|ing)?\b", re.IGNORECASE)
_YEARS = re.compile(r"\b((?:19|20)\d\d)\s*(?:to|through|until|-)\s*((?:19|20)\d\d)\b")
_WORD = r"(?:[A-Z][\w.+&'-]*(?: (?!(?:and|or|from|to|with|at|in|on|are|is)\b)[a-z]\w*)?|\d[\w+-]*)"
_WORDS = re.compile(rf"{_WORD}(?:\s*,\s*(?:and\s+)?{_WORD}|\s+and\s+{_WORD}){{1,40}}")
_COLOURED = re.compile(
    r"(#[0-9a-f]{6})\s+(?:[a-z]+\s+){0,2}?(?:[xy]\b|horizontal ax|vertical ax|ax[ei]s)"
    r"|ax[ei]s[^#,.;]{0,16}\((#[0-9a-f]{6})\)"
)
_PIXELS = re.compile(rf"\b([xy])\s*(?:=\s*)?(?:from\s+)?({NUMBER})(?:px)?\s+to\s+({NUMBER})")
_CATEGORIES = re.compile(
    r"\b(?:categor\w+|labels along the bottom|names along)\b[^:.]{0,40}?(?:\bare\b|:|\()\s*(.+)", re.IGNORECASE
)
_BACKGROUND = (
    re.compile(rf"\b(?:background|bg|backdrop)\s*\(({HEX})\)", re.IGNORECASE),
    re.compile(rf"({HEX})[^,.;:#]{{0,24}}?\s+(?:background|bg|canvas|backdrop)\b", re.IGNORECASE),
    re.compile(rf"\b(?:background|bg|backdrop)\b[^#.;]{{0,30}}({HEX})", re.IGNORECASE),
)
_PANEL = (
    re.compile(
        rf"({HEX})[^,.;:#]{{0,12}}?\s+(?:(?:plot(?:ting)? |chart )?panel|(?:plot(?:ting)?|chart) (?:area"
        rf"|background))\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:plot(?:ting)? |chart )?(?:panel|plot area)\b\s*\(?({HEX})", re.IGNORECASE),
)
_GRID = re.compile(r"\bgrid\b|\bgrid ?lines?\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b[^,.;]{0,24}$|\bwithout\b[^,.;]{0,16}$", re.IGNORECASE)
_FRAME = re.compile(rf"({HEX})?[^,.;#]{{0,24}}\b(?:frame[ds]?|border(?:ed)?|box)\b", re.IGNORECASE)
_OUTLINE = re.compile(
    rf"({HEX}|\bdark\b|\blight\b)?\s*(?:thin |thick )?(?:\w+ )?\b(?:outlines?|outlined|edges|separators?|gaps"
    rf"|borders|lines between)\b",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:value|data)s?[- ]labels?\b|\b(?:its|the|their)\s+values?\s+(?:is |are )?(?:printed|written|shown"
    r"|displayed|above)"
    r"|\bshows? (?:its|the|their) values?\b|\bvalues? (?:inside|above|on top|printed|on each|at the end)",
    re.IGNORECASE,
)


@dataclass
class DescribedAxis:
    """An axis as it was described.

    >>> DescribedAxis("Sales", low=0, high=40, step=10).words
    ()

    Attributes:
        name: Title; empty for none.
        low: Value at the left or lower end; None if unknown.
        high: Value at the other end; None if unknown.
        words: Categories in order; empty for an axis of numbers.
        is_drawn: Whether the axis has a line; None if unknown.
    """

    name: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    ticks: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    colour: str | None = None
    is_drawn: bool | None = None
    has_arrow: bool = False


@dataclass
class Series:
    """A series of a chart: bars of one layer, or a line."""

    values: list[float | None]
    colour: str | None = None
    colours: list[str | None] = field(default_factory=list)
    dash: str = ""
    marker: str = ""
    name: str = ""
    is_labelled: bool = False


@dataclass
class Wedge:
    """A wedge of a pie.

    >>> Wedge(25.0, "#ff0000", "Coal").pulled
    0.0
    """

    share: float
    colour: str | None = None
    name: str = ""
    pulled: float = 0.0


@dataclass
class FigureLook:
    """Properties that hold for a whole figure.

    >>> FigureLook(background="#ffffff").has_frame
    False
    """

    background: str | None = None
    panel: str | None = None
    grid: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Axis whose ticks have grid lines → colour and dash words."""
    has_frame: bool = False
    frame_colour: str | None = None
    outline: str | None = None
    is_filled: bool = False
    fill: str | None = None
    has_value_labels: bool = False


@dataclass
class Figure:
    """A chart or graph as described.

    >>> days = DescribedAxis(words=("Mon", "Tue"))
    >>> Figure("bar", days, DescribedAxis("Sales"), FigureLook(), [Series([12, 30])]).is_stacked
    False
    """

    kind: Kind
    x: DescribedAxis
    y: DescribedAxis
    look: FigureLook
    series: list[Series] = field(default_factory=list)
    is_lying: bool = False
    is_stacked: bool = False


def find_axis_mentions(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield each part of a sentence that is about an axis: ``"x"``, ``"y"`` or ``"xy"``, and the words."""
    matches = list(_MENTION.finditer(sentence))
    for index, match in enumerate(matches):
        end = matches[index + 1].start() if index + 1 < len(matches) else len(sentence)
        # What stands before the first axis of a sentence is about that axis too.
        start = 0 if index == 0 else match.start()
        yield _find_axis_names(match), sentence[start:end]


def read_axes(sentences: list[str], bare: bool = False) -> tuple[DescribedAxis, DescribedAxis, set[int]]:
    """Return both axes as the sentences describe them, and the indices of these sentences.

    Args:
        sentences: Of the message.
        bare: Whether "x from -5 to 5" without the word axis counts, as in graphs of functions.
    """
    axes, used = {"x": DescribedAxis(), "y": DescribedAxis()}, set()
    for index, sentence in enumerate(sentences):
        for names, words in find_axis_mentions(sentence):
            used.add(index)
            if names == "xy" and bare and _BARE.search(words):
                continue
            for name in names:
                _add_axis_properties(axes[name], words, name, names == "xy")
        for match in _BARE.finditer(sentence) if bare else ():
            axis = axes[match[1]]
            if axis.low is None:
                _take_range(axis, sentence[match.start() :])
                _take_ticks(axis, re.split(r"[;,]?\s+\b[xy]\b", sentence[match.end() :])[0])
        if bare and (both := _BOTH.search(sentence)):
            for axis in axes.values():
                if axis.low is None:
                    _take_range(axis, both[0])
        if listed := _CATEGORIES.search(sentence):
            used.add(index)
            axes["x"].words = axes["x"].words or find_word_list(listed[1])
    return axes["x"], axes["y"], used


def find_years(sentences: list[str]) -> tuple[str, ...]:
    """Return all years of the first range such as "2012 to 2018"."""
    for sentence in sentences:
        if match := _YEARS.search(sentence):
            first, last = int(match[1]), int(match[2])
            # A message from anyone may name years thousands apart.
            return tuple(str(year) for year in range(first, min(last, first + 60) + 1))
    return ()


def find_word_list(text: str) -> tuple[str, ...]:
    """Return the longest list of names in a text: "Nuclear, Coal, Oil and Waste"; numbers alone are no names."""
    lists = [re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", match[0]) for match in _WORDS.finditer(text)]
    best = max(lists, key=len, default=[])
    return tuple(word.strip() for word in best)


def plot_area(sentences: list[str]) -> dict[str, tuple[float, float]]:
    """Return pixels of the plot area, where a sentence tells them: "plot area x from 82 to 468, y from 52 to 444"."""
    for sentence in sentences:
        if re.search(r"\bplot(?:ting)? area\b|\bchart area\b", sentence, re.IGNORECASE):
            ranges = {m[1]: (float(m[2]), float(m[3])) for m in _PIXELS.finditer(sentence)}
            if len(ranges) == 2:
                return ranges
    return {}


def read_look(sentences: list[str]) -> tuple[FigureLook, set[int]]:
    """Return the look of the figure, and the indices of the sentences that describe it."""
    look, used = FigureLook(), set()
    for index, sentence in enumerate(sentences):
        before = repr(look)
        _read_background(look, sentence)
        _read_grid(look, sentence)
        if re.search(r"\bframe|\bborder|\bbox\b", sentence) and not re.search(
            r"\bno (?:\w+ )?(?:frame|border|box)", sentence
        ):
            _read_frame(look, sentence)
        if _VALUES.search(sentence):
            look.has_value_labels = True
        if re.search(
            r"\b(?:area|region)\b.{0,60}\b(?:fill|shad)|\b(?:fill|shad)\w*.{0,30}\b(?:area|under|below)\b", sentence
        ):
            look.is_filled = True
            look.fill = look.fill or _find_fill_colour(sentence)
        if repr(look) != before:
            used.add(index)
    return look, used


def outline_of(sentence: str) -> str | None:
    """Return the colour of outlines in a sentence; None if the sentence mentions no outline."""
    match = _OUTLINE.search(sentence)
    if match is None or re.search(r"\bno\b|\bwithout\b", sentence[max(0, match.start() - 12) : match.end()]):
        return None
    if match[1] and match[1].startswith("#"):
        return match[1]
    low = match[0].lower()
    return "#ffffff" if "light" in low or "gap" in low else "#333333" if "dark" in low else "#222222"


def _find_axis_names(match: re.Match[str]) -> str:
    if match[4] or match[5] or match[2]:
        return "xy"
    names = {"horizontal": "x", "vertical": "y"}
    word = (match[1] or match[3] or match[6]).lower()
    return names.get(word, word)


def _add_axis_properties(axis: DescribedAxis, words: str, name: str, is_both: bool) -> None:
    """Add the properties that the words name to an axis."""
    texts = find_quoted(words)
    titled = [text for text in texts if not re.fullmatch(r"-?[\d.]+°?", text)]
    # More than two quoted texts are categories; one or two are titles.
    if len(titled) > 2 and not axis.words:
        axis.words, titled = tuple(titled), []
    if titled and not axis.name:
        axis.name = titled[0 if not is_both or name == "x" or len(titled) < 2 else 1]
    elif not axis.name and re.search(r"\b(?:labeled|named|titled|names|labels)\s+(?:x and y|\"?x\"?)(?=\W|$)", words):
        axis.name = name
    plain = re.sub(r'"[^"]*"', " ", remove_colours(words))
    _take_range(axis, plain)
    _take_ticks(axis, plain)
    axis.words = axis.words or find_years([plain]) or find_word_list(plain)
    axis.has_arrow = axis.has_arrow or bool(re.search(r"\barrow", plain))
    if re.search(r"\bno\b[^,;]{0,20}\b(?:axis )?line", plain):
        axis.is_drawn = False
    elif re.search(r"\bline\b|\barrow|#", words):
        axis.is_drawn = True
    shade = _COLOURED.search(words)
    if shade and axis.colour is None:
        axis.colour = shade[1] or shade[2]


def _take_range(axis: DescribedAxis, words: str) -> None:
    # "2012 to 2018" names categories, not a range of values.
    match = _RANGE.search(_YEARS.sub(" ", words))
    if match and axis.low is None and float(match[1]) != float(match[2]):
        axis.low, axis.high = sorted((float(match[1]), float(match[2])))
    step = _STEP.search(words)
    if step and float(step[1]) > 0:
        axis.step = float(step[1])
    elif word := _STEP_WORD.search(words):
        axis.step = _STEPS[word[1]]
    elif re.search(r"\binteger\b|\bwhole number", words):
        axis.step = 1.0


def _take_ticks(axis: DescribedAxis, words: str) -> None:
    # The two ends of the range are no list of ticks.
    lists = [find_numbers(match[0]) for match in _LIST.finditer(_RANGE.sub(" ", words, count=1))]
    rising = [numbers for numbers in lists if len(numbers) >= 2 and all(a < b for a, b in itertools.pairwise(numbers))]
    if rising and not axis.ticks and (_TICKS.search(words) or len(rising[0]) > 2):
        most = max(len(numbers) for numbers in rising)
        axis.ticks = tuple(next(numbers for numbers in rising if len(numbers) == most))


def _read_background(look: FigureLook, sentence: str) -> None:
    look.panel = look.panel or next((match[1] for pattern in _PANEL if (match := pattern.search(sentence))), None)
    grounds = (match[1] for pattern in _BACKGROUND if (match := pattern.search(sentence)))
    look.background = look.background or next(grounds, None)


def _read_grid(look: FigureLook, sentence: str) -> None:
    match = _GRID.search(sentence)
    if match is None or _NO.search(sentence[: match.start()]):
        return
    clause = _find_grid_clause(sentence, match.start(), match.end())
    lying = bool(re.search(r"\bhorizontal", clause, re.IGNORECASE))
    standing = bool(re.search(r"\bvertical", clause, re.IGNORECASE))
    shades = find_colours(clause)
    dash = "dotted" if "dotted" in clause else "dashed" if "dash" in clause else ""
    for axis, is_meant in (("y", lying or not standing), ("x", standing or not lying)):
        if is_meant:
            look.grid.setdefault(axis, (shades[0] if shades else "", dash))


def _find_grid_clause(sentence: str, start: int, end: int) -> str:
    """Return the words about the grid: from the comma or "and" before it to the next comma."""
    before = re.split(r"[,;:]|\bwith\b|\band\b(?! vertical| horizontal)|\bon\b", sentence[:start])[-1]
    after = re.split(r"[,;]|\band\b(?! vertical| horizontal)|\bto\b", sentence[end:])[0]
    return before + sentence[start:end] + after


def _read_frame(look: FigureLook, sentence: str) -> None:
    match = _FRAME.search(sentence)
    if match and not re.search(r"\b(?:bars?|slices?|wedges?)\b", match[0]):
        look.has_frame = True
        look.frame_colour = look.frame_colour or match[1]


def _find_fill_colour(sentence: str) -> str | None:
    """Return the colour of a filled area: the first colour after the word "fill", else the last colour."""
    place = re.search(r"\b(?:fill|shad)", sentence)
    after = find_colours(sentence[place.start() :]) if place else []
    shades = find_colours(sentence)
    return after[0] if after else shades[-1] if shades else None
