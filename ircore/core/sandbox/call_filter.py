"""The filter of system calls: a list of allowed calls as a program for the kernel's classic BPF machine.

Every call that the list does not name is answered with "not implemented" (ENOSYS), as an older kernel would answer it:
no new process, no socket, no signal to anybody, no tracing, mounting or asynchronous I/O. The list is
``system_calls.csv``; the format of the program is that of ``linux/filter.h`` and ``linux/seccomp.h``.
"""

import csv
import errno
import platform
import struct
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Architectures with a column in the list, and their numbers in ``linux/audit.h``."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _REFUSE = 0x80000000, 0x7FFF0000, 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE = 0, 4
_X32 = 0x40000000
"""Numbers from here on are calls of the x32 interface, which would pass by the list."""

_CLONE_THREAD = 0x10000
_TERMINAL_SIZE, _CLOSE_ON_EXEC, _KEEP_ON_EXEC, _IS_TERMINAL = 0x5413, 0x5451, 0x5450, 0x5401
_SET_NAME = 15


class Condition(NamedTuple):
    """A condition on an argument of an allowed call.

    >>> CONDITIONS["prlimit64"]  # of one's own process alone
    Condition(argument=0, values=(0,), bits=0)

    Attributes:
        argument: Number of the argument, from 0.
        values: Values of its lower 32 bits that pass.
        bits: Bits of which one must be set, instead of ``values``; 0 for none.
    """

    argument: int
    values: tuple[int, ...] = ()
    bits: int = 0


CONDITIONS = {
    "clone": Condition(0, bits=_CLONE_THREAD),  # threads, but no processes
    "fcntl": Condition(1, (0, 1, 2, 3, 4, 5, 6, 7, 1030)),  # no signals to an owner, no larger pipes
    "ioctl": Condition(1, (_IS_TERMINAL, _TERMINAL_SIZE, _CLOSE_ON_EXEC, _KEEP_ON_EXEC)),
    "prctl": Condition(0, (_SET_NAME,)),
    "prlimit64": Condition(0, (0,)),
}
"""Calls that pass only with certain arguments."""


def supported() -> bool:
    """Return whether the list has a column for this machine."""
    return platform.machine() in AUDIT_ARCHITECTURES


def allowed_calls(machine: str) -> dict[str, int]:
    """Return the numbers of the allowed calls of an architecture by name.

    Args:
        machine: A key of ``AUDIT_ARCHITECTURES``.
    """
    text = (files("ircore.core.sandbox") / "system_calls.csv").read_text(encoding="ascii")
    return {row["name"]: int(row[machine]) for row in csv.DictReader(text.splitlines()) if row[machine]}


def filter_program(machine: str) -> bytes:
    """Return the filter in the form that bubblewrap's ``--seccomp`` reads: an array of ``struct sock_filter``.

    Args:
        machine: A key of ``AUDIT_ARCHITECTURES``.
    """
    program = [
        # First the architecture: the same number is another call on another one.
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, AUDIT_ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _REFUSE),
    ]
    for name, number in sorted(allowed_calls(machine).items()):
        verdict = _verdict(CONDITIONS.get(name))
        program += [_step(_EQUAL, number, 0, len(verdict)), *verdict]
    return b"".join([*program, _step(_RETURN, _REFUSE)])


def _verdict(condition: Condition | None) -> Sequence[bytes]:
    if condition is None:
        return [_step(_RETURN, _ALLOW)]
    # Arguments are 64 bits from offset 16 on; the kernel reads of these the lower 32, which come first.
    load = _step(_LOAD, 16 + 8 * condition.argument)
    ends = [_step(_RETURN, _REFUSE), _step(_RETURN, _ALLOW)]
    if condition.bits:
        return [load, _step(_ANY_BIT, condition.bits, 1, 0), *ends]
    count = len(condition.values)
    tests = [_step(_EQUAL, value, count - index, 0) for index, value in enumerate(condition.values)]
    return [load, *tests, *ends]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction: code, how many to skip if the comparison holds or fails, and its constant."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
