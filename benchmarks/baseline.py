"""How good the built-in pair ``classical`` + ``canvas`` is, against the scenes of fresh targets.

    python benchmarks/baseline.py                                        all, 40 seeds a condition: half an hour
    python benchmarks/baseline.py --seeds 5 --category geometry          a part of it
    python benchmarks/baseline.py --compared 10                          budgets compared on 10 of the seeds
    python benchmarks/baseline.py --seeds 5 --budgets 200 --sheets S     pictures too: target, first and final rendering
    python benchmarks/baseline.py --seeds 5 --cut-off 10                 told of ten tokens, against cut off at ten

What was drawn is read off the finished canvas, not recognised in its pixels; see ``scene_matching.py``. A line of a
chart that is missing counts a third of the plot height as its error, which is what a guess would get. Similarity is
that of the judge ``structural``. Times are those of the CPU, so that they hold on a busy machine too; they begin after
an episode that is not counted, in which everything is imported.
"""

import argparse
import asyncio
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import get_args

from PIL import Image
from scene_matching import CHECKS

from ircore.core.images import Picture
from ircore.core.records import Difficulty, PlayerSpec, Scene
from ircore.core.tokens import truncate_tokens
from ircore.games.reconstruction.prompts import parse_reply
from ircore.instances.targets.categories import draw_target
from ircore.instances.targets.photos import load_shots
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.classical.describer import ClassicalDescriber, PlainDescriber
from ircore.results.statistics.intervals import estimate
from ircore.scorers.judges.structural import StructuralJudge

TURNS = 10
BUDGETS = (10, 50, 200)
FIRST_SEED = 8_000_000
"""Far from the seeds that anything else uses."""


@dataclass
class Played:
    """One episode: what was said and drawn, and how long it took in ms."""

    messages: list[str] = field(default_factory=list)
    renderings: list[Picture] = field(default_factory=list)
    describing: list[float] = field(default_factory=list)
    drawing: list[float] = field(default_factory=list)


def play(
    target: Picture, budget: int, player: type[ClassicalDescriber] = ClassicalDescriber, cut_off: int | None = None
) -> Played:
    """Play one episode by the rules, up to ten turns.

    Args:
        target: The target.
        budget: Tokens that the describer is told of.
        player: The describer.
        cut_off: Tokens after which messages are cut off, whatever the describer was told; None for no cut.
    """
    describer, generator = (
        player(PlayerSpec(player="classical")),
        CanvasGenerator(PlayerSpec(player="canvas")),
    )
    played = Played()
    for turn in range(1, TURNS + 1):
        said = tuple(played.messages)
        nothing = ("",) * len(said)
        view = DescriberView(turn, "", target, tuple(played.renderings), said, nothing, nothing, budget, 0)
        begun = process_time()
        answer = asyncio.run(describer.describe(view))
        played.describing.append(1000 * (process_time() - begun))
        move = parse_reply(answer.text, turn)
        if not move.message:
            break
        message = move.message if cut_off is None else truncate_tokens(move.message, cut_off)
        played.messages.append(message)
        previous = played.renderings[-1] if played.renderings else None
        begun = process_time()
        drawn = asyncio.run(generator.render(GeneratorView(turn, message, said, previous, 0, "")))
        played.drawing.append(1000 * (process_time() - begun))
        played.renderings.append(drawn.picture)
    return played


def targets(category: str, difficulty: Difficulty, seeds: range) -> Iterator[tuple[Picture, Scene | None]]:
    """Draw fresh targets; of photographs there are only those that are shipped."""
    if category == "photos":
        for shot in load_shots(difficulty)[: len(seeds)]:
            yield shot.picture, None
        return
    for seed in seeds:
        drawn = draw_target(category, difficulty, seed)
        yield Picture.from_pixels(drawn.drawing.pixels), drawn.scene


class Table:
    """What was measured, by category and difficulty."""

    def __init__(self) -> None:
        self.figures: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.gains: dict[str, list[float]] = defaultdict(list)
        self.scores: dict[tuple[str, int], list[float]] = defaultdict(list)
        self.describing: dict[str, list[float]] = defaultdict(list)
        self.drawing: dict[str, list[float]] = defaultdict(list)

    def print(self, budgets: tuple[int, ...]) -> None:
        """Print all of it."""
        print(f"\n{'last turn, against the scene':<30}{'':<26}{'mean':>8}{'n':>5}")
        for (category, difficulty), figures in self.figures.items():
            for name, values in figures.items():
                print(f"{category + ' ' + difficulty:<30}{name:<26}{statistics.mean(values):8.2f}{len(values):5d}")
        print(f"\n{'structural, final turn':<30}" + "".join(f"{budget:>6} tok" for budget in budgets) + f"{'n':>5}")
        for category in dict.fromkeys(category for category, _ in self.scores):
            matches = [self.scores[category, budget] for budget in budgets]
            means = "".join(f"{statistics.mean(values):10.2f}" for values in matches)
            print(f"{category:<30}{means}{len(matches[0]):5d}")
        print(f"\n{'first to last turn':<30}{'mean':>8}{'95 % interval':>20}{'n':>5}")
        for category, values in self.gains.items():
            row = estimate(values)
            interval = f"{row.low:.2f} … {row.high:.2f}" if row.low is not None else ""
            print(f"{category:<30}{row.mean:8.2f}{interval:>20}{row.n:5d}")
        print(f"\n{'CPU ms a turn, mean (95th percentile)':<40}{'describer':>18}{'generator':>18}")
        for category, times in self.describing.items():
            print(f"{category:<40}{_times(times):>18}{_times(self.drawing[category]):>18}")


