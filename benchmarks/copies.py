"""How well copies are found: cheats that no finding names, and honest runs that a finding holds.

    python benchmarks/copies.py [--per-condition 2] [--processes 2] [--runs 40]

A cheat changes the targets, the photographs behind them, or another pair's renderings, and hands the outcome in as
its own. It is *seen* if there is any finding about it in the run, and *held* if one of them is grave. Honest runs are
scenes drawn anew by matplotlib, Pillow and resvg (``redraws``, near perfect), with photographs told in ellipses, and
built-in pairs that play. Wanted: every cheat seen, no honest run held. Then the time of a comparison with many pairs.
"""

import argparse
import io
import random
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps
from redraws.drawers import redrawn
from redraws.styles import DRAWERS, Style, random_style
from scipy.ndimage import gaussian_filter, map_coordinates

from ircore.core.images import Picture, Pixels
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.builtin_pairs import builtin_pairs
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag
from ircore.submissions.copies.comparison import Comparison
from ircore.submissions.copies.index import INDEX, index_bytes, index_of, look_at
from ircore.submissions.rescoring.flags import LEAST_SIDE
from ircore.submissions.rescoring.own_runs import flag_run

SIDE = 512
Change = Callable[[Pixels], Pixels]


def image_of(pixels: Pixels) -> Image.Image:
    """Return pixels as a picture of Pillow."""
    return Image.fromarray(np.ascontiguousarray(pixels))


def resized(pixels: Pixels, width: int, height: int, how: Image.Resampling = Image.Resampling.BICUBIC) -> Pixels:
    """Return a picture in another size."""
    return np.asarray(image_of(pixels).resize((max(1, width), max(1, height)), how))


def levels(values: object) -> Pixels:
    """Return numbers as levels of 0 to 255."""
    limited: Pixels = np.clip(np.asarray(values), 0, 255).astype(np.uint8)
    return limited


def saved(pixels: Pixels, kind: str, quality: int) -> Pixels:
    """Save with losses, and open again."""
    file = io.BytesIO()
    image_of(pixels).save(file, kind, quality=quality)
    return np.asarray(Image.open(file).convert("RGB"))


def noisy(pixels: Pixels, spread: float) -> Pixels:
    """Add noise of a standard deviation in levels."""
    return levels(pixels + np.random.default_rng(0).normal(0, spread, pixels.shape))


def framed(pixels: Pixels, width: int, level: int = 128) -> Pixels:
    """Paint a border over the picture."""
    changed = np.full_like(pixels, level)
    changed[width:-width, width:-width] = pixels[width:-width, width:-width]
    return changed


def cropped(pixels: Pixels, share: float) -> Pixels:
    """Cut a share off each side, and enlarge the rest."""
    down, across = (round(length * share) for length in pixels.shape[:2])
    return resized(pixels[down : pixels.shape[0] - down, across : pixels.shape[1] - across], *pixels.shape[1::-1])


