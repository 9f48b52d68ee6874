"""Pies told by names, colours and shares."""

import itertools
import math
import re

from ircore.core import exact
from ircore.players.builtin.canvas.figures.figure import Look, Wedge
from ircore.players.builtin.canvas.figures.frame import FONT, PALETTE, ink_on
from ircore.players.builtin.canvas.figures.looks import outline_of
from ircore.players.builtin.canvas.figures.prose import colours, quoted
from ircore.players.builtin.canvas.geometry import towards
from ircore.players.builtin.canvas.quantities import first_colour
from ircore.players.builtin.canvas.shapes import Item, Label, Pie, Slice

_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)%")
_NOT_SHARES = re.compile(
    r"\(\s*\d[\d.]*%?\s*,\s*\d[\d.]*%\s*\)|\d[\d.]*%?\s*(?:to\s*\d[\d.]*%\s*)?(?:of|in)\s+(?:the\s+|its\s+)?"
    r"(?:image|picture|width|height|outer|canvas|diameter|radius|frame)\b[^,;]{0,20}"
    r"|\b(?:diameter|radius|width|hole|spans?|size|spanning)\b[^,;%]{0,30}?\d[\d.]*%(?:\s+of\s+(?:the\s+)?\w+(?:\s+\w+)?)?"
    r"|\d[\d.]*%\s*(?:wide|from the|across)"
)
_SIZE = re.compile(
    r"\b(?:diameter|spans?|takes? up|width|size)\b[^,;%]{0,24}?(\d[\d.]*)%"
    r"|(\d[\d.]*)%\s*(?:of\s+(?:the\s+)?(?:image|picture|canvas|width)"
    r"(?:'s)?(?:\s+(?:width|size|wide|in diameter))?|wide|across)"
)
_CENTRE = re.compile(
    r"\bcent(?:er|re)d?\s+(?:is\s+)?(?:at|around|near)\s+\(\s*(\d[\d.]*)%?\s*,\s*(\d[\d.]*)%\s*\)", re.IGNORECASE
)
_HOLE = re.compile(r"\bhole\b[^.;%]{0,40}?(\d[\d.]*)%|(\d[\d.]*)%[^.;,]{0,12}\bhole\b", re.IGNORECASE)
_COLOUR_BEHIND = re.compile(r"\s*[(,:-]*\s*#[0-9a-f]{6}[^,;.]{0,24}")
_PULLED = re.compile(r"\b(?:pulled|exploded|detached|offset|separated|slid)\b", re.IGNORECASE)
_STOP = re.compile(
    r"(?:the|an?|pie|chart|start\w*|beginning|clockwise|slices?|wedges?|donut|background|labels?|color|share|percentages"
    r"|three|four|five|six|figure|create|image|from|at|all|and|then|large|small|segment)$",
    re.IGNORECASE,
)
"""Words with a capital, at the head of a sentence, that name no wedge."""

_NAMED = (
    re.compile(r"\blabeled\s+\"?([A-Za-z0-9][\w-]*)"),
    re.compile(r"\bfor\s+([A-Z][\w-]*(?: [A-Z]\w*)?)"),
    re.compile(r"\b(?:[Ww]edge|[Ss]lice|[Ss]egment|[Ss]ector)\s+\"?([A-Z0-9][\w-]*)\b"),
    re.compile(r"\b(?:label|name|category)[:\s]+\"?([A-Z0-9][\w-]*(?: \w+)?)"),
    re.compile(r"(?:^|[,:;(-]|\band\b)\s*\"?([A-Z0-9][\w-]*(?: [A-Za-z][\w]*)?)\"?\s*(?=:|,|\(|-|=|\bis\b|\d|#|\))"),
)
_FIRST_MIDDLE = re.compile(r"\b(?:first|starting) (?:wedge|slice)\b[^.;]{0,20}\bis centered at the top", re.IGNORECASE)


def read_wedges(sentences: list[str]) -> tuple[list[Wedge], set[int]]:
    """Return the shares of a pie in order, and which sentences told them."""
    wedges, used = list[Wedge](), set[int]()
    for index, sentence in enumerate(sentences):
        # Blanks of the same length keep all places in the sentence valid.
        plain = _NOT_SHARES.sub(lambda match: " " * len(match[0]), sentence)
        percents = list(_PERCENT.finditer(plain))
        # Percentages of examples are no shares.
        if not percents or re.search(r"\be\.g|\bsuch as\b|\blike\b", sentence):
            continue
        sentence_wedges = [
            _wedge(chunk, float(percent[1])) for chunk, percent in zip(_chunks(plain, percents), percents, strict=True)
        ]
        if len(percents) == 1 and not sentence_wedges[0].name and not sentence_wedges[0].colour:
            continue
        wedges += sentence_wedges
        used.add(index)
    return wedges, used


