"""A safe reader of formulas: ``y = -2·ln(x + 2) + 7`` as a function of x. Nothing is ever evaluated as code.

Grammar, by recursive descent: sums of products of powers of signed numbers, ``x``, ``pi``, ``e``, brackets, bars for
absolute values, and the functions below; a product sign may be left out (``2x``, ``3(x + 1)``, ``4cos x``).
"""

import math
import operator
import re
from collections.abc import Callable

from ircore.core import exact

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


class FormulaError(ValueError):
    """A text is no formula in x.

    >>> try:
    ...     parse("2 +")
    ... except FormulaError as error:
    ...     print(error)
    the end where a number should be
    """


def formula_in(text: str) -> tuple[str, Function] | None:
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
    reader = _Reader(_tokens(plain.lower().rstrip(" .")))
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


def _tokens(text: str) -> list[str]:
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

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._next()
        if expected and token not in expected:
            raise FormulaError(f"{token or 'the end'} where {expected[0]} should be")
        self._at += 1
        return token

    def sum(self, depth: int) -> Function:
        if depth > MAX_DEPTH:
            raise FormulaError("too many brackets")
        value = self._product(depth)
        while self._next() in {"+", "-"}:
            value = _joined(self._take(), value, self._product(depth))
        return value

    def _product(self, depth: int) -> Function:
        if self._next() in {"+", "-"}:
            negative = self._take() == "-"
            value = self._product(depth)
            return _joined("*", lambda _: -1.0, value) if negative else value
        value = self._power(depth)
        while self._next() and self._next() not in {"+", "-", ")", "|"}:
            sign_token = self._take() if self._next() in {"*", "/"} else "*"
            value = _joined(sign_token, value, self._signed(depth))
        return value

    def _signed(self, depth: int) -> Function:
        if self._next() == "-":
            self._take()
            return _joined("*", lambda _: -1.0, self._signed(depth + 1))
        return self._power(depth)

    def _power(self, depth: int) -> Function:
        if depth > MAX_DEPTH:
            raise FormulaError("too many brackets")
        base = self._atom(depth)
        if self._next() == "^":
            self._take()
            return _joined("^", base, self._signed(depth + 1))
        return base

    def _atom(self, depth: int) -> Function:
        word = self._take()
        if word in _FUNCTIONS:
            inner = self._bracket(depth) if self._next() == "(" else self._power(depth + 1)
            function = _FUNCTIONS[word]
            return lambda x: function(inner(x))
        if word == "x":
            return lambda x: x
        if word in _CONSTANTS:
            return lambda _: _CONSTANTS[word]
        if word == "(":
            # ``_bracket`` takes the bracket itself.
            self._at -= 1
            return self._bracket(depth)
        if word == "|":
            inside = self.sum(depth + 1)
            self._take("|")
            return lambda x: abs(inside(x))
        try:
            number = float(word)
        except ValueError:
            raise FormulaError(f"{word or 'the end'} where a number should be") from None
        return lambda _: number

    def _bracket(self, depth: int) -> Function:
        self._take("(")
        inner = self.sum(depth + 1)
        self._take(")")
        return inner


def _joined(sign: str, left: Function, right: Function) -> Function:
    operation = _OPERATIONS[sign]
    return lambda x: operation(left(x), right(x))


def _raised(base: float, exponent: float) -> float:
    if abs(exponent) > 1000:
        raise OverflowError
    # A negative base has a real power only for whole exponents.
    if exponent == round(exponent):
        return exact.whole_power(base, round(exponent))
    return exact.power(base, exponent) if base else 0.0**exponent  # exact: no power of 0 is rounded


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": _raised,
}  # fmt: skip
