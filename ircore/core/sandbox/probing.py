"""Probing the sandbox on this machine: every guarantee is tried from inside before any stranger's program runs."""

import json
import platform
import subprocess
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile

from ircore.core.errors import InputError
from ircore.core.sandbox.box import MIB, Limits, Sandbox, filter_program

REFUSED_CALLS = {
    "x86_64": {"socket": 41, "fork": 57, "vfork": 58, "kill": 62, "ptrace": 101, "mount": 165, "tkill": 200,
               "tgkill": 234, "keyctl": 250, "unshare": 272, "signalfd4": 289, "perf_event_open": 298, "setns": 308,
               "process_vm_readv": 310, "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
               "pidfd_open": 434, "clone3": 435},
    "aarch64": {"mount": 40, "unshare": 97, "ptrace": 117, "kill": 129, "tkill": 130, "tgkill": 131, "socket": 198,
                "keyctl": 219, "perf_event_open": 241, "setns": 268, "process_vm_readv": 270, "memfd_create": 279,
                "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435},
}  # fmt: skip
"""Calls that the probe makes from inside, by architecture and name."""

PROMISES = {
    "files": "no file of this machine but Python, its packages and shared libraries",
    "writing": "nothing outside of the sandbox's own /tmp can be written",
    "network": "no socket of any kind",
    "processes": "no new process, and no signal to any",
    "calls": "no tracing, mounting, namespaces, io_uring, bpf, keys, memory files",
    "rights": "no root, no capability, no limit can be raised",
    "environment": "no variable of this process's environment",
    "memory": "memory is bounded",
    "folder": "files are bounded, in memory alone",
    "time": "a program that does not end is killed",
    "output": "a program that writes without end is killed",
}
"""The guarantees in words, by the name of the probe."""

_UNPRIVILEGED = (
    "Allow user namespaces for it: sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu) or "
    "sysctl kernel.unprivileged_userns_clone=1 (Debian); in a container, start it with a profile that allows them."
)


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of the sandbox after probing.

    >>> Guarantee("network", "no socket of any kind", ("AF_INET",)).held
    False

    Attributes:
        name: A key of ``PROMISES``.
        promise: In words.
        breaches: What could be done that must not; empty if the guarantee holds.
    """

    name: str
    promise: str
    breaches: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether nothing was possible that must not be."""
        return not self.breaches


def probe_sandbox() -> tuple[Guarantee, ...]:
    """Try every guarantee from inside of a sandbox on this machine; takes under two seconds.

    Raises:
        InputError: There is no bubblewrap, or no sandbox can be made with it; the remedy says how to allow it.
    """
    box = _build_box()
    with NamedTemporaryFile(prefix="outside-") as file:
        request = {
            "hidden": [file.name, __file__],
            "calls": REFUSED_CALLS[platform.machine()],
            "memory": box.limits.memory,
            "folder": box.limits.folder,
            # bubblewrap sets the first of these by itself; Python sets the second in some locales.
            "variables": ["PWD", "LC_CTYPE", *box.variables],
        }
        outcome = box.run("probe.py", json.dumps(request).encode())
    try:
        breaches = json.loads(outcome.output) if outcome.fate == "finished" else None
    except ValueError:
        breaches = None
    # No answer means that the probe did not even begin, since it writes its answer whatever it finds.
    if not isinstance(breaches, dict):
        raise _build_impossible_error(box)
    return (
        *(
            Guarantee(name, promise, tuple(str(breach) for breach in breaches.get(name, ["was not probed"])))
            for name, promise in PROMISES.items()
            if name not in ("time", "output")
        ),
        _check_killed(box, "time", "too long"),
        _check_killed(box, "output", "too much output"),
    )


def require_sandbox() -> None:
    """Refuse to go on unless every guarantee holds on this machine.

    Raises:
        InputError: One does not hold, or there is no sandbox at all.
    """
    broken = [guarantee for guarantee in probe_sandbox() if not guarantee.held]
    if broken:
        breaches = "; ".join(f"{guarantee.name}: {', '.join(guarantee.breaches[:3])}" for guarantee in broken)
        raise InputError(
            f"the sandbox does not hold on this machine ({breaches})",
            "See what was tried with: ircore sandbox check",
        )


def _build_box() -> Sandbox:
    scripts = files(__package__)
    return Sandbox(
        {f"{name}.py": Path(str(scripts / f"inside_{name}.py")) for name in ("probe", "endless")},
        limits=Limits(memory=512 * MIB, folder=8 * MIB, output=MIB),
    )


def _check_killed(box: Sandbox, name: str, fate: str) -> Guarantee:
    """Return the guarantee that an endless program is killed at a limit."""
    bounded = replace(box, limits=replace(box.limits, wall_s=0.5 if name == "time" else 10))
    outcome = bounded.run("endless.py", b"flood" if name == "output" else b"")
    return Guarantee(name, PROMISES[name], () if outcome.fate == fate else (f"it {outcome.fate}",))


def _build_impossible_error(box: Sandbox) -> InputError:
    """Return the error of a machine on which bubblewrap makes no sandbox, in bubblewrap's own words."""
    with TemporaryFile() as rules:
        rules.write(filter_program(platform.machine()))
        rules.seek(0)
        tried = subprocess.run(  # noqa: S603 - as in ``Sandbox.run``
            box.command("probe.py", rules.fileno()),
            pass_fds=[rules.fileno()],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={},
            timeout=60,
            check=False,
        )
    lines = tried.stderr.decode(errors="replace").strip().splitlines()
    message = next(
        (line for line in lines if line.startswith("bwrap:")), lines[-1] if lines else f"status {tried.returncode}"
    )
    remedy = (
        _UNPRIVILEGED
        if "ermission" in message or "namespace" in message or "not permitted" in message
        else ("Try it with: bwrap --unshare-all --ro-bind / / true")
    )
    return InputError(f"no sandbox can be made on this machine ({message[:200]})", remedy)
