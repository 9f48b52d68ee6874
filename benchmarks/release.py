"""Building, loading and growing dataset releases with photograph-like pictures, beside what other writers take.

Each measurement is a process of its own, so that the peak resident set is that of the step. Pictures are 512 px PNG
files of about 335 kB. CPU is user and system time of the step; on a busy machine it says more than the clock.

    python benchmarks/release.py                     all parts but the last
    python benchmarks/release.py writers --rows 5000
    python benchmarks/release.py load --reader PYTHON           as readers load it who installed datasets alone
    python benchmarks/release.py growth                         a release of many runs, and one more; needs 36 GB

writers  5,000 rows of one picture each, in two columns: ours, which compares the pixels of each with its record; ours
         where they were found sound before; pyarrow's with the same rows and settings, which looks at none; of one
         column the writer of ``datasets``, and what its ``push_to_hub`` does with files; then a whole ``ircore release
         build`` and ``check`` of as many turns
load     the first streamed row, and ``load_dataset``, once, in a further process, and twice in one; ``import datasets``
         stands apart, and so does what it imports later on (scipy, to patch ``loadmat``, if that is installed)
growth   a release of many runs built at once, and one run more built upon it
"""

import argparse
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from ircore.core.records import PictureFile
from ircore.games.reconstruction.records import list_turns
from ircore.runs.folder import create_run

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from invented import invented_run, invented_set, talking  # noqa: E402

from ircore.core.episode_records import Episode, Rendering  # noqa: E402
from ircore.core.images import Picture, Pixels  # noqa: E402
from ircore.core.records import Instance  # noqa: E402
from ircore.core.score_records import Score  # noqa: E402
from ircore.core.submission_records import Run  # noqa: E402
from ircore.instances.store import InstanceSet, read_instances, write_instances  # noqa: E402
from ircore.runs.events import End, EventEntry  # noqa: E402
from ircore.runs.folder import RunWriter, store_pictures  # noqa: E402

PARTS = ("writers", "load", "growth")
TURNS = 10
"""Turns of an episode."""

TARGETS = 100
"""Targets that each run of a release plays."""

BASES = 250
"""Distinct drawings; further pictures are one of them with another first pixel."""

LOADING = Path(__file__).with_name("loading.py")

IRCORE = (sys.executable, "-m", "ircore")

SEPARATE = {
    "IRCORE_CACHE": "",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # modules are compiled once, as those of an installed package are
}


