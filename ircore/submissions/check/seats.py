"""Checks of the seats of a stranger's manifest: allowed players and settings, and settings that a repetition needs."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.plugins import (
    PROJECT,
    build_unknown_name_error,
    find_package_name,
    list_available,
    list_builtin,
    load_plugin,
)
from ircore.core.records import LOOPBACK, PlayerSpec
from ircore.core.strict_yaml import FieldPath
from ircore.games.base import Game, Seat
from ircore.players.base import RECORDED, RecordedSeat, refuse_settings
from ircore.players.traits import answer_problem, list_project_players, load_traits
from ircore.submissions.check.manifest import EXPECTED, build_seat_fault
from ircore.submissions.findings import FieldFault
from ircore.submissions.services import (
    OPENAI_HOST,
    REMEDY,
    SELF_REPORTED,
    AddressError,
    explain_internal_host,
    find_service_hosts,
    find_service_key,
    find_unlisted_fields,
    is_elsewhere,
    is_reserved,
    read_address,
    resolve_internal,
)
from ircore.submissions.texts import find_ascii_fault, find_leak_faults, find_markup_fault, find_unseen_fault

METHODS = ("describe", "render", "answer")
"""Methods of players to which the seats of this project's games have their questions go."""


def _list_project_players(needs: str) -> frozenset[str]:
    return frozenset(name for method in METHODS for name in list_project_players(needs, method))


OFFLINE = _list_project_players("nothing")
"""Players of this project that need nothing beyond this machine: none has to be imported."""

SERVICES = _list_project_players("service")
"""Players of this project that ask a service."""

_PATH_NAME = re.compile(r"(.*_)?(dir|directory|file|filename|folder|path|paths|run)", re.IGNORECASE)
_PATH = re.compile(r"[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|(.*[/\\])?\.\.([/\\].*)?$|file:", re.IGNORECASE | re.DOTALL)
# A date, a digest behind @, or the hash of a commit.
_DATED = re.compile(r"(19|20)\d\d-?[01]\d-?[0-3]\d|@|\b[0-9a-f]{12,40}\b")
_BY_YOURSELF = "Play it yourself and add transcripts, or check a pair that stays with you with --local."


class Conditions(NamedTuple):
    """The conditions under which a seat is checked.

    >>> from ircore.games.registry import load_game
    >>> played_here = Conditions(local=False, played_here=True, resolve=False, keys={})
    >>> game = load_game("reference")
    >>> faults = check_seat(game, game.seats[0], PlayerSpec(player="canvas"), played_here)
    >>> [fault.problem for fault in faults]
    ['canvas answers with pictures, this seat with a text']
    """

    local: bool
    """The pair stays on its author's machine."""

    played_here: bool
    """Maintainers will play it: it has no transcripts to be scored instead."""

    resolve: bool
    """Hosts are looked up, which asks the network."""

    keys: Mapping[str, frozenset[str]]
    """Hosts that other submissions have their keys sent to, by the keys' names."""


def check_seat(game: Game[Any], seat: Seat[Any, Any], spec: PlayerSpec, conditions: Conditions) -> Iterator[FieldFault]:
    """Yield the faults of a seat: settings first, then the player's own complaints."""
    yield from check_settings(seat.name, spec, conditions)
    if spec.player != RECORDED:
        yield from _check_player(game, seat, spec, conditions)
    elif not seat.recorded:
        problem = f"{game.name} has no recorded answers for this seat"
        yield FieldFault((seat.name, "player"), problem, "a player", "Name a player.")
    else:
        yield from _list_complaints(seat, RecordedSeat, spec)


def list_maintainer_players(game: str) -> frozenset[str]:
    """Return the players that maintainers have: this project's, and those of the package that brings the game."""
    games, players = list_available("games"), list_available("players")
    package = find_package_name(games[game]) if game in games else ""
    return (
        OFFLINE | SERVICES | {name for name, point in players.items() if find_package_name(point) == package != PROJECT}
    )


def check_settings(seat: str, spec: PlayerSpec, conditions: Conditions) -> Iterator[FieldFault]:
    """Yield the faults in texts, parameters, key and address of a seat, independent of its player."""
    for name in ("model", "revision"):
        text = getattr(spec, name)
        if text is not None:
            yield from filter(None, (find_ascii_fault((seat, name), text), find_markup_fault((seat, name), text)))
            yield from find_leak_faults((seat, name), text)
    yield from _check_parameters((seat, "parameters"), spec.parameters, conditions.local)
    yield from _check_key(seat, spec, conditions)
    yield from _check_address(seat, spec, conditions)
    if not conditions.local:
        for unlisted in find_unlisted_fields(spec):
            yield _build_warning((seat, *unlisted.path), f"{unlisted.problem}: {SELF_REPORTED}", "", REMEDY)


