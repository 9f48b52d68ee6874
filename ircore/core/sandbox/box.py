"""Running a script in bubblewrap: only the files that it needs, no network, no new process.

The inside is one process without capabilities, in namespaces of its own, without ``/proc``, ``/dev`` and ``/sys``.
Whatever it may write is one small folder in memory, and one pipe from which a bounded number of bytes is read.

Its system calls are filtered by a program for the kernel's classic BPF machine. Every call that ``system_calls.csv``
does not name is answered with "not implemented" (ENOSYS), as an older kernel would answer it: no new process, no
socket, no signal to anybody, no tracing, mounting or asynchronous I/O. The format of the program is that of
``linux/filter.h`` and ``linux/seccomp.h``.
"""

import contextlib
import csv
import errno
import os
import platform
import selectors
import shutil
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import BinaryIO, Literal, NamedTuple

from ircore.core.errors import InputError

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

PYTHON = "/python"
PACKAGES = "/packages"
LIBRARY_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")

MIB = 1024 * 1024
SCRIPTS = "/scripts"
INSTALL = "Install it with: apt-get install bubblewrap (dnf and pacman have the same name)"

Fate = Literal["finished", "failed", "too long", "too much output"]

_PYTHON_VARIABLES = {
    "PYTHONPATH": PACKAGES,
    # So that the same program takes the same path again.
    "PYTHONHASHSEED": "0",
    "LD_LIBRARY_PATH": f"{PYTHON}/lib",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "HOME": "/tmp",  # noqa: S108 - the sandbox's own
    "LANG": "C.UTF-8",
}


class ArgumentCondition(NamedTuple):
    """A condition on an argument of an allowed call.

    >>> CONDITIONS["prlimit64"]  # of one's own process alone
    ArgumentCondition(argument=0, values=(0,), bits=0)

    Attributes:
        argument: Number of the argument, from 0.
        values: Values of its lower 32 bits that pass.
        bits: Bits of which one must be set, instead of ``values``; 0 for none.
    """

    argument: int
    values: tuple[int, ...] = ()
    bits: int = 0


CONDITIONS = {
    "clone": ArgumentCondition(0, bits=_CLONE_THREAD),  # threads, but no processes
    "fcntl": ArgumentCondition(1, (0, 1, 2, 3, 4, 5, 6, 7, 1030)),  # no signals to an owner, no larger pipes
    "ioctl": ArgumentCondition(1, (_IS_TERMINAL, _TERMINAL_SIZE, _CLOSE_ON_EXEC, _KEEP_ON_EXEC)),
    "prctl": ArgumentCondition(0, (_SET_NAME,)),
    "prlimit64": ArgumentCondition(0, (0,)),
}
"""Calls that pass only with certain arguments."""


def is_supported() -> bool:
    """Return whether the list has a column for this machine."""
    return platform.machine() in AUDIT_ARCHITECTURES


def list_allowed_calls(machine: str) -> dict[str, int]:
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
        _pack_instruction(_LOAD, _ARCHITECTURE),
        _pack_instruction(_EQUAL, AUDIT_ARCHITECTURES[machine], 1, 0),
        _pack_instruction(_RETURN, _KILL),
        _pack_instruction(_LOAD, _NUMBER),
        _pack_instruction(_AT_LEAST, _X32, 0, 1),
        _pack_instruction(_RETURN, _REFUSE),
    ]
    for name, number in sorted(list_allowed_calls(machine).items()):
        verdict = _build_verdict(CONDITIONS.get(name))
        program += [_pack_instruction(_EQUAL, number, 0, len(verdict)), *verdict]
    return b"".join([*program, _pack_instruction(_RETURN, _REFUSE)])


class Mount(NamedTuple):
    """A file or folder of this machine that the inside can read."""

    outside: Path
    inside: str


def format_version_name() -> str:
    """Return the name of this Python's folders, such as ``python3.11``."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


@cache
def list_python_mounts() -> tuple[Mount, ...]:
    """Return the interpreter, the standard library and, where there is one, the shared library of Python."""
    name = format_version_name()
    # The interpreter behind a virtual environment, whose own is a link to a place that the inside lacks.
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    mounts = [
        Mount(executable, f"{PYTHON}/bin/{name}"),
        Mount(Path(sysconfig.get_path("stdlib")), f"{PYTHON}/lib/{name}"),
    ]
    shared = sysconfig.get_config_var("INSTSONAME")
    # A Python that was moved after it was built still names the folder that it was built for.
    folders = (sysconfig.get_config_var("LIBDIR") or "/", f"{sys.base_prefix}/lib")
    library = next((path for folder in folders if (path := Path(folder, str(shared))).is_file()), None)
    if library is not None:
        mounts.append(Mount(library.resolve(), f"{PYTHON}/lib/{shared}"))
    return tuple(mounts)


@cache
def list_library_mounts() -> tuple[Mount, ...]:
    """Return the folders of shared libraries: for this machine's architecture, and of the loader."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    wanted = [*(f"/lib/{multiarch}", f"/usr/lib/{multiarch}"), "/lib64", "/usr/lib64"] if multiarch else []
    folders = [Path(folder) for folder in wanted or LIBRARY_FOLDERS]
    return tuple(Mount(folder, str(folder)) for folder in folders if folder.is_dir())


