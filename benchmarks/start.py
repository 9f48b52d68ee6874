"""How soon commands begin their work, beside a Python that imports NumPy and ends.

A command that is given a file that is not there imports what it needs, looks for the file and ends: the time until its
work would begin. Whole commands on small input come after it. Each is run ``ROUNDS`` times, in turns, so that a machine
that is busy is so for all; shown are the quickest and the middle one, by the clock and by the processor.

    python benchmarks/start.py
"""

import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from samples import sample_instances, sample_run  # noqa: E402

from ircore.commands.main import run as ircore  # noqa: E402

ROUNDS = 9
YARDSTICK = "import numpy"


def seconds_of(command: list[str]) -> tuple[float, float]:
    """Run a command and return its seconds by the clock and by the processor; how it ends does not matter."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is measured by name, the yardstick first; the run of a pair is played and scored for it."""
    instances = sample_instances(folder / "instances")
    run = sample_run(folder / "run", instances)
    ircore(["score", str(run.path)])
    picture, missing = str(folder / "picture.png"), str(folder / "missing")
    Path(picture).write_bytes(instances.picture_bytes(instances.instances[0], "target"))
    program = [sys.executable, "-m", "ircore"]
    return {
        YARDSTICK: [sys.executable, "-c", YARDSTICK],
        "ircore --help": [*program, "--help"],
        "ircore compare, until its work": [*program, "compare", missing, missing],
        "ircore results, until its work": [*program, "results", missing],
        "ircore compare --metric ssim, whole": [*program, "compare", picture, picture, "--metric", "ssim"],
        "ircore compare, whole": [*program, "compare", picture, picture],
        "ircore results, whole, 4 episodes": [*program, "results", str(run.path)],
    }


def main() -> None:
    """Print a line for each command."""
    measured: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        timed = commands(Path(temporary))
        for _ in range(ROUNDS):
            for name, command in timed.items():
                measured[name].append(seconds_of(command))
    yardstick = min(wall for wall, _ in measured[YARDSTICK])
    print(f"{'':<37} {'quickest':>9} {'middle':>9} {'processor':>9}  × {YARDSTICK}")
    for name, times in measured.items():
        wall, used = [wall for wall, _ in times], min(used for _, used in times)
        quickest = min(wall)
        print(f"{name:<37} {quickest:7.2f} s {median(wall):7.2f} s {used:7.2f} s  {quickest / yardstick:6.1f}")


if __name__ == "__main__":
    main()
