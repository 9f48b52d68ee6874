"""The judge ``verified`` on pictures that others draw, held against the scores that a person would give.

    python benchmarks/verification.py                          12 targets, every family of pictures
    python benchmarks/verification.py --held-out --targets 60  other targets and pictures: look at these last
    python benchmarks/verification.py --families margins,tint  some families alone
    python benchmarks/verification.py --drawer resvg           one drawer: matplotlib, pillow or resvg
    python benchmarks/verification.py --ocr                    texts are read with the extra ``ocr``
    python benchmarks/verification.py --show DIR               a sheet of all pictures and scores for each target
    python benchmarks/verification.py --worst 20               lists the pictures that lie farthest from their bands
    python benchmarks/verification.py --json FILE              every score, for comparisons of two states
    python benchmarks/verification.py --markdown               the table of docs/verification-accuracy.md

Needs the extra ``judge-test`` (matplotlib, resvg and fonts). Families, bands and orders are those of
``ircore judge-test``; see ``ircore/scorers/judge_test/foreign_families.py``. ``verification_facts.py`` measures the
same eye fact by fact.
"""

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Scene
from ircore.games.reconstruction.records import CATEGORIES
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test.drawers import DRAWERS
from ircore.scorers.judge_test.foreign_families import FAMILIES, FamilyKind, draw_picture
from ircore.scorers.judge_test.foreign_part import ORDERS, Ratings, check_orders, compute_family_means
from ircore.scorers.verification.score import verify_picture

DRAWN = CATEGORIES[:-1]
FIRST, FIRST_HELD_OUT = 100, 25000
"""Seeds of the first target: while building, and of the set that nobody looks at before all is built."""

TILE = 220


class Asked(NamedTuple):
    """What is measured."""

    families: tuple[str, ...]
    drawer: str | None
    ocr: bool
    held_out: bool
    show: Path | None


class Rated(NamedTuple):
    """A picture's score and what it cost."""

    score: float | None
    style: str
    seconds: float
    is_first: bool


class Aim(NamedTuple):
    """An aim and what was measured."""

    title: str
    measured: str
    is_met: bool


def check_aims(targets: Iterable[Ratings]) -> list[Aim]:
    """Return the aims for the judge that decides ranks, and whether ratings of targets reach them."""
    known = list(targets)
    verdicts = [right for ratings in known for right in check_orders(ratings).values()]

    def share(kind: FamilyKind, low: float, high: float, names: Iterable[str] = ()) -> tuple[float, int]:
        values = [
            rating
            for ratings in known
            for name, rating in ratings.items()
            if FAMILIES[name].kind == kind and (not names or name in names)
        ]
        inside = sum(low <= value <= high for value in values)
        return (inside / len(values) if values else 1.0), len(values)

    kept = sum(verdicts) / len(verdicts) if verdicts else 1.0
    found = [Aim("order kept in ≥ 97 % of couples", f"{kept:.2%} of {len(verdicts)}", kept >= 0.97)]
    for title, kind, low, high, least in (
        ("faithful pictures 8–10 in ≥ 95 %", "faithful", 8.0, 10.0, 0.95),
        ("one fault ≤ 9.7 in ≥ 90 %", "one fault", 0.0, 9.7, 0.9),
        ("strong faults ≤ 7", "strong fault", 0.0, 7.0, 1.0),
        ("gross failures ≤ 2", "gross failure", 0.0, 2.0, 1.0),
    ):
        inside, count = share(kind, low, high)  # type: ignore[arg-type]
        found.append(Aim(title, f"{inside:.1%} of {count}", inside >= least))
    means = compute_family_means(known)
    worst = max(
        ((means[order.worse] - means[order.better], order) for order in ORDERS
         if order.better in means and order.worse in means),
        default=None,
    )  # fmt: skip
    if worst:
        gap, order = worst
        found.append(
            Aim(
                "no couple of families wrong by > 1 on the mean",
                f"{order.worse} − {order.better} = {gap:+.2f}",
                gap <= 1,
            )
        )
    return found


