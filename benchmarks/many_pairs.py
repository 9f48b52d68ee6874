"""Runs of many pairs, made of the episodes of a few played runs, to look at a site of 40, 120 or 200 pairs.

Run: ``python benchmarks/many_pairs.py [--runs build/demo/runs/*] [--pairs 200] [--out build/many]``. A pair takes each
episode from one of the played runs: the stronger its describer and its generator, the more often from the better run.
Words, renderings, scores and facts are therefore real, and only the names of the players are invented. Pairs differ in
strength by category, some lie close together, some have episodes without a result or without a score, and two thirds
report a cost. 200 pairs take seconds, since renderings are linked and not copied.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.games.reconstruction.records import CATEGORIES
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.play import add_run_id

FAMILIES = ("aster", "briar", "clover", "dahlia", "erica")
SIZES = ("large", "medium", "small", "tiny")
PAINTERS = ("easel", "fresco", "gouache", "pastel", "sepia")
EDITIONS = ("1", "1-fast", "2")
MISSING_EPISODES = 0.03
"""Share of pairs that left some episodes without a result."""


PAID = 2 / 3
"""Share of pairs that report a cost."""


class Played(NamedTuple):
    """A played run by episode: its lines of each file, and the folder of its renderings."""

    run: Run
    journal: Mapping[str, Sequence[Mapping[str, Any]]]
    scores: Mapping[str, Sequence[Mapping[str, Any]]]
    facts: Mapping[str, Sequence[Mapping[str, Any]]]
    folder: Path

    def renderings(self, episode: str) -> set[Path]:
        """Return the files of an episode's renderings."""
        shown = (line["rendering"]["sha256"] for line in self.journal[episode] if line.get("rendering"))
        return {self.folder / "renderings" / f"{name}.png" for name in shown}


class Strength(NamedTuple):
    """Strength of a player, in logits: in general, and by category."""

    general: float
    by_category: Mapping[str, float]


def main() -> None:
    """Write the runs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, nargs="+", help="scored runs of the reconstruction game on one set")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("build/many"))
    options = parser.parse_args()
    given = options.runs or sorted(Path("build/demo/runs").glob("builtin-*"))
    if not given:
        print("no played runs: give them as --runs, or make some by `make demo`")
        return
    begun = perf_counter()
    made = make_runs(given, options.pairs, options.out)
    print(f"{len(made)} runs in {options.out}, {perf_counter() - begun:.1f} s")


def make_runs(sources: Sequence[Path], count: int, out: Path) -> list[Path]:
    """Write the runs of so many pairs; those that are there stay.

    Args:
        sources: Folders of scored runs on one instance set.
        count: Number of pairs, at most describers × generators.
        out: Folder of the new run folders.
    """
    played = by_score(sources)
    draw = random.Random(21)
    describers = {f"{family}-{size}": strength(draw, 1.2) for family in FAMILIES for size in SIZES}
    generators = {f"{painter}-{edition}": strength(draw, 0.6) for painter in PAINTERS for edition in EDITIONS}
    couples = [(describer, generator) for generator in generators for describer in describers]
    if count > len(couples):
        sys.exit(f"at most {len(couples)} pairs")
    return [
        make_pair(out / f"{describer}-{generator}", played, (describers[describer], generators[generator]))
        for describer, generator in couples[:count]
    ]


def strength(draw: random.Random, spread: float) -> Strength:
    """Draw the strength of a player; rounded, so that some players are equally strong."""
    return Strength(round(draw.gauss(0, spread), 1), {category: draw.gauss(0, 0.5) for category in CATEGORIES})


def by_score(sources: Sequence[Path]) -> list[Played]:
    """Read the runs, the one with the best main score first."""
    results = Results.from_runs(RunFolder(path) for path in sources)
    judge = "verified" if "verified" in results.judges else results.judges[0]
    order = [row.submission.run_id for row in results.board(judge)]
    return sorted(map(read, sources), key=lambda played: order.index(played.run.run_id))


def read(folder: Path) -> Played:
    """Read a run folder's lines by episode."""
    run = Run.model_validate_json((folder / "run.json").read_text(encoding="utf-8"))
    journal, scores, facts = (lines_of(folder / f"{name}.jsonl") for name in ("journal", "scores", "facts"))
    return Played(run, journal, scores, facts, folder)


def lines_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return a file's records by episode."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        episode = record.get("episode_id") or record.get("episode", {}).get("episode_id")
        if episode:
            lines.setdefault(episode, []).append(record)
    return lines


def make_pair(folder: Path, played: Sequence[Played], players: tuple[Strength, Strength]) -> Path:
    """Write the run folder of a pair, unless it is there."""
    if folder.is_dir():
        return folder
    draw = random.Random(folder.name)
    describer, generator = split(folder.name)
    cost = round(draw.lognormvariate(-5, 1), 5) if draw.random() < PAID else None
    missing = 0.2 if draw.random() < MISSING_EPISODES else 0.0
    chosen = {name: choose(draw, played, name, players) for name in played[0].journal if draw.random() >= missing}
    for name in ("renderings", "judges"):
        (folder / name).mkdir(parents=True)
    (folder / "instances").symlink_to(os.path.relpath((played[0].folder / "instances").resolve(), folder))
    (folder / "run.json").write_text(named(played[0].run, describer, generator).model_dump_json(by_alias=True))
    for file in sorted((played[0].folder / "judges").iterdir()):
        (folder / "judges" / file.name).write_bytes(file.read_bytes())
    write(folder / "journal.jsonl", (paid(line, cost) for name, run in chosen.items() for line in run.journal[name]))
    write(folder / "scores.jsonl", (line for name, run in chosen.items() for line in run.scores.get(name, ())))
    write(folder / "facts.jsonl", (line for name, run in chosen.items() for line in run.facts.get(name, ())))
    for path in {path for name, run in chosen.items() for path in run.renderings(name)}:
        if not (folder / "renderings" / path.name).exists():
            os.link(path.resolve(), folder / "renderings" / path.name)
    return folder


def split(name: str) -> tuple[str, str]:
    """Return the names of the two players of a pair's folder."""
    family, size, generator = name.split("-", 2)
    return f"{family}-{size}", generator


def choose(draw: random.Random, played: Sequence[Played], name: str, players: tuple[Strength, Strength]) -> Played:
    """Choose the run that an episode is taken from: each weaker run only if the stronger one was missed."""
    category = name.rpartition("-")[0].rpartition("-")[0]
    level = sum(player.general + player.by_category.get(category, 0.0) for player in players)
    for run in played[:-1]:
        if name in run.journal and draw.random() < 1 / (1 + exp(-level)):
            return run
    return played[-1]


def named(run: Run, describer: str, generator: str) -> Run:
    """Return a run's record with the names of other players."""
    submission = run.submission.model_copy(
        update={
            "name": f"{describer} + {generator}",
            "describer": PlayerSpec(player="classical", model=describer),
            "generator": PlayerSpec(player="canvas", model=generator),
        }
    )
    return add_run_id(run.model_copy(update={"slug": f"{describer}-{generator}", "submission": submission}))


def paid(line: Mapping[str, Any], cost: float | None) -> Mapping[str, Any]:
    """Return a line of a journal; a call reports what it cost in US dollars, if that is known."""
    if line["event"] != "call" or cost is None:
        return line
    return {**line, "usage": {**(line.get("usage") or {}), "cost_usd": cost}}


def write(path: Path, lines: Iterator[Mapping[str, Any]]) -> None:
    """Write records, one a line."""
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
