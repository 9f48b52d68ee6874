"""Computing a release again from its pictures, beside scoring the same runs.

One built-in pair is played once; copies of its run under other names stand for further pairs. Every turn is scored.
Each measurement is a process of its own; CPU is user and system time of it and of its workers.

    python benchmarks/rescoring.py                                  ten pairs on the benchmark's 129 targets
    python benchmarks/rescoring.py --runs 4 --per-condition 3       as large as the demo
"""

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

from release import IRCORE, ROOT, report

from ircore.runs.folder import RunFolder, create_run
from ircore.runs.play import add_run_id

PAIR = "builtin-captioner-sketch"
"""The quickest one to play."""


def main() -> None:
    """Print a line a measurement, and what rescoring takes for each second of scoring."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--per-condition", type=int, default=10, help="targets of each condition")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = make_runs(folder, options.runs, options.per_condition)
        build = [
            *IRCORE,
            "release",
            "build",
            "--instances",
            folder / "instances",
            "--out",
            folder / "release",
            "--runs",
        ]
        check = [*IRCORE, "release", "check", "--no-load", folder / "release"]
        scoring = timed("score --every-turn", [*IRCORE, "score", "--every-turn", *runs])
        report("release build", [*build, *runs])
        checking = timed("release check", check)
        rescoring = timed("release check --rescore", [*check, "--rescore"])
    for what, index in (("the clock", 0), ("CPU", 1)):
        whole, extra = rescoring[index], rescoring[index] - checking[index]
        print(
            f"by {what}: {whole / scoring[index]:.2f} of scoring, {extra / scoring[index]:.2f} without the check itself"
        )


def timed(step: str, arguments: list[object]) -> tuple[float, float]:
    """Run a step; return its seconds by the clock and of processors."""
    began = perf_counter()
    used = report(step, arguments)
    return perf_counter() - began, used


def make_runs(folder: Path, count: int, per_condition: int) -> list[Path]:
    """Play a pair, and write its run once more for each further pair, the renderings being the same files."""
    instances, played = folder / "instances", folder / "played"
    quietly(["instances", "build", "--out", instances, "--per-condition", per_condition])
    quietly(["play", ROOT / "submissions" / PAIR, "--instances", instances, "--out", played])
    return [copy_run(RunFolder(played), folder / "runs" / f"pair-{number}") for number in range(count)]


def quietly(arguments: list[object]) -> None:
    """Run ``ircore`` without a word."""
    command = [*IRCORE, *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def copy_run(run: RunFolder, path: Path) -> Path:
    """Write a run once more as that of another pair."""
    other = add_run_id(run.run.model_copy(update={"slug": path.name}))
    made = create_run(path, other, run.instances)
    shutil.copyfile(run.path / "journal.jsonl", made.path / "journal.jsonl")
    (made.path / "renderings").mkdir(exist_ok=True)
    for file in (run.path / "renderings").iterdir():
        (made.path / "renderings" / file.name).hardlink_to(file)
    return path


if __name__ == "__main__":
    main()
