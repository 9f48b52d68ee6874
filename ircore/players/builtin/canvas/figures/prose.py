"""Messages as sentences: capitals kept, colours as ``#rrggbb``, hedges and Markdown removed, numbers normalised.

JSON and Markdown tables are rewritten as sentences that the readers of figures understand.
"""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ircore.players.builtin.canvas.text import MAX_MESSAGE
from ircore.seeing.colours import replace_colour_words

MAX_DEPTH = 8
_CAMEL = re.compile(r"([a-z])([A-Z])")
_PLACES = {"x", "y", "min", "max", "width", "height", "cx", "cy", "left", "top", "right", "bottom"}
_START = re.compile(r"[{\[]")
_FENCE = re.compile(r"```\w*")
_PART_WORDS = {"bars", "lines", "slices", "wedges", "segments", "curves", "points", "labels", "functions"}
_SIZES = {"radius": "radius {}px", "diameter": "diameter {}px", "width": "{}px wide", "height": "{}px high",
    "size": "size {}px", "side": "side {}px", "side_length": "side {}px"}  # fmt: skip
_RULE = re.compile(r"^[\s|:+-]+$")
_VALUE = re.compile(r"-?[\d.,]+\s*%?")
NUMBER = r"(?<![\w.])-?\d{1,9}(?:\.\d{1,6})?(?!(?!px\b)\w|\.\d)"
"""A number that is no part of a word; ``%`` or ``px`` may follow."""

MAX_SENTENCES = 400

_N = re.compile(NUMBER)
_RUN = re.compile(rf"{NUMBER}(?:\s*(?:,\s*(?:and\s+)?|\band\s+|;\s*){NUMBER}){{2,60}}(?!\s*(?:%|px|deg))")
HEX = r"#[0-9a-f]{6}"
_HEX = re.compile(HEX)
_NAMED_TWICE = re.compile(r"#[0-9a-f]{6},\s*(#[0-9a-f]{6}(?=\)))")
# A blank without width: it breaks a word and is not written.
_MARK = "\u200b"
_THINGS = re.compile(
    r"\b(?:Peru|Chocolate|Snow|Plums?|Tomato(?:es)?|Salmon|Linen|Wheat|Olives?|Limes?|Oranges?|Coral|Orchids?|Sand|Sage"
    r"|Corn|Lemons?|Peach(?:es)?|Copper|Bronze|Gold|Silver|Wine|Straw|Brick|Rose)\b(?=\s*(?:[(:=,]|-|at\b|is\b|has\b|\d))"
)
_QUOTED = re.compile(r'"([^"\n]{1,80})"')
_HEDGES = re.compile(
    r"\b(?:approximately|approx\.?|about|roughly|around(?=\s+[(\d-])|circa|nearly|maybe|perhaps|possibly|exactly"
    r"|(?:what )?(?:appears?|seems?|looks) (?:like|to be|to have|to show|to go)|(?:appears?|seems?|looks) (?=#|\w+ed\b)"
    r"|slightly|almost|just)\b\s*|[≈~]\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*•–▪◦]|\d{1,2}[.)]|#{1,6})[ \t]+")
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"[“”„]", '"'),
        (r"[’‘]", "'"),
        (r"\*\*|__|`", ""),
        # Dashes between numbers before dashes that stand for a minus sign, before all others.
        (r"(?<=\d)\s?[–—]\s?(?=\d)", " to "),
        (r"−", "-"),
        (r"(?<![\w)])[–—](?=\d)", "-"),
        (r"[–—]", " - "),
        (r"(?<=\d)\s*(?:per cent|percent)\b", "%"),
        (r"(?<=\d)\s+%", "%"),
        (r"(?<=\d)\s*(?:pixels?|px)\b", "px"),
        (r"(?<![\d(\[,])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2"),
        (r"(?i)\blabelled\b", "labeled"),
        (r"(?i)\bgr[ae]y\b", "gray"),
        (r"(?i)\bcolour", "color"),
        (r"(?<=[A-Za-z])-(?=[A-Za-z])", " "),
        (r"[ \t]+", " "),
    )
)
_END = re.compile(r"\n+|(?<=[.!?])\s+(?=[\"A-Z(#\d]|[xy][ -]ax)|;\s*")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|approx|no)\.)$", re.IGNORECASE)


def replace_objects(text: str) -> str:
    """Return ``text`` with each JSON object, or list of objects, as sentences; other text is unchanged."""
    plain = _FENCE.sub("", text)
    start = _START.search(plain)
    if start is None or '"' not in plain:
        return text
    try:
        value, length = json.JSONDecoder().raw_decode(plain[start.start() :])
    # Objects nested thousands deep exhaust the stack of the decoder.
    except (json.JSONDecodeError, RecursionError):
        return text
    if not isinstance(value, dict) and not (isinstance(value, list) and value and isinstance(value[0], dict)):
        return text
    sentences = "\n".join(_describe_json(value, "", 0))
    return f"{plain[: start.start()]}\n{sentences}\n{plain[start.start() + length :]}"


