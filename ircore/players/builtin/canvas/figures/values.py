"""The values of bars and lines: lists of numbers, a number for each category, or a formula.

Formulas such as ``y = -2·ln(x + 2) + 7`` are read as functions of x; nothing is ever evaluated as code. Grammar, by
recursive descent: sums of products of powers of signed numbers, ``x``, ``pi``, ``e``, brackets, bars for absolute
values, and the functions below; a product sign may be left out (``2x``, ``3(x + 1)``, ``4cos x``).
"""

import math
import operator
import re
from collections.abc import Callable

from ircore.core import exact
from ircore.players.builtin.canvas.figures.figure import DescribedAxis, Series, find_word_list
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, find_colours, find_number_lists, find_numbers
from ircore.players.builtin.canvas.quantities import find_first_colour
from ircore.players.builtin.canvas.sheet import Kind

Function = Callable[[float], float]
# Formulas come from anyone: the reader recurses at every bracket, and Python limits the depth of its stack.
MAX_LENGTH = 200
MAX_DEPTH = 40

_FUNCTIONS: dict[str, Function] = {
    "sin": exact.sin, "cos": exact.cos, "tan": exact.tan, "sqrt": math.sqrt, "ln": exact.log, "log": exact.log10,
    "exp": exact.exp, "abs": abs, "arctan": lambda x: exact.atan2(x, 1.0), "cbrt": exact.cbrt,
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|(arctan|cbrt|sqrt|sin|cos|tan|abs|exp|log|ln|pi|π|[xe])|([-+*/^()|]))"
)
_DEFINED = re.compile(r"(?:\b[yfgh]\b\s*(?:\(\s*x\s*\))?)\s*=\s*([^,;\n\"]{1,120})")
_VERBS = r"\b(?:is|at|has|reaches|around|about|equals|stands|shows|was|with|of|to|the|a|value)\b\s*"
_PAIR = re.compile(
    rf"(?:^|[,:;(|•]|\band\b)\s*\"?([A-Z][\w.+&'-]*(?: (?!{_VERBS})[A-Za-z]\w*)?|\d[\w+-]*(?=\s*[:=]))\"?"
    rf"\s*(?:[=:(-]|{_VERBS})*\s*(?:{HEX}\s*(?:,|:|\))?\s*)?\(?({NUMBER})(?!\s*(?:%|px|deg|×|x\s))"
)
_VALUE_IN = re.compile(rf"({NUMBER})\s*(?:in|for|on|during)\s+([A-Z][a-z]{{2,12}}|(?:19|20)\d\d)\b")
_PLACE = re.compile(r"\b[xy]\s*(?:=|:)?\s*$")
_MARKERS = re.compile(
    r"\b(round|circular|circle|square|triang(?:le|ular)|diamond|cross)\w*\s+(?:data\s+)?(?:markers?|points?|dots?)\b"
    r"|\bmarkers?:?\s+(?:are\s+)?(?:\w+\s+)?(round|circle|square|triangle|diamond|cross)|\b(markers?|dots)\b",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\b(?:ticks?|grid ?lines?|range)\b[^:]*$|\b(?:categories|groups|(?<!value )(?<!data )labels)\b", re.IGNORECASE
)
"""Words before lists of numbers that are not values."""

_FURNITURE = re.compile(
    rf"{HEX}(?=[^,.;#]{{0,24}}\b(?:background|bg|grid|frame|outlines?|axis|panel|labels?|text)\b)|\bbackground\W+{HEX}"
)
_SIGNED = re.compile(rf"\bpositive\b[^#]{{0,40}}({HEX}).{{0,40}}?\bnegative\b[^#]{{0,40}}({HEX})", re.IGNORECASE)


class FormulaError(ValueError):
    """A text is no formula in x.

    >>> try:
    ...     parse("2 +")
    ... except FormulaError as error:
    ...     print(error)
    the end where a number should be
    """


