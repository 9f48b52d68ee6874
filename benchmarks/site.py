"""Seconds, memory and size of the site of many pairs.

Run: ``python benchmarks/site.py [--pairs 50 100 200] [--pictures 400] [--keep DIR]``. The runs are written straight to
disk: every pair plays 140 targets in five turns, whose renderings are drawn from so many different pictures
(``--pictures``), since encoding is paid once a picture and then taken over from the build before: few pictures are the
hardest case for the share of a full build that a rebuild after one new pair takes. Each build is a process of its own,
a full one from nothing; its peak is the largest sum of the resident sets of it and its children, seen twice a second,
shared pages divided among them, and the resident set of its largest process.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any, NamedTuple

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Instance, PictureFile, PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import CATEGORIES, Rules
from ircore.instances.store import InstanceSet, write_instances
from ircore.players.submission import LoadedSubmission
from ircore.runs.play import make_run

TURNS = 5
PER_CONDITION = 10
SIDE = 512
JUDGES = ("eye", "structural")
DESCRIBERS = 20
COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b")
WORDS = (  # noqa: SIM905 - a list of single words is harder to read
    "the red circle should move a little to the left and the blue bar is too tall so make it shorter while the label "
    "under the third tick reads forty and the line from the corner has to end at the dashed axis keep everything else"
).split()


class Figures(NamedTuple):
    """What a build took."""

    seconds: float
    cpu: float
    peak_mb: float
    largest_mb: float


def main() -> None:
    """Make the runs, build the site for each number of pairs, and once more after one new pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--pictures", type=int, default=400, help="different renderings in all")
    parser.add_argument("--keep", type=Path, help="folder for runs, used again, and sites")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        begun = perf_counter()
        runs = make_runs(folder, max(options.pairs) + 1, options.pictures)
        print(f"{len(runs)} runs of {len(CATEGORIES) * 2 * PER_CONDITION} targets x {TURNS} turns made in", end=" ")
        print(f"{perf_counter() - begun:.0f} s; {options.pictures} different renderings of {SIDE} x {SIDE} px")
        for count in options.pairs:
            out = folder / f"site-{count}"
            shutil.rmtree(out, ignore_errors=True)
            full = build(runs[:count], out)
            report(f"{count} pairs", out, full)
        again = build(runs[: count + 1], out)
        report("one new pair", out, again)
        cpu, seconds = again.cpu / full.cpu, again.seconds / full.seconds
        print(f"of the full build: {cpu:.0%} of the processor time, {seconds:.0%} of the time")
        weigh(out)


def build(runs: list[Path], out: Path) -> Figures:
    """Build the site in a process of its own."""
    command = [sys.executable, "-m", "ircore", "site", "build", "--runs", *map(str, runs), "--out", str(out)]
    # The disk may still be busy with the build before, which is no work of this one.
    os.sync()
    begun = perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak, stop = [0.0], Event()
    watcher = Thread(target=watch, args=(child.pid, peak, stop))
    watcher.start()
    _, status, used = os.wait4(child.pid, 0)
    stop.set()
    watcher.join()
    if status:
        sys.exit("the build failed")
    return Figures(perf_counter() - begun, used.ru_utime + used.ru_stime, peak[0], used.ru_maxrss / 1024)


def watch(pid: int, peak: list[float], stop: Event) -> None:
    """Keep the largest sum of resident sets of a process and its descendants, in MB."""
    while not stop.wait(0.5):
        peak[0] = max(peak[0], sum(map(resident, [pid, *descendants(pid)])))


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below one."""
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from descendants(child)


def resident(pid: int) -> float:
    """Return the resident set of a process in MB, pages that it shares counted in part; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    except OSError:
        return 0.0


def report(what: str, out: Path, took: Figures) -> None:
    """Print what a build took and made."""
    size = sum(path.lstat().st_size for path in out.rglob("*") if path.is_file())
    pages = sum(1 for _ in out.rglob("*.html"))
    print(
        f"{what:<14} {took.seconds:6.1f} s ({took.cpu:6.1f} s of processor), peak {took.peak_mb:4.0f} MB "
        f"of all processes, {took.largest_mb:.0f} MB of the largest, {pages} pages, {size / 1e6:.0f} MB",
        flush=True,
    )