def replace_tables(text: str) -> str:
    """Return ``text`` with each table as lines: ``Mon: 12`` a row, or ``Cars: 12, 30`` where columns are the words."""
    lines: list[str] = []
    for is_table, group in groupby(text.split("\n"), key=lambda line: line.count("|") >= 2):
        rows = list(group)
        lines += _format_rows([_split_cells(row) for row in rows if not _RULE.match(row)]) if is_table else rows
    return "\n".join(lines)


def split_sentences(message: str) -> list[str]:
    """Return the sentences and list items of a message, at most 400."""
    text = replace_tables(replace_objects(message[:MAX_MESSAGE].replace("\r", "\n").replace("\t", " ")))
    text = _BULLET.sub("", text)
    for pattern, plain in _PLAIN:
        text = pattern.sub(plain, text)
    text = write_colours_as_hex(_HEDGES.sub("", text))
    pieces = [piece.strip(" .,") for piece in _split_sentences(text) if any(character.isalnum() for character in piece)]
    return pieces[:MAX_SENTENCES]


def write_colours_as_hex(text: str) -> str:
    """Write every colour in ``text`` as ``#rrggbb``; everything else, quotes included, is unchanged.

    Colours are matched in lower case; all other text keeps its capitals.
    """
    # Capitalised names such as Peru, which are CSS colours too, are marked, so that they are not read as colours.
    pieces = re.split(r'("[^"\n]{1,80}")', _THINGS.sub(lambda match: match[0][0] + _MARK + match[0][1:], text))
    whole = "".join(piece if piece.startswith('"') else _replace_colours(piece) for piece in pieces)
    return _NAMED_TWICE.sub(r"\1", whole).replace(_MARK, "")


def find_numbers(text: str) -> list[float]:
    """Return all numbers in ``text`` that belong to no colour."""
    return [float(match[0]) for match in _N.finditer(_HEX.sub(" # ", text))]


def find_number_lists(text: str) -> list[tuple[int, int, list[float]]]:
    """Return all lists of three numbers or more, with where they begin and end."""
    masked = _HEX.sub("#......", text)
    return [(match.start(), match.end(), find_numbers(match[0])) for match in _RUN.finditer(masked)]


def find_colours(text: str) -> list[str]:
    """Return all colours in order."""
    return _HEX.findall(text)


def remove_colours(text: str) -> str:
    """Return ``text`` with a space in the place of each colour."""
    return _HEX.sub(" ", text)


def find_quoted(text: str) -> list[str]:
    """Return the texts in double quotes."""
    return [words.strip() for words in _QUOTED.findall(text)]


def count_decimals(values: list[float]) -> int:
    """Return how many decimals the longest of some numbers has, at most four."""
    return max((len(f"{value:.4f}".rstrip("0").partition(".")[2]) for value in values), default=0)


def format_number(value: float, places: int = 0) -> str:
    """Return a number as labels show it: with a fixed number of decimals, and no minus sign before zero."""
    text = f"{value:.{places}f}" if places else f"{value:g}"
    return "0" if float(text) == 0 else text


def _describe_json(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield sentences for a JSON value: an object's plain values in one sentence, nested values in further ones."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value[:200]:
            yield from _describe_json(item, name, depth + 1)
        return
    if not isinstance(value, dict):
        yield f"{name} {value}"
        return
    simple = {str(key): item for key, item in value.items() if not _is_nested(item)}
    if simple:
        yield _format_sentence(simple, name)
    for key, item in value.items():
        if _is_nested(item):
            yield from _describe_json(item, _format_key_name(str(key)), depth + 1)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict | list) for item in value))


def _format_key_name(key: str) -> str:
    key = _split_key(key)
    if key in {"x", "y"}:
        return f"{key} axis"
    if key in {"shapes", "elements", "objects", "items", "data"}:
        return ""
    return key[:-1] if key in _PART_WORDS else key


def _format_sentence(simple: dict[str, Any], name: str) -> str:
    """Return the plain values of an object: a shape as a noun phrase, other objects as "key: value"."""
    keys = {key.lower().replace("-", "_"): value for key, value in simple.items()}
    kind = next((str(keys[key]) for key in ("type", "shape", "kind") if isinstance(keys.get(key), str)), "")
    if kind and _format_point(keys) and not name.endswith("axis"):
        return _format_shape(kind, keys)
    if valued := _format_valued(keys):
        return valued
    if len(simple) > 1 and all(_is_number(value) for value in simple.values()) and not simple.keys() & _PLACES:
        return ", ".join(f"{key}: {value}" for key, value in simple.items())
    words = [name, *(_format_pair(_split_key(key), value) for key, value in simple.items())]
    return ", ".join(filter(None, words))


