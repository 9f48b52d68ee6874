"""The sandbox holds, says so, and refuses where it cannot: against attacks from inside, on this very machine."""

import http.server
import json
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner
from loopback import serving_until_the_end
from sandbox_attacks import ENDLESS, REACHING_OUT, aimed
from sandboxes import sandbox

from ircore.commands.main import app
from ircore.core.errors import InputError
from ircore.core.sandbox import box as box_module
from ircore.core.sandbox import probing
from ircore.core.sandbox.box import AUDIT_ARCHITECTURES, MIB, Limits, Sandbox, filter_program, list_allowed_calls

__all__ = ["sandbox"]
SECRET = "SECRET of this machine"


@pytest.fixture
def port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    with serving_until_the_end(server):
        yield server.server_port


def box_of(tmp_path: Path, program: str, **limits: float) -> Sandbox:
    (tmp_path / "attack.py").write_text(program, encoding="utf-8")
    chosen = {"wall_s": 20, "cpu_s": 10, "memory": 512 * MIB, "folder": 8 * MIB, "output": MIB, **limits}
    return Sandbox({"attack.py": tmp_path / "attack.py"}, limits=Limits(**chosen))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", REACHING_OUT)
def test_an_attack_from_inside_gets_nothing(
    name: str, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    monkeypatch.setenv("SERVICE_API_KEY", SECRET)
    outcome = box_of(tmp_path, aimed(REACHING_OUT[name], port, secret)).run("attack.py")
    assert b"GOT" not in outcome.output
    assert SECRET.encode() not in outcome.output
    assert outcome.fate in ("finished", "failed", "too long")


def test_the_attacks_are_programs(tmp_path: Path) -> None:
    """An attack that is no Python would be held by any sandbox."""
    for name, attack in (REACHING_OUT | ENDLESS).items():
        compile(aimed(attack, 1, tmp_path / "file"), name, "exec")


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", ENDLESS)
def test_a_program_that_does_not_end_is_ended(name: str, tmp_path: Path) -> None:
    started = time.perf_counter()
    outcome = box_of(tmp_path, ENDLESS[name], wall_s=1, cpu_s=1).run("attack.py")
    assert outcome.fate in ("too long", "failed")
    assert time.perf_counter() - started < 15
    assert left_over(tmp_path) == []


def left_over(folder: Path) -> list[str]:
    """Return the command lines of processes that still name a folder, after a moment in which they may end."""
    for _ in range(50):
        lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
        left = [line.replace(b"\0", b" ").decode() for line in lines if str(folder).encode() in line]
        if not left:
            break
        time.sleep(0.1)
    return left


@pytest.mark.usefixtures("sandbox")
def test_output_is_read_up_to_its_limit_and_no_further(tmp_path: Path) -> None:
    program = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    outcome = box_of(tmp_path, program, output=100_000).run("attack.py")
    assert (outcome.fate, len(outcome.output)) == ("too much output", 100_000)


@pytest.mark.usefixtures("sandbox")
def test_a_program_gets_its_input_and_its_output_comes_back(tmp_path: Path) -> None:
    outcome = box_of(tmp_path, "import sys; print(int(sys.stdin.read()) + 1)").run("attack.py", b"41")
    assert (outcome.fate, outcome.output) == ("finished", b"42\n")


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_no_bytes_but_those_of_the_packages_that_were_asked_for(tmp_path: Path) -> None:
    program = (
        "import os; print(os.path.exists('/packages'), os.listdir('/packages') if os.path.exists('/packages') else 0)"
    )
    assert box_of(tmp_path, program).run("attack.py").output == b"False 0\n"
    with_pillow = replace(
        box_of(tmp_path, "import PIL, os; print('pydantic' in os.listdir('/packages'))"), packages=("pillow",)
    )
    assert with_pillow.run("attack.py").output == b"False\n"


@dataclass(frozen=True)
class WeakBox(Sandbox):
    """A sandbox from which some of bubblewrap's options are missing."""

    missing: tuple[str, ...] = ()

    def command(self, script: str, rules: int) -> list[str]:
        command = super().command(script, rules)
        for option in self.missing:
            place = command.index(option)
            del command[place : place + (2 if option in ("--seccomp", "--remount-ro") else 1)]
        return command


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("missing", "breaches"), [(("--seccomp",), {"network", "processes", "calls"}), (("--remount-ro",), {"writing"})]
)
def test_the_probe_sees_what_a_weaker_sandbox_lets_through(missing: tuple[str, ...], breaches: set[str]) -> None:
    script = Path(str(files("ircore.core.sandbox") / "inside_probe.py"))
    weak = WeakBox({"probe.py": script}, limits=Limits(memory=512 * MIB, folder=8 * MIB), missing=missing)
    asked = {"hidden": [], "calls": {"io_uring_setup": 425}, "memory": 512 * MIB, "folder": 8 * MIB, "variables": []}
    seen = json.loads(weak.run("probe.py", json.dumps(asked).encode()).output)
    assert breaches <= {name for name, ways in seen.items() if ways} - {"environment"}


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_check_says_each_guarantee_on_a_line_of_its_own() -> None:
    result = CliRunner().invoke(app, ["sandbox", "check"])
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["held"] * len(probing.PROMISES)
    assert [line.split()[1] for line in lines] == list(probing.PROMISES)


