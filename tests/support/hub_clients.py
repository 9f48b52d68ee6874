"""Programs that talk to a Hub, in processes of their own: the client reads where it is when it is imported."""

import contextlib
import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hub_server import TOKEN, HubServer


class Outcome(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


class HubClient:
    """A process that runs one ``ircore`` command after the other, since importing takes longer than most of them.

    Attributes:
        home: Where it keeps its cache.
    """

    def __init__(self, hub: HubServer, home: Path, folder: Path | None = None, **more: str) -> None:
        self.home = home
        self._environment = environment_for(hub, home) | more
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, __file__], env=self._environment, cwd=folder, stdin=pipe, stdout=pipe, text=True
        )

    def run(self, *arguments: object, **changes: str | None) -> Outcome:
        """Run a command.

        Args:
            arguments: As on a command line.
            changes: Variables of the environment to set, or to leave out where None; only what is read when used.

        Returns:
            Exit status and what was printed, which never holds the token.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        variables: dict[str, str | None] = {**self._environment, **changes}
        known = {name: value for name, value in variables.items() if value is not None}
        self._process.stdin.write(json.dumps([list(map(str, arguments)), known]) + "\n")
        self._process.stdin.flush()
        return _checked(Outcome(*json.loads(self._process.stdout.readline())))

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=120)


def run_with_hub(hub: HubServer, home: Path, arguments: Sequence[str], **changes: str) -> Outcome:
    """Run Python once with a Hub, a home for its files, and changes of the environment."""
    environment = environment_for(hub, home) | changes
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return _checked(Outcome(done.returncode, done.stdout, done.stderr))


def environment_for(hub: HubServer, home: Path) -> dict[str, str]:
    """Return the environment of a program: ours, with nothing of the tester's account on the Hub."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING", "GITHUB_"))}
    return ours | hub.environment(home)


def published(hub: HubServer, repo: str, revision: str = "main") -> dict[str, bytes]:
    """Return the files of a repository that are not its own."""
    files = hub.repos[repo].commits[hub.repos[repo].revision(revision)]
    return {path: file.data for path, file in files.items() if path != ".gitattributes"}


def refusal(done: Outcome) -> str:
    """Return the line that says why a push was refused."""
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err
    return next(line for line in done.err.splitlines() if line.startswith("ircore: "))


def _checked(outcome: Outcome) -> Outcome:
    assert TOKEN not in outcome.out + outcome.err
    return outcome


def _serve() -> None:
    """Take a command a line as JSON, run it, and answer with its outcome."""
    from ircore.commands.main import run
    from ircore.core.collector import NEW_OBJECTS

    gc.set_threshold(NEW_OBJECTS)  # as a command that runs by itself
    for line in sys.stdin:
        arguments, variables = json.loads(line)
        os.environ.clear()
        os.environ.update(variables)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
        print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)


if __name__ == "__main__":
    _serve()
