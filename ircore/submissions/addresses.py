"""Addresses and names of keys that a stranger's manifest may hold: none inside a network, each key for its service.

While a stranger's pair is played, no connection may reach an address inside a network.

A name that was looked up may lead elsewhere the next time. So the last word is had where a connection is made: at the
socket, about the very address that it is made to, whichever client makes it and for whatever reason.
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
from ircore.core.strict_yaml import read_mapping

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
    ircore.submissions.addresses.AddressError: an address with an account or password
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


def _is_listed(host: str) -> bool:
    return any(
        # Endings are compared with their dot, so that evilgithub.io is not taken for github.io.
        host == listed.lstrip(".") or (listed.startswith(".") and host.endswith(listed)) or host == f"www.{listed}"
        for listed in link_hosts()
    )


@cache
def _read_lists() -> dict[str, Any]:
    return read_mapping(LIST, "Install the package again.", "")


_under_way: list[None] = []
"""One entry for each guard that holds now."""


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
