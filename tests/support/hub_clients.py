"""Programs that talk to a Hub, each in a process of its own: the client reads where it is when it is imported."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hub_server import TOKEN, HubServer


class Outcome(NamedTuple):
    """How a process ended."""

    code: int
    out: str
    err: str


def run_with_hub(
    hub: HubServer, home: Path, arguments: Sequence[str], changes: Mapping[str, str | None] | None = None
) -> Outcome:
    """Run Python with a Hub and a home for its files.

    Args:
        hub: The server.
        home: Where the client keeps its cache.
        arguments: Of the interpreter.
        changes: Variables of the environment to set, or to leave out where None.

    Returns:
        Exit status and what was printed, which never holds the token.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING", "GITHUB_"))}
    wanted: dict[str, str | None] = {**ours, **hub.environment(home), **(changes or {})}
    environment = {name: value for name, value in wanted.items() if value is not None}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert TOKEN not in done.stdout + done.stderr
    return Outcome(done.returncode, done.stdout, done.stderr)
