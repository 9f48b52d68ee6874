"""Reading a YAML file that people write: bounded, without aliases or tags, no key twice, errors with their line.

Strangers write such files too. What could make a small file huge, slow or different from what people see in it is
refused before it is built: aliases, tags, merge keys, nesting, numbers that are not finite, hidden characters.
"""

import re
import unicodedata
from importlib.resources.abc import Traversable
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ircore.core.errors import InputError
from ircore.core.untrusted_text import HIDDEN

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
"""Nesting that is accepted; a manifest needs four."""

MEND = "Mend this line: key: value, two spaces deeper a level; text that holds one of : # { [ & * ! stands in quotes."

_ODD = "Write a date or a number that exists; text that looks like one stands in quotes."

UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing, though their category says otherwise."""

_INTEGER = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_READ_IN_TWO_WAYS = re.compile(r"[_:xb]|^[-+]?0[0-9]|^0o")
"""Octal, hexadecimal and binary digits, those to the base 60, underscores: other numbers, or text, in YAML 1.2."""

_NUMBER_OF_YAML_1_2 = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")
"""A number with an exponent, which YAML 1.1 reads as text if the exponent has no sign or the number no point."""

_OCTAL_OF_YAML_1_2 = re.compile(r"^0o[0-7]+$")

_MOST_DIGITS = 80
_TOO_LARGE = "a number of more than 64 bits"
_MERGE = "tag:yaml.org,2002:merge"

FieldPath = tuple[str | int, ...]
"""Path of a value in a document: keys and 0-based positions, outermost first."""


class TextPlace(NamedTuple):
    """A place in a text, 1-based.

    >>> parse_mapping(b"rules: {max_turns: 3}", "a.yaml", "").values["rules", "max_turns"]
    TextPlace(line=1, column=20)
    """

    line: int
    column: int


START = TextPlace(1, 1)


class Document(NamedTuple):
    """A YAML document that is a mapping, with the places of its parts.

    >>> document = parse_mapping(b"name: a", "a.yaml", "")
    >>> document.mapping, document.keys["name",].line
    ({'name': 'a'}, 1)
    """

    mapping: dict[Any, Any]
    """The parsed content."""

    keys: dict[FieldPath, TextPlace]
    """Start of each key or item."""

    values: dict[FieldPath, TextPlace]
    """Start of each value."""


class YamlError(InputError):
    """A text that is not YAML, or uses a part of YAML that is refused here.

    >>> parse_mapping(b"{a: 1, a: 2}", "a.yaml", "")
    Traceback (most recent call last):
    ...
    ircore.core.strict_yaml.YamlError: a.yaml:1: not valid YAML ('a' is given twice)
    Remove one of the two.

    Args:
        problem: One line with file and line.
        remedy: One line.
        place: Place in the text.
        detail: The problem without file and line.
    """

    def __init__(self, problem: str, remedy: str = "", place: TextPlace = START, detail: str = "") -> None:
        super().__init__(problem, remedy)
        self.place = place
        self.detail = detail or problem


# libyaml's loader is several times as fast; not every build of PyYAML has it.
_FAST_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_bounded(text: str | bytes, depth: int = MAX_DEPTH) -> Any:
    """Return the values of a document of which nobody needs to hear where a fault is; several times as fast.

    Args:
        text: The document.
        depth: Nesting that is accepted.

    Raises:
        yaml.YAMLError: It is not valid YAML, is nested deeper, or has an alias.
        ValueError: It holds a date or a number that does not exist.
    """
    nested = 0
    # Building values that are nested some ten thousand deep would end the process: events are counted first.
    for event in yaml.parse(text, Loader=_FAST_LOADER):
        nested += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        # A few aliases of aliases can stand for billions of values.
        if nested > depth or isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError(f"nested more than {depth} deep, or with aliases")
    return yaml.load(text, Loader=_FAST_LOADER)  # noqa: S506 - a safe loader


def load_own_mapping(file: Traversable) -> dict[Any, Any]:
    """Load a mapping that the package ships, which nobody has to mend and no stranger wrote; several times as fast.

    Numbers are those of YAML 1.1: one with an exponent has a point and a sign.
    """
    document: dict[Any, Any] = load_bounded(file.read_bytes())
    return document


class _StrictLoader(yaml.SafeLoader):
    """YAML without aliases (they can make a small file huge), without tags and without a key given twice."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent) or event.anchor is not None:
            remedy = "Write the value out where it is needed; quote a text with & or *."
            raise _build_fault("anchors and aliases are not allowed", event.start_mark, remedy)
        if event.tag is not None:
            raise _build_fault(f"the tag {event.tag!r} is not allowed", event.start_mark, "Remove the tag (!…).")
        # Counted here, since Python's own limit on recursion would end the parser without a line number.
        if self._depth >= MAX_DEPTH:
            raise _build_fault(f"nested more than {MAX_DEPTH} deep", event.start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        # Not in a ``finally``: after an error nothing more is read.
        self._depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        # Before the number is made: Python takes quadratic time for a number of many digits.
        if node.tag == _INTEGER and len(node.value) > _MOST_DIGITS:
            raise _build_fault(_TOO_LARGE, node.start_mark)
        if node.tag in (_INTEGER, _FLOAT) and _READ_IN_TWO_WAYS.search(node.value):
            raise _build_fault(
                "a number that is read in two ways", node.start_mark, "Write it in plain decimal digits."
            )
        try:
            value = super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            # What looks like a date or a number and is none, such as 2026-99-99.
            raise _build_fault(str(error), node.start_mark, _ODD) from error
        if isinstance(value, float) and not isfinite(value):
            raise _build_fault(
                "a number that is not finite", node.start_mark, "Write a finite number, or remove the value."
            )
        if isinstance(value, int) and value.bit_length() > 64:
            raise _build_fault(_TOO_LARGE, node.start_mark)
        return value

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Return a number as YAML 1.2 reads it, with an exponent of any form."""
        return float(node.value) if _NUMBER_OF_YAML_1_2.match(node.value) else super().construct_yaml_float(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _build_fault("a key must be one word", key.start_mark)
            if key.tag == _MERGE:
                raise _build_fault("merge keys are not allowed", key.start_mark)
            if key.value in keys:
                shown = key.value if len(key.value) <= 60 else f"{key.value[:57]}…"
                raise _build_fault(f"{shown!r} is given twice", key.start_mark, "Remove one of the two.")
            keys.add(key.value)
        return super().construct_mapping(node, deep)

    def process_directives(self) -> Any:
        token = self.peek_token()  # type: ignore[no-untyped-call]
        if self.check_token(yaml.DirectiveToken):
            raise _build_fault("directives are not allowed", token.start_mark)
        return super().process_directives()  # type: ignore[no-untyped-call]

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave merge keys where they are, for ``construct_mapping`` to refuse."""


# Without these two they would be texts, and be sent as such.
_StrictLoader.add_implicit_resolver(_FLOAT, _NUMBER_OF_YAML_1_2, list("-+.0123456789"))
_StrictLoader.add_implicit_resolver(_INTEGER, _OCTAL_OF_YAML_1_2, ["0"])
_StrictLoader.add_constructor(_FLOAT, _StrictLoader.construct_yaml_float)


def parse_value(text: str, name: str) -> Any:
    """Parse a single value, as it would stand behind a key of a file.

    >>> parse_value("5e-2", "--rule"), parse_value("true", "--rule"), parse_value("last 2", "--rule")
    (0.05, True, 'last 2')

    Args:
        text: The value; nothing is an empty text.
        name: Where it was given, for messages.

    Raises:
        YamlError: It is not YAML, or uses a part of YAML that is refused here.
    """
    return parse_mapping(f"value: {text}".encode(), name, "").mapping["value"] if text.strip() else ""


def read_mapping(path: Path, if_missing: str, if_other: str) -> dict[Any, Any]:
    """Read a file that holds a single mapping of keys to values.

    Args:
        path: The file.
        if_missing: Remedy to show when the file cannot be read.
        if_other: Where its format is described.

    Raises:
        InputError: It is missing, larger than ``MAX_BYTES``, not YAML, or not a mapping.
    """
    return parse_mapping(read_yaml_bytes(path, if_missing), str(path), if_other).mapping


def read_yaml_bytes(path: Path, if_missing: str) -> bytes:
    """Read a file up to the limit and one byte more, by which ``parse_mapping`` recognises a file that is too large.

    Raises:
        InputError: It is missing.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", if_missing) from error


def parse_mapping(data: bytes, name: str, if_other: str) -> Document:
    """Parse the bytes of a file that holds a single mapping.

    Args:
        data: At most ``MAX_BYTES``, in UTF-8.
        name: The file's name, for messages.
        if_other: Where its format is described.

    Raises:
        YamlError: They are too many, not YAML, or not a mapping.
    """
    text = _decode(data, name)
    _refuse_hidden(text, name)
    try:
        loader = _StrictLoader(text)
        try:
            node = loader.get_single_node()
            document = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        detail, remedy = _describe_error(error)
        raise _build_refusal(name, detail, _build_place(error.problem_mark), remedy) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise _build_refusal(name, type(error).__name__, START) from error
    # After the parser's own errors, which name the line; these concern the file as a whole.
    if not isinstance(document, dict):
        detail = "is empty" if document is None else "is not a mapping of keys to values"
        raise YamlError(f"{name}: {detail}", if_other, detail=detail)
    keys: dict[FieldPath, TextPlace] = {}
    values: dict[FieldPath, TextPlace] = {}
    _note_places(node, (), keys, values)
    return Document(document, keys, values)


def find_hidden_character(text: str) -> tuple[int, str] | None:
    """Find the first character that cannot be seen or changes how others are shown; line breaks and tabs may stay.

    Returns:
        Its position and its name, such as ``U+202E RIGHT-TO-LEFT OVERRIDE``; None if there is none.
    """
    if text.isascii() and text.isprintable():
        return None  # the usual short text, without a look at each character
    for position, character in enumerate(text):
        if character in "\n\t" or text.startswith("\r\n", position):
            continue
        name = unicodedata.name(character, "without a name")
        if character in UNSEEN or unicodedata.category(character) in HIDDEN or "VARIATION SELECTOR" in name:
            return position, f"U+{ord(character):04X} {name}"
    return None


def _decode(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        detail = f"is larger than {MAX_BYTES // 1024} KiB"
        raise YamlError(f"{name}: {detail}", "Shorten the file.", detail=detail)
    try:
        # Editors on Windows begin a file with a byte order mark.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = TextPlace(line, error.start - data.rfind(b"\n", 0, error.start))
        raise _build_refusal(name, "a byte that is not UTF-8", place, "Save the file as UTF-8.") from error


def _refuse_hidden(text: str, name: str) -> None:
    character = find_hidden_character(text)
    if character is not None:
        before = text[: character[0]]
        place = TextPlace(before.count("\n") + 1, character[0] - before.rfind("\n"))
        raise _build_refusal(
            name, f"the character {character[1]}, which cannot be seen", place, "Remove the character."
        )


def _build_refusal(name: str, detail: str, place: TextPlace, remedy: str = MEND) -> YamlError:
    return YamlError(f"{name}:{place.line}: not valid YAML ({detail})", remedy, place, f"not valid YAML ({detail})")


def _build_fault(problem: str, mark: yaml.Mark, remedy: str = "") -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark, note=remedy)


def _describe_error(error: yaml.MarkedYAMLError) -> tuple[str, str]:
    """Return problem and remedy of an error; two frequent slips get clearer words than the parser's."""
    problem = error.problem or "not well formed"
    if "'\\t'" in problem:
        return "a tab where a line or a value begins", "Indent with spaces."
    if problem == "but found another document":
        return "a second document", "Keep one document: remove the line --- and everything after it."
    return problem, error.note or MEND


def _build_place(mark: yaml.Mark | None) -> TextPlace:
    return START if mark is None else TextPlace(mark.line + 1, mark.column + 1)


def _note_places(
    node: yaml.Node | None, path: FieldPath, keys: dict[FieldPath, TextPlace], values: dict[FieldPath, TextPlace]
) -> None:
    """Note the places where a node and everything below it begin."""
    if node is None:
        return
    values[path] = _build_place(node.start_mark)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, key.value)
            keys[below] = _build_place(key.start_mark)
            _note_places(value, below, keys, values)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            keys[*path, number] = _build_place(value.start_mark)
            _note_places(value, (*path, number), keys, values)
