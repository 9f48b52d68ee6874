"""What a stranger's manifest may say about services: addresses, names of keys, and request fields.

No address may be inside a network, and each key is for its service. While a stranger's pair is played, no connection
may reach an address inside a network. A name that was looked up may lead elsewhere the next time. So the last word is
had where a connection is made: at the socket, about the very address that it is made to, whichever client makes it and
for whatever reason.

With any other request field than those listed, a pair is self-reported only. A list of refused fields lets every new
tool of a service in. So the list names what is allowed: fields that change how a model samples or how long it thinks,
for each service, with the day and the service's own description.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import getproxies

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.strict_yaml import FieldPath, load_own_mapping
from ircore.core.submission_records import Submission
from ircore.players.submission import LoadedSubmission
from ircore.players.traits import list_project_players, load_traits
from ircore.submissions.findings import format_field_name

LIST = Path(__file__).with_name("addresses.yaml")
OPENAI_HOST = "api.openai.com"
"""Where players of OpenAI's protocol ask if a manifest names no address."""

# No backslash in the host: browsers read it as a slash, other clients as part of an account's name.
_URL = re.compile(r"(https?)://([^/?#\\\s]*)([/?#][!#-;=?-Z\[\]_a-z~]*)?")
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_INTERNAL_ENDINGS = (
    ".arpa", ".corp", ".home", ".internal", ".intra", ".intranet", ".lan", ".local", ".localdomain", ".localhost",
    ".onion", ".private", ".test", ".invalid", ".svc", ".cluster.local",
)  # fmt: skip
# Public services of DNS whose names lead to the address that they spell, such as 127.0.0.1.nip.io.
_POINTS_ANYWHERE = (
    ".nip.io", ".sslip.io", ".xip.io", ".xip.name", ".traefik.me", ".localtest.me", ".lvh.me", ".vcap.me",
    ".lacolhost.com", ".localho.st", ".rbndr.us", ".1u.ms",
)  # fmt: skip
# RFC 6052: the last 32 bits of such an address are the IPv4 address that it leads to.
_NAT64 = ip_network("64:ff9b::/96")
_NEVER_OUTSIDE = (ip_network("168.63.129.16/32"), ip_network("192.0.0.0/24"), ip_network("fec0::/10"))
"""Public by the tables, and not on the internet: hosts of two clouds for their machines; site-local (RFC 3879)."""

# Like the Hub's rule for names: at most 96 characters, and no two signs in a row.
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9]|[._-](?![._-])){0,95}"
_REPOSITORY = re.compile(f"{_PART}/{_PART}")

_under_way: list[None] = []
"""One entry for each guard that holds now."""

FIELDS_LIST = Path(__file__).with_name("request_fields.yaml")
SERVER = "server"
"""Name in the list for servers that are no known service's."""

SELF_REPORTED = "the pair is self-reported only: listed without numbers or rank"
REMEDY = "Take it out, or ask for it in the pull request, with the service's own description."

_WORD = re.compile(r"[A-Za-z0-9._:+-]{1,40}")


class Address(NamedTuple):
    """The parts of a web address that was read strictly.

    >>> read_address("https://api.openai.com/v1")
    Address(scheme='https', host='api.openai.com', port=None, rest='/v1')
    """

    scheme: str
    host: str
    port: int | None
    rest: str


class AddressError(ValueError):
    """An address that is not taken; the text says why.

    >>> read_address("https://me:secret@example.org")
    Traceback (most recent call last):
    ircore.submissions.services.AddressError: an address with an account or password
    """


def read_address(url: str) -> Address:
    """Read a web address more strictly than browsers and clients do, so that all of them read the same.

    Raises:
        AddressError: It is none, names an account, or holds characters that readers differ about.
    """
    whole = _URL.fullmatch(url)
    if whole is None:
        raise AddressError("no plain https address")
    scheme, authority, rest = whole.groups()
    if "@" in authority:
        raise AddressError("an address with an account or password")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        raise AddressError("the host has characters that no plain address has")
    # A final dot names the same host, and would slip past every comparison of names.
    host, port = parts[1].strip("[]").lower().rstrip("."), parts[2]
    if port is not None and not 0 < int(port) < 65536:
        raise AddressError("there is no such port")
    return Address(scheme, host, int(port) if port else None, rest or "")