def weigh(out: Path) -> None:
    """Print what the first view of the overall board costs, charts and pictures below the fold not counted."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
    from pages import read_page

    page = out / "boards" / "index.html"
    read = read_page(page)
    links = [
        element.attributes.get("href", "")
        for element in read.find("link")
        if element.attributes.get("rel") == "stylesheet"
    ]
    scripts = [element.attributes["src"] for element in read.find("script") if "src" in element.attributes]
    files = [page, *(page.parent / name.partition("?")[0] for name in [*links, *scripts])]
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in files}
    print(f"overall board, gzipped: {sum(sizes.values()) / 1000:.0f} kB in all, of it", end=" ")
    largest = sorted(sizes.items(), key=lambda entry: -entry[1])[:5]
    print(", ".join(f"{name} {size / 1000:.0f}" for name, size in largest))


def make_runs(folder: Path, count: int, pictures: int) -> list[Path]:
    """Write so many run folders, as ``ircore play`` and ``ircore score`` would have left them."""
    instances = make_instances(folder / "instances")
    library = make_library(folder / "library", pictures)
    return [make_one(folder / "runs" / f"pair-{number:03d}", number, instances, library) for number in range(count)]


def make_instances(folder: Path) -> InstanceSet:
    """Write 140 targets, or read them if they are there."""
    if folder.is_dir():
        from ircore.instances.store import read_instances

        return read_instances(folder)
    made: list[tuple[Instance, dict[str, Picture]]] = []
    for category in CATEGORIES:
        for difficulty in DIFFICULTIES:
            for index in range(1, PER_CONDITION + 1):
                item = picture(len(made))
                name = f"{category}-{difficulty}-{index:02d}"
                made.append((instance(name, category, difficulty, item), {"target": item}))
    return write_instances(folder, made, CATEGORIES)


def instance(name: str, category: str, difficulty: Any, one: Picture) -> Instance:
    """Describe a picture as an instance."""
    return Instance(
        instance_id=name,
        category=category,
        difficulty=difficulty,
        game="reconstruction",
        pictures={"target": PictureFile.of(f"images/{name}.png", one)},
        source="drawn for a measurement",
        licence="CC0-1.0",
    )


def make_library(folder: Path, count: int) -> list[Path]:
    """Draw the renderings that all pairs share, each named by its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(folder.iterdir())
    for seed in range(len(ordered), count):
        item = picture(1_000_000 + seed)
        (folder / f"{item.sha256}.png").write_bytes(item.data)
    return sorted(folder.iterdir())[:count]


def picture(seed: int) -> Picture:
    """Draw some blocks."""
    draw = random.Random(seed)
    drawing = Drawing(SIDE, SIDE)
    for _ in range(12):
        left, top = draw.randrange(SIDE - 80), draw.randrange(SIDE - 80)
        right, bottom = left + draw.randint(10, 79), top + draw.randint(10, 79)
        drawing.rectangle(left, top, right, bottom, fill=draw.choice(COLOURS))
    return Picture.from_pixels(drawing.pixels)


def make_one(folder: Path, number: int, instances: InstanceSet, library: list[Path]) -> Path:
    """Write one run folder, unless it is there."""
    if folder.is_dir():
        return folder
    draw = random.Random(number)
    describer, generator = number % DESCRIBERS, number // DESCRIBERS
    spec = Submission(
        schema_=1,
        name=f"Describer {describer} with generator {generator}",
        describer=PlayerSpec(player="classical", model=f"describer-{describer:02d}"),
        generator=PlayerSpec(player="canvas", model=f"generator-{generator:02d}"),
        licence="CC0-1.0",
    )
    loaded = LoadedSubmission(folder.name, spec, Path("submission.yaml"))
    run = make_run(loaded, instances, Rules(), load_prompts("reconstruction"), seed=0)
    (folder / "renderings").mkdir(parents=True)
    (folder / "instances").symlink_to(os.path.relpath(instances.folder, folder))
    (folder / "run.json").write_text(run.model_dump_json(by_alias=True))
    lines: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    used: set[Path] = set()
    for index, item in enumerate(instances.instances):
        shown = draw.choices(library, k=TURNS)
        used.update(shown)
        lines += events(item, shown, draw)
        scores += rated(item, shown, 4 + describer / 10 + generator / 5 + index / 100, draw)
    for path in used:
        os.link(path, folder / "renderings" / path.name)
    for name, written in (("journal", lines), ("scores", scores)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in written))
    return folder


def events(one: Instance, shown: list[Path], draw: random.Random) -> Iterator[dict[str, Any]]:
    """Yield what a journal holds of an episode: two calls a turn, and its end."""
    name, turns = one.instance_id, []
    for turn, path in enumerate(shown, start=1):
        message = " ".join(draw.choices(WORDS, k=60))
        rendering = {"sha256": path.stem, "width": SIDE, "height": SIDE}
        head = {"event": "call", "episode_id": name, "turn": turn, "seconds": 1.5}
        yield {**head, "role": "describer", "prompt": message * 2, "text": f"<DESCRIPTION>{message}</DESCRIPTION>"}
        yield {**head, "role": "generator", "rendering": rendering}
        turns.append(
            {"turn": turn, "action": "describe", "message": message, "message_tokens": 60, "rendering": rendering}
        )
    ends = {"episode_id": name, "instance_id": name, "category": one.category, "difficulty": one.difficulty}
    yield {"event": "end", "episode": {**ends, "outcome": "turn_limit", "steps": turns}}


def rated(one: Instance, shown: list[Path], level: float, draw: random.Random) -> Iterator[dict[str, Any]]:
    """Yield what the judges gave: every rendering a similarity, the last one a preference."""
    for judge in JUDGES:
        for turn, path in enumerate(shown, start=1):
            value = min(10.0, max(0.0, draw.gauss(level + turn / 5, 1.5)))
            head = {"episode_id": one.instance_id, "step": turn, "by": judge, "rendering": path.stem}
            yield {**head, "measure": "similarity", "value": round(value, 2)}
        yield {**head, "measure": "preference", "value": draw.choice((0.0, 0.5, 1.0))}


if __name__ == "__main__":
    main()