def find_formula(text: str) -> tuple[str, Function] | None:
    """Return the text and the function of the first formula ``y = …`` or ``f(x) = …``; None if there is no formula."""
    for match in _DEFINED.finditer(text):
        words = match[1]
        while words:
            try:
                return words.strip(), parse(words)
            except FormulaError:
                # Prose may follow, so words are dropped from the end until the rest is a formula.
                words = words.rpartition(" ")[0]
    return None


def parse(text: str) -> Function:
    """Return the function of x that a formula defines; its value is nan where the formula is undefined.

    Raises:
        FormulaError: The text is no formula, or too long.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError("too long")
    plain = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda m: f"^({m[1].translate(_SUPERSCRIPTS)})", text)
    for old, new in (("−", "-"), ("·", "*"), ("×", "*"), ("∙", "*"), ("**", "^"), ("÷", "/"), ("√", "sqrt"), ("°", "")):
        plain = plain.replace(old, new)
    reader = _Reader(_split_into_tokens(plain.lower().rstrip(" .")))
    tree = reader.sum(0)
    if reader.rest():
        raise FormulaError(f"{reader.rest()} is left over")

    def compute(x: float) -> float:
        try:
            value = tree(x)
        except (ValueError, ZeroDivisionError, OverflowError):
            return math.nan
        return value if isinstance(value, float | int) and math.isfinite(value) else math.nan

    return compute


def _split_into_tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"{text[at:]!r} is no part of a formula")
        tokens.append(match[0].strip())
        at = match.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def rest(self) -> list[str]:
        return self._tokens[self._at :]

    def _peek_token(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._peek_token()
        if expected and token not in expected:
            raise FormulaError(f"{token or 'the end'} where {expected[0]} should be")
        self._at += 1
        return token

    def sum(self, depth: int) -> Function:
        if depth > MAX_DEPTH:
            raise FormulaError("too many brackets")
        value = self._parse_product(depth)
        while self._peek_token() in {"+", "-"}:
            value = _join_operands(self._take(), value, self._parse_product(depth))
        return value

    def _parse_product(self, depth: int) -> Function:
        if self._peek_token() in {"+", "-"}:
            negative = self._take() == "-"
            value = self._parse_product(depth)
            return _join_operands("*", lambda _: -1.0, value) if negative else value
        value = self._parse_power(depth)
        while self._peek_token() and self._peek_token() not in {"+", "-", ")", "|"}:
            sign_token = self._take() if self._peek_token() in {"*", "/"} else "*"
            value = _join_operands(sign_token, value, self._parse_signed(depth))
        return value

    def _parse_signed(self, depth: int) -> Function:
        if self._peek_token() == "-":
            self._take()
            return _join_operands("*", lambda _: -1.0, self._parse_signed(depth + 1))
        return self._parse_power(depth)

    def _parse_power(self, depth: int) -> Function:
        if depth > MAX_DEPTH:
            raise FormulaError("too many brackets")
        base = self._parse_atom(depth)
        if self._peek_token() == "^":
            self._take()
            return _join_operands("^", base, self._parse_signed(depth + 1))
        return base

    def _parse_atom(self, depth: int) -> Function:
        word = self._take()
        if word in _FUNCTIONS:
            inner = self._parse_bracket(depth) if self._peek_token() == "(" else self._parse_power(depth + 1)
            function = _FUNCTIONS[word]
            return lambda x: function(inner(x))
        if word == "x":
            return lambda x: x
        if word in _CONSTANTS:
            return lambda _: _CONSTANTS[word]
        if word == "(":
            # ``_parse_bracket`` takes the bracket itself.
            self._at -= 1
            return self._parse_bracket(depth)
        if word == "|":
            inside = self.sum(depth + 1)
            self._take("|")
            return lambda x: abs(inside(x))
        try:
            number = float(word)
        except ValueError:
            raise FormulaError(f"{word or 'the end'} where a number should be") from None
        return lambda _: number

    def _parse_bracket(self, depth: int) -> Function:
        self._take("(")
        inner = self.sum(depth + 1)
        self._take(")")
        return inner


def _join_operands(sign: str, left: Function, right: Function) -> Function:
    operation = _OPERATIONS[sign]
    return lambda x: operation(left(x), right(x))


def _raise_to_power(base: float, exponent: float) -> float:
    if abs(exponent) > 1000:
        raise OverflowError
    # A negative base has a real power only for whole exponents.
    if exponent == round(exponent):
        return exact.whole_power(base, round(exponent))
    return exact.power(base, exponent) if base else 0.0**exponent  # exact: no power of 0 is rounded


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": _raise_to_power,
}  # fmt: skip


def read_values(
    kind: Kind, sentences: list[str], taken: set[int], axis: DescribedAxis
) -> tuple[tuple[str, ...], list[Series], set[int]]:
    """Return the categories, the series, and which sentences told them.

    Args:
        kind: ``bar`` or ``line``.
        sentences: Of the message.
        taken: Indices of the sentences about axes.
        axis: Axis of the categories.
    """
    free = [(index, sentence) for index, sentence in enumerate(sentences) if index not in taken]
    words = axis.words or _find_listed_categories(free) or _find_table_names(free)
    series, used = _read_series_from_runs(free, len(words))
    if words and not series:
        series, used = _read_series_by_name(kind, free, words)
    elif words:
        more, more_used = _read_series_by_name("line", [item for item in free if item[0] not in used], words)
        series, used = [*more, *series], used | more_used
    if not series:
        words, series, used = _read_values_with_names(free) or _read_pairs(free)
    if not words and series:
        ticks = axis.ticks if len(axis.ticks) == len(series[0].values) else ()
        words = tuple(f"{tick:g}" for tick in ticks)
    _assign_colours(kind, series, sentences)
    return words, series, used


def _read_values_with_names(free: list[tuple[int, str]]) -> tuple[tuple[str, ...], list[Series], set[int]] | None:
    """Return categories and values from "5 in Jan, 12 in Mar", of categories that were not told before."""
    for index, sentence in free:
        pairs = [(match[2], float(match[1])) for match in _VALUE_IN.finditer(sentence)]
        if len(pairs) > 1:
            return tuple(name for name, _ in pairs), [_build_series([value for _, value in pairs], sentence)], {index}
    return None


def _find_listed_categories(free: list[tuple[int, str]]) -> tuple[str, ...]:
    for _, sentence in free:
        match = re.search(r"\b(?:categories|groups|labels)\b[^:]{0,30}:\s*(.+)", sentence, re.IGNORECASE)
        if match:
            return find_word_list(match[1])
    return ()


def _find_table_names(free: list[tuple[int, str]]) -> tuple[str, ...]:
    """Return the names in lines such as "Mon: 12"; empty if fewer than two lines have that form."""
    names = [
        match[1] for _, sentence in free if (match := re.fullmatch(rf"([A-Z0-9][^:,]{{0,24}}): ({NUMBER})", sentence))
    ]
    return tuple(names) if len(names) > 1 else ()


def _read_series_from_runs(free: list[tuple[int, str]], count: int) -> tuple[list[Series], set[int]]:
    """Return a series for each list that has as many numbers as there are categories."""
    lines, used = [], set()
    for index, sentence in free:
        start = 0
        for begin, end, values in find_number_lists(sentence):
            context = sentence[start:begin]
            start = end
            # A row of years is a row of categories.
            if not count and _are_years(values):
                continue
            if (count and len(values) != count) or _PLACE.search(sentence[:begin]) or _SCALE.search(context):
                continue
            lines.append(
                _build_series(
                    list(values), f"{context} {sentence[end:] if len(find_number_lists(sentence)) == 1 else ''}"
                )
            )
            used.add(index)
    return lines, used


def _are_years(values: list[float]) -> bool:
    return all(1900 <= value <= 2100 and value == int(value) for value in values) and values == sorted(values)


def _build_series(values: list[float | None], context: str) -> Series:
    name = re.search(r"\b(?:[Ll]ine|[Ss]eries)\s+\"?([A-Z])\b", context) or re.search(r'"([A-Z])"', context)
    return Series(
        values, find_first_colour(context), dash=find_dash_style(context), marker=find_marker_kind(context),
        name=name[1] if name else "", is_labelled=bool(re.search(r"\bvalue labels?\b|\blabeled with", context)),
    )  # fmt: skip


def find_dash_style(text: str) -> str:
    """Return the dash style that a text names: "dashdotted", "dotted", "dashed" or ""."""
    if re.search(r"\bdash(?:ed)?[- ]?dot(?:ted)?|\bdot[- ]dash", text, re.IGNORECASE):
        return "dashdotted"
    if re.search(r"\bdotted\b", text, re.IGNORECASE):
        return "dotted"
    return "dashed" if re.search(r"\bdash(?:ed|es)\b", text, re.IGNORECASE) else ""


def find_marker_kind(text: str) -> str:
    """Return the kind of markers that a text names; empty if the text names no markers."""
    match = _MARKERS.search(text)
    if match is None or re.search(r"\b(?:no|without)\s+(?:\w+\s+)?(?:markers?|dots)", text):
        return ""
    kind = (match[1] or match[2] or "round").lower()
    return {"circular": "round", "circle": "round", "triangular": "triangle"}.get(kind, kind)


def _read_series_by_name(
    kind: Kind, free: list[tuple[int, str]], words: tuple[str, ...]
) -> tuple[list[Series], set[int]]:
    """Return series from "2.4 in 2014 and 1.6 in 2015" or "Coal is the shortest at 31", "(Tue, 13.0)"."""
    lines, used = [], set()
    whole: dict[str, tuple[float, str | None]] = {}
    for index, sentence in free:
        here = _find_named_values(sentence, words)
        if len(here) >= max(2, 0.6 * len(words)):
            series = _build_series(
                [here[word][0] if word in here else None for word in words], _cut_before_values(sentence, here)
            )
            series.colours = [here[word][1] if word in here else None for word in words] if kind == "bar" else []
            lines.append(series)
            used.add(index)
        elif (here and kind == "bar") or re.match(r"[^:]{1,24}: -?[\d.]+$", sentence):
            whole |= {word: value for word, value in here.items() if word not in whole}
            used.add(index)
    if not lines and len(whole) >= 2:
        values: list[float | None] = [whole[word][0] if word in whole else None for word in words]
        lines.append(Series(values, colours=[whole[word][1] if word in whole else None for word in words]))
    return lines, used


def _cut_before_values(sentence: str, here: dict[str, tuple[float, str | None]]) -> str:
    places = [sentence.find(word) for word in here]
    return sentence if len({colour for _, colour in here.values()}) <= 1 else sentence[: min(places)]


def _find_named_values(sentence: str, words: tuple[str, ...]) -> dict[str, tuple[float, str | None]]:
    """Return number and colour of each category that a sentence names."""
    ahead: dict[str, tuple[float, str | None]] = {}
    for word in words:
        match = re.search(rf"({NUMBER})\s*(?:in|for|on|at|during)\s+{re.escape(word)}(?![\w.])", sentence)
        if match:
            ahead[word] = (float(match[1]), None)
    if len(ahead) >= 2:
        return ahead
    places = sorted(
        (match.start(), match.end(), word)
        for word in words
        if (match := re.search(rf"(?<![\w.#-]){re.escape(word)}(?![\w.])", sentence))
    )
    values: dict[str, tuple[float, str | None]] = {}
    for number, (_, end, word) in enumerate(places):
        until = places[number + 1][0] if number + 1 < len(places) else len(sentence)
        stretch = sentence[end:until][:80]
        stated = find_numbers(re.sub(rf"{NUMBER}\s*(?:%|px)", " ", stretch))
        if stated:
            values[word] = (stated[0], find_first_colour(stretch))
    return values


def _read_pairs(free: list[tuple[int, str]]) -> tuple[tuple[str, ...], list[Series], set[int]]:
    """Return categories and values from "Q1 29, Q2 52": names that were not told before."""
    names: list[str] = []
    values: list[float | None] = []
    shades: list[str | None] = []
    used = set()
    for index, sentence in free:
        matches = list(_PAIR.finditer(sentence))
        if len(matches) < 2 and not re.fullmatch(
            rf"\"?[\w .&'-]{{1,24}}\"?\s*[:=]\s*(?:{HEX},?\s*)?{NUMBER}(?:,\s*{HEX})?", sentence
        ):
            continue
        for number, match in enumerate(matches):
            until = matches[number + 1].start() if number + 1 < len(matches) else match.end() + 12
            colour = find_colours(match[0]) or find_colours(sentence[match.end() : until])
            names.append(match[1].strip())
            values.append(float(match[2]))
            shades.append(colour[0] if colour else None)
            used.add(index)
    if len(names) < 2:
        return (), [], set()
    return tuple(names), [Series(values, colours=shades)], used


def _assign_colours(kind: Kind, all_series: list[Series], sentences: list[str]) -> None:
    """Give the series their colours and styles where these are told in sentences of their own."""
    for sentence in sentences:
        signed = _SIGNED.search(sentence)
        if signed and len(all_series) == 1:
            all_series[0].colours = [
                signed[1] if value is None or value >= 0 else signed[2] for value in all_series[0].values
            ]
            return
    noun = (
        r"\b(?:bars?|columns?)\b(?! (?:chart|graph))"
        if kind == "bar"
        else r"\b(?:lines?|curve|series)\b(?! (?:chart|graph|plot))"
    )
    bare = [series for series in all_series if series.colour is None and not any(series.colours)]
    telling = [text for text in sentences if re.search(noun, text, re.IGNORECASE) and _find_nearest_colour(text, noun)]
    for series, sentence in zip(bare, telling if len(bare) > 1 else telling[:1], strict=False):
        series.colour = _find_nearest_colour(sentence, noun)
        series.dash = series.dash or find_dash_style(_remove_grid_line_words(sentence))
        series.marker = series.marker or find_marker_kind(sentence)
    if len(all_series) == 1 and all_series[0].colour is None and not any(all_series[0].colours):
        all_series[0].colour = _find_only_colour(sentences)
    for series in all_series if kind == "line" and not any(other.marker for other in all_series) else ():
        series.marker = next(filter(None, map(find_marker_kind, sentences)), "")


def _find_only_colour(sentences: list[str]) -> str | None:
    """Return the first colour beside the word chart that is not the colour of background, grid, frame or labels."""
    telling = (sentence for sentence in sentences if re.search(r"\bchart\b|\bgraph\b|\bplot\b", sentence))
    return next((shade for sentence in telling for shade in find_colours(_FURNITURE.sub(" ", sentence))), None)


def _remove_grid_line_words(sentence: str) -> str:
    """Return a sentence without its words about grid lines."""
    return re.sub(r"[^,;]*\bgrid ?lines?\b[^,;]*", " ", sentence)


def _find_nearest_colour(sentence: str, noun: str) -> str | None:
    """Return the colour named nearest to a noun, before or after the noun in the phrase."""
    plain = re.sub(rf"{HEX}(?=[^,.;#]{{0,24}}\b(?:background|bg|grid|frame|outlines?|axis|panel)\b)|\b(?:grid"
        rf"|axis|zero)\W?lines?",
                   lambda m: " " * len(m[0]), sentence)  # fmt: skip
    match = re.search(noun, plain, re.IGNORECASE)
    if match is None:
        return None
    before = find_colours(plain[max(0, match.start() - 60) : match.start()])
    after = find_first_colour(plain[match.end() : match.end() + 60])
    if after and ("(" in plain[match.end() : match.end() + 6] or not before):
        return after
    return before[-1] if before else None
