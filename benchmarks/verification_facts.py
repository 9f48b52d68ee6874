"""How well the eye of ``verified`` sees each kind of fact: scenes redrawn by other drawers, with faults planted.

    python benchmarks/verification_facts.py                        true facts and missed faults, by kind and category
    python benchmarks/verification_facts.py --damage jpeg-50       after JPEG 50; blur-1; rough: blur, noise, JPEG 50
    python benchmarks/verification_facts.py --shifted              layouts moved and scaled by up to 5 %
    python benchmarks/verification_facts.py --per-condition 10     more targets
    python benchmarks/verification_facts.py --ocr                  reads labels with the extra ``ocr``
    python benchmarks/verification_facts.py --save DIR             also the pictures

Drawers are matplotlib, Pillow and resvg (matplotlib and resvg-py are in the dependency group ``redraw``); fonts,
widths of lines, shades of colours and places differ from ours and from picture to picture. *Recall* is the share of the
decided facts that hold among those that are true of a faultless redraw; undecided facts are counted apart. *Precision*
is the share of true facts among those that hold: true ones of faultless redraws, false ones of redraws with a fault, of
which the broken facts count. A planted fault is *missed* if one of the facts that it breaks is said to hold and none to
fail.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from random_redraws import choose_random_style, damage_image

from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES
from ircore.games.reconstruction.records import CATEGORIES
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test.drawers import redraw_scene
from ircore.scorers.judge_test.planted_faults import FAULTS, plant_fault
from ircore.scorers.verification.scene_facts import list_facts
from ircore.scorers.verification.score import verify_picture

Cell = tuple[str, str]
"""Category, and kind with attribute of facts; or category and fault."""


@dataclass(frozen=True)
class Asked:
    """What is measured."""

    damage: str
    shifted: bool
    ocr: bool
    misses: bool
    save: Path | None


@dataclass
class Counts:
    """Verdicts on true facts and on those that faults broke, faults that were seen or missed, and scores."""

    facts: dict[Cell, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    false: dict[Cell, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: dict[Cell, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    scores: dict[Cell, list[float]] = field(default_factory=lambda: defaultdict(list))
    lines: list[str] = field(default_factory=list)

    def add(self, other: "Counts") -> None:
        """Take in the counts of other targets."""
        for cell, verdicts in other.facts.items():
            self.facts[cell].update(verdicts)
        for cell, verdicts in other.false.items():
            self.false[cell].update(verdicts)
        for cell, seen in other.faults.items():
            self.faults[cell].update(seen)
        for cell, scores in other.scores.items():
            self.scores[cell] += scores
        self.lines += other.lines


def measure(category: str, difficulty: str, seed: int, asked: Asked) -> Counts:
    """Redraw one target without a fault and with each, and count what is seen."""
    counts = Counts()
    name = f"{category}/{difficulty}/{seed}"
    rng, target = random.Random(name), draw_target(category, difficulty, seed)  # type: ignore[arg-type]
    own = Picture.from_pixels(target.drawing.pixels)
    for what in ("none", *FAULTS):
        fault = None if what == "none" else plant_fault(target.scene, what, rng)
        if what != "none" and fault is None:
            continue
        style = choose_random_style(rng, asked.shifted)
        image = damage_image(redraw_scene(fault.scene if fault else target.scene, style), asked.damage, rng)
        if asked.save:
            asked.save.mkdir(parents=True, exist_ok=True)
            image.save(asked.save / f"{category}-{difficulty}-{seed}-{what.replace(' ', '-')}.png")
        result = verify_picture(own, target.scene, Picture.from_pixels(np.asarray(image)), ocr=asked.ocr)
        checked = {each.fact.key: each for each in result.facts}
        counts.scores[category, what].append(-1.0 if result.score is None else result.score)
        label = f"{name} {what} {style.drawer} {style.font}"
        if fault is None:
            for fact in list_facts(target.scene):
                verdict = checked[fact.key]
                counts.facts[category, f"{fact.kind}/{fact.attribute}"][verdict.verdict] += 1
                if asked.misses and verdict.verdict == "fails":
                    counts.lines.append(f"{label}: {fact.key} {fact.expected} {verdict.reason}")
            for extra in result.extras:
                counts.facts[category, "extra"]["fails"] += 1
                if asked.misses:
                    counts.lines.append(f"{label}: extra {tuple(extra.box)}")
        else:
            for key in (key for key in fault.broken if len(fault.broken) == 1 or not key.endswith("/presence")):
                fact = checked[key].fact
                counts.false[category, f"{fact.kind}/{fact.attribute}"][checked[key].verdict] += 1
            seen = any(checked[key].verdict == "fails" for key in fault.broken)
            told = any(checked[key].verdict != "undecided" for key in fault.broken)
            counts.faults[category, what]["seen" if seen else "missed" if told else "untold"] += 1
            if asked.misses and not seen:
                counts.lines.append(f"{label}: MISSED {fault.broken} {[checked[k].reason for k in fault.broken]}")
    return counts


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-condition", type=int, default=5)
    parser.add_argument("--first", type=int, default=100, help="seed of the first target")
    parser.add_argument("--damage", choices=["none", "jpeg-50", "blur-1", "rough"], default="none")
    parser.add_argument("--shifted", action="store_true")
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--category", action="append", choices=CATEGORIES[:-1])
    parser.add_argument("--save", type=Path)
    parser.add_argument(
        "--misses", action="store_true", help="list true facts that are said to fail, and missed faults"
    )
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    asked = Asked(options.damage, options.shifted, options.ocr, options.misses, options.save)
    seeds = range(options.first, options.first + options.per_condition)
    jobs = [
        (category, difficulty, seed)
        for category in options.category or CATEGORIES[:-1]
        for difficulty in DIFFICULTIES
        for seed in seeds
    ]
    counts = Counts()
    with ProcessPoolExecutor(options.processes) as pool:
        for part in pool.map(measure, *zip(*jobs, strict=True), [asked] * len(jobs)):
            counts.add(part)
    print("\n".join(_report(counts)))


def _report(counts: Counts) -> Iterable[str]:
    yield from counts.lines
    for (category, kind), verdicts in sorted(counts.facts.items()):
        decided = verdicts["holds"] + verdicts["fails"]
        share = f"{verdicts['holds'] / decided:.3f}" if decided else "–"
        wrong = counts.false[category, kind]
        held = verdicts["holds"] + wrong["holds"]
        precision = f"{verdicts['holds'] / held:.3f}" if held and wrong.total() else "–"
        yield (
            f"{category:<14} {kind:<26} recall {share:>6} of {decided:4d} decided, {verdicts['undecided']:3d} undecided"
            f"  precision {precision:>6}, {wrong['holds']} of {wrong.total()} false ones held"
        )
    yield ""
    for (category, what), seen in sorted(counts.faults.items(), key=lambda entry: (entry[0][1], entry[0][0])):
        missed, untold = seen["missed"], seen["untold"]
        yield f"{what:<14} {category:<14} missed {missed:3d}, undecided {untold:3d} of {seen.total():3d}"
    yield ""
    for category, what in sorted(counts.scores):
        scores = counts.scores[category, what]
        rated = [score for score in scores if score >= 0]
        mean = f"{np.mean(rated):.2f}" if rated else "–"
        yield f"{category:<14} {what:<14} mean score {mean}, {len(scores) - len(rated)} of {len(scores)} without"


if __name__ == "__main__":
    main()