def explain_internal_host(host: str) -> str | None:
    """Say why a host is, or may be, inside a network rather than on the public internet.

    Args:
        host: A name or an IP address without brackets, in lower case.

    Returns:
        The reason in a few words, or None if nothing speaks against it.
    """
    try:
        return explain_internal_address(ip_address(host))
    except ValueError:
        pass
    # C libraries take 127.1, 0x7f.1 and 2130706433 for addresses, which ip_address refuses.
    if all(_NUMBER.fullmatch(label) for label in host.split(".")) or _NUMBER.fullmatch(host.rsplit(".", 1)[-1]):
        return "an IP address in disguise"
    if host == "localhost" or host.endswith(_INTERNAL_ENDINGS):
        return "a name inside a network"
    if host.endswith(_POINTS_ANYWHERE) or f".{host}" in _POINTS_ANYWHERE:
        return "a name that can point to any address"
    if not _NAME.fullmatch(host):
        return "no public name"
    return None


def explain_internal_address(number: IPv4Address | IPv6Address) -> str | None:
    """Return the reason why an address is not on the public internet; None for a public address."""
    if isinstance(number, IPv6Address):
        # Such an address may be public by itself while the IPv4 address within leads into a network.
        inner = number.ipv4_mapped or number.sixtofour or (number.teredo[1] if number.teredo else None)
        if number in _NAT64:
            inner = IPv4Address(int(number) & 0xFFFFFFFF)
        if inner is not None and (reason := explain_internal_address(inner)):
            return reason
    if number.is_loopback:
        return "this machine's own address"
    if number.is_link_local:
        return "a link-local address, such as those of a cloud's metadata"
    if any(number in network for network in _NEVER_OUTSIDE):
        return "an address of a cloud's or a site's own"
    if number.is_global and not number.is_multicast and not number.is_reserved:
        return None
    return "an address inside a network"


def resolve_internal(host: str, port: int = 443) -> str | None:
    """Look a host up and return the reason why an address of the host is not public; None if all are public.

    This asks the network: for the moment before a pair is played, never for a check of a pull request.
    """
    import socket

    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return "a host that cannot be found"
    # Each address counts: a client may connect to any of them.
    for *_, sockaddr in addresses:
        # An IPv6 address may carry an interface, as in fe80::1%eth0.
        address = str(sockaddr[0]).partition("%")[0]
        if (reason := explain_internal_host(address)) is not None:
            return f"a name for {address}, {reason}"
    return None


def is_repository(name: str) -> bool:
    """Return whether a text can be the name of a dataset repository, ORG/NAME."""
    return _REPOSITORY.fullmatch(name) is not None


def link_problem(url: str) -> str | None:
    """Return the reason why a link is refused; None for https at a listed host and the usual port."""
    try:
        address = read_address(url)
    except AddressError as error:
        return str(error)
    if address.scheme != "https":
        return "not https"
    # A link to another port would look like the listed site and lead to another server.
    if address.port not in (None, 443):
        return "a port of its own"
    if reason := explain_internal_host(address.host):
        return reason
    return None if _is_listed(address.host) else f"{address.host} is not among the hosts that links may lead to"


def link_hosts() -> tuple[str, ...]:
    """Return the hosts that links may lead to; a host that begins with a dot stands for every host below that name."""
    return tuple(_read_lists()["links"])


def find_service_hosts(key: str) -> tuple[str, ...]:
    """Return the hosts whose key has this name; empty if no known service has a key of this name."""
    services: dict[str, str] = _read_lists()["services"]
    return tuple(host for host, name in services.items() if name == key)


def find_service_key(host: str) -> str | None:
    """Return the name of the key of a known service."""
    key: str | None = _read_lists()["services"].get(host)
    return key


def is_elsewhere(key: str) -> bool:
    """Return whether a key belongs to a service whose address a manifest cannot name."""
    return key in _read_lists()["elsewhere"]


def is_reserved(key: str) -> bool:
    """Return whether continuous integration or publishing may use a variable of this name."""
    # A model service's key may be called a token, as Replicate's is; CI's own tokens begin with its own names.
    words = key.removesuffix("_TOKEN").split("_")
    reserved = _read_lists()["reserved"]
    return words[0] in reserved["beginnings"] or any(word in reserved["words"] for word in words)