def _format_valued(keys: dict[str, Any]) -> str:
    """Return a bar or wedge as name, value and colour: "Dog: 12, red"."""
    name = next((keys[key] for key in ("label", "name", "category", "x") if isinstance(keys.get(key), str)), "")
    share = keys.get("percentage", keys.get("percent", keys.get("share")))
    # With a number for x, "y" is a coordinate and "height" a size, not a value.
    height = None if _is_number(keys.get("x")) else keys.get("height", keys.get("y"))
    value = share if _is_number(share) else keys.get("value", height)
    if not name or not _is_number(value):
        return ""
    colour = next((str(keys[key]) for key in ("color", "colour", "fill") if keys.get(key)), "")
    return f"{name}: {value}{'%' if _is_number(share) else ''}{', ' + colour if colour else ''}"


def _split_key(key: str) -> str:
    """Write a key in words: "yAxis", "y_axis" and "y-axis" are "y axis"."""
    return _CAMEL.sub(r"\1 \2", key).replace("_", " ").replace("-", " ").lower()


def _format_shape(kind: str, keys: dict[str, Any]) -> str:
    colour = next((str(keys[key]) for key in ("color", "colour", "fill", "fill_color") if keys.get(key)), "")
    at = _format_point(keys)
    words = [f"A {colour} {kind}", f"centred at {at}"]
    words += [_SIZES[key].format(value) for key, value in keys.items() if key in _SIZES and _is_number(value)]
    edges = ("outline", "stroke", "border", "outline_color", "border_color")
    edge = next((keys[key] for key in edges if key in keys), None)
    if isinstance(edge, str) and edge.lower() not in {"none", "no"}:
        words.append(f"with a {edge} outline")
    if keys.get("rotation"):
        words.append(f"rotated {keys['rotation']} degrees")
    remarks = ("orientation", "description", "note", "position")
    words += [keys[key] for key in remarks if isinstance(keys.get(key), str)]
    return f"{words[0]} {words[1]}, {', '.join(words[2:])}".rstrip(", ") + "."


def _format_point(keys: dict[str, Any]) -> str:
    named = (keys.get(key) for key in ("center", "centre", "position", "at"))
    position = next((place for place in named if isinstance(place, list)), None)
    pair = position if position is not None else [keys.get("x", keys.get("cx")), keys.get("y", keys.get("cy"))]
    return f"({pair[0]}, {pair[1]})" if len(pair) == 2 and all(_is_number(coordinate) for coordinate in pair) else ""


def _is_number(value: Any) -> bool:
    # In Python, True and False are integers.
    return isinstance(value, int | float) and not isinstance(value, bool)


def _format_pair(key: str, value: Any) -> str:
    """Return a plain value under its key in words."""
    if value is False or value is None:
        return f"no {key}"
    if value is True:
        return f"with {key}"
    if isinstance(value, list):
        if key == "range" and len(value) == 2:
            return f"from {value[0]} to {value[1]}"
        return f"{key}: {', '.join(map(str, value))}"
    if key in {"label", "title", "name"}:
        return f'{key} "{value}"'
    if key in {"min", "max"} and _is_number(value):
        return f"from {value}" if key == "min" else f"to {value}"
    if key in {"tick interval", "step", "interval", "tick step"}:
        return f"every {value}"
    if key in {"type", "chart type", "plot"}:
        return f"{value} chart" if str(value).lower() in {"bar", "line", "pie", "donut"} else str(value)
    return f"{value} {key}" if "color" in key or "background" in key else f"{key}: {value}"


def _split_cells(row: str) -> list[str]:
    return [cell.strip(" *`") for cell in row.strip().strip("|").split("|")]


def _format_rows(rows: list[list[str]]) -> list[str]:
    if len(rows) < 2:
        return [" ".join(row) for row in rows]
    head, *body = rows
    if len(head) > 2 and all(_VALUE.fullmatch(cell) for row in body for cell in row[1:]):
        words = f"categories: {', '.join(head[1:])}"
        return [words, *(f"{row[0]} values: {', '.join(row[1:])}" for row in body)]
    return [f"{row[0]}: {', '.join(row[1:])}" for row in body]


def _split_sentences(text: str) -> list[str]:
    pieces, start = [], 0
    for end in _END.finditer(text):
        if _NOT_AN_END.search(text[start : end.start()]) or _is_in_brackets(text, start, end.start()):
            continue
        pieces.append(text[start : end.start()])
        start = end.end()
    return [*pieces, text[start:]]


def _is_in_brackets(text: str, start: int, end: int) -> bool:
    opened = text.rfind("(", start, end)
    return opened > text.rfind(")", start, end) and text.find(")", end, end + 40) >= 0


def _replace_colours(text: str) -> str:
    """Replace colours in a copy in lower case, then restore the original text between them."""
    changed = replace_colour_words(text.lower())
    parts, at = _HEX.split(changed), 0
    shades = _HEX.findall(changed)
    originals: list[str] = []
    for index, part in enumerate(parts):
        place = text.lower().find(part, at) if part else at
        if place < 0:
            return changed
        if index == len(parts) - 1 and not part:
            place = len(text)
        originals.append(text[place : place + len(part)])
        at = place + len(part)
        if index < len(shades):
            originals.append(shades[index])
    return "".join(originals)
