"""How well the judge ``verified`` sees: scenes redrawn by another drawer, matplotlib, with faults planted.

    python benchmarks/verification.py                       recall of true facts and missed faults, by kind and category
    python benchmarks/verification.py --degraded            after JPEG 50, blur 1, noise, layouts moved and scaled
    python benchmarks/verification.py --per-condition 4     more targets
    python benchmarks/verification.py --save DIR            also the pictures

Needs matplotlib. Fonts, widths of lines, shades of colours and places of labels differ from ours and from picture to
picture; layouts of degraded pictures are moved and scaled by up to 5 %. A fact that holds in the redraw and gets the
verdict *holds* counts for recall; *undecided* is counted apart. A planted fault is missed if the facts that it breaks
are not said to fail.
"""

import argparse
import io
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from ircore.core.images import Picture
from ircore.core.records import CATEGORIES, DIFFICULTIES, Element, Scene
from ircore.games.reconstruction.build_targets import draw
from ircore.scorers.verification.eye.regions import outline_mask, shape_mask
from ircore.scorers.verification.facts import facts_of, marks_of
from ircore.scorers.verification.facts.shapes import is_hollow, is_shape
from ircore.scorers.verification.score import verify_picture

FONTS = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono")
FAULTS = ("none", "removed", "recoloured", "shorter")


class Style(NamedTuple):
    """How a redraw looks: font, factors of font sizes and widths, shade by which colours are off, move and scale."""

    font: str
    letters: float
    widths: float
    shade: int
    move: tuple[float, float]
    scale: float


class Fault(NamedTuple):
    """A planted fault: what was done, to which element, and the facts that it breaks."""

    what: str
    element: int
    broken: tuple[str, ...]


def random_style(rng: random.Random, degraded: bool) -> Style:
    """Choose a style; layouts of degraded pictures are moved and scaled by up to 5 %."""
    reach = 0.05 if degraded else 0.01
    move = (rng.uniform(-reach, reach) * 512, rng.uniform(-reach, reach) * 512)
    letters, widths, shade = rng.uniform(0.85, 1.1), rng.uniform(0.8, 1.4), rng.randint(0, 6)
    return Style(rng.choice(FONTS), letters, widths, shade, move, 1 - rng.uniform(0, reach))


def planted(scene: Scene, what: str, rng: random.Random) -> tuple[Scene, Fault | None]:
    """Return a scene with one fault; None where the fault does not apply."""
    data = [mark for mark in marks_of(scene) if mark.kind in {"bar", "wedge", "line", "curve", "shape", "segment"}]
    bars = [mark for mark in data if mark.kind == "bar" and not scene.elements[mark.elements[0]].parameters["baseline"]]
    if what == "none" or len(data) < 2 or (what == "shorter" and not bars):
        return scene, None
    mark = rng.choice(bars if what == "shorter" else data)
    elements = list(scene.elements)
    if what == "removed":
        gone = set(mark.elements)
        return scene.model_copy(update={"elements": tuple(e for k, e in enumerate(elements) if k not in gone)}), Fault(
            what, mark.elements[0], (f"{mark.key}/presence",)
        )
    if what == "recoloured":
        colour = rng.choice([item for item in ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#00b8b8")
                             if _far(item, elements[mark.elements[0]].colour or "#000000")])  # fmt: skip
        for index in mark.elements:
            elements[index] = elements[index].model_copy(update={"colour": colour})
        return scene.model_copy(update={"elements": tuple(elements)}), Fault(
            what, mark.elements[0], (f"{mark.key}/colour",)
        )
    return _shorter(scene, mark.elements[0], mark.key)


def _shorter(scene: Scene, index: int, key: str) -> tuple[Scene, Fault]:
    elements, bar = list(scene.elements), scene.elements[index]
    left, top, right, bottom = bar.box
    negative, lying = float(bar.parameters["value"]) < 0, bar.parameters["orientation"] == "horizontal"  # type: ignore[arg-type]
    if lying:
        cut = round(0.35 * (right - left))
        box = (left + cut, top, right, bottom) if negative else (left, top, right - cut, bottom)
    else:
        cut = round(0.35 * (bottom - top))
        box = (left, top, right, bottom - cut) if negative else (left, top + cut, right, bottom)
    elements[index] = bar.model_copy(update={"box": type(bar.box)(*box)})
    return scene.model_copy(update={"elements": tuple(elements)}), Fault("shorter", index, (f"{key}/value",))


def _far(colour: str, other: str) -> bool:
    return sum(abs(int(colour[k : k + 2], 16) - int(other[k : k + 2], 16)) for k in (1, 3, 5)) > 160