def _times(values: list[float]) -> str:
    return f"{statistics.mean(values):.0f} ({sorted(values)[int(0.95 * (len(values) - 1))]:.0f})"


def measure(
    table: Table, category: str, difficulty: Difficulty, seeds: range, budgets: tuple[int, ...], compared: int
) -> list[Picture]:
    """Play all targets of a condition; return target, first and last rendering of each under the largest budget.

    Only the first ``compared`` of them are played under the other budgets too.
    """
    judge, shown = StructuralJudge(), []
    for seed, (target, scene) in zip(seeds, targets(category, difficulty, seeds), strict=False):
        is_compared = seed < seeds.start + compared
        for budget in sorted(budgets) if is_compared else [max(budgets)]:
            played = play(target, budget)
            final = judge.rate(target, played.renderings[-1]).value or 0.0
            if is_compared:
                table.scores[category, budget].append(final)
            if budget != max(budgets):
                continue
            gain = final - (judge.rate(target, played.renderings[0]).value or 0.0)
            table.gains[category].append(gain)
            table.describing[category] += played.describing
            table.drawing[category] += played.drawing
            result = CHECKS[category](scene, read(played.messages)[0]) if scene else {}
            for name, value in result.items():
                table.figures[category, difficulty][name].append(value)
            shown += [target, played.renderings[0], played.renderings[-1]]
            facts = "  ".join(f"{name} {value:.2f}" for name, value in result.items())
            turns = len(played.messages)
            print(f"{category} {difficulty} {seed}  turns {turns}  {final:.2f} ({gain:+.2f})  {facts}", flush=True)
    return shown


def compare_cut_off(categories: Sequence[str], seeds: range, tokens: int) -> None:
    """Print what a describer that is told of a small budget gains over one that is cut off at it.

    All three play the same targets: ``classical``, told of the budget; ``plain``, told of it; and ``plain``
    that writes for 200 tokens and is cut off.
    """
    judge = StructuralJudge()
    heads = f"{'told':>8}{'plain, told':>13}{'plain, cut off':>16}{'told less cut off':>24}{'n':>5}"
    print(f"{'structural, final':<18}{heads}")
    every: list[float] = []
    for category in categories:
        rows = [
            [
                judge.rate(target, played.renderings[-1]).value or 0.0
                for played in (
                    play(target, tokens),
                    play(target, tokens, PlainDescriber),
                    play(target, max(BUDGETS), PlainDescriber, tokens),
                )
            ]
            for difficulty in get_args(Difficulty)
            for target, _ in targets(category, difficulty, seeds)
        ]
        gains = [row[0] - row[2] for row in rows]
        every += gains
        means = [statistics.mean(column) for column in zip(*rows, strict=True)]
        gain = estimate(gains)
        print(
            f"{category:<18}{means[0]:8.2f}{means[1]:13.2f}{means[2]:16.2f}"
            f"{gain.mean:+10.2f} [{gain.low or 0:+.2f}, {gain.high or 0:+.2f}]{len(rows):5d}",
            flush=True,
        )
    whole = estimate(every)
    print(f"{'all':<55}{whole.mean:+10.2f} [{whole.low or 0:+.2f}, {whole.high or 0:+.2f}]{whole.n:5d}")


def save_sheet(pictures: list[Picture], path: Path, side: int = 256, across: int = 6) -> None:
    """Save pictures in rows."""
    rows = -(-len(pictures) // across)
    sheet = Image.new("RGB", (across * (side + 4), rows * (side + 4)), "#888888")
    for index, picture in enumerate(pictures):
        small = Image.fromarray(picture.pixels).resize((side, side), Image.Resampling.LANCZOS)
        sheet.paste(small, (index % across * (side + 4), index // across * (side + 4)))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40, help="targets for each category and difficulty")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--category", action="append", choices=[*CHECKS, "photos"])
    parser.add_argument("--difficulty", action="append", choices=get_args(Difficulty))
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--compared", type=int, help="how many of the targets are played under every budget, not one")
    parser.add_argument("--sheets", type=Path, help="folder for pictures of target, first and final rendering")
    parser.add_argument(
        "--cut-off", type=int, help="compare a describer told of so few tokens with one cut off at them"
    )
    asked = parser.parse_args()
    if asked.cut_off is not None:
        seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
        compare_cut_off(asked.category or list(CHECKS), seeds, asked.cut_off)
        return
    table, seeds = Table(), range(asked.first_seed, asked.first_seed + asked.seeds)
    budgets, compared = tuple(sorted(asked.budgets)), asked.seeds if asked.compared is None else asked.compared
    play(Picture.from_pixels(draw_target("line_graph", "easy", asked.first_seed - 1).drawing.pixels), max(budgets))
    for category in asked.category or [*CHECKS, "photos"]:
        for difficulty in asked.difficulty or get_args(Difficulty):
            shown = measure(table, category, difficulty, seeds, budgets, compared)
            if asked.sheets:
                save_sheet(shown, asked.sheets / f"{category}-{difficulty}.png")
    table.print(budgets)


if __name__ == "__main__":
    main()
