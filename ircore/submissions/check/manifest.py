"""From the bytes of a manifest to its record, naming every fault of the form: field, expectation, remedy.

Names that would mislead readers about an entry are faults, too: reserved words, and names of providers without proof.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.records import DEFAULT_GAME, ModelFacts, PlayerSpec, Record
from ircore.core.strict_yaml import Document, FieldPath, YamlError, load_own_mapping, parse_mapping
from ircore.core.submission_records import Dates, Submission, TranscriptsReference
from ircore.core.validation import WORDING, describe_fault
from ircore.games.base import Game
from ircore.games.registry import build_manifest_form, load_game
from ircore.players.submission import FORMAT
from ircore.submissions.findings import (
    MISSING,
    UNKNOWN_KEY,
    UNKNOWN_PARAMETER,
    FieldFault,
    Finding,
    build_finding,
    format_field_name,
    locate,
)
from ircore.submissions.texts import list_name_forms

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SEAT = "a mapping such as {player: openai, model: …}"

EXPECTED = {
    "schema": "1",
    "name": "one line of 1–300 characters",
    "describer": _SEAT,
    "generator": "a mapping such as {player: openai-images, model: …}",
    "player": "the name of a player in lower case, such as openai",
    "model": "one line, the model as its provider names it",
    "revision": "one line, such as a commit or 2026-11-22",
    "base_url": "https://HOST/…, or http://127.0.0.1:PORT/… for a server of your own; no account in it",
    "api_key_env": "the upper-case name of an environment variable that ends in _KEY or _TOKEN, never the key itself",
    "parameters": "a mapping of names to values",
    "about": "a mapping such as {organisation: Example Lab, open_weights: true, parameters_b: 8}",
    "organisation": "one line of 1–300 characters",
    "open_weights": "true or false",
    "parameters_b": "a number above 0: thousands of millions of parameters",
    "released": "a date, YYYY-MM-DD",
    "usd_per_episode": "US dollars an episode costs in this seat, 0 to 1000",
    "rules": "a mapping such as {token_budget: 200, max_turns: 10}",
    "token_budget": "a whole number from 1 to 10000",
    "max_turns": "a whole number from 1 to 100",
    "over_budget": "allow, truncate or abort",
    "history": "all, last N (such as last 4) or first and last",
    "drawing": "edit, redraw or rewrite",
    "authors": "a list of names: [Name One, Name Two]",
    "links": "names in lower case with https addresses: {code: https://github.com/…}",
    "submitter": "the name of an account on the code host, such as octocat",
    "licence": "an SPDX identifier, such as CC-BY-4.0",
    "hardware": "one line of 1–300 characters",
    "dates": "a mapping such as {submitted: 2026-11-22}",
    "submitted": "a date, YYYY-MM-DD",
    "played": "a date, YYYY-MM-DD",
    "transcripts": "a mapping of repo, revision and run",
    "repo": "ORG/NAME of a dataset repository",
    "run": "the run's id in that dataset",
}
"""What each key takes, for people."""

STAND_IN: Mapping[str, Any] = {
    "schema": 1,
    "name": "A pair",
    "describer": {"player": "classical"},
    "generator": {"player": "canvas"},
    "licence": "CC-BY-4.0",
}
"""The shortest manifest of reconstruction: what stands in for required fields."""

_REFERENCE_STAND_IN = {"repo": "org/name", "revision": "0" * 40, "run": "a-run"}
"""Stands in for parts of a reference to transcripts, so that the rest is checked as of a pair that others played."""

MOST_ROUNDS = 6
"""Rounds of reading a manifest that does not fit."""

_COMMIT = "the commit, 40 hexadecimal digits in lower case"
_LINK = "an https address, such as https://github.com/…"
_VALUES = "names with text, numbers, true, false, null, lists or mappings"
_NAMES = "a name in lower case, such as code or paper"
_NAMED = re.compile(r"(licence|base_url|links\.([^\s]+)) ")
_PARAMETER = re.compile(r"unknown parameter (['\"])(.*)\1")
_SCORES = re.compile(r"(score|result|rank|metric|rating)s?", re.IGNORECASE)

_OWN_WORDS = {
    "invalid_key": "a key that is no text",
    "string_pattern_mismatch": "{shown} does not fit",
    "string_too_long": "too long",
    "literal_error": "{shown} is not known",
}
"""What is said of faults whose expectation stands beside it anyway."""

LIST = Path(__file__).with_name("reserved.yaml")
_WORD = re.compile(r"[^\W_]+")
_Words = tuple[frozenset[str], ...]


def build_stand_ins(game: Game[Any]) -> dict[str, Any]:
    """Return what stands in for the required fields of a game's manifest."""
    shared = {name: value for name, value in STAND_IN.items() if not isinstance(value, dict)}
    seats = {seat.name: STAND_IN.get(seat.name, {"player": "canvas"}) for seat in game.seats if not seat.when}
    return {**shared, "game": game.name, **seats}


