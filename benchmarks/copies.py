"""How well copies are found: cheats that no finding names, and honest runs that a finding holds.

    python benchmarks/copies.py [--per-condition 2] [--processes 2] [--runs 40]

A cheat changes the targets, the photographs behind them, or another pair's renderings, and hands the outcome in as
its own (``copied_pictures``). It is *seen* if there is any finding about it in the run, and *held* if one of them is
grave. Honest runs are scenes drawn anew by matplotlib, Pillow and resvg (``ircore.scorers.judge_test.drawers``, near
perfect), with photographs told in ellipses, and built-in pairs that play. Wanted: every cheat seen, no honest run held.
Then the time of a comparison with many pairs.
"""

import argparse
import random
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from copied_pictures.catalogue import ALL, OF_OTHERS, OF_TARGETS, RUINED, Sources
from PIL import Image, ImageDraw, ImageFilter
from random_redraws import choose_random_style

from ircore.core.images import Picture, Pixels
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.builtin_pairs import list_builtin_pairs
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag
from ircore.scorers.judge_test.drawers import DRAWERS, DrawingStyle, redraw_scene
from ircore.seeing.descriptors import compute_descriptor
from ircore.submissions.rescoring.copies import CopyComparison
from ircore.submissions.rescoring.flags import LEAST_SIDE
from ircore.submissions.rescoring.picture_index import INDEX, index_bytes, index_of
from ircore.submissions.rescoring.rescore import flag_run


def findings(instances: InstanceSet, others: list[RunFolder], drawn: Mapping[str, Pixels]) -> list[Flag]:
    """Return the findings about a run with one rendering an episode."""
    pictures = {name: Picture.from_pixels(np.ascontiguousarray(pixels)) for name, pixels in drawn.items()}
    by_hash = {picture.sha256: picture for picture in pictures.values()}
    drawings = {name: {picture.sha256: 1} for name, picture in pictures.items()}
    looks = cache(lambda sha256: compute_descriptor(by_hash[sha256]))
    comparison = CopyComparison("turn", drawings, by_hash.__getitem__, looks, ())
    run = others[0].run.model_copy(update={"slug": "a-cheat"})
    flags = [*comparison.with_instances(instances), *comparison.with_others(run, others, instances)]
    tiny = [name for name, picture in pictures.items() if min(picture.width, picture.height) < LEAST_SIDE]
    return [*flags, *(Flag(rule="tiny_rendering", where=name, what="too small") for name in tiny)]


class World(NamedTuple):
    """The folder of targets, and the folders of two played pairs."""

    instances: Path
    runs: tuple[Path, ...]

    def sources(self) -> Iterator[tuple[str, Sources]]:
        """Yield each instance with the pictures that a cheat takes."""
        instances = read_instances(self.instances)
        finals = [
            {
                each.episode_id: list_rendered_turns(each)[-1].rendering
                for each in folder.episodes()
                if list_rendered_turns(each)
            }
            for folder in map(RunFolder, self.runs)
        ]
        for instance in instances.instances:
            drawn = [
                folder.rendering(final[instance.instance_id]).pixels  # type: ignore[arg-type]  # a rendered turn
                if instance.instance_id in final
                else instances.picture(instance, "target").pixels
                for folder, final in zip(map(RunFolder, self.runs), finals, strict=True)
            ]
            yield instance.instance_id, Sources(instances.picture(instance, "target").pixels, *drawn[:2])


def cheat(world: World, name: str) -> tuple[str, bool, bool, float, str]:
    """Return what a cheat is found by: seen, held, share of its pictures with a finding, rules.

    Photographs are left out of half of the cheats, whose numbers are even: drawn targets alone have to give them away.
    """
    drawn = {}
    for instance, sources in world.sources():
        if not (instance.startswith("photos") and zlib.crc32(name.encode()) % 2 == 0):
            drawn[instance] = ALL[name](sources)
    flags = findings(read_instances(world.instances), [RunFolder(run) for run in world.runs], drawn)
    named = {flag.where.partition(",")[0] for flag in flags}
    rules = ", ".join(sorted({flag.rule for flag in flags}))
    return name, bool(flags), any(flag.grave for flag in flags), len(named) / len(drawn), rules


