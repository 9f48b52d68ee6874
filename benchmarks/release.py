"""Seconds and peak memory of building and checking a release of 1,000 turns with photograph-like pictures.

Run: ``python benchmarks/release.py [--turns 1000] [--side 512]``. Each step is a process of its own, so that the peak
resident set size is that of the step.
"""

import argparse
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image

from ircore.games.prompts import load_prompts
from ircore.images import Picture
from ircore.instances.store import write_instances
from ircore.play import make_run
from ircore.records import Episode, Instance, PlayerSpec, Rendering, Rules, Score, Submission, Turn
from ircore.runs import Call, RunFolder, RunWriter
from ircore.submissions import LoadedSubmission

TURNS_PER_EPISODE = 5


def main() -> None:
    """Make a run, build and check its release, print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--side", type=int, default=512, help="pixels")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder, options.turns // TURNS_PER_EPISODE, options.side)
        size = sum(path.stat().st_size for path in folder.glob("run/renderings/*"))
        print(f"{options.turns} turns, renderings {size / 1e6:.0f} MB")
        runs, out = ["--runs", folder / "run", "--instances", folder / "instances"], folder / "release"
        report("build", ["release", "build", *runs, "--out", out])
        print(f"release {sum(path.stat().st_size for path in out.rglob('*.parquet')) / 1e6:.0f} MB")
        report("check", ["release", "check", out])


def report(step: str, arguments: list[object]) -> None:
    """Run ``ircore`` in a child and print its seconds, processor seconds and peak memory."""
    began = perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "ircore", *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{step} failed")
    cpu = used.ru_utime + used.ru_stime
    print(f"{step:<6} {perf_counter() - began:6.1f} s ({cpu:.1f} s of processor), peak {used.ru_maxrss / 1024:.0f} MB")


def make_inputs(folder: Path, episodes: int, side: int) -> None:
    """Write an instance set of smooth noise and a run that drew other noise, scored by a judge named eye."""
    pictures = (picture(index, side) for index in range(episodes))
    made = ((instance(index, one), one.data) for index, one in enumerate(pictures))
    instances = write_instances(folder / "instances", made)
    spec = Submission(
        schema_=1, name="Noise", describer=PlayerSpec(player="a"), generator=PlayerSpec(player="b"), licence="CC0-1.0"
    )
    loaded = LoadedSubmission("noise", spec, Path("submission.yaml"))
    run = make_run(loaded, instances, Rules(), load_prompts("reconstruction"), seed=0, game="reconstruction")
    opened = RunFolder.create(folder / "run", run, instances)
    with opened.lock(), RunWriter(opened) as writer:
        for number, one in enumerate(instances.instances):
            writer.record_end(episode(number, one, side, writer))
    scores = (
        Score(
            episode_id=one.episode_id, turn=turn.turn, task="similarity", judge="eye", value=5, rendering=drawn.sha256
        )
        for one in opened.episodes()
        for turn in one.turns
        if (drawn := turn.rendering)
    )
    opened.add_scores(scores)


def episode(number: int, one: Instance, side: int, writer: RunWriter) -> Episode:
    """Record an episode of ``TURNS_PER_EPISODE`` different renderings."""
    turns = []
    for turn in range(1, TURNS_PER_EPISODE + 1):
        drawn = picture(1_000_000 + number * TURNS_PER_EPISODE + turn, side)
        rendering = Rendering(sha256=drawn.sha256, width=side, height=side)
        call = Call(episode_id=one.instance_id, turn=turn, role="generator", rendering=rendering, seconds=1)
        writer.record_call(call, drawn)
        turns.append(Turn(turn=turn, action="describe", message="more noise", message_tokens=2, rendering=rendering))
    return Episode(
        episode_id=one.instance_id,
        instance_id=one.instance_id,
        category=one.category,
        difficulty=one.difficulty,
        outcome="turn_limit",
        turns=tuple(turns),
    )


def instance(index: int, one: Picture) -> Instance:
    """Describe a picture as an instance."""
    return Instance(
        instance_id=f"noise-{index:05d}",
        category="photos",
        difficulty="hard" if index % 2 else "easy",
        image=f"images/noise-{index:05d}.png",
        sha256=one.sha256,
        width=one.width,
        height=one.height,
        source="noise",
        licence="CC0-1.0",
    )


def picture(seed: int, side: int) -> Picture:
    """Make a picture whose PNG file is about as large as a photograph's: a coarse gradient with fine grain."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 240, (side // 64, side // 64, 3), dtype=np.uint8).repeat(64, axis=0).repeat(64, axis=1)
    buffer = io.BytesIO()
    Image.fromarray(coarse + random.integers(0, 8, (side, side, 3), dtype=np.uint8)).save(
        buffer, "PNG", compress_level=1
    )
    return Picture.from_own_file(buffer.getvalue(), side, side)


if __name__ == "__main__":
    main()
