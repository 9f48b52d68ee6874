"""A Slurm of one node, for a test: its own munge key, ports and folders; nothing of the system's is touched."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "squeue")
PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


def lacking() -> str:
    """Say why there can be no Slurm here; empty if there can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=PLACES) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (apt-get install slurmctld slurmd slurm-client munge)"
    return "" if os.geteuid() == 0 else "slurmd needs root"


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """Run a Slurm while the block runs; yields the environment for its commands."""
    folder.mkdir(mode=0o755)
    host = socket.gethostname().split(".")[0]
    conf = folder / "slurm.conf"
    environment = {**os.environ, "PATH": PLACES, "SLURM_CONF": str(conf)}
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    conf.write_text(_conf(folder, host, *_free_ports(2)))
    with ExitStack() as started:
        munge = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
        munge += [f"--{kind}-file={folder}/munge.{kind}" for kind in ("pid", "log", "seed")]
        for command in (munge, ["slurmctld", "-D", "-f", str(conf)], ["slurmd", "-D", "-f", str(conf), "-N", host]):
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            started.callback(_stop, process)
            if command is munge:
                _wait_until(lambda: (folder / "munge.socket").exists(), "munged")
        _wait_until(lambda: "idle" in _output(["sinfo", "-h", "-o", "%t"], environment), "the node")
        yield environment


def submit(script: str, folder: Path, environment: dict[str, str]) -> None:
    """Submit a script and wait until all its jobs have ended (more often than ``sbatch --wait`` looks)."""
    subprocess.run(["sbatch", script], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    _wait_until(lambda: not _output(["squeue", "-h"], environment), "the end of the jobs", 300)


def _conf(folder: Path, host: str, control: int, node: int) -> str:
    return "\n".join(
        (
            "ClusterName=test",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={control}",
            f"SlurmdPort={node}",
            f"AuthInfo=socket={folder}/munge.socket",
            "SlurmUser=root",
            f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool",
            f"SlurmctldPidFile={folder}/slurmctld.pid",
            f"SlurmdPidFile={folder}/slurmd.pid",
            f"SlurmctldLogFile={folder}/slurmctld.log",
            f"SlurmdLogFile={folder}/slurmd.log",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SelectType=select/cons_tres",
            "SchedulerParameters=sched_interval=1,batch_sched_delay=0",
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",
            "SlurmdParameters=config_overrides",
            "ReturnToService=2",
            "MinJobAge=2",
            "MailProg=/bin/true",
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs=2",
            f"PartitionName=all Nodes={host} Default=YES State=UP",
            "",
        )
    )


def _free_ports(number: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [socket.getsockname()[1] for socket in sockets]


def _wait_until(ready: Callable[[], bool], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)


def _output(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
