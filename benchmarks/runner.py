"""What the runner adds to the players' own time, and what a kill -9 costs.

The players are those of the tests; each answer takes 200 ms, as if a model had given it. Start-up (imports, reading
the set, making the run folder, drawing) is timed by a run whose answers take no time. The second part kills runs 20
times at random moments, goes on each time, and compares the end with an undisturbed run.
"""

import heapq
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from samples import sample_instances, sample_run  # noqa: E402

from ircore.runs.folder import RunFolder  # noqa: E402

KILLS = 20
ANSWER = 0.2
EPISODES_AT_ONCE = 3


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
    subprocess.run(start(instances.folder, folder / "timed", ANSWER), check=True, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - begun
    answers = Counter(call.episode_id for call in RunFolder(folder / "timed").calls().values())
    ideal = schedule([answers[instance.instance_id] * ANSWER for instance in instances.instances], EPISODES_AT_ONCE)
    print(f"{answers.total()} answers of {ANSWER * 1000:.0f} ms, {EPISODES_AT_ONCE} episodes at once:")
    print(
        f"  the players' own time, perfectly scheduled, {ideal:.2f} s; wall {wall:.2f} s, of it start-up {fixed:.2f} s"
    )
    print(f"  wall without start-up beside the players' own time: {(wall - fixed) / ideal:.3f}")


def schedule(durations: list[float], workers: int) -> float:
    """Return when the last of some jobs ends if each worker takes the next one as soon as it is free."""
    free = [0.0] * workers
    for duration in durations:
        heapq.heapreplace(free, free[0] + duration)
    return max(free)


def crashes(folder: Path) -> None:
    """Kill runs again and again until they are finished; print what was asked twice and whether the end is the same."""
    instances = sample_instances(folder / "crash-set", per_condition=6)
    undisturbed = without_times(sample_run(folder / "undisturbed", instances).episodes())
    draw, kills, had_twice, asked_again, different, number = random.Random(0), 0, 0, 0, 0, 0
    while kills < KILLS:
        number += 1
        path = folder / f"crash-{number}"
        journal, command = path / "journal.jsonl", start(instances.folder, path, 0.03)
        while kills < KILLS and killed(command, journal, draw):
            kills += 1
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        run = RunFolder(path)
        had_twice += count(journal, '"event":"call"') - len(run.calls())
        asked_again += count(path.with_suffix(".questions"), "") - len(run.calls())
        different += without_times(run.episodes()) != undisturbed
    print(f"{kills} kills in {number} runs: {had_twice} answers had twice; {asked_again} questions that were in flight")
    print(f"  asked again (at most {kills * EPISODES_AT_ONCE}); runs that differ from an undisturbed one: {different}")


def killed(command: list[str], journal: Path, draw: random.Random) -> bool:
    """Start a run and kill it a few answers later; return whether it was still running."""
    wanted = count(journal, '"event":"call"') + draw.randint(1, 4)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and count(journal, '"event":"call"') < wanted:
        time.sleep(draw.uniform(0.001, 0.01))
    alive = process.poll() is None
    process.kill()
    process.wait()
    return alive


def count(path: Path, text: str) -> int:
    """Return how many lines of a file hold ``text``."""
    return sum(text in line for line in path.read_text().splitlines()) if path.exists() else 0


def without_times(episodes: object) -> list[object]:
    """Return episodes as data, without the seconds."""
    return [episode.model_dump(exclude={"steps": {"__all__": {"seconds"}}}) for episode in episodes]  # type: ignore[attr-defined]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        overhead(Path(temporary))
        crashes(Path(temporary))
