"""Commands of ``ircore``, each in a process of its own that begins with the project's modules in memory.

A demo gives twenty commands. Started anew, each of them would import numpy, scipy and the players for two seconds.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from tempfile import TemporaryDirectory

MODULES = (
    "dataset_card.hub.full_check",
    "dataset_card.releases.build",
    "ircore.commands.instances",
    "ircore.commands.main",
    "ircore.commands.play",
    "ircore.commands.score",
    "ircore.games.conversation.game",
    "ircore.games.reasoning.game",
    "ircore.games.reconstruction.build_targets",
    "ircore.games.reconstruction.game",
    "ircore.games.reference.game",
    "ircore.players.builtin.canvas.generator",
    "ircore.players.builtin.classical.describer",
    "ircore.scorers.verification.judge",
    "leaderboard.building.site_build",
)
"""Imported once, by the process from which those of the commands are forked."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    >>> Outcome(0, b"5 pairs", b"").status
    0

    Attributes:
        status: Its exit status; negative if a signal ended it.
        output: What it wrote to its standard output.
        errors: The same of its standard error.
    """

    status: int
    output: bytes
    errors: bytes


def outcome_of(words: Sequence[str]) -> Outcome:
    """Run a command to its end, in this folder and environment.

    Args:
        words: The words behind ``ircore``.
    """
    with TemporaryDirectory() as temporary:
        output, errors = Path(temporary, "output"), Path(temporary, "errors")
        # mypy knows the class of a context's processes by the name of its method alone.
        process = _context().Process(target=_command, args=(list(words), dict(os.environ), output, errors))  # type: ignore[attr-defined]
        process.start()
        process.join()
        return Outcome(process.exitcode, *(path.read_bytes() if path.exists() else b"" for path in (output, errors)))


def _context() -> BaseContext:
    if "forkserver" not in get_all_start_methods():  # Windows starts every process anew
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(list(MODULES))
    return context


def _command(words: list[str], environment: dict[str, str], output: Path, errors: Path) -> None:
    from ircore.commands.main import main

    # The process from which this one was forked has the environment of its own beginning.
    os.environ.clear()
    os.environ.update(environment)
    for path, stream in ((output, sys.stdout), (errors, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    main(words)