def redrawn(scene: Scene, style: Style) -> Image.Image:
    """Draw a scene with matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.12, 5.12), dpi=100, facecolor=scene.background)
    axes = figure.add_axes((0, 0, 1, 1))
    middle, half = 256.0, 256 / style.scale
    axes.set_xlim(middle - half - style.move[0], middle + half - style.move[0])
    axes.set_ylim(middle + half - style.move[1], middle - half - style.move[1])
    axes.axis("off")
    for element in scene.elements:
        before = set(axes.get_children())
        _draw(axes, scene, element, style)
        for artist in set(axes.get_children()) - before:
            artist.set_zorder(10 + len(before))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, facecolor=scene.background)
    return Image.open(buffer).convert("RGB")


def _shade(colour: str, style: Style) -> str:
    return "#" + "".join(f"{min(255, max(0, int(colour[k : k + 2], 16) + style.shade)):02x}" for k in (1, 3, 5))


def _draw(axes: Any, scene: Scene, element: Element, style: Style) -> None:
    about: Any = element.parameters
    colour = _shade(element.colour or "#000000", style)
    box = element.box
    if element.text is not None:
        axes.text((box.left + box.right) / 2, (box.top + box.bottom) / 2, element.text, color=colour, ha="center",
                  va="center", rotation=about.get("rotation", 0), family=style.font,
                  fontsize=float(about.get("size", 13)) * 0.72 * style.letters * style.scale)  # fmt: skip
    elif element.type == "wedge":
        from matplotlib.patches import Wedge

        axes.add_patch(Wedge(about["centre"], about["radius"], about["start"], about["start"] + 3.6 * about["share"],
                             width=about["radius"] - about["hole"] if about["hole"] else None, facecolor=colour,
                             edgecolor=about["outline"], linewidth=about["outline_width"] * 0.72))  # fmt: skip
    elif "points" in about and element.type != "area":
        points = [*about["points"], about["points"][0]] if element.type in {"polygon", "circle"} else about["points"]
        dash = (
            (0, [part * 0.72 / 1.0 / max(1.0, about["width"] * 0.72) for part in about["dash"]])
            if about["dash"]
            else "-"
        )
        axes.plot(
            *zip(*points, strict=True), color=colour, linestyle=dash, linewidth=about["width"] * 0.72 * style.widths
        )
    elif element.type == "grid_line":
        axes.plot(*zip(about["start"], about["end"], strict=True), color=colour, linewidth=0.72)
    else:
        _fill(axes, scene, element, colour, style)


def _fill(axes: Any, scene: Scene, element: Element, colour: str, style: Style) -> None:
    """Fill an area by its outline, traced from its mask."""
    from skimage.measure import find_contours

    about: Any = element.parameters
    mask = (shape_mask if is_shape(element) else outline_mask)(element, scene.height, scene.width)
    outlines = [path[:, ::-1] for path in find_contours(np.pad(mask, 1).astype(float), 0.5)]  # type: ignore[no-untyped-call]
    corners: Sequence[Any] = [about["corners"]] if about.get("corners") else [path - 0.5 for path in outlines]
    edge = about.get("outline")
    hollow = is_hollow(element)
    ring = element.type == "ring" or (element.type == "marker" and about.get("shape") == "ring")
    for path in corners:
        width = float(about.get("outline_width", 1.0)) * 0.72 if edge else 0.0
        if ring:
            width = (float(about["radius"] - about["inner_radius"]) if element.type == "ring" else 2.0) * 0.72
        axes.fill(*np.asarray(path, float).T, facecolor="none" if hollow or ring else colour,
                  edgecolor=_shade(edge, style) if edge else colour if ring else "none", linewidth=width)  # fmt: skip


def degraded(image: Image.Image, rng: random.Random) -> Image.Image:
    """Blur, add noise and compress."""
    pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(1)), float)
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 3, pixels.shape)
    buffer = io.BytesIO()
    Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=50)
    return Image.open(buffer).convert("RGB")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-condition", type=int, default=2)
    parser.add_argument("--degraded", action="store_true")
    parser.add_argument("--category", action="append", choices=CATEGORIES[:-1])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--misses", action="store_true", help="list true facts that are said to fail")
    asked = parser.parse_args()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    faults: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for category in asked.category or CATEGORIES[:-1]:
        for difficulty in DIFFICULTIES:
            for seed in range(100, 100 + asked.per_condition):
                _measure(category, difficulty, seed, asked, counts, faults)
    _print(counts, faults)


def _measure(category: str, difficulty: Any, seed: int, asked: argparse.Namespace, counts: Any, faults: Any) -> None:
    rng, target = random.Random(f"{category}/{difficulty}/{seed}"), draw(category, difficulty, seed)
    own = Picture.from_pixels(target.drawing.pixels)
    for what in FAULTS:
        scene, fault = planted(target.scene, what, rng)
        if what != "none" and fault is None:
            continue
        image = redrawn(scene, random_style(rng, asked.degraded))
        image = degraded(image, rng) if asked.degraded else image
        if asked.save:
            asked.save.mkdir(parents=True, exist_ok=True)
            image.save(asked.save / f"{category}-{difficulty}-{seed}-{what}.png")
        checked = {
            fact.fact.key: fact
            for fact in verify_picture(own, target.scene, Picture.from_pixels(np.asarray(image))).facts
        }
        if fault is None:
            for fact in facts_of(target.scene):
                counts[category, f"{fact.kind}/{fact.attribute}"][checked[fact.key].verdict] += 1
                if asked.misses and checked[fact.key].verdict == "fails":
                    print(category, difficulty, seed, fact.key, fact.expected, checked[fact.key].reason)
        else:
            seen = any(checked[key].verdict == "fails" for key in fault.broken)
            faults[category, what]["seen" if seen else "missed"] += 1


def _print(counts: Any, faults: Any) -> None:
    for (category, kind), verdicts in sorted(counts.items()):
        decided = verdicts["holds"] + verdicts["fails"]
        share = f"{verdicts['holds'] / decided:.3f}" if decided else "–"
        print(
            f"{category:<14} {kind:<26} recall {share:>6}  of {decided:4d} decided, {verdicts['undecided']} undecided"
        )
    print()
    for (category, what), seen in sorted(faults.items()):
        print(f"{category:<14} {what:<12} missed {seen['missed']} of {seen['missed'] + seen['seen']}")


if __name__ == "__main__":
    main()