class InsideError(ConnectionRefusedError):
    """A connection to an address that is not on the public internet; clients treat the error as a failed connection.

    >>> import socket
    >>> with refuse_internal():
    ...     try:
    ...         socket.create_connection(("127.0.0.1", 80))
    ...     except InsideError as error:
    ...         print(str(error).partition(":")[0])
    127.0.0.1 is this machine's own address
    """


@contextmanager
def refuse_internal() -> Iterator[None]:
    """Refuse every connection of this process to an address that is not on the public internet.

    Raises:
        InputError: The environment names a proxy, which would look names up where nobody checks them.
    """
    if proxies := sorted(getproxies().keys() & {"all", "http", "https", "socks"}):
        names = ", ".join(f"{name.upper()}_PROXY" for name in proxies)
        raise InputError(f"--only-outside: {names} is set, and a proxy may connect to anywhere", "Unset it.")
    _install()
    _under_way.append(None)
    try:
        yield
    finally:
        _under_way.pop()


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
    of_project = spec.player in _load_players()
    name = find_service(spec)
    service = _read_fields_list()["services"][name]
    if spec.model is not None:
        yield from _model(("model",), spec.model, name)
    for parameter, value in spec.parameters.items():
        path = ("parameters", parameter)
        if parameter == "extra_body":
            yield from _find_unlisted_fields(path, value, service["fields"], name)
        elif not of_project or parameter not in _read_fields_list()["parameters"]:
            continue  # which a player of this project refuses itself
        elif (kind := _read_fields_list()["parameters"].get(parameter)) == "model":
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
    return next((name for name, service in _read_fields_list()["services"].items() if host in service["hosts"]), SERVER)


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


def _is_listed(host: str) -> bool:
    return any(
        # Endings are compared with their dot, so that evilgithub.io is not taken for github.io.
        host == listed.lstrip(".") or (listed.startswith(".") and host.endswith(listed)) or host == f"www.{listed}"
        for listed in link_hosts()
    )


@cache
def _read_lists() -> dict[str, Any]:
    return load_own_mapping(LIST)


@cache
def _install() -> None:
    """Install the hook that sees every connection of this process; Python cannot remove the hook again."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse a connection to an address that is not public (audit event ``socket.connect``).

    Raises:
        InsideError: The address is not on the public internet.
    """
    # A Unix socket has a path in the place of the tuple, and leads to no network.
    if event != "socket.connect" or not _under_way or not isinstance(arguments[1], tuple):
        return
    host = str(arguments[1][0]).partition("%")[0]
    try:
        reason = explain_internal_address(ip_address(host))
    except ValueError:
        # The socket would look the name up itself, where nobody sees the address.
        reason = "a name that is not looked up yet"
    if reason is not None:
        raise InsideError(f"{host} is {reason}: nothing there is asked for a stranger's pair")


def _model(path: FieldPath, model: str, service: str) -> Iterator[Unlisted]:
    # Services take names of models in any case.
    name = model.lower()
    # Refused names first: a listed pattern may be wide enough to hold one of them.
    parts = (match[0] for pattern in _read_fields_list()["never"] if (match := re.search(pattern, name)))
    if part := next(parts, ""):
        yield Unlisted(path, f"with {part!a} brings search, tools, words or models of its own")
    elif not any(re.fullmatch(pattern, name) for pattern in _read_fields_list()["services"][service]["models"]):
        yield Unlisted(path, f"is no name of a model of {service} itself")


def _find_unlisted_fields(path: FieldPath, value: Any, listed: dict[str, Any], service: str) -> Iterator[Unlisted]:
    if not isinstance(value, dict):
        yield Unlisted(path, "is no mapping")
        return
    for name, part in value.items():
        yield from _value((*path, name), part, listed.get(name), service)


def _value(path: FieldPath, value: Any, kind: Any, service: str) -> Iterator[Unlisted]:
    if kind is None:
        yield Unlisted(path, f"is no request field that is listed for {service}")
    elif isinstance(kind, dict):
        yield from _find_unlisted_fields(path, value, kind, service)
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
def _load_players() -> frozenset[str]:
    """Return this project's players that ask a service."""
    methods = ("describe", "render", "answer")
    return frozenset(name for method in methods for name in list_project_players("service", method))


@cache
def _read_fields_list() -> dict[str, Any]:
    return load_own_mapping(FIELDS_LIST)