def find_host(spec: PlayerSpec) -> str | None:
    """Return the host that a player sends its key to; None without a key or a readable address."""
    if spec.api_key_env is None:
        return None
    if spec.base_url is None:
        return OPENAI_HOST if spec.player in SERVICES else None
    try:
        return read_address(spec.base_url).host
    except AddressError:
        return None


def repeat_warnings(seat: str, spec: PlayerSpec) -> Iterator[FieldFault]:
    """Yield warnings about settings that somebody else needs to repeat the run."""
    traits = load_traits(spec.player)
    if traits.needs != "service" or spec.model is None:
        return
    if spec.revision is None and not _DATED.search(spec.model):
        yield _build_warning(
            (seat, "model"),
            "does not say which version of the model it is",
            "a model's name with its date, or a revision",
            "Add revision: the commit of the weights, or the snapshot's name or date.",
        )
    if missing := [group for group in traits.fixes if not spec.parameters.keys() & set(group)]:
        example = ", ".join(word.replace("=", ": ") for word in traits.example.split()) or f"{missing[0][0]}: VALUE"
        yield _build_warning(
            (seat, "parameters"),
            f"leaves {' and '.join(group[0] for group in missing)} to the provider's defaults, which change",
            " and ".join(" or ".join(group) for group in missing),
            f"Set what the model takes, such as parameters: {{{example}}}.",
        )


def _check_parameters(path: FieldPath, value: Any, local: bool) -> Iterator[FieldFault]:
    if isinstance(value, dict):
        for name, part in value.items():
            below = (*path, name)
            yield from _check_strings(below, name, local)
            # A path could make a player read any file of the machine that plays the pair.
            if not local and _PATH_NAME.fullmatch(name):
                yield FieldFault(
                    below, "names a file or folder", "settings without paths", f"Take it out. {_BY_YOURSELF}"
                )
            yield from _check_parameters(below, part, local)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _check_parameters((*path, number), part, local)
    elif isinstance(value, str):
        yield from _check_strings(path, value, local)
        if not local and (_PATH.match(value) or "://" in value):
            yield FieldFault(path, "is a path or an address", "settings without paths and addresses", "Take it out.")


def _check_strings(path: FieldPath, text: str, local: bool) -> Iterator[FieldFault]:
    if fault := find_unseen_fault(path, text):
        yield fault
    if not local:
        yield from find_leak_faults(path, text)


def _check_key(seat: str, spec: PlayerSpec, conditions: Conditions) -> Iterator[FieldFault]:
    key = spec.api_key_env
    if key is None:
        return
    path = (seat, "api_key_env")
    if is_reserved(key):
        yield FieldFault(
            path,
            f"{key} is a name that continuous integration or publishing may use for a secret of its own",
            "the name of a model service's key",
            f"Name the key after its service, such as {find_service_key(OPENAI_HOST)}.",
        )
        return
    host = find_host(spec)
    # At home the keys are the user's own, and may go where the user wants.
    if conditions.local or host is None:
        return
    yield from _check_key_owner(path, key, host, conditions.keys)


def _check_key_owner(path: FieldPath, key: str, host: str, keys: Mapping[str, frozenset[str]]) -> Iterator[FieldFault]:
    hosts = find_service_hosts(key)
    if (hosts and host not in hosts) or is_elsewhere(key):
        owners = " or ".join(hosts) or "another service"
        yield FieldFault(
            path,
            f"{key} belongs to {owners} and would be sent to {host}",
            f"the name of the key of {host}",
            f"Write {find_service_key(host) or 'a name of its own, such as MY_SERVER_KEY'}, or correct base_url.",
        )
    # Otherwise a second submission could have the key of the first one sent to a host of its own.
    elif not hosts and (others := keys.get(key, frozenset()) - {host}):
        yield FieldFault(
            path,
            f"{key} is sent to {', '.join(sorted(others))} by another submission and would be sent to {host}",
            "one service a key",
            "Give this service's key a name of its own.",
        )
    elif (own := find_service_key(host)) is not None and own != key:
        yield _build_warning(path, f"maintainers keep the key of {host} as {own}", own, f"Write {own}.")