class _Manifest(NamedTuple):
    """A manifest that was read, with the faults of its form."""

    submission: Submission | None
    """The record, if it fits the format."""

    readable: Submission | None
    """The record of what fits the format, stand-ins in place of the rest: so that all of it can be checked at once."""

    settled: tuple[FieldPath, ...]
    """The fields with stand-ins, or that were left out: what is wrong with them is said already."""

    document: Document | None
    """The document, if it is YAML."""

    findings: tuple[Finding, ...]
    """Faults of the manifest's form."""

    def locate_faults(self, faults: Iterator[FieldFault], file: str) -> list[Finding]:
        """Return faults with their places, without faults of fields that are reported already."""
        return [locate(fault, file, self.document) for fault in faults if not self._is_settled(fault.path)]

    def _is_settled(self, path: FieldPath) -> bool:
        return any(path[: len(known)] == known for known in self.settled)


def parse_manifest(data: bytes, file: str) -> _Manifest:
    """Read a manifest; nothing that the manifest names is loaded, looked up or run.

    Args:
        data: The file's bytes, at most one more than ``strict_yaml.MAX_BYTES``.
        file: Name of the file for findings.
    """
    try:
        document = parse_mapping(data, file, FORMAT)
    except YamlError as error:
        return _Manifest(None, None, (), None, (build_finding(file, error.detail, "", error.remedy, error.place),))
    try:
        game = load_game(str(document.mapping.get("game", DEFAULT_GAME)))
    except InputError as error:
        fault = FieldFault(("game",), error.problem, "a game that is installed", error.remedy)
        return _Manifest(None, None, (), document, (locate(fault, file, document),))
    readable, settled, faults = _Form(game).readable(document.mapping)
    whole = None if faults else readable
    return _Manifest(whole, readable, settled, document, tuple(locate(fault, file, document) for fault in faults))


def build_seat_fault(seat: str, error: InputError) -> FieldFault:
    """Return a player's complaint about its settings as a fault of its seat; it begins with a field's name."""
    name, _, problem = error.problem.partition(": ")
    if not problem:
        name, _, problem = error.problem.partition(" ")
    if name.split(".")[0] not in PlayerSpec.model_fields:
        return FieldFault((seat,), error.problem, "", error.remedy)
    if parameter := _PARAMETER.fullmatch(problem):
        return FieldFault((seat, name, parameter[2]), UNKNOWN_PARAMETER, "", error.remedy)
    return FieldFault((seat, *name.split(".")), problem, EXPECTED.get(name, ""), error.remedy)


def find_reserved_fault(path: FieldPath, text: str) -> FieldFault | None:
    """Return the fault of a name with a claim that only this project makes; None without such a claim.

    Args:
        path: The field; empty for the folder's name.
        text: The name.
    """
    subject = "" if path else f"the folder's name {text!r} "
    if sign := next((character for character in text if character in _list_signs()), None):
        problem = f"{subject}holds the sign U+{ord(sign):04X}, as medals and marks of the site"
        return FieldFault(path, problem, "a name without it", "Take it out.")
    shapes = _split_shapes(text)
    for phrase, whole in _list_reserved():
        words = _split_shapes(phrase)
        if _contains_phrase(shapes, words) and not (whole and len(words) < len(shapes)):
            problem = f"{subject}holds {phrase!r}, which only this project says of an entry"
            return FieldFault(path, problem, "a name that claims no rank or standing", "Choose other words.")
    return None


def find_provider_fault(path: FieldPath, text: str, fork: str | None) -> FieldFault | None:
    """Return the fault of an author or folder that names a provider of models without proof; None without.

    Args:
        path: The field; empty for the folder's name.
        text: The author or folder.
        fork: Owner of the fork that the pull request comes from, which proves it; None if there is none yet, so that
            it is a warning.
    """
    shapes = _split_shapes(text)
    for provider in _list_providers():
        whole = any(len(words) == len(shapes) and _contains_phrase(shapes, words) for words in provider.whole)
        if not (whole or any(_contains_phrase(shapes, words) for words in provider.words)):
            continue
        # Names of accounts do not differ by case at GitHub.
        if fork is not None and fork.casefold() in (account.casefold() for account in provider.accounts):
            return None
        problem = (
            f"is taken for {provider.name}" if path else f"the folder's name {text!r} is taken for {provider.name}"
        )
        forks = " or ".join(provider.accounts)
        proof = f"open the pull request from a fork of {forks}" if forks else "a maintainer asks them"
        remedy = f"Write your own name{'' if path else ' for the folder'}, or prove it: {proof}."
        return FieldFault(
            path, f"{problem}, without proof", "a name of your own", remedy, "warning" if fork is None else "error"
        )
    return None