def shrunk(pixels: Pixels, share: float) -> Pixels:
    """Put the picture, smaller, on a page."""
    page = Image.new("RGB", pixels.shape[1::-1], (90, 90, 90))
    inner = image_of(resized(pixels, round(pixels.shape[1] * share), round(pixels.shape[0] * share)))
    page.paste(inner, ((page.width - inner.width) // 2, (page.height - inner.height) // 2))
    return np.asarray(page)


def with_patches(pixels: Pixels, count: int) -> Pixels:
    """Paint squares of a twelfth of the height over the picture."""
    changed, drawn = pixels.copy(), np.random.default_rng(3)
    side = pixels.shape[0] // 12
    for _ in range(count):
        y, x = drawn.integers(0, (pixels.shape[0] - side, pixels.shape[1] - side))
        changed[y : y + side, x : x + side] = drawn.integers(0, 255, 3)
    return changed


def corner(pixels: Pixels, side: int) -> Pixels:
    """Invert a corner."""
    changed = pixels.copy()
    changed[:side, :side] = 255 - changed[:side, :side]
    return changed


def tiled(pixels: Pixels, count: int) -> Pixels:
    """Repeat the picture, smaller."""
    return np.tile(resized(pixels, pixels.shape[1] // count, pixels.shape[0] // count), (count, count, 1))


def turned(pixels: Pixels, degrees: float) -> Pixels:
    """Turn by a few degrees."""
    return np.asarray(image_of(pixels).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=(200, 200, 200)))


def waved(pixels: Pixels, reach: float) -> Pixels:
    """Bend by waves of a height in pixels."""
    rows, columns = np.mgrid[: pixels.shape[0], : pixels.shape[1]].astype(float)
    places = [rows + reach * np.sin(columns / 40), columns + reach * np.sin(rows / 40)]
    parts = [map_coordinates(pixels[..., part], places, order=1, mode="nearest") for part in range(3)]
    return np.stack(parts, axis=2).astype(np.uint8)


def halftoned(pixels: Pixels) -> Pixels:
    """Turn grey levels into black and white dots."""
    return np.asarray(image_of(pixels).convert("L").convert("1").convert("RGB"))


def dithered(pixels: Pixels, colours: int) -> Pixels:
    """Use a few colours only."""
    return np.asarray(image_of(pixels).quantize(colours).convert("RGB"))


def shaded(pixels: Pixels) -> Pixels:
    """Darken from right to left."""
    return levels(pixels * np.linspace(0.5, 1.1, pixels.shape[1])[None, :, None])


def written(pixels: Pixels) -> Pixels:
    """Write over the picture."""
    image = image_of(pixels)
    ImageDraw.Draw(image).text((20, image.height // 2), "drawn by a model", fill=(255, 0, 0), font_size=36)
    return np.asarray(image)


def striped(pixels: Pixels, every: int) -> Pixels:
    """Blank every so many rows."""
    changed = pixels.copy()
    changed[::every] = 128
    return changed


def shuffled(pixels: Pixels, count: int) -> Pixels:
    """Cut into squares that change places."""
    height, width = pixels.shape[0] // count, pixels.shape[1] // count
    places = [(y, x) for y in range(count) for x in range(count)]
    changed = pixels.copy()
    for (y, x), (to_y, to_x) in zip(places, random.Random(5).sample(places, len(places)), strict=True):
        part = pixels[y * height : (y + 1) * height, x * width : (x + 1) * width]
        changed[to_y * height : (to_y + 1) * height, to_x * width : (to_x + 1) * width] = part
    return changed


def perspective(pixels: Pixels) -> Pixels:
    """Look at the picture from aside."""
    image = image_of(pixels)
    wide, high = image.size
    corners = (0, 0, wide * 0.04, high, wide, high * 0.96, wide * 0.97, 0)
    return np.asarray(image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC))


OF_TARGETS: dict[str, Change] = {
    "pixel by pixel": lambda p: p,
    **{f"{step:+d} levels": partial(lambda p, step: levels(p.astype(int) + step), step=step) for step in (6, -6, 25)},
    "half the contrast": lambda p: levels(p * 0.5 + 60),
    "gamma 2.2": lambda p: levels(255 * (p / 255.0) ** 2.2),
    "gamma 0.6": lambda p: levels(255 * (p / 255.0) ** 0.6),
    "inverted": lambda p: 255 - p,
    **{f"inverted corner of {side}": partial(corner, side=side) for side in (40, 160)},
    **{f"border of {width}": partial(framed, width=width) for width in (4, 9, 24, 48)},
    **{f"cropped by {share:.0%} a side": partial(cropped, share=share) for share in (0.02, 0.05, 0.1)},
    **{f"shrunk to {share:.0%}": partial(shrunk, share=share) for share in (0.9, 0.8)},
    **{
        f"shifted by {step}": partial(lambda p, step: np.roll(p, (step, step), (0, 1)), step=step)
        for step in (1, 5, 23)
    },
    **{f"{count} patches": partial(with_patches, count=count) for count in (5, 15)},
    **{f"JPEG {quality}": partial(saved, kind="JPEG", quality=quality) for quality in (90, 50, 15)},
    **{f"WebP {quality}": partial(saved, kind="WEBP", quality=quality) for quality in (80, 20)},
    "mirrored": lambda p: p[:, ::-1],
    "upside down": lambda p: p[::-1],
    "turned by 90": lambda p: np.rot90(p),
    "turned by 180": lambda p: np.rot90(p, 2),
    **{f"turned by {angle} degrees": partial(turned, degrees=angle) for angle in (1, 2, 4)},
    **{f"tiled {count} by {count}": partial(tiled, count=count) for count in (2,)},
    "a quarter enlarged": lambda p: resized(p[: p.shape[0] // 2, : p.shape[1] // 2], *p.shape[1::-1]),
    **{f"noise of {spread}": partial(noisy, spread=spread) for spread in (6, 20, 40)},
    **{
        f"blurred by {width}": partial(lambda p, width: gaussian_filter(p, (width, width, 0)), width=width)
        for width in (1, 3)
    },
    "half the size": lambda p: resized(p, p.shape[1] // 2, p.shape[0] // 2),
    "a quarter of the size": lambda p: resized(p, p.shape[1] // 4, p.shape[0] // 4),
    "twice the size": lambda p: resized(p, p.shape[1] * 2, p.shape[0] * 2),
    "small and back": lambda p: resized(resized(p, p.shape[1] // 4, p.shape[0] // 4), *p.shape[1::-1]),
    "stretched by 6 %": lambda p: resized(p, p.shape[1], round(p.shape[0] * 1.06)),
    "in squares of 8": lambda p: np.repeat(np.repeat(p[::8, ::8], 8, axis=0), 8, axis=1),
    "other hues": lambda p: p[..., [2, 0, 1]],
    "grey": lambda p: np.asarray(image_of(p).convert("L").convert("RGB")),
    "four levels": lambda p: levels(p // 64 * 64 + 32),
    "16 colours": partial(dithered, colours=16),
    "halftoned": halftoned,
    "sharpened": lambda p: np.asarray(image_of(p).filter(ImageFilter.UnsharpMask(3, 200))),
    "equalised": lambda p: np.asarray(ImageOps.equalize(image_of(p))),
    "a gradient over it": shaded,
    "text over it": written,
    "a bar over it": lambda p: np.concatenate([p[: p.shape[0] // 3], p[p.shape[0] // 3 :] // 8 * 8], axis=0),
    "every fourth row blank": partial(striped, every=4),
    "half over white": lambda p: levels(p * 0.5 + 127.5),
    "a fifth over white": lambda p: levels(p * 0.2 + 204),
    "waved by 2": partial(waved, reach=2.0),
    "waved by 5": partial(waved, reach=5.0),
    "in perspective": perspective,
    "cut into 4 that change places": partial(shuffled, count=2),
}
"""What is done to every target."""


class Sources(NamedTuple):
    """What a cheat takes: a target, and renderings of the same target by two other pairs."""

    target: Pixels
    first: Pixels
    second: Pixels


def collage(sources: Sources) -> Pixels:
    """Pieces of the target over another pair's picture, a third of it."""
    page = resized(sources.first, *sources.target.shape[1::-1]).copy()
    cells, side = random.Random(2), sources.target.shape[0] // 6
    for number in cells.sample(range(36), 14):
        y, x = number // 6 * side, number % 6 * side
        page[y : y + side, x : x + side] = sources.target[y : y + side, x : x + side]
    return page


def checkered(sources: Sources) -> Pixels:
    """Squares of two other pairs' pictures by turns."""
    first, second = sources.first, resized(sources.second, *sources.first.shape[1::-1])
    rows, columns = np.mgrid[: first.shape[0], : first.shape[1]] // 64
    return np.where(((rows + columns) % 2 == 0)[..., None], first, second).astype(np.uint8)


def joined(sources: Sources) -> Pixels:
    """The upper half of the target, the lower half of another pair's picture."""
    page = resized(sources.first, *sources.target.shape[1::-1]).copy()
    page[: page.shape[0] // 2] = sources.target[: page.shape[0] // 2]
    return page


OF_OTHERS: dict[str, Callable[[Sources], Pixels]] = {
    "another's, pixel by pixel": lambda s: s.first,
    "another's, +3 levels": lambda s: levels(s.first.astype(int) + 3),
    "another's, -3 levels": lambda s: levels(s.first.astype(int) - 3),
    "another's, JPEG 50": lambda s: saved(s.first, "JPEG", 50),
    "another's, mirrored": lambda s: s.first[:, ::-1],
    "another's, turned by 2 degrees": lambda s: turned(s.first, 2),
    "another's, border of 9": lambda s: framed(s.first, 9),
    "another's, shifted by 5": lambda s: np.roll(s.first, (5, 5), (0, 1)),
    "another's, cropped by 3 %": lambda s: cropped(s.first, 0.03),
    "another's, half the size": lambda s: resized(s.first, s.first.shape[1] // 2, s.first.shape[0] // 2),
    "another's, noise of 10": lambda s: noisy(s.first, 10),
    "another's, inverted corner": lambda s: corner(s.first, 40),
    "another's, halftoned": lambda s: halftoned(s.first),
    "1 by 1": lambda s: resized(s.target, 1, 1),
    "8 by 8": lambda s: resized(s.target, 8, 8),
    "32 by 32": lambda s: resized(s.target, 32, 32),
    "half target, half another's": joined,
    "collage of the target over another's": collage,
    "blend of target and another's": lambda s: levels(
        0.6 * s.target + 0.4 * resized(s.first, *s.target.shape[1::-1]).astype(float)
    ),
}
"""What is made of targets and other pairs' renderings."""

RUINED: dict[str, Callable[[Sources], Pixels]] = {
    "30 patches": lambda s: with_patches(s.target, 30),
    "cut into 16 that change places": lambda s: shuffled(s.target, 4),
    "checkered from a good and a bad one": checkered,
}
"""Copies that nobody takes for the target: counted apart, since they gain nothing."""

ALL: dict[str, Callable[[Sources], Pixels]] = {
    **{name: partial(lambda s, change: change(s.target), change=change) for name, change in OF_TARGETS.items()},
    **OF_OTHERS,
    **RUINED,
}


def findings(instances: InstanceSet, others: list[RunFolder], drawn: Mapping[str, Pixels]) -> list[Flag]:
    """Return the findings about a run with one rendering an episode."""
    pictures = {name: Picture.from_pixels(np.ascontiguousarray(pixels)) for name, pixels in drawn.items()}
    by_hash = {picture.sha256: picture for picture in pictures.values()}
    drawings = {name: {picture.sha256: 1} for name, picture in pictures.items()}
    looks = cache(lambda sha256: look_at(by_hash[sha256]))
    comparison = Comparison("turn", drawings, by_hash.__getitem__, looks, ())
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
            {each.episode_id: each.rendered_turns[-1].rendering for each in folder.episodes() if each.rendered_turns}
            for folder in map(RunFolder.open, self.runs)
        ]
        for instance in instances.instances:
            drawn = [
                folder.rendering(final[instance.instance_id]).pixels  # type: ignore[arg-type]  # a rendered turn
                if instance.instance_id in final
                else instances.target(instance).pixels
                for folder, final in zip(map(RunFolder.open, self.runs), finals, strict=True)
            ]
            yield instance.instance_id, Sources(instances.target(instance).pixels, *drawn[:2])


def cheat(world: World, name: str) -> tuple[str, bool, bool, float, str]:
    """Return what a cheat is found by: seen, held, share of its pictures with a finding, rules.

    Photographs are left out of half of the cheats, whose numbers are even: drawn targets alone have to give them away.
    """
    drawn = {}
    for instance, sources in world.sources():
        if not (instance.startswith("photos") and zlib.crc32(name.encode()) % 2 == 0):
            drawn[instance] = ALL[name](sources)
    flags = findings(read_instances(world.instances), [RunFolder.open(run) for run in world.runs], drawn)
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


class _Exact(Style):
    """A style whose colours are the target's own: the best that words could lead to."""

    def shade(self, colour: str) -> str:
        """Return the colour itself."""
        return colour


def honest(world: World, number: int) -> tuple[str, bool, str]:
    """Return whether an honest run is held, and by what: every scene drawn anew in a style of its own."""
    rng, instances = random.Random(number), read_instances(world.instances)
    drawn = {}
    for instance in instances.instances:
        target = instances.target(instance).pixels
        style = random_style(rng, shifted=number % 2 == 1)
        if number % 6 == 0:
            style = _Exact(DRAWERS[number // 6 % 3], "DejaVuSans.ttf", 1.0, 1.0, 0, (0.0, 0.0), 1.0)
        drawn[instance.instance_id] = (
            in_ellipses(target, rng) if instance.scene is None else np.asarray(redrawn(instance.scene, style))
        )
    flags = findings(instances, [RunFolder.open(run) for run in world.runs], drawn)
    grave = [f"{flag.rule} at {flag.where}" for flag in flags if flag.grave]
    return f"redraw {number}", bool(grave), "; ".join(grave[:3])


def built(folder: Path, per_condition: int) -> World:
    """Draw the targets and let two built-in pairs play them."""
    from ircore.commands.main import run as ircore

    instances, runs = folder / "instances", []
    assert ircore(["instances", "build", "--per-condition", str(per_condition), "--out", str(instances)]) == 0
    for name in ("classical+canvas", "captioner+sketch", "classical+sketch", "captioner+canvas"):
        runs.append(folder / "runs" / name.replace("+", "-"))
        words = ["play", str(builtin_pairs()[name]), "--instances", str(instances), "--out", str(runs[-1])]
        assert ircore([*words, "--as-maintainers"]) == 0
    return World(instances, tuple(runs))


def beside(world: World, folder: Path, count: int) -> tuple[float, float]:
    """Return the seconds of a comparison with the runs of many pairs: as a release keeps them, and one decoded anew."""
    source, runs = RunFolder.open(world.runs[0]), []
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
    RunFolder.open(runs[0]).path.joinpath(INDEX).unlink()
    index_of(RunFolder.open(runs[0]))
    decoded = time.perf_counter() - begun
    drawn = {name: sources.second for name, sources in world.sources()}
    instances = read_instances(world.instances)
    begun = time.perf_counter()
    findings(instances, [RunFolder.open(run) for run in runs], drawn)
    return time.perf_counter() - begun, decoded


def main() -> None:
    """Print both counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-condition", type=int, default=1, help="targets of each category and difficulty")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=46, help="honest redraws")
    parser.add_argument("--beside", type=int, default=200, help="published pairs whose time is measured")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(asked.processes) as pool:
        world = built(Path(folder), asked.per_condition)
        for names, what in (([*OF_TARGETS, *OF_OTHERS], "cheats"), ([*RUINED], "ruined pictures")):
            unseen = held = 0
            for name, seen, is_held, share, rules in pool.map(partial(cheat, world), names):
                unseen, held = unseen + (not seen), held + is_held
                verdict = "held" if is_held else "seen" if seen else "NOT SEEN"
                print(f"{name:<38} {verdict:<9} {share:4.0%}  {rules}", flush=True)
            print(f"{len(names)} {what}: {unseen} not seen, {held} held")
        wrong = 0
        for name, is_held, rules in pool.map(partial(honest, world), range(asked.runs)):
            wrong += is_held
            if is_held:
                print(f"{name:<38} HELD      {rules}")
        print(f"{asked.runs} honest redraws: {wrong} held")
        wrong = sum(any(flag.grave for flag in flag_run(run, world.runs)) for run in world.runs)
        print(f"{len(world.runs)} built-in pairs: {wrong} held")
        seconds, decoded = beside(world, Path(folder) / "published", asked.beside)
        size = len(index_of(RunFolder.open(world.runs[0])).sha256)
        print(f"one run beside {asked.beside} pairs of {size} renderings each: {seconds:.1f} s")
        print(f"decoding those of one pair, as without descriptors: {decoded:.1f} s")


if __name__ == "__main__":
    main()
