"""What the runner adds to the players' own time, and what a kill -9 costs.

The players are those of the tests; each answer takes 50 ms, as if a model had given it. The ideal is the sum of all
answers divided by the number of episodes at once. The second part kills the run 20 times at random moments, goes on
each time, and compares the end with an undisturbed run.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from samples import sample_instances, sample_run  # noqa: E402

from ircore.runs import RunFolder  # noqa: E402
from ircore.summary import summarise  # noqa: E402

KILLS = 20


def start(instances: Path, run: Path, seconds: float) -> list[str]:
    """Return the command that plays (or goes on with) the slow run."""
    script = str(SUPPORT / "slow_play.py")
    return [sys.executable, script, str(instances), str(run), str(run.with_suffix(".questions")), str(seconds)]


def overhead(folder: Path) -> None:
    """Print the wall-clock time of a run beside the players' own."""
    instances = sample_instances(folder / "set", per_condition=6)
    begun = time.perf_counter()
    subprocess.run(start(instances.folder, folder / "empty", 0.0), check=True, stderr=subprocess.DEVNULL)
    fixed = time.perf_counter() - begun
    begun = time.perf_counter()
    subprocess.run(start(instances.folder, folder / "timed", 0.05), check=True, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - begun
    summary = summarise(RunFolder.open(folder / "timed"))
    asked = sum(summary["requests"].values())
    ideal = asked * 0.05 / 3
    print(f"{asked} answers of 50 ms, 3 episodes at once: ideal {ideal:.2f} s, wall {wall:.2f} s in all")
    print(f"  start-up, reading and the players' own drawing (answers of 0 ms): {fixed:.2f} s")
    print(f"  without start-up and drawing, beside the ideal: {(wall - fixed) / ideal:.3f}")


def crashes(folder: Path) -> None:
    """Kill a run again and again; print what was asked twice and whether the end is the same."""
    instances = sample_instances(folder / "crash-set", per_condition=6)
    undisturbed = sample_run(folder / "undisturbed", instances).episodes()
    command = start(instances.folder, folder / "crash", 0.02)
    questions, journal = (folder / "crash").with_suffix(".questions"), folder / "crash" / "journal.jsonl"
    draw, twice, answered_twice, kills = random.Random(0), 0, 0, 0
    while kills < KILLS:
        before = count(journal, '"event":"call"')
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wanted = before + draw.randint(1, 4)
        while process.poll() is None and count(journal, '"event":"call"') < wanted:
            time.sleep(draw.uniform(0.001, 0.01))
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        kills += 1
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    run = RunFolder.open(folder / "crash")
    calls = count(journal, '"event":"call"')
    twice = count(questions, "") - len(run.calls())
    answered_twice = calls - len(run.calls())
    same = without_times(run.episodes()) == without_times(undisturbed)
    print(f"{kills} kills: {answered_twice} answers had twice, {twice} questions in flight asked again (≤ 3 a kill)")
    print(f"  final run equal to an undisturbed one in everything but times: {same}")


def count(path: Path, text: str) -> int:
    """Return how many lines of a file hold ``text``."""
    return sum(text in line for line in path.read_text().splitlines()) if path.exists() else 0


def without_times(episodes: object) -> list[object]:
    """Return episodes as data, without the seconds."""
    return [one.model_dump(exclude={"turns": {"__all__": {"seconds"}}}) for one in episodes]  # type: ignore[attr-defined]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        overhead(Path(temporary))
        crashes(Path(temporary))