def main() -> None:
    """Print a line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="all but growth if none is named")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--side", type=int, default=512, help="pixels")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--per-condition", type=int, default=10, help="targets of each of 14 conditions, for growth")
    parser.add_argument("--child", nargs=2, metavar=("STEP", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--reader", type=Path, default=Path(sys.executable), help="Python to load with")
    options = parser.parse_args()
    if options.child:
        name, folder = options.child[0], Path(options.child[1])
        if name == "play":
            timed(lambda folder: make_played(folder, max(1, options.rows // (TURNS * TARGETS)), options.side), folder)
            return
        if name == "sound":
            write_ours(folder)
            shutil.rmtree(folder / "out-ours")
        timed((WRITING | {"decode": decode_renderings})[name], folder)
        return
    parts = options.parts or PARTS[:-1]
    if set(parts) - set(PARTS):
        parser.error(f"parts: {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "writers" in parts or "load" in parts:
            # In a process of its own, as a player would: it leaves in the cache what it knows of its pictures.
            words = [*step("play", folder), "--rows", options.rows, "--side", options.side]
            report("playing", words, IRCORE_CACHE=str(folder / "caches"))
            measure_release(folder, "writers" in parts)
        if "writers" in parts:
            measure_writers(folder, options.rows, options.side)
        if "load" in parts:
            measure_loading(folder, options.reader)
    if "growth" in parts:
        with tempfile.TemporaryDirectory() as name:
            measure_growth(Path(name), options.runs, options.per_condition, options.side)


def report(step: str, arguments: list[object], size: float = 0.0, **environment: str) -> float:
    """Run Python in a child, print what it took, and return its processor time in seconds.

    Args:
        step: What to call it.
        arguments: Python and what it is given; a step of this folder says itself what it took, without imports.
        size: Bytes of pictures that it writes, for the speed.
        environment: Variables to set.
    """
    began = perf_counter()
    child = subprocess.Popen(
        list(map(str, arguments)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | SEPARATE | environment,
    )
    assert child.stdout is not None
    said = child.stdout.read().splitlines()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{step} failed")
    wall, cpu = perf_counter() - began, used.ru_utime + used.ru_stime
    if "--child" in arguments or LOADING in arguments:
        wall, cpu = map(float, said[-1].split())
    speed = f"{size / 1e6 / wall:5.0f} MB/s, {size / 1e6 / cpu:5.0f} by CPU" if size else ""
    print(f"{step:<24} {wall:7.2f} s  CPU {cpu:7.2f} s  peak {used.ru_maxrss / 1024:6.0f} MB  {speed}", flush=True)
    return cpu


def timed(work: Callable[[Path], object], folder: Path) -> None:
    """Do a step and print its seconds by the clock and by the processor."""
    importlib.import_module("pyarrow.parquet")  # which every writer needs
    began, used = perf_counter(), process_time()
    work(folder)
    print(perf_counter() - began, process_time() - used, flush=True)


def step(name: str, folder: Path) -> list[object]:
    """Return the arguments that run a step of this file."""
    return [sys.executable, __file__, "--child", name, folder]


def measure_writers(folder: Path, rows: int, side: int) -> None:
    """Compare writers on the same files."""
    pictures = make_pictures(side)
    write_instances(
        folder / "set",
        (
            (instance(index, picture), {"target": picture})
            for index, picture in zip(range(rows), pictures, strict=False)
        ),
    )
    size = size_of(folder / "set", "*.png")
    print(f"{rows} pictures, {size / 1e6:.0f} MB")
    for name in WRITING:
        report(name, step(name, folder), size, HF_HOME=str(folder / f"hf-{name}"))
        shutil.rmtree(folder / f"hf-{name}", ignore_errors=True)
        shutil.rmtree(folder / f"out-{name}", ignore_errors=True)


def measure_release(folder: Path, shown: bool) -> None:
    """Build and check a release."""
    out = folder / "release"
    runs = sorted((folder / "runs").iterdir())
    build = [*IRCORE, "release", "build", "--runs", *runs, "--instances", folder / "instances"]
    renderings = [path for run in runs for path in (run / "renderings").iterdir()]
    size = sum(path.stat().st_size for path in renderings)
    print(f"{len(renderings)} renderings, {size / 1e6:.0f} MB")
    caches = {"IRCORE_CACHE": str(folder / "caches")}
    if shown:
        report("decoding alone", step("decode", folder), size)
    report("release build", [*build, "--out", out], size, **caches)
    if shown:
        report("  of runs from elsewhere", [*build, "--out", folder / "foreign"], size, IRCORE_CACHE="")
        shutil.rmtree(folder / "foreign")
    print(f"{'':<24} {size_of(out, '*.parquet') / 1e6:.0f} MB in all tables")
    if not shown:
        return
    check = [*IRCORE, "release", "check", "--no-load"]
    report("release check", [*check, out], size, IRCORE_CACHE="")
    report("  of one built here", [*check, out], size, **caches)
    report("release build again", [*build, "--out", folder / "again"], size, **caches)
    shutil.rmtree(folder / "again")


def measure_loading(folder: Path, reader: Path) -> None:
    """Print seconds of loading the release as its users do, after ``import datasets``."""
    for name, *arguments in (
        ("import datasets", "import"),
        ("first streamed row", "stream"),
        ("its imports made before", "stream", "imported"),
        ("of the next stream", "stream", "again"),
        ("load_dataset", "load"),
        ("in the next process", "load"),
        ("its imports made before", "load", "imported"),
        ("again in one process", "load", "again"),
    ):
        step, *before = arguments
        report(name, [reader, LOADING, step, folder / "release", *before], HF_HOME=str(folder / "hf"))


def measure_growth(folder: Path, runs: int, per_condition: int, side: int) -> None:
    """Build a release of many runs, and upon it one of the same and one run more."""
    make_many(folder, runs + 1, per_condition, side)
    command = [*IRCORE, "release", "build", "--instances", folder / "instances", "--runs"]
    ordered = sorted((folder / "runs").iterdir())
    full = report(f"{runs} runs at once", [*command, *ordered[:-1], "--out", folder / "former"])
    size = size_of(folder / "former", "*.parquet")
    more = report("one run more", [*command, ordered[-1], "--former", folder / "former", "--out", folder / "grown"])
    print(f"one run more takes {100 * more / full:.1f} % of the CPU of all at once ({size / 1e9:.1f} GB of tables)")


def decode_renderings(folder: Path) -> None:
    """Read, decode and hash every rendering of the runs on all cores, as whoever does not know it yet has to."""
    from dataset_card.findings import decode_picture

    paths = sorted(folder.glob("runs/*/renderings/*.png"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pictures = pool.map(lambda path: decode_picture(path.read_bytes()), paths)
        assert not any(isinstance(picture, str) for picture in pictures)


def write_ours(folder: Path) -> None:
    """Write the rows of ``instances`` as a release has them."""
    from dataset_card.tables.rows import build_instance_rows
    from dataset_card.tables.schema import INSTANCES
    from dataset_card.tables.writing import write_table

    write_table(folder / "out-ours", INSTANCES, build_instance_rows(read_instances(folder / "set")))


def write_pyarrow(folder: Path) -> None:
    """Write the same rows with pyarrow's writer and the same settings, 100 at a time; pictures are not looked at."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from dataset_card.tables.parquet import build_arrow_schema
    from dataset_card.tables.rows import build_instance_rows
    from dataset_card.tables.schema import INSTANCES
    from dataset_card.tables.writing import choose_writer_settings

    schema = build_arrow_schema(INSTANCES)
    instances = read_instances(folder / "set")
    places = {
        file.image.rpartition("/")[2]: instances.folder / file.image
        for instance in instances.instances for file in instance.pictures.values()
    }  # fmt: skip

    def embedded(cell: Any) -> Any:
        if isinstance(cell, list):
            return [embedded(item) for item in cell]
        path = getattr(cell, "path", None)
        return cell if path is None else {"bytes": places[path].read_bytes(), "path": path}

    with pq.ParquetWriter(folder / "out.parquet", schema, **choose_writer_settings(INSTANCES)) as writer:
        rows = list(build_instance_rows(instances))
        for start in range(0, len(rows), 100):
            known = [{name: embedded(cell) for name, cell in row.items()} for row in rows[start : start + 100]]
            writer.write_table(pa.Table.from_pylist(known, schema))


