"""While a stranger's pair is played, no connection may reach an address inside a network.

A name that was looked up may lead elsewhere the next time. So the last word is had where a connection is made: at the
socket, about the very address that it is made to, whichever client makes it and for whatever reason.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.request import getproxies

from ircore.core.errors import InputError
from ircore.submissions.addresses import internal_address

_under_way: list[None] = []
"""One entry for each guard that holds now."""


class InsideError(ConnectionRefusedError):
    """A connection to an address that is not on the public internet; clients treat the error as a failed connection.

    >>> import socket
    >>> with only_outside():
    ...     try:
    ...         socket.create_connection(("127.0.0.1", 80))
    ...     except InsideError as error:
    ...         print(str(error).partition(":")[0])
    127.0.0.1 is this machine's own address
    """


@contextmanager
def only_outside() -> Iterator[None]:
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
        reason = internal_address(ip_address(host))
    except ValueError:
        # The socket would look the name up itself, where nobody sees the address.
        reason = "a name that is not looked up yet"
    if reason is not None:
        raise InsideError(f"{host} is {reason}: nothing there is asked for a stranger's pair")
