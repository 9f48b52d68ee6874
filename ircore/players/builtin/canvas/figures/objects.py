"""JSON and Markdown tables in messages rewritten as sentences that the readers of figures understand."""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

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


def without_objects(text: str) -> str:
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
    sentences = "\n".join(_told(value, "", 0))
    return f"{plain[: start.start()]}\n{sentences}\n{plain[start.start() + length :]}"


def _told(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield sentences for a JSON value: an object's plain values in one sentence, nested values in further ones."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value[:200]:
            yield from _told(item, name, depth + 1)
        return
    if not isinstance(value, dict):
        yield f"{name} {value}"
        return
    simple = {str(key): item for key, item in value.items() if not _is_nested(item)}
    if simple:
        yield _sentence(simple, name)
    for key, item in value.items():
        if _is_nested(item):
            yield from _told(item, _named(str(key)), depth + 1)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict | list) for item in value))


def _named(key: str) -> str:
    key = _spaced(key)
    if key in {"x", "y"}:
        return f"{key} axis"
    if key in {"shapes", "elements", "objects", "items", "data"}:
        return ""
    return key[:-1] if key in _PART_WORDS else key


def _sentence(simple: dict[str, Any], name: str) -> str:
    """Return the plain values of an object: a shape as a noun phrase, other objects as "key: value"."""
    keys = {key.lower().replace("-", "_"): value for key, value in simple.items()}
    kind = next((str(keys[key]) for key in ("type", "shape", "kind") if isinstance(keys.get(key), str)), "")
    if kind and _point(keys) and not name.endswith("axis"):
        return _shape(kind, keys)
    if valued := _valued(keys):
        return valued
    if len(simple) > 1 and all(_is_number(value) for value in simple.values()) and not simple.keys() & _PLACES:
        return ", ".join(f"{key}: {value}" for key, value in simple.items())
    words = [name, *(_pair(_spaced(key), value) for key, value in simple.items())]
    return ", ".join(filter(None, words))


def _valued(keys: dict[str, Any]) -> str:
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


def _spaced(key: str) -> str:
    """Write a key in words: "yAxis", "y_axis" and "y-axis" are "y axis"."""
    return _CAMEL.sub(r"\1 \2", key).replace("_", " ").replace("-", " ").lower()


def _shape(kind: str, keys: dict[str, Any]) -> str:
    colour = next((str(keys[key]) for key in ("color", "colour", "fill", "fill_color") if keys.get(key)), "")
    at = _point(keys)
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


def _point(keys: dict[str, Any]) -> str:
    named = (keys.get(key) for key in ("center", "centre", "position", "at"))
    position = next((place for place in named if isinstance(place, list)), None)
    pair = position if position is not None else [keys.get("x", keys.get("cx")), keys.get("y", keys.get("cy"))]
    return f"({pair[0]}, {pair[1]})" if len(pair) == 2 and all(_is_number(coordinate) for coordinate in pair) else ""


def _is_number(value: Any) -> bool:
    # In Python, True and False are integers.
    return isinstance(value, int | float) and not isinstance(value, bool)


def _pair(key: str, value: Any) -> str:
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


def without_tables(text: str) -> str:
    """Return ``text`` with each table as lines: ``Mon: 12`` a row, or ``Cars: 12, 30`` where columns are the words."""
    lines: list[str] = []
    for is_table, group in groupby(text.split("\n"), key=lambda line: line.count("|") >= 2):
        rows = list(group)
        lines += _row_sentences([_cells(row) for row in rows if not _RULE.match(row)]) if is_table else rows
    return "\n".join(lines)


def _cells(row: str) -> list[str]:
    return [cell.strip(" *`") for cell in row.strip().strip("|").split("|")]


def _row_sentences(rows: list[list[str]]) -> list[str]:
    if len(rows) < 2:
        return [" ".join(row) for row in rows]
    head, *body = rows
    if len(head) > 2 and all(_VALUE.fullmatch(cell) for row in body for cell in row[1:]):
        words = f"categories: {', '.join(head[1:])}"
        return [words, *(f"{row[0]} values: {', '.join(row[1:])}" for row in body)]
    return [f"{row[0]}: {', '.join(row[1:])}" for row in body]