def write_datasets(folder: Path) -> None:
    """Write pictures alone with ``datasets``."""
    from datasets import Dataset, Features
    from datasets import Image as Pictures

    def rows() -> Iterator[dict[str, object]]:
        for path in sorted((folder / "set").rglob("*.png")):
            yield {"image": {"bytes": path.read_bytes(), "path": path.name}}

    made = Dataset.from_generator(rows, features=Features({"image": Pictures()}), cache_dir=str(folder / "hf-datasets"))
    made.to_parquet(folder / "out-datasets.parquet")


def write_as_pushed(folder: Path) -> None:
    """Write files as ``push_to_hub`` does before it sends them: embedded shard by shard, each in memory."""
    from datasets import Dataset
    from datasets import Image as Pictures
    from datasets.table import embed_table_storage

    files = [str(path) for path in sorted((folder / "set").rglob("*.png"))]
    whole = Dataset.from_dict({"image": files}).cast_column("image", Pictures())
    shards = max(1, round(size_of(folder / "set", "*.png") / 500e6))
    for index in range(shards):
        shard = whole.shard(shards, index, contiguous=True).with_format("arrow")
        shard = shard.map(embed_table_storage, batched=True, batch_size=1000, keep_in_memory=True)
        buffer = io.BytesIO()
        shard.with_format(None).to_parquet(buffer)
        (folder / f"out-push-{index}.parquet").write_bytes(buffer.getvalue())


WRITING: dict[str, Callable[[Path], None]] = {
    "ours": write_ours,
    "sound": write_ours,
    "pyarrow": write_pyarrow,
    "datasets": write_datasets,
    "push": write_as_pushed,
}


def make_pictures(side: int) -> Iterator[Picture]:
    """Yield distinct pictures without end."""
    bases: list[Pixels] = []
    for number in count():
        if len(bases) < BASES:
            bases.append(draw(number, side))
        pixels = bases[number % BASES].copy()
        pixels[0, 0] = list(number.to_bytes(3))
        yield Picture.from_pixels(pixels)


