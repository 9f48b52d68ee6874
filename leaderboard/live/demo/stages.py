"""Stages of the demo: commands as users give them, in chains that run side by side."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, cast

from ircore.core.errors import WorkError
from ircore.players.builtin_pairs import list_builtin_pairs
from leaderboard.live.demo.command_process import CommandProcess

Chain = tuple[tuple[str, ...], ...]
"""Commands that are given one after the other, each as the arguments of ``ircore``."""

Watch = Callable[[int, str], None]
"""Is told how many commands of a stage have ended, and the last line of a running command; "" if it said nothing."""

WATCH_INTERVAL = 0.5
"""Seconds between two calls of a ``Watch``, at most."""

SIDE_BY_SIDE = 4
"""Chains of a stage that run at once, at most."""


@dataclass(frozen=True)
class Stage:
    """A part of the demo.

    >>> Stage("draw targets", ((("instances", "build", "--out", "set"),),)).commands
    [('instances', 'build', '--out', 'set')]

    Attributes:
        label: In the imperative, for people.
        chains: Chains of commands; the chains run side by side.
    """

    label: str
    chains: tuple[Chain, ...]

    @property
    def commands(self) -> list[tuple[str, ...]]:
        """The commands of all chains."""
        return [command for chain in self.chains for command in chain]


_OTHERS = {
    # With memory and without it; the last one says nothing of what it has no word for: its aborted episodes belong to
    # what is shown.
    "reference": ("looker", "looker-alone", "literal"),
    "conversation": ("extractive", "extractive-sketch"),
    # With thinking and without it.
    "reasoning": ("solver-editor", "editor"),
}
"""Submissions of the other games, by game: at least two each, so that there is something to compare."""


@dataclass(frozen=True)
class Demo:
    """A demo in a folder.

    >>> demo = Demo(Path("demo"), per_condition=3)
    >>> [stage.label for stage in demo.stages()][:2]
    ['draw targets', 'play four games']
    >>> demo.runs[0].name
    'builtin-plain-canvas'

    Attributes:
        folder: Holds instances, runs, dataset and site.
        per_condition: Targets of each category and difficulty.
        categories: Categories of targets; empty for all.
    """

    folder: Path
    per_condition: int
    categories: tuple[str, ...] = ()

    @property
    def pairs(self) -> list[Path]:
        """Folders of the pairs of reconstruction, the slowest first, so that they end together."""
        return sorted(list_builtin_pairs().values(), reverse=True)

    @property
    def runs(self) -> list[Path]:
        """All run folders, of reconstruction first."""
        names = [path.name for path in self.pairs] + [name for names in _OTHERS.values() for name in names]
        return [self.folder / "runs" / name for name in names]

    def stages(self, site: bool = True) -> list[Stage]:
        """Return the stages in their order; ``site`` says whether the last one renders the site."""
        sets = [str(self.folder / name) for name in ("instances", "contexts", "dialogues", "tasks")]
        runs = [str(run) for run in self.runs]
        number, pairs = str(self.per_condition), self.pairs
        only = (word for category in self.categories for word in ("--category", category))
        draw = ("instances", "build", "--out", sets[0], "--per-condition", number, *only)
        plays = (
            (("play", str(pair), "--instances", sets[0], "--out", run, "--concurrency", "1"),)
            for pair, run in zip(pairs, runs, strict=False)
        )
        games = (
            self._list_game_commands("reference", number, _OTHERS["reference"], sets[1]),
            self._list_game_commands("conversation", "1", _OTHERS["conversation"], sets[2]),
            self._list_game_commands("reasoning", number, _OTHERS["reasoning"], sets[3]),
        )
        dataset, out = str(self.folder / "dataset"), str(self.folder / "site")
        build = ("release", "build", "--runs", *runs, "--instances", *sets, "--out", dataset)
        publish: tuple[Chain, ...] = ((build, ("release", "check", dataset)),)
        if site:
            # The longer one first.
            publish = ((("site", "build", "--runs", *runs, "--out", out),), *publish)
        return [
            Stage("draw targets", ((draw,),)),
            Stage("play four games", (*plays, *games)),
            Stage("score every turn", ((("score", *runs[: len(pairs)], "--every-turn"),),)),
            Stage("write dataset and site" if site else "write the dataset", publish),
        ]

    def _list_game_commands(self, game: str, per_condition: str, players: tuple[str, ...], instances: str) -> Chain:
        """Return the commands that draw a game's instances, play and score them."""
        build = ("instances", "build", "--game", game, "--out", instances, "--per-condition", per_condition)
        runs = [str(self.folder / "runs" / name) for name in players]
        plays = (
            ("play", name, "--instances", instances, "--out", run) for name, run in zip(players, runs, strict=True)
        )
        return (build, *plays, ("score", *runs))


def run_stage(stage: Stage, log: IO[bytes], watch: Watch | None = None) -> None:
    """Run the commands of a stage.

    Args:
        stage: What to run.
        log: The commands' output goes here.
        watch: Called while the stage runs.

    Raises:
        WorkError: One of them failed, and the others were stopped; the message ends with the last line that it said.
    """
    waiting = deque(deque(chain) for chain in stage.chains)
    running: dict[int, tuple[CommandProcess, deque[tuple[str, ...]]]] = {}
    ended = 0
    try:
        while waiting or running:
            while waiting and len(running) < SIDE_BY_SIDE:
                chain = waiting.popleft()
                process = CommandProcess(chain.popleft())
                running[process.sentinel] = (process, chain)
            for sentinel in cast(list[int], wait(running, WATCH_INTERVAL if watch else None)):
                process, chain = running.pop(sentinel)
                ended += 1
                _record(process, log)
                if chain:
                    # A chain that has begun goes on before another one begins.
                    waiting.appendleft(chain)
            if watch:
                watch(ended, _find_last_line(process for process, _ in running.values()))
    finally:
        for process, _ in running.values():
            process.stop()


def _find_last_line(processes: Iterable[CommandProcess]) -> str:
    """Return the last line of the command that began first, of those that said something; "" if none did."""
    return next((line for process in processes if (line := process.last_line())), "")


def _record(process: CommandProcess, log: IO[bytes]) -> None:
    outcome = process.outcome()
    log.write(b"$ ircore " + " ".join(process.words).encode() + b"\n" + outcome.output + outcome.errors)
    log.flush()
    if outcome.status:
        lines = outcome.errors.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        # The last line may be a hint or a warning of a library; our own messages begin with the name.
        said = next((line for line in reversed(lines) if line.startswith("ircore: ")), lines[-1])
        raise WorkError(f"ircore {process.words[0]}: exit status {outcome.status}: {said.strip()}", f"See {log.name}.")