def _chunks(sentence: str, percents: list[re.Match[str]]) -> list[str]:
    """Split a sentence into parts, one for each percentage with the name and colour of the wedge."""
    if len(percents) == 1:
        return [sentence]
    behind = [_COLOUR_BEHIND.match(sentence[percent.end() :]) for percent in percents]
    if all(behind) and not colours(sentence[: percents[0].start()]):
        ends = [percent.end() + match.end() for percent, match in zip(percents, behind, strict=True) if match]
        return [sentence[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    leads = bool(colours(sentence[: percents[0].start()]) or re.search(r"[A-Z]", sentence[: percents[0].start()]))
    if leads:
        starts = [0, *(percent.end() for percent in percents[:-1])]
        ends = [percent.end() for percent in percents[:-1]]
        tails = [re.match(r"[^,;.]{0,60}", sentence[end:]) for end in ends]
        reach = [
            end + len(tail[0]) if tail and _PULLED.search(tail[0]) else end
            for end, tail in zip(ends, tails, strict=True)
        ]
        return [sentence[start:end] for start, end in zip(starts, [*reach, len(sentence)], strict=True)]
    starts = [percent.start() for percent in percents]
    return [sentence[start:end] for start, end in itertools.pairwise([*starts, len(sentence)])]


def _wedge(chunk: str, share: float) -> Wedge:
    return Wedge(share, first_colour(chunk), _name(chunk), 14.0 if _PULLED.search(chunk) else 0.0)


def _name(chunk: str) -> str:
    for text in quoted(chunk):
        if name := re.sub(r"\s*\(?\d[\d.]*%\)?\s*$", "", text):
            return name
    for pattern in _NAMED:
        for match in pattern.finditer(chunk):
            name = match[1].strip()
            is_article = name == "A" and match.end() < len(chunk) and chunk[match.end() :].lstrip().startswith("#")
            if (
                (len(name) == 1 or not _STOP.match(name.split()[0]))
                and not is_article
                and not re.fullmatch(r"\d[\d.]*", name)
            ):
                return re.split(r"\s+(?:is|at|with|in|takes|on)\b", name)[0]
    return ""


def pie_items(wedges: list[Wedge], sentences: list[str], look: Look, size: tuple[int, int]) -> list[Item]:
    """Return the pie and its labels."""
    text = " ".join(sentences)
    side = min(size)
    size_match = _SIZE.search(_CENTRE.sub(" ", re.sub(r"\bhole\b[^.;,]{0,60}", " ", text)))
    share = float(size_match[1] or size_match[2]) / 100 if size_match else 0.68
    radius = side * min(0.98, max(0.1, share)) / 2
    centre_told = _CENTRE.search(text)
    x, y = (float(centre_told[1]), float(centre_told[2])) if centre_told else (50.0, 50.0)
    centre = (size[0] * x / 100, size[1] * y / 100)
    outline = next(filter(None, map(outline_of, sentences)), None)
    slices = tuple(
        Slice(wedge.colour or PALETTE[index % len(PALETTE)], wedge.share, wedge.pulled)
        for index, wedge in enumerate(wedges)
    )
    pie = Pie(centre, radius, _start(text, wedges), slices, _hole(text, radius), outline, 2.0, "counter" not in text)
    return [pie, *_labels(pie, wedges, text, ink_on(look.background or "#ffffff"))]


def _hole(text: str, radius: float) -> float:
    if not re.search(r"\bdonut\b|\bdoughnut\b|\bring\b|\bhole\b", text, re.IGNORECASE):
        return 0.0
    hole_match = _HOLE.search(text)
    return radius * (min(95.0, float(hole_match[1] or hole_match[2])) / 100 if hole_match else 0.55)


def _start(text: str, wedges: list[Wedge]) -> float:
    """Return where the first wedge begins, in degrees clockwise from 12 o'clock."""
    clock = re.search(r"\b(\d{1,2}) ?o.?clock", text)
    if clock:
        return int(clock[1]) % 12 * 30.0
    if _FIRST_MIDDLE.search(text):
        # Half of its 3.6 degrees for each percent.
        return -1.8 * wedges[0].share
    return 90.0 if re.search(r"\b(?:starting|beginning|from)\b[^.;]{0,16}\bright\b", text, re.IGNORECASE) else 0.0


def _labels(pie: Pie, wedges: list[Wedge], text: str, ink: str) -> list[Item]:
    """Return names and percentages, inside or beside the wedges, as far as the text wants them."""
    items = list[Item]()
    low = text.lower()
    percents = bool(re.search(r"percent|%\)?\"", low)) and "no percent" not in low
    together = bool(re.search(r"\"[^\"%]{1,24} \d[\d.]*%\"|names? and percent", low))
    inside = bool(re.search(r"\b(?:names?|letters?|labels?)\b[^.;]{0,40}\binside\b", low))
    for index, (wedge, (start, end)) in enumerate(zip(wedges, pie.angles(), strict=True)):
        middle = math.radians((start + end) / 2)
        share = f"{wedge.share:g}%"
        at_rim = towards(pie.centre, middle, pie.radius * 1.06 + 8 + pie.slices[index].pulled)
        within = towards(pie.centre, middle, (pie.hole + pie.radius) / 2 if pie.hole else pie.radius * 0.66)
        readable = ink_on(pie.slices[index].colour)
        if together and percents:
            items.append(Label(f"{wedge.name} {share}".strip(), at_rim, FONT, ink, anchor_of(middle)))
            continue
        if wedge.name:
            items.append(Label(wedge.name, within if inside else at_rim, FONT, readable if inside else ink,
                               "mm" if inside else anchor_of(middle)))  # fmt: skip
        if percents and not inside:
            items.append(Label(share, within, FONT, readable))
    return items


def anchor_of(angle: float) -> str:
    """Return the side or corner of a label that is nearest to its pie."""
    across, down = exact.cos(angle), exact.sin(angle)
    return ("m" if abs(across) < 0.25 else "l" if across > 0 else "r") + (
        "m" if abs(down) < 0.35 else "t" if down > 0 else "b"
    )
