"""The request fields that a seat behind a service may carry; with any other, a pair is self-reported only.

A list of refused fields lets every new tool of a service in. So the list names what is allowed: fields that change how
a model samples or how long it thinks, for each service, with the day and the service's own description.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.strict_yaml import FieldPath, read_mapping
from ircore.core.submission_records import Submission
from ircore.players.submission import LoadedSubmission
from ircore.players.traits import list_project_players, load_traits
from ircore.submissions.addresses import OPENAI_HOST, AddressError, read_address
from ircore.submissions.findings import format_field_name

LIST = Path(__file__).with_name("request_fields.yaml")
SERVER = "server"
"""Name in the list for servers that are no known service's."""

SELF_REPORTED = "the pair is self-reported only: listed without numbers or rank"
REMEDY = "Take it out, or ask for it in the pull request, with the service's own description."

_WORD = re.compile(r"[A-Za-z0-9._:+-]{1,40}")


class Unlisted(NamedTuple):
    """A field of a seat that the list does not allow.

    >>> spec = PlayerSpec(player="openai", model="gpt-5.2", parameters={"extra_body": {"mcp_servers": []}})
    >>> [(unlisted.field, unlisted.problem) for unlisted in find_unlisted_fields(spec)]
    [('parameters.extra_body.mcp_servers', 'is no request field that is listed for openai')]
    """

    path: FieldPath
    """The field, below the seat."""

    problem: str
    """What is not allowed about it."""

    @property
    def field(self) -> str:
        """The field's name for people."""
        return format_field_name(self.path)


def find_unlisted_fields(spec: PlayerSpec) -> Iterator[Unlisted]:
    """Yield the fields that a seat would send and the list does not allow; none for players that ask no service.

    Args:
        spec: The seat, as in the manifest. What parameters of a player of another package do nobody can tell; of such
            a player model and ``extra_body`` are looked at.
    """
    if load_traits(spec.player).needs != "service":
        return
    of_project = spec.player in _players()
    name = find_service(spec)
    service = _list()["services"][name]
    if spec.model is not None:
        yield from _model(("model",), spec.model, name)
    for parameter, value in spec.parameters.items():
        path = ("parameters", parameter)
        if parameter == "extra_body":
            yield from _fields(path, value, service["fields"], name)
        elif not of_project or parameter not in _list()["parameters"]:
            continue  # which a player of this project refuses itself
        elif (kind := _list()["parameters"].get(parameter)) == "model":
            yield from _model(path, str(value), name)
        elif kind != "typed" and value is not None:
            yield from _value(path, value, kind, name)


def find_service(spec: PlayerSpec) -> str:
    """Return the name in the list of the service that a seat asks.

    >>> find_service(PlayerSpec(player="openai", model="m", base_url="https://openrouter.ai/api/v1"))
    'openrouter'
    """
    try:
        host = OPENAI_HOST if spec.base_url is None else read_address(spec.base_url).host
    except AddressError:
        return SERVER
    return next((name for name, service in _list()["services"].items() if host in service["hosts"]), SERVER)


def explain_self_reported(submission: Submission) -> tuple[str, ...]:
    """Return a line for each field because of which a pair is neither played nor re-scored; none for most pairs."""
    return tuple(
        f"{seat}.{unlisted.field} {unlisted.problem}"
        for seat, spec in submission.players.items()
        for unlisted in find_unlisted_fields(spec)
    )


def refuse_self_reported(loaded: LoadedSubmission) -> None:
    """Refuse to vouch for a pair whose requests hold more than the list allows.

    Raises:
        InputError: Which field it is.
    """
    if lines := explain_self_reported(loaded.submission):
        raise InputError(f"{loaded.path}: {lines[0]}: {SELF_REPORTED}", REMEDY)


def _model(path: FieldPath, model: str, service: str) -> Iterator[Unlisted]:
    # Services take names of models in any case.
    name = model.lower()
    # Refused names first: a listed pattern may be wide enough to hold one of them.
    parts = (match[0] for pattern in _list()["never"] if (match := re.search(pattern, name)))
    if part := next(parts, ""):
        yield Unlisted(path, f"with {part!a} brings search, tools, words or models of its own")
    elif not any(re.fullmatch(pattern, name) for pattern in _list()["services"][service]["models"]):
        yield Unlisted(path, f"is no name of a model of {service} itself")


def _fields(path: FieldPath, value: Any, listed: dict[str, Any], service: str) -> Iterator[Unlisted]:
    if not isinstance(value, dict):
        yield Unlisted(path, "is no mapping")
        return
    for name, part in value.items():
        yield from _value((*path, name), part, listed.get(name), service)


def _value(path: FieldPath, value: Any, kind: Any, service: str) -> Iterator[Unlisted]:
    if kind is None:
        yield Unlisted(path, f"is no request field that is listed for {service}")
    elif isinstance(kind, dict):
        yield from _fields(path, value, kind, service)
    elif isinstance(kind, list):
        # True equals 1 in Python, so that a number could pass for true.
        if value not in kind or isinstance(value, bool) != isinstance(kind[0], bool):
            yield Unlisted(path, f"is none of {', '.join(str(choice).lower() for choice in kind)}")
    elif not _is_fitting(value, kind):
        yield Unlisted(path, f"is no {kind}" if kind != "words" else "is no list of words")


def _is_fitting(value: Any, kind: str) -> bool:
    if kind == "words":
        return isinstance(value, list) and all(_is_fitting(word, "word") for word in value)
    if kind == "word":
        return isinstance(value, str) and _WORD.fullmatch(value) is not None
    if kind == "boolean":
        return isinstance(value, bool)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (kind == "number" and isinstance(value, float))


@cache
def _players() -> frozenset[str]:
    """Return this project's players that ask a service."""
    methods = ("describe", "render", "answer")
    return frozenset(name for method in methods for name in list_project_players("service", method))


@cache
def _list() -> dict[str, Any]:
    return read_mapping(LIST, "Install the package again.", "")
