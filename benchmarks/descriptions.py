"""How much of what language models would say reaches the picture that ``canvas`` draws.

    python benchmarks/descriptions.py                     the share of stated facts, by style and by category
    python benchmarks/descriptions.py --failures          also which facts of the tuned descriptions did not get there
    python benchmarks/descriptions.py --sheets DIR        also target and picture side by side

The descriptions in ``data/descriptions/`` were written for targets of ours in the styles of current models, before the
reader was tuned to them, each with the facts it states. About a third is held out: it was never looked at while tuning,
and its share is what to expect of texts that nobody has seen. The package ``fact_checks`` says what counts.
"""

import argparse
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, cast

import yaml
from fact_checks import Checks, Fact, checked
from PIL import Image

from ircore.core.records import Difficulty
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw as render
from ircore.players.builtin.canvas.shapes import Canvas

DATA = Path(__file__).parent / "data" / "descriptions"
STYLES = ("bulleted", "coordinates", "figure", "hedged", "json", "markdown", "numbered", "prompt", "prose", "terse")


@dataclass(frozen=True)
class Description:
    """A text about one target, and what it states.

    Attributes:
        target: ``category/difficulty/seed``, as ``ircore.instances.targets.categories.draw_target`` takes them.
        style: One of ``STYLES``.
        text: The message.
        facts: See ``fact_checks``.
        held_out: Whether it was kept from tuning.
    """

    target: str
    style: str
    text: str
    facts: tuple[Fact, ...]
    held_out: bool = False

    @property
    def category(self) -> str:
        """Of the target."""
        return self.target.split("/")[0]

    def drawn_target(self) -> Image.Image:
        """Draw the target that it describes."""
        category, difficulty, seed = self.target.split("/")
        return draw_target(category, cast(Difficulty, difficulty), int(seed)).drawing.image


def load(folder: Path = DATA) -> list[Description]:
    """Read all descriptions.

    Raises:
        ValueError: A style or a category is not known.
    """
    collected = []
    for path in sorted(folder.glob("*.yaml")):
        for row in cast(list[dict[str, Any]], yaml.safe_load(path.read_text("utf-8"))):
            instance = Description(**{**row, "facts": tuple(row["facts"])})
            if instance.style not in STYLES or instance.category not in BUILDERS:
                raise ValueError(f"{path.name}: {instance.target}: style {instance.style!r}")
            collected.append(instance)
    return collected


@dataclass(frozen=True)
class Outcome:
    """What became of a description: its canvas, its facts, and the reader's notes; time in ms of the CPU."""

    description: Description
    canvas: Canvas
    facts: list[tuple[Fact, Checks]]
    notes: tuple[str, ...]
    milliseconds: float

    @property
    def results(self) -> list[bool]:
        """One truth a stated fact."""
        return [truth for _, checks in self.facts for truth in checks.values()]


def outcome(description: Description) -> Outcome:
    """Read a description and check its facts."""
    begun = process_time()
    canvas, notes = read([description.text])
    render(canvas)
    spent = 1000 * (process_time() - begun)
    return Outcome(description, canvas, checked(description.facts, canvas), notes, spent)


def share(outcomes: list[Outcome]) -> float:
    """Return the share of facts that reached the picture; of all facts, so long descriptions weigh more."""
    return statistics.mean(truth for outcome in outcomes for truth in outcome.results)


def _print(outcomes: list[Outcome]) -> None:
    print(f"{'':<16}{'tuned':>10}{'held out':>10}{'all':>10}{'texts':>7}{'facts':>7}")
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.description.category].append(outcome)
    for outcome in sorted(outcomes, key=lambda each: each.description.style):
        groups[outcome.description.style].append(outcome)
    groups["all"] = outcomes
    for name, members in groups.items():
        parts = [[member for member in members if member.description.held_out == held] for held in (False, True)]
        cells = [f"{100 * share(part):.1f} %" if part else "–" for part in (*parts, members)]
        facts = sum(len(member.results) for member in members)
        print(f"{name:<16}{cells[0]:>10}{cells[1]:>10}{cells[2]:>10}{len(members):7d}{facts:7d}")
    times = sorted(outcome.milliseconds for outcome in outcomes)
    print(f"\nCPU ms a text, read and drawn: mean {statistics.mean(times):.0f}, 95th percentile "
          f"{times[int(0.95 * (len(times) - 1))]:.0f}, longest {times[-1]:.0f}")  # fmt: skip


def _print_failures(one: Outcome) -> None:
    print(f"\n{one.description.target} {one.description.style}: {100 * share([one]):.0f} %")
    for fact, checks in one.facts:
        missing = [name for name, truth in checks.items() if not truth]
        if missing:
            print(f"    {fact}: no {', '.join(missing)}")
    for note in one.notes:
        print(f"    {note}")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", action="store_true", help="list what is missing, of the tuned ones only")
    parser.add_argument("--category", choices=[*BUILDERS])
    parser.add_argument("--sheets", type=Path, help="folder for pictures of target and drawing")
    asked = parser.parse_args()
    chosen = [record for record in load() if asked.category in {None, record.category}]
    outcomes = [outcome(pick) for pick in chosen]
    for instance in outcomes:
        if asked.failures and not instance.description.held_out:
            _print_failures(instance)
    if asked.sheets:
        asked.sheets.mkdir(parents=True, exist_ok=True)
        for number, instance in enumerate(outcomes):
            if not instance.description.held_out:
                _save(instance, asked.sheets / f"{number:02d}-{instance.description.target.replace('/', '-')}.png")
    _print(outcomes)


def _save(one: Outcome, path: Path) -> None:
    sheet = Image.new("RGB", (1028, 512), "#888888")
    sheet.paste(one.description.drawn_target(), (0, 0))
    sheet.paste(Image.fromarray(render(one.canvas)), (516, 0))
    sheet.save(path)


if __name__ == "__main__":
    main()