class _Form:
    """The form of a game's manifests, and the faults of manifests that do not fit it."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._record = build_manifest_form(game)
        self._stand_ins = build_stand_ins(game)
        seats = [seat.name for seat in game.seats]
        self._records: dict[FieldPath, type[Record]] = {
            (): self._record, ("rules",): game.rules, ("dates",): Dates, ("transcripts",): TranscriptsReference,
            **{(seat,): PlayerSpec for seat in seats}, **{(seat, "about"): ModelFacts for seat in seats},
        }  # fmt: skip

    def readable(self, mapping: dict[Any, Any]) -> tuple[Submission | None, tuple[FieldPath, ...], list[FieldFault]]:
        """Read a manifest with stand-ins for fields that do not fit; return the wrong fields and faults too.

        Some rules are only looked at once each field fits by itself, so that it takes a few rounds to find every fault.
        """
        settled: list[FieldPath] = []
        faults: list[FieldFault] = []
        # Copied, because faulty fields are taken out below and the document stays as its author wrote it.
        rest = {key: dict(value) if isinstance(value, dict) else value for key, value in mapping.items()}
        for _ in range(MOST_ROUNDS):
            try:
                self._record.model_validate(rest)
                return Submission.model_validate(rest), tuple(settled), faults
            except ValidationError as error:
                new = [self._fault(detail) for detail in error.errors(include_url=False)]
            # A key that is misspelt is told once: not also as the key that is missing.
            settled += [meant for fault in new if fault.problem == UNKNOWN_KEY and (meant := self._meant(fault.path))]
            faults += [fault for fault in new if fault.path not in settled]
            settled += [_settle(rest, fault.path) for fault in new]
            rest |= {key: value for key, value in self._stand_ins.items() if key not in rest}
        return None, tuple(settled), faults

    def _fault(self, detail: "ErrorDetails") -> FieldFault:
        if detail["type"] == "extra_forbidden":
            return self._explain_unknown(detail["loc"])
        fault = _build_fault(detail, _SEAT if self._records.get(detail["loc"]) is PlayerSpec else "")
        # The page on the format has the rules of one game alone.
        if fault.path[:1] == ("rules",) and fault.remedy == FORMAT:
            return fault._replace(remedy=f"See ircore games show {self._game.name} for its rules.")
        return fault

    def _explain_unknown(self, path: FieldPath) -> FieldFault:
        meant = self._meant(path)
        remedy = f"Did you mean {meant[-1]}? Otherwise take it out." if meant else "Take it out."
        if _SCORES.fullmatch(str(path[-1])):
            remedy = "Take it out: scores are computed here, from what is played."
        return FieldFault(path, UNKNOWN_KEY, f"one of {', '.join(self._list_known(path))}", remedy)

    def _list_known(self, path: FieldPath) -> list[str]:
        """Return the keys that are known at the place of an unknown key."""
        record = self._records.get(path[:-1], self._record)
        return [field.alias or name for name, field in record.model_fields.items()]

    def _meant(self, path: FieldPath) -> FieldPath:
        """Return the path of the known key that an unknown one probably stands for; empty if none is similar."""
        near = get_close_matches(str(path[-1]).lower(), self._list_known(path), n=1, cutoff=0.65)
        return (*path[:-1], near[0]) if near else ()


def _settle(rest: dict[Any, Any], path: FieldPath) -> FieldPath:
    """Remove a field that does not fit from a manifest; return the path of the removed field or of its parent."""
    part = rest.get(path[0]) if path else None
    # A seat without a player is no seat: the whole seat is replaced by its stand-in.
    if len(path) > 1 and isinstance(part, dict) and path[1] != "player":
        part.pop(path[1], None)
        if path[0] == "transcripts" and path[1] in _REFERENCE_STAND_IN:
            part[path[1]] = _REFERENCE_STAND_IN[path[1]]
        return path[:2]
    if path:
        rest.pop(path[0], None)
    return path[:1]


def _build_fault(detail: "ErrorDetails", otherwise: str) -> FieldFault:
    """Return a fault in our words; ``otherwise`` is expected of a field of whose name nothing is known."""
    path, kind = detail["loc"], detail["type"]
    if path[1:2] == ("parameters",) and len(path) > 2:
        # What follows names the branches of a union that were tried, too.
        inside = path[:3] if isinstance(path[2], str) else path[:2]
        return FieldFault(inside, "holds a date, or a name that is no text", _VALUES, "Put dates and names in quotes.")
    if path[-1:] == ("[key]",):
        return FieldFault(path[:-1], f"the name {_describe_detail(detail)}", _NAMES, f"Write {_NAMES}.")
    if kind == "invalid_key":
        path = (*path[:-1], str(path[-1]))
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    expected = _describe_expected(path, last) or otherwise
    if kind == "missing":
        return FieldFault(path, MISSING, expected, f"Add {format_field_name(path)}: {expected}.")
    if kind == "value_error":
        return _build_named_fault(path, detail["msg"].removeprefix("Value error, "), expected)
    return FieldFault(path, _describe_detail(detail), expected, _describe_remedy(last, detail, expected))


def _describe_expected(path: FieldPath, last: str) -> str:
    if path == ("transcripts", "revision"):
        return _COMMIT
    return _LINK if len(path) == 2 and path[0] == "links" else EXPECTED.get(last, "")


def _build_named_fault(path: FieldPath, message: str, expected: str) -> FieldFault:
    """Return the fault that a validator of a whole record raised, at the field that the message begins with."""
    named = _NAMED.match(message)
    if named is not None:
        path = (*path, "links", named[2]) if named[2] else (*path, named[1])
        message = message[named.end() :]
        expected = _LINK if named[2] else EXPECTED[named[1]]
    return FieldFault(path, message, expected, f"Write {expected}." if expected else FORMAT)


def _describe_detail(detail: "ErrorDetails") -> str:
    value, kind = detail["input"], detail["type"]
    if kind in _OWN_WORDS:
        return _OWN_WORDS[kind].format(shown=_format_value(value))
    if kind == "string_too_short":
        return describe_fault(detail)
    # Of this form each seat is known: what is none is told as an unknown key.
    said = WORDING[kind] if kind == "model_type" else describe_fault(detail)
    return f"{said}, not {_describe_kind(value) if kind.endswith('_type') else _format_value(value)}"


def _describe_remedy(field: str, detail: "ErrorDetails", expected: str) -> str:
    if field == "api_key_env":
        return "Write the variable's name, such as OPENAI_API_KEY; if this was the key itself, withdraw it."
    if detail["type"] == "int_type" and str(detail["input"]).strip().isdecimal():
        return "Take the quotes off."
    if detail["type"] == "string_type" and not isinstance(detail["input"], dict | list):
        return "Put it in quotes: YAML reads it as something else."
    return f"Write {expected}." if expected else FORMAT


def _describe_kind(value: Any) -> str:
    if value is None:
        return "nothing"
    kinds = {bool: "true or false", int: "a number", float: "a number", dict: "a mapping", list: "a list", str: "text"}
    return kinds.get(type(value), "a date")


def _format_value(value: Any) -> str:
    """Return a value for an error message; a long text is not repeated, since it may be a key."""
    text = repr(value)
    return text if len(text) <= 24 else "what stands there"


class _Provider(NamedTuple):
    """A provider of models, with the words that are taken for it and the accounts that prove it."""

    name: str
    words: tuple[_Words, ...]
    whole: tuple[_Words, ...]
    accounts: tuple[str, ...]


@lru_cache(maxsize=8192)
def _split_shapes(text: str) -> _Words:
    """Return the words of a text by the look of their letters; single letters in a row are one word."""
    words: list[str] = []
    alone = False
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        is_letter = len(match[0]) == 1 and match[0].isalpha()
        # Otherwise "G P T" would pass where "GPT" is refused.
        if is_letter and alone:
            words[-1] += match[0]
        else:
            words.append(match[0])
        alone = is_letter
    return tuple(list_name_forms(word) for word in words)


def _contains_phrase(text: _Words, phrase: _Words) -> bool:
    """Return whether a phrase stands in a text, word for word."""
    return any(
        # A word has several forms, see alike; one in common is enough.
        all(word & other for word, other in zip(text[start:], phrase, strict=False))
        for start in range(len(text) - len(phrase) + 1)
    )


@cache
def _list_reserved() -> Sequence[tuple[str, bool]]:
    """Return each reserved phrase, and whether it counts only as the whole of a name."""
    return tuple((str(word), key == "whole") for key in ("words", "whole") for word in _read_document()[key])


@cache
def _list_signs() -> frozenset[str]:
    return frozenset(_read_document()["signs"])


@cache
def _list_providers() -> Sequence[_Provider]:
    return tuple(
        _Provider(
            entry["name"],
            tuple(map(_split_shapes, entry.get("words", ()))),
            tuple(map(_split_shapes, entry.get("whole", ()))),
            tuple(entry["accounts"]),
        )
        for entry in _read_document()["providers"]
    )


@cache
def _read_document() -> dict[str, Any]:
    return load_own_mapping(LIST)