def draw(seed: int, side: int) -> Pixels:
    """Return a picture whose file is about as large as a photograph's: a coarse gradient with fine grain."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 240, (side // 64 + 1, side // 64 + 1, 3), dtype=np.uint8)
    smooth = coarse.repeat(64, axis=0).repeat(64, axis=1)[:side, :side]
    return smooth + random.integers(0, 4, (side, side, 3), dtype=np.uint8)


def instance(index: int, one: Picture) -> Instance:
    """Describe a picture as an instance."""
    return Instance(
        instance_id=f"noise-{index:05d}",
        category="photos",
        difficulty="hard" if index % 2 else "easy",
        game="reconstruction",
        pictures={"target": PictureFile.of(f"images/noise-{index:05d}.png", one)},
        source="noise",
        licence="CC0-1.0",
    )


def make_played(folder: Path, runs: int, side: int) -> None:
    """Write an instance set and runs of ``TURNS`` renderings an episode, scored by a judge named eye."""
    pictures = make_pictures(side)
    made = (
        (instance(index, picture), {"target": picture})
        for index, picture in zip(range(TARGETS), pictures, strict=False)
    )
    instances = write_instances(folder / "instances", made)
    for number in range(runs):
        invented = invented_run(instances, f"describer {number}", "generator", 4.0, 0.5)
        played = [with_turns(episode, TURNS) for episode in invented.played]
        write_run(folder / "runs" / invented.run.run_id, invented.run, instances, played, (), pictures, side)


def make_many(folder: Path, runs: int, per_condition: int, side: int) -> None:
    """Write runs of invented episodes that share a pool of renderings, each file there once on the disk."""
    pictures, empty = make_pictures(side), invented_set(per_condition)
    made = []
    for item, picture in zip(empty.instances, pictures, strict=False):
        file = PictureFile.of(item.pictures["target"].image, picture)
        made.append((item.model_copy(update={"pictures": {"target": file}}), {"target": picture}))
    instances = write_instances(folder / "instances", made)
    pool = [picture for _, picture in zip(range(BASES), pictures, strict=False)]
    for number in range(runs):
        skill = 3 + 0.04 * number
        invented = talking(invented_run(instances, f"d{number // 10}", f"g{number % 10}", skill, 0.4))
        run = invented.run.model_copy(update={"run_id": f"{invented.run.slug}-{number:08x}"})
        first = folder / "runs" / "first"
        write_run(
            folder / "runs" / run.run_id, run, instances, invented.played, invented.given, cycle(pool), side, first
        )
    shutil.rmtree(first)


def with_turns(episode: Episode, turns: int) -> Episode:
    """Return an episode as one of so many turns."""
    first = list_turns(episode)[0]
    more = tuple(first.model_copy(update={"turn": turn}) for turn in range(1, turns + 1))
    return episode.with_steps(more, outcome="turn_limit", abort_reason=None)


def write_run(
    path: Path,
    run: Run,
    instances: InstanceSet,
    played: Sequence[Episode],
    given: Sequence[Score],
    pictures: Iterator[Picture],
    side: int,
    pool: Path | None = None,
) -> None:
    """Write a run folder whose renderings are the next pictures; without scores, each is given a 5."""
    opened = create_run(path, run, instances)
    with RunWriter(opened) as writer:
        for episode in played:
            turns, drawn = [], []
            for turn in list_turns(episode):
                picture = next(pictures)
                drawn.append(picture)
                if pool is not None:
                    place(opened.rendering_path(picture.sha256), picture, pool)
                rendering = Rendering(sha256=picture.sha256, width=side, height=side)
                turns.append(turn.model_copy(update={"rendering": rendering}))
            end = End(episode=episode.with_steps(tuple(turns)))
            if pool is None:
                store_pictures(opened, [EventEntry(end, picture) for picture in drawn], set())
            writer.record([EventEntry(end)])
    drawn_at = {
        (episode.episode_id, turn.turn): turn.rendering.sha256
        for episode in opened.episodes()
        for turn in list_turns(episode)
        if turn.rendering
    }
    values = {(turn.episode_id, turn.step or 0): turn.value for turn in given} or dict.fromkeys(drawn_at, 5.0)
    opened.add_scores(
        Score(episode_id=key[0], step=key[1], measure="similarity", by="eye", value=value, rendering=drawn_at[key])
        for key, value in values.items()
        if key in drawn_at
    )


def place(path: Path, picture: Picture, pool: Path) -> None:
    """Give the file of the pool one more name."""
    kept = pool / path.name
    if not kept.exists():
        pool.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(picture.data)
    if not path.exists():
        path.hardlink_to(kept)


def size_of(folder: Path, pattern: str) -> int:
    """Return the bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob(pattern))


if __name__ == "__main__":
    main()