@cache
def list_package_mounts(names: tuple[str, ...], without: tuple[str, ...] = ()) -> tuple[Mount, ...]:
    """Return the top-level folders and files of distributions and of every one that they require.

    Args:
        names: Names of distributions, such as ``matplotlib``.
        without: Top-level folders that are left out.

    Raises:
        InputError: A distribution is not installed.
    """
    mounts = {}
    for package in _iterate_requirements(names):
        for top in {file.parts[0] for file in package.files or () if _is_package(file.parts)}:
            mounts[top] = Mount(Path(str(package.locate_file(top))).resolve(), f"{PACKAGES}/{top}")
    return tuple(mount for top, mount in sorted(mounts.items()) if top not in without and mount.outside.exists())


@dataclass(frozen=True)
class Limits:
    """Bounds of a program.

    >>> Limits(wall_s=5).cpu_s
    15

    Attributes:
        wall_s: Seconds until it is killed.
        cpu_s: Seconds of computing.
        memory: Bytes of address space.
        folder: Bytes that ``/tmp`` inside can hold, in memory; also of each file.
        output: Bytes that are read from it.
    """

    wall_s: float = 30
    cpu_s: int = 15
    memory: int = 1536 * MIB
    folder: int = 16 * MIB
    output: int = 16 * MIB


@dataclass(frozen=True)
class ProgramOutcome:
    """Result of running a program.

    Attributes:
        fate: ``finished`` with exit status 0, ``failed``, or killed for a limit.
        output: Bytes that it wrote to its standard output, at most ``Limits.output``. From a stranger.
        seconds: Wall-clock time.
    """

    fate: Fate
    output: bytes = field(repr=False)
    seconds: float


@dataclass(frozen=True)
class Sandbox:
    """A sandbox with scripts and packages; each ``run`` starts a new process in a new sandbox.

    >>> Sandbox({"main.py": Path("main.py")}).limits.cpu_s
    15

    Attributes:
        scripts: Scripts by the name that they have inside.
        packages: Distributions that they may import, with whatever these require.
        without: Top-level folders of these that are not shown.
        files: Further files and folders that they can read, by their path inside.
        environment: Variables of the inside; it has no others but those that Python needs.
        limits: Bounds of each program.
    """

    scripts: Mapping[str, Path]
    packages: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def run(self, script: str, data: bytes = b"") -> ProgramOutcome:
        """Run a script with bytes on its standard input; several threads may run scripts at the same time.

        Raises:
            InputError: There is no bubblewrap, or a package is missing.
        """
        started = time.perf_counter()
        with TemporaryFile() as rules, _read_only(data) as standard_input:
            rules.write(filter_program(platform.machine()))
            rules.seek(0)
            process = subprocess.Popen(  # noqa: S603 - no shell; the program is bubblewrap's full path
                self.command(script, rules.fileno()),
                stdin=standard_input,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},  # keys of the user's services stay outside
                pass_fds=[rules.fileno()],
                start_new_session=True,
            )
            try:
                fate, output = _read_output(process, self.limits, started)
            finally:
                process.kill()
                process.wait()
        if fate == "finished" and process.returncode != 0:
            fate = "failed"
        return ProgramOutcome(fate, output, time.perf_counter() - started)

    def command(self, script: str, rules: int) -> list[str]:
        """Return bubblewrap's command line.

        Args:
            script: Name of one of ``scripts``.
            rules: Number of the open file with the filter of system calls.
        """
        limits = self.limits
        return [
            find_bubblewrap(),
            *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"),
            *("--cap-drop", "ALL", "--clearenv", "--new-session", "--die-with-parent", "--as-pid-1"),
            *("--hostname", "sandbox", "--seccomp", str(rules)),
            *self._list_readable_mounts(),
            *("--size", str(limits.folder), "--tmpfs", "/tmp", "--chdir", "/tmp"),  # noqa: S108 - the sandbox's own
            *(part for name, value in self.variables.items() for part in ("--setenv", name, value)),
            *("--remount-ro", "/"),
            *(f"{PYTHON}/bin/{format_version_name()}", "-s", "-S", "-B", f"{SCRIPTS}/start.py"),
            *(str(limits.cpu_s), str(limits.memory), str(limits.folder), f"{SCRIPTS}/{script}"),
        ]

    @property
    def variables(self) -> dict[str, str]:
        """The environment inside: the variables that Python needs, and ``environment``."""
        return {**_PYTHON_VARIABLES, **self.environment}

    def _list_readable_mounts(self) -> list[str]:
        start = Path(str(files(__package__) / "inside_start.py"))
        scripts = [Mount(path, f"{SCRIPTS}/{name}") for name, path in {"start.py": start, **self.scripts}.items()]
        own_files = [Mount(path, inside) for inside, path in self.files.items()]
        mounts = [
            *list_library_mounts(),
            *list_python_mounts(),
            *list_package_mounts(self.packages, self.without),
            *scripts,
            *own_files,
        ]
        bound = [part for mount in mounts for part in ("--ro-bind", str(mount.outside), mount.inside)]
        # Packages of the interpreter itself, as far as they lie in its standard library's folder, are not ours to show.
        others = list_python_mounts()[1].outside / "site-packages"
        return [
            *bound,
            *(("--tmpfs", f"{PYTHON}/lib/{format_version_name()}/site-packages") if others.is_dir() else ()),
        ]


