"""Runs inside of the sandbox and tries forbidden actions; writes those that did not fail as JSON, by guarantee.

Arguments come as JSON on standard input: ``hidden`` (paths outside that must not be there), ``memory`` and ``folder``
(bytes) and ``calls`` (numbers of system calls that must be refused, by name).
"""

import ctypes
import errno
import json
import os
import resource
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

SYSTEM = ("/proc", "/sys", "/dev", "/etc", "/root", "/home", "/run", "/var", "/bin/sh", "/usr/bin")
MIB = 1024 * 1024


def is_possible(attempt: Callable[[], object]) -> bool:
    """Return whether an attempt raises nothing."""
    try:
        attempt()
    except (OSError, MemoryError, ValueError, OverflowError):
        return False
    return True


def files(settings: dict[str, Any]) -> Iterator[str]:
    """Yield paths of the machine that can be seen."""
    yield from (path for path in (*SYSTEM, *settings["hidden"]) if os.path.lexists(path))


def writing(_: dict[str, Any]) -> Iterator[str]:
    """Yield places outside of ``/tmp``, and files open from outside, that can be written."""
    folders = {Path("/"), Path(sys.executable).parent, Path(json.__file__).parent, *map(Path, sys.path)}
    for folder in sorted(path for path in folders if path.is_dir()):
        path = folder / "written-by-probe"
        if is_possible(path.touch):
            yield str(path)
    # Output and errors alone may be written; the kernel refuses even an empty write to whatever is only readable.
    for number in (0, *range(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])):
        if is_possible(partial(os.write, number, b"")):
            yield f"open file {number}"


def network(_: dict[str, Any]) -> Iterator[str]:
    """Yield kinds of sockets that can be made."""
    for name in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK"):
        family = getattr(socket, name, None)
        if family is not None and is_possible(partial(socket.socket, family, socket.SOCK_STREAM)):
            yield name
    if is_possible(socket.socketpair):
        yield "socketpair"


def processes(_: dict[str, Any]) -> Iterator[str]:
    """Yield ways in which another process came about, or a signal could be sent."""
    if is_possible(fork_process):
        yield "fork"
    if is_possible(lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})):
        yield "posix_spawn"
    yield from (f"kill {target}" for target in (-1, 0, 1) if is_possible(partial(os.kill, target, 0)))


def fork_process() -> None:
    """Make a process, which ends at once."""
    if os.fork() == 0:
        os._exit(0)


def calls(settings: dict[str, Any]) -> Iterator[str]:
    """Yield system calls that were not refused with "not implemented"."""
    # By number, past the C library, which has no function for some of them.
    library = ctypes.CDLL(None, use_errno=True)
    for name, number in settings["calls"].items():
        library.syscall(ctypes.c_long(number), *(ctypes.c_long(0) for _ in range(6)))
        if ctypes.get_errno() != errno.ENOSYS:
            yield name


def rights(_: dict[str, Any]) -> Iterator[str]:
    """Yield rights that the program has or could get."""
    if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
        yield "runs as root"
    for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE"):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard == resource.RLIM_INFINITY or is_possible(partial(resource.setrlimit, kind, (hard + 1, hard + 1))):
            yield f"raises {name}"


def environment(settings: dict[str, Any]) -> Iterator[str]:
    """Yield variables of the environment that the inside was not given."""
    yield from sorted(os.environ.keys() - set(settings["variables"]))


def memory(settings: dict[str, Any]) -> Iterator[str]:
    """Yield an amount of memory beyond the limit that could be had."""
    if is_possible(lambda: bytearray(settings["memory"] + MIB)):
        yield f"{settings['memory'] // MIB + 1} MiB"


def folder(settings: dict[str, Any]) -> Iterator[str]:
    """Yield an amount beyond the limit that many files in ``/tmp`` could hold."""
    written = 0
    for number in range(2 * settings["folder"] // MIB):
        path = Path(tempfile.gettempdir(), f"probe-{number}")

        def fill(path: Path = path) -> None:
            # Without a buffer, which would report a full folder only when the file is closed.
            with path.open("wb", buffering=0) as file:
                if file.write(bytes(MIB)) < MIB:
                    raise OSError(errno.ENOSPC, "full")

        if not is_possible(fill):
            break
        written += MIB
    if written > settings["folder"]:
        yield f"{written // MIB} MiB"


if __name__ == "__main__":
    request = json.load(sys.stdin)
    tried = (files, writing, network, processes, calls, rights, environment, memory, folder)
    json.dump({attempt.__name__: list(attempt(request)) for attempt in tried}, sys.stdout)