def _check_address(seat: str, spec: PlayerSpec, conditions: Conditions) -> Iterator[FieldFault]:
    if spec.base_url is None:
        return
    path, expected = (seat, "base_url"), EXPECTED["base_url"]
    try:
        address = read_address(spec.base_url)
    except AddressError as error:
        yield FieldFault(path, str(error), expected, f"Write {expected}.")
        return
    if "?" in address.rest or "#" in address.rest:
        yield FieldFault(
            path, "has a query or fragment, which players replace", expected, "Take out what follows ? or #."
        )
    yield from find_leak_faults(path, spec.base_url, is_address=True)
    if conditions.local:
        return
    # A server of the submitter's own is asked on the submitter's machine, never from here.
    if address.host in LOOPBACK and not conditions.played_here:
        return
    reason = explain_internal_host(address.host)
    if reason is None and conditions.resolve and conditions.played_here:
        reason = resolve_internal(address.host, address.port or 443)
    if reason is not None:
        yield FieldFault(
            path, f"{reason} ({address.host}): it cannot be played from here", "a public service", _BY_YOURSELF
        )
    elif conditions.played_here and find_service_key(address.host) is None:
        yield _build_warning(
            path,
            f"maintainers have no key for {address.host}",
            "a service that maintainers have a key for",
            "Ask for it in the pull request, or play it yourself and add transcripts.",
        )


def _check_player(
    game: Game[Any], seat: Seat[Any, Any], spec: PlayerSpec, conditions: Conditions
) -> Iterator[FieldFault]:
    path, player = (seat.name, "player"), spec.player
    if not conditions.local and load_traits(player).reference:
        yield FieldFault(
            path,
            f"{player} sees what no {seat.name} may see, or solves nothing on purpose: it is never ranked",
            "a player that others may have",
            "Name another player, or check a pair that stays with you with --local.",
        )
    elif conditions.local or player in list_maintainer_players(game.name):
        yield from _fit_faults(seat, spec)
    elif load_traits(player).replays:
        yield FieldFault(
            path, f"{player} answers from a run on your machine", "a player that others have", _BY_YOURSELF
        )
    elif conditions.played_here:
        yield FieldFault(path, *_explain_not_played(seat, player))
    elif player not in list_builtin("players"):
        yield _build_warning(
            path, f"{player} is no player of this project", "", "Nothing to do: its transcripts are scored, not played."
        )


def _explain_not_played(seat: Seat[Any, Any], player: str) -> tuple[str, str, str]:
    """Return why maintainers cannot play a player, and the remedy with the players that they can play."""
    expected, needs = "a player of this project", load_traits(player).needs
    if needs == "person":
        return "people cannot be asked from here", expected, _BY_YOURSELF
    if needs == "files":
        return f"{player} needs files of your machine", expected, _BY_YOURSELF
    fitting = [
        name
        for need in ("nothing", "service")
        for name in list_project_players(need, seat.method)
        if not answer_problem(name, seat.method, seat.answers)
    ]
    missing = build_unknown_name_error("player", player, fitting)
    return missing.problem, expected, f"{missing.remedy} One of your own? {_BY_YOURSELF}"


def _fit_faults(seat: Seat[Any, Any], spec: PlayerSpec) -> Iterator[FieldFault]:
    """Yield the faults of a player that cannot take a seat, or refuses its settings."""
    path, player = (seat.name, "player"), spec.player
    # Traits say it without an import.
    methods = load_traits(player).methods
    if methods and seat.method not in methods:
        yield FieldFault(path, f"{player} is no {seat.name}", "another player", "Name another player.")
        return
    if problem := answer_problem(player, seat.method, seat.answers):
        yield FieldFault(path, problem, "another player", "Name another player.")
        return
    # These take no settings, so that none of them has to be imported.
    if player in OFFLINE:
        yield from _list_complaints(seat, refuse_settings, spec)
        return
    try:
        loaded = _import_player(player)
    except InputError as error:
        yield FieldFault(path, error.problem, "", error.remedy)
        return
    if not hasattr(loaded, seat.method):
        yield FieldFault(path, f"{player} is no {seat.name}", "another player", "Name another player.")
        return
    yield from _list_complaints(seat, loaded, spec)


def _list_complaints(seat: Seat[Any, Any], player: Any, spec: PlayerSpec) -> Iterator[FieldFault]:
    """Let a player check the settings of its seat, and yield what it does not take."""
    try:
        # A player without a check of its own is made instead: the constructor refuses what it does not take.
        getattr(player, "check", player)(spec)
    except InputError as error:
        yield build_seat_fault(seat.name, error)


@cache
def _import_player(name: str) -> Any:
    """Import a player; the import is cached, since many submissions name the same player."""
    return load_plugin("players", name)


def _build_warning(path: FieldPath, problem: str, expected: str, remedy: str) -> FieldFault:
    return FieldFault(path, problem, expected, remedy, "warning")
