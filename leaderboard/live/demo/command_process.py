"""Commands of ``ircore``, each in a process of its own that begins with the project's modules in memory.

A demo gives twenty commands. Started anew, each of them would import numpy, scipy and the players for two seconds.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context, set_start_method
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ircore.core.plugins import list_available

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


@dataclass(frozen=True)
class Outcome:
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
        self._process = _make_process(_work, (list(words), dict(os.environ), *self._streams))
        self._process.start()

    @property
    def sentinel(self) -> int:
        """Handle that is ready when the command has ended, for ``multiprocessing.connection.wait``."""
        return self._process.sentinel

    def outcome(self) -> Outcome:
        """Wait until the command has ended, and return how it did."""
        self._process.join()
        output, errors = (path.read_bytes() if path.exists() else b"" for path in self._streams)
        self._folder.cleanup()
        return Outcome(self._process.exitcode or 0, output, errors)

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


def _make_process(work: Callable[..., None], arguments: tuple[Any, ...]) -> BaseProcess:
    if "forkserver" not in get_all_start_methods():  # Windows starts every process anew
        return get_context("spawn").Process(target=work, args=arguments)
    context = get_context("forkserver")
    # Entry points of games and of what draws their instances name the games' modules.
    plugins = [*list_available("games").values(), *list_available("instances").values()]
    games = {plugin.module for plugin in plugins if not plugin.name.startswith("import.")}
    context.set_forkserver_preload([*MODULES, *sorted(games)])
    return context.Process(target=work, args=arguments)


def _work(words: list[str], environment: dict[str, str], output: Path, errors: Path) -> None:
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
