"""Stages of the demo: commands as users give them, in chains that run side by side.

Each command of ``ircore`` has a process of its own that begins with the project's modules in memory. A demo gives
twenty commands. Started anew, each of them would import numpy, scipy and the players for two seconds.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context, set_start_method
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from ircore.core.errors import WorkError
from ircore.core.plugins import list_available
from ircore.players.builtin_pairs import list_builtin_pairs

MODULES = (
    "dataset_card.hub.full_check",
    "dataset_card.releases.build",
    "ircore.commands.instances",
    "ircore.commands.main",
    "ircore.commands.play",
    "ircore.commands.score",
    "ircore.players.builtin_language",
    "ircore.scorers.verification.judge",
    "leaderboard.building.site_build",
)
"""Imported once, by the process from which those of the commands are forked, and the modules of the games beside."""

Chain = tuple[tuple[str, ...], ...]
"""Commands that are given one after the other, each as the arguments of ``ircore``."""

Watch = Callable[[int, str], None]
"""Is told how many commands of a stage have ended, and the last line of a running command; "" if it said nothing."""

WATCH_INTERVAL = 0.5
"""Seconds between two calls of a ``Watch``, at most."""

SIDE_BY_SIDE = 4
"""Chains of a stage that run at once, at most."""

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
class CommandOutcome:
    """How a command ended.

    Attributes:
        status: Its exit status; negative if a signal ended it.
        output: What it wrote to its standard output.
        errors: The same of its standard error.
    """

    status: int
    output: bytes
    errors: bytes


class CommandProcess:
    """A command that is running, in this folder and environment.

    >>> CommandProcess(["--version"]).outcome().status
    0

    Args:
        words: The words behind ``ircore``.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._folder = TemporaryDirectory()
        self._streams = (Path(self._folder.name, "output"), Path(self._folder.name, "errors"))
        self._process = _make_process(_run_command, (list(words), dict(os.environ), *self._streams))
        self._process.start()

    @property
    def sentinel(self) -> int:
        """Handle that is ready when the command has ended, for ``multiprocessing.connection.wait``."""
        return self._process.sentinel

    def outcome(self) -> CommandOutcome:
        """Wait until the command has ended, and return how it did."""
        self._process.join()
        output, errors = (path.read_bytes() if path.exists() else b"" for path in self._streams)
        self._folder.cleanup()
        return CommandOutcome(self._process.exitcode or 0, output, errors)

    def last_line(self) -> str:
        """Return the last line so far that the command wrote to its standard error, such as its progress."""
        errors = self._streams[1]
        lines = errors.read_text(errors="replace").splitlines() if errors.exists() else []
        return lines[-1].strip() if lines else ""

    def stop(self) -> None:
        """End the command as Ctrl-C does; it leaves nothing half written."""
        self._process.terminate()
        self._process.join()
        self._folder.cleanup()


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
                _log_outcome(process, log)
                if chain:
                    # A chain that has begun goes on before another one begins.
                    waiting.appendleft(chain)
            if watch:
                watch(ended, _find_last_line(process for process, _ in running.values()))
    finally:
        for process, _ in running.values():
            process.stop()


def _make_process(work: Callable[..., None], arguments: tuple[Any, ...]) -> BaseProcess:
    if "forkserver" not in get_all_start_methods():  # Windows starts every process anew
        return get_context("spawn").Process(target=work, args=arguments)
    context = get_context("forkserver")
    # Entry points of games and of what draws their instances name the games' modules.
    plugins = [*list_available("games").values(), *list_available("instances").values()]
    games = {plugin.module for plugin in plugins if not plugin.name.startswith("import.")}
    context.set_forkserver_preload([*MODULES, *sorted(games)])
    return context.Process(target=work, args=arguments)


def _run_command(words: list[str], environment: dict[str, str], output: Path, errors: Path) -> None:
    from ircore.commands.main import main

    # The process from which this one was forked has the environment of its own beginning, and workers of the command
    # begin as they always do.
    os.environ.clear()
    os.environ.update(environment)
    set_start_method(None, force=True)
    for path, stream in ((output, sys.stdout), (errors, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    main(words)


def _find_last_line(processes: Iterable[CommandProcess]) -> str:
    """Return the last line of the command that began first, of those that said something; "" if none did."""
    return next((line for process in processes if (line := process.last_line())), "")


def _log_outcome(process: CommandProcess, log: IO[bytes]) -> None:
    outcome = process.outcome()
    log.write(b"$ ircore " + " ".join(process.words).encode() + b"\n" + outcome.output + outcome.errors)
    log.flush()
    if outcome.status:
        lines = outcome.errors.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        # The last line may be a hint or a warning of a library; our own messages begin with the name.
        said = next((line for line in reversed(lines) if line.startswith("ircore: ")), lines[-1])
        raise WorkError(f"ircore {process.words[0]}: exit status {outcome.status}: {said.strip()}", f"See {log.name}.")