def in_ellipses(target: Pixels, rng: random.Random) -> Pixels:
    """Draw a photograph as words could tell it: ellipses on its mean colour."""
    image = Image.new("RGB", target.shape[1::-1], tuple(int(level) for level in target.mean(axis=(0, 1))))
    draw = ImageDraw.Draw(image)
    for _ in range(rng.randint(10, 40)):
        left, top = rng.randrange(image.width * 3 // 4), rng.randrange(image.height * 3 // 4)
        box = (left, top, left + rng.randint(20, image.width // 3), top + rng.randint(20, image.height // 3))
        colour = target[
            min((box[1] + box[3]) // 2, target.shape[0] - 1), min((box[0] + box[2]) // 2, target.shape[1] - 1)
        ]
        draw.ellipse(box, fill=tuple(int(level) for level in colour))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(rng.choice((0, 1, 3)))))


class _Exact(DrawingStyle):
    """A style whose colours are the target's own: the best that words could lead to."""

    def shade(self, colour: str) -> str:
        """Return the colour itself."""
        return colour


def honest(world: World, number: int) -> tuple[str, bool, str]:
    """Return whether an honest run is held, and by what: every scene drawn anew in a style of its own."""
    rng, instances = random.Random(number), read_instances(world.instances)
    drawn = {}
    for instance in instances.instances:
        target = instances.picture(instance, "target").pixels
        style = choose_random_style(rng, shifted=number % 2 == 1)
        if number % 6 == 0:
            style = _Exact(DRAWERS[number // 6 % 3], "DejaVuSans.ttf", 1.0, 1.0, 0, (0.0, 0.0), 1.0)
        drawn[instance.instance_id] = (
            in_ellipses(target, rng) if instance.scene is None else np.asarray(redraw_scene(instance.scene, style))
        )
    flags = findings(instances, [RunFolder(run) for run in world.runs], drawn)
    grave = [f"{flag.rule} at {flag.where}" for flag in flags if flag.grave]
    return f"redraw {number}", bool(grave), "; ".join(grave[:3])


def built(folder: Path, per_condition: int) -> World:
    """Draw the targets and let two built-in pairs play them."""
    from ircore.commands.main import run as ircore

    instances, runs = folder / "instances", []
    assert ircore(["instances", "build", "--per-condition", str(per_condition), "--out", str(instances)]) == 0
    for name in ("classical+canvas", "captioner+sketch", "classical+sketch", "captioner+canvas"):
        runs.append(folder / "runs" / name.replace("+", "-"))
        words = ["play", str(list_builtin_pairs()[name]), "--instances", str(instances), "--out", str(runs[-1])]
        assert ircore([*words, "--as-maintainers"]) == 0
    return World(instances, tuple(runs))


def beside(world: World, folder: Path, count: int) -> tuple[float, float]:
    """Return the seconds of a comparison with the runs of many pairs: as a release keeps them, and one decoded anew."""
    source, runs = RunFolder(world.runs[0]), []
    stored = index_bytes(index_of(source))
    for number in range(count):
        copied = folder / f"pair-{number}"
        shutil.copytree(source.path, copied, ignore=shutil.ignore_patterns("renderings", INDEX))
        (copied / "renderings").symlink_to(source.path.resolve() / "renderings")
        text = (copied / "run.json").read_text("utf-8")
        (copied / "run.json").write_text(text.replace(source.run.slug, f"pair-{number}"), "utf-8")
        (copied / INDEX).write_bytes(stored)
        runs.append(copied)
    begun = time.perf_counter()
    RunFolder(runs[0]).path.joinpath(INDEX).unlink()
    index_of(RunFolder(runs[0]))
    decoded = time.perf_counter() - begun
    drawn = {name: sources.second for name, sources in world.sources()}
    instances = read_instances(world.instances)
    begun = time.perf_counter()
    findings(instances, [RunFolder(run) for run in runs], drawn)
    return time.perf_counter() - begun, decoded


def main() -> None:
    """Print both counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-condition", type=int, default=1, help="targets of each category and difficulty")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=46, help="honest redraws")
    parser.add_argument("--beside", type=int, default=200, help="published pairs whose time is measured")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(arguments.processes) as pool:
        world = built(Path(folder), arguments.per_condition)
        for names, title in (([*OF_TARGETS, *OF_OTHERS], "cheats"), ([*RUINED], "ruined pictures")):
            unseen = held = 0
            for name, seen, is_held, share, rules in pool.map(partial(cheat, world), names):
                unseen, held = unseen + (not seen), held + is_held
                verdict = "held" if is_held else "seen" if seen else "NOT SEEN"
                print(f"{name:<38} {verdict:<9} {share:4.0%}  {rules}", flush=True)
            print(f"{len(names)} {title}: {unseen} not seen, {held} held")
        wrong = 0
        for name, is_held, rules in pool.map(partial(honest, world), range(arguments.runs)):
            wrong += is_held
            if is_held:
                print(f"{name:<38} HELD      {rules}")
        print(f"{arguments.runs} honest redraws: {wrong} held")
        wrong = sum(any(flag.grave for flag in flag_run(run, world.runs)) for run in world.runs)
        print(f"{len(world.runs)} built-in pairs: {wrong} held")
        seconds, decoded = beside(world, Path(folder) / "published", arguments.beside)
        size = len(index_of(RunFolder(world.runs[0])).sha256)
        print(f"one run beside {arguments.beside} pairs of {size} renderings each: {seconds:.1f} s")
        print(f"decoding those of one pair, as without descriptors: {decoded:.1f} s")


if __name__ == "__main__":
    main()