def test_without_bubblewrap_it_refuses_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(box_module, "is_supported", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"bubblewrap \(bwrap\) is not installed") as refusal:
        probing.require_sandbox()
    assert "apt-get install bubblewrap" in (refusal.value.remedy or "")


def test_where_the_kernel_allows_no_namespaces_it_refuses_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bubblewrap that fails as on machines whose kernel lets nobody make a user namespace."""
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(box_module, "is_supported", lambda: True)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(InputError, match="setting up uid map: Permission denied") as refusal:
        probing.require_sandbox()
    assert "sysctl kernel.apparmor_restrict_unprivileged_userns=0" in (refusal.value.remedy or "")


def test_a_broken_guarantee_stops_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = probing.Guarantee("network", "no socket of any kind", ("AF_INET",))
    monkeypatch.setattr(probing, "probe_sandbox", lambda: (broken,))
    with pytest.raises(InputError, match="network: AF_INET"):
        probing.require_sandbox()


@pytest.mark.parametrize("machine", AUDIT_ARCHITECTURES)
def test_the_list_of_calls_has_none_that_makes_processes_sockets_or_signals(machine: str) -> None:
    names = set(list_allowed_calls(machine))
    assert {"read", "write", "mmap", "futex", "execve", "clone"} <= names
    refused = (
        "fork vfork clone3 socket connect kill tkill tgkill ptrace mount unshare io_uring_setup bpf memfd_create setns "
        "process_vm_readv rt_sigqueueinfo setitimer shmget userfaultfd perf_event_open keyctl chroot mknod mknodat "
        "open_by_handle_at"
    )
    assert not names & set(refused.split())


def verdict(program: bytes, machine: str, number: int, argument: int = 0) -> int:
    """Return what the kernel makes of a call, by the manual of BPF and apart from the filter's code."""
    data = {0: number, 4: AUDIT_ARCHITECTURES[machine], **{16 + 8 * k: argument for k in range(6)}}
    steps = list(struct.iter_unpack("=HBBI", program))
    place, held = 0, 0
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == 0x20:
            held = data[value]
        elif code == 0x06:
            return int(value)
        else:
            true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            place += if_true if true else if_false


ALLOW, REFUSE = 0x7FFF0000, 0x00050026  # SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with ENOSYS = 38


@pytest.mark.parametrize(
    ("machine", "number", "argument", "expected"),
    [
        ("x86_64", 0, 0, ALLOW),  # read
        ("x86_64", 41, 0, REFUSE),  # socket
        ("x86_64", 57, 0, REFUSE),  # fork
        ("x86_64", 56, 0x10F00, ALLOW),  # clone of a thread
        ("x86_64", 56, 17, REFUSE),  # clone of a process
        ("x86_64", 157, 15, ALLOW),  # prctl(PR_SET_NAME)
        ("x86_64", 157, 1, REFUSE),  # prctl(PR_SET_PDEATHSIG)
        ("x86_64", 72, 1031, REFUSE),  # fcntl(F_SETPIPE_SZ)
        ("x86_64", 0x40000000, 0, REFUSE),  # read of the x32 interface
        ("aarch64", 63, 0, ALLOW),  # read
        ("aarch64", 198, 0, REFUSE),  # socket
        ("aarch64", 220, 17, REFUSE),  # clone of a process
    ],
)
def test_the_filter_decides_as_the_list_says(machine: str, number: int, argument: int, expected: int) -> None:
    assert verdict(filter_program(machine), machine, number, argument) == expected


def test_another_architecture_is_killed() -> None:
    """A call of 32 bits, which has other numbers, must not pass by the list."""
    assert verdict(filter_program("x86_64").replace(struct.pack("=I", 0xC000003E), struct.pack("=I", 0x40000003)),
                   "x86_64", 0) == 0x80000000  # fmt: skip


@pytest.mark.slow
def test_the_inside_ends_with_the_process_that_began_it(sandbox: None, tmp_path: Path) -> None:
    (tmp_path / "attack.py").write_text("import time; time.sleep(1000)")
    outside = (
        "import os, sys; from pathlib import Path; from ircore.core.sandbox.box import Sandbox\n"
        f"Sandbox({{'attack.py': Path({str(tmp_path / 'attack.py')!r})}}).run('attack.py')"
    )
    process = subprocess.Popen([os.sys.executable, "-c", outside])  # type: ignore[attr-defined]
    time.sleep(1.5)
    process.kill()
    process.wait()
    assert left_over(tmp_path) == []