def find_bubblewrap() -> str:
    """Return the path of bubblewrap.

    Raises:
        InputError: This machine has none, or is one whose system calls are not known.
    """
    if not sys.platform.startswith("linux") or not is_supported():
        raise InputError(
            f"no sandbox on {platform.system()} {platform.machine()}",
            "Run the command on Linux on an x86_64 or aarch64 machine.",
        )
    path = shutil.which("bwrap")
    if path is None:
        raise InputError("no sandbox: bubblewrap (bwrap) is not installed", INSTALL)
    return path


def _build_verdict(condition: ArgumentCondition | None) -> Sequence[bytes]:
    if condition is None:
        return [_pack_instruction(_RETURN, _ALLOW)]
    # Arguments are 64 bits from offset 16 on; the kernel reads of these the lower 32, which come first.
    load = _pack_instruction(_LOAD, 16 + 8 * condition.argument)
    ends = [_pack_instruction(_RETURN, _REFUSE), _pack_instruction(_RETURN, _ALLOW)]
    if condition.bits:
        return [load, _pack_instruction(_ANY_BIT, condition.bits, 1, 0), *ends]
    count = len(condition.values)
    tests = [_pack_instruction(_EQUAL, value, count - index, 0) for index, value in enumerate(condition.values)]
    return [load, *tests, *ends]


def _pack_instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction: code, how many to skip if the comparison holds or fails, and its constant."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _is_package(parts: tuple[str, ...]) -> bool:
    return parts[0] not in ("..", "__pycache__", "bin") and not parts[0].endswith((".dist-info", ".pth"))


def _iterate_requirements(names: Iterable[str]) -> Iterator[Distribution]:
    from packaging.requirements import Requirement

    # Distributions may require each other in a circle, so each is taken once.
    waiting, visited = list(names), set()
    while waiting:
        name = waiting.pop().lower()
        if name in visited:
            continue
        visited.add(name)
        package = _find_distribution(name)
        yield package
        required = [Requirement(text) for text in package.requires or ()]
        waiting += [
            requirement.name
            for requirement in required
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]


def _find_distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise InputError(
            f"the package {name} is not installed", 'Install it with: pip install "ircore[synthesis]"'
        ) from error


def _read_only(data: bytes) -> BinaryIO:
    """Return an open file with the bytes. The inside inherits it, so it must not be able to write into it."""
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return Path(file.name).open("rb")


def _read_output(process: "subprocess.Popen[bytes]", limits: Limits, started: float) -> tuple[Fate, bytes]:
    """Read a program's output up to the limits of bytes and seconds."""
    assert process.stdout is not None  # noqa: S101 - for the type checker
    output = bytearray()
    with process.stdout as pipe, selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            left = started + limits.wall_s - time.perf_counter()
            if left <= 0 or not selector.select(left):
                return "too long", bytes(output)
            part = os.read(pipe.fileno(), 65536)
            output += part
            # Checked after each part, so that a program that writes without end takes no memory here.
            if len(output) > limits.output:
                return "too much output", bytes(output[: limits.output])
            if not part:
                break
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, started + limits.wall_s - time.perf_counter()))
        return "finished", bytes(output)
    return "too long", bytes(output)
