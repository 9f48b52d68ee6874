"""Messages as sentences: capitals kept, colours as ``#rrggbb``, hedges and Markdown removed, numbers normalised."""

import re

from ircore.players.builtin.canvas.figures.objects import without_objects, without_tables
from ircore.players.builtin.canvas.text import MAX_MESSAGE
from ircore.seeing.colours import hex_colours

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


def sentences(message: str) -> list[str]:
    """Return the sentences and list items of a message, at most 400."""
    text = without_tables(without_objects(message[:MAX_MESSAGE].replace("\r", "\n").replace("\t", " ")))
    text = _BULLET.sub("", text)
    for pattern, plain in _PLAIN:
        text = pattern.sub(plain, text)
    text = coloured(_HEDGES.sub("", text))
    pieces = [piece.strip(" .,") for piece in _split(text) if any(character.isalnum() for character in piece)]
    return pieces[:MAX_SENTENCES]


def _split(text: str) -> list[str]:
    pieces, start = [], 0
    for end in _END.finditer(text):
        if _NOT_AN_END.search(text[start : end.start()]) or _in_brackets(text, start, end.start()):
            continue
        pieces.append(text[start : end.start()])
        start = end.end()
    return [*pieces, text[start:]]


def _in_brackets(text: str, start: int, end: int) -> bool:
    opened = text.rfind("(", start, end)
    return opened > text.rfind(")", start, end) and text.find(")", end, end + 40) >= 0


def coloured(text: str) -> str:
    """Write every colour in ``text`` as ``#rrggbb``; everything else, quotes included, is unchanged.

    Colours are matched in lower case; all other text keeps its capitals.
    """
    # Capitalised names such as Peru, which are CSS colours too, are marked, so that they are not read as colours.
    pieces = re.split(r'("[^"\n]{1,80}")', _THINGS.sub(lambda match: match[0][0] + _MARK + match[0][1:], text))
    whole = "".join(piece if piece.startswith('"') else _coloured(piece) for piece in pieces)
    return _NAMED_TWICE.sub(r"\1", whole).replace(_MARK, "")


def _coloured(text: str) -> str:
    """Replace colours in a copy in lower case, then restore the original text between them."""
    changed = hex_colours(text.lower())
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


def numbers(text: str) -> list[float]:
    """Return all numbers in ``text`` that belong to no colour."""
    return [float(match[0]) for match in _N.finditer(_HEX.sub(" # ", text))]


def runs(text: str) -> list[tuple[int, int, list[float]]]:
    """Return all lists of three numbers or more, with where they begin and end."""
    masked = _HEX.sub("#......", text)
    return [(match.start(), match.end(), numbers(match[0])) for match in _RUN.finditer(masked)]


def colours(text: str) -> list[str]:
    """Return all colours in order."""
    return _HEX.findall(text)


def without_colours(text: str) -> str:
    """Return ``text`` with a space in the place of each colour."""
    return _HEX.sub(" ", text)


def quoted(text: str) -> list[str]:
    """Return the texts in double quotes."""
    return [words.strip() for words in _QUOTED.findall(text)]


def decimals(values: list[float]) -> int:
    """Return how many decimals the longest of some numbers has, at most four."""
    return max((len(f"{value:.4f}".rstrip("0").partition(".")[2]) for value in values), default=0)


def written(value: float, places: int = 0) -> str:
    """Return a number as labels show it: with a fixed number of decimals, and no minus sign before zero."""
    text = f"{value:.{places}f}" if places else f"{value:g}"
    return "0" if float(text) == 0 else text