def targets(count: int, first: int, category: str | None) -> Iterator[tuple[str, str, int]]:
    """Yield targets: of every category and difficulty in turn."""
    conditions = [(each, level) for level in DIFFICULTIES for each in DRAWN if category in {None, each}]
    for place in range(count):
        yield (*conditions[place % len(conditions)], first + place // len(conditions))


def rate(category: str, difficulty: str, seed: int, asked: Asked) -> tuple[str, dict[str, Rated]]:
    """Draw every family of one target and score it."""
    name = f"{category}/{difficulty}/{seed}"
    target = draw_target(category, difficulty, seed)  # type: ignore[arg-type]
    following = DRAWN[(DRAWN.index(category) + 1) % len(DRAWN)]
    others: dict[str, Scene | None] = {
        "same": draw_target(category, difficulty, seed + 1000).scene,  # type: ignore[arg-type]
        "other": draw_target(following, difficulty, seed).scene,  # type: ignore[arg-type]
    }
    own = Picture.from_pixels(target.drawing.pixels)
    rated: dict[str, Rated] = {}
    tiles = [("target", "", own.pixels)]
    for family in asked.families:
        made = draw_picture(
            family, target.scene, f"{'held-out' if asked.held_out else 'open'}/{name}", others, asked.drawer
        )
        if made is None:
            continue
        image, style = made
        started = time.process_time()
        result = verify_picture(own, target.scene, Picture.from_pixels(np.asarray(image)), ocr=asked.ocr)
        seconds = time.process_time() - started
        told = f"{style.drawer} {style.font} {image.width}x{image.height}"
        rated[family] = Rated(result.score, told, seconds, not rated)
        tiles.append((f"{family}  {'–' if result.score is None else f'{result.score:.1f}'}", told, np.asarray(image)))
    if asked.show:
        asked.show.mkdir(parents=True, exist_ok=True)
        sheet(tiles).save(asked.show / f"{category}-{difficulty}-{seed}.png")
    return name, rated


def sheet(tiles: list[tuple[str, str, np.ndarray]]) -> Image.Image:
    """Return pictures beside each other with their titles."""
    across, high = 7, TILE + 30
    page = Image.new("RGB", (across * (TILE + 6), -(-len(tiles) // across) * high), "#555555")
    pen = ImageDraw.Draw(page)
    for place, (title, below, pixels) in enumerate(tiles):
        image = Image.fromarray(pixels)
        image.thumbnail((TILE, TILE), Image.Resampling.LANCZOS)
        x, y = place % across * (TILE + 6), place // across * high
        page.paste(image, (x, y))
        pen.text((x + 2, y + TILE + 1), title, fill="#ffffff")
        pen.text((x + 2, y + TILE + 14), below, fill="#cccccc")
    return page


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, default=12)
    parser.add_argument("--category", choices=DRAWN)
    parser.add_argument("--families", help="names, with commas between")
    parser.add_argument("--drawer", choices=DRAWERS)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--show", type=Path)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    families = tuple(options.families.split(",")) if options.families else tuple(FAMILIES)
    if unknown := set(families) - FAMILIES.keys():
        parser.error(f"unknown families {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    asked = Asked(families, options.drawer, options.ocr, options.held_out, options.show)
    jobs = list(targets(options.targets, FIRST_HELD_OUT if options.held_out else FIRST, options.category))
    if options.processes > 1:
        with ProcessPoolExecutor(options.processes) as pool:
            rated = dict(pool.map(rate, *zip(*jobs, strict=True), [asked] * len(jobs)))
    else:
        rated = dict(rate(*job, asked) for job in jobs)
    print("\n".join(report(rated, options.worst)))
    if options.markdown:
        print("\n".join(markdown(rated)))
    if options.json:
        scores = {name: {family: each.score for family, each in by.items()} for name, by in rated.items()}
        options.json.write_text(json.dumps(scores, indent=1))


def report(rated: dict[str, dict[str, Rated]], worst: int) -> Iterable[str]:
    """Yield the measurements as lines."""
    yield f"{'family':<18} {'a person':>9} {'mean':>6} {'min–max':>11} {'in band':>8} {'of':>4} {'no score':>8}"
    for name, family in FAMILIES.items():
        all_ = [by[name].score for by in rated.values() if name in by]
        scores = [score for score in all_ if score is not None]
        if not all_:
            continue
        band = f"{family.low:g}–{family.high:g}"
        inside = sum(family.low <= score <= family.high for score in scores)
        numbers = (
            f"{np.mean(scores):6.2f} {min(scores):5.1f}–{max(scores):<5.1f} {inside / len(scores):8.0%}"
            if scores else f"{'–':>6} {'':>11} {'':>8}"
        )  # fmt: skip
        yield f"{name:<18} {band:>9} {numbers} {len(all_):4d} {len(all_) - len(scores):8d}"
    known = [{name: each.score for name, each in by.items() if each.score is not None} for by in rated.values()]
    wrong: dict[tuple[str, str], list[int]] = {}
    for ratings in known:
        for order, right in check_orders(ratings).items():
            counts = wrong.setdefault((order.better, order.worse), [0, 0])
            counts[0] += not right
            counts[1] += 1
    yield ""
    yield "orders broken most often:"
    for (better, worse), (broken, count) in sorted(wrong.items(), key=lambda entry: -entry[1][0])[:15]:
        if broken:
            yield f"  {better} above {worse}: broken on {broken} of {count} targets"
    yield ""
    yield f"aims ({len(ORDERS)} known orders a target at most)"
    for aim in check_aims(known):
        yield f"  {'met    ' if aim.is_met else 'NOT MET'} {aim.title}: {aim.measured}"
    first = [each.seconds for by in rated.values() for each in by.values() if each.is_first]
    later = [each.seconds for by in rated.values() for each in by.values() if not each.is_first]
    if later:
        yield (
            f"  {'met    ' if np.mean(later) <= 0.4 else 'NOT MET'} ≤ 0.4 s of processor a rendering: "
            f"{np.mean(later):.2f} s (longest {max(later):.2f}); the first of a target {np.mean(first):.2f} s"
        )
    if worst:
        yield ""
        off = [
            (max(FAMILIES[name].low - each.score, each.score - FAMILIES[name].high), target, name, each)
            for target, by in rated.items()
            for name, each in by.items()
            if each.score is not None
        ]
        for gap, target, name, each in sorted(off, key=lambda entry: -entry[0])[:worst]:
            if gap > 0:
                yield f"  {gap:4.1f} off: {target} {name} {each.score:.2f} {each.style}"


def markdown(rated: dict[str, dict[str, Rated]]) -> Iterable[str]:
    """Yield the table of families as documentation has it."""
    yield "\n| picture | a person | mean | range | in the person's band |\n|---|---|---|---|---|"
    for name, family in FAMILIES.items():
        scores = [each.score for by in rated.values() if (each := by.get(name)) and each.score is not None]
        if scores:
            inside = sum(family.low <= score <= family.high for score in scores)
            numbers = f"{np.mean(scores):.1f} | {min(scores):.1f}–{max(scores):.1f} | {inside} of {len(scores)}"
            yield f"| {family.title} | {family.low:g}–{family.high:g} | {numbers} |"


if __name__ == "__main__":
    main()
