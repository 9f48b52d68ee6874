"""The workflows as data, and a small runner that does on this machine what the service would do.

Every ``run:`` step is given to bash as it stands, in order, in a fresh clone; expressions are looked up in a context;
actions are replaced by what they amount to here: a checkout clones, an upload copies a folder, a deployment too.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import traceback
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import sleep
from typing import Any

import yaml

REPEATED = re.compile(r"ircore (?:instances build|release (?:pull|build|check)) ")
"""Commands that do the same in several jobs while commit and dataset are the same: done once, then copied."""

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_TOKEN = re.compile(r"'[^']*'|&&|\|\||==|!=|always\(\)|[A-Za-z_][\w.-]*")


def read_workflow(path: Path) -> dict[str, Any]:
    """Return a workflow; ``on``, which YAML takes for a truth value, is a key again."""
    document: dict[Any, Any] = yaml.safe_load(path.read_text())
    return {("on" if key is True else key): value for key, value in document.items()}


def steps_of(workflow: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every step with the name of its job."""
    for name, job in workflow["jobs"].items():
        for step in job.get("steps", ()):
            yield name, step


@dataclass
class Outcome:
    """What a job did.

    Attributes:
        skipped: Whether the job was left out by its condition.
        failed: The command that failed, if any.
        output: What all commands wrote.
        summary: What they wrote for the page of the job.
        outputs: The job's outputs.
    """

    skipped: bool = False
    failed: str | None = None
    output: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass
class Service:
    """A service that runs workflows, on this machine.

    Attributes:
        origin: The bare repository.
        folder: Where clones and artefacts lie.
        environment: Variables of every command.
        context: Values of expressions, such as ``vars.DATASET``.
        prepared: Is called with each clone before its first command.
        state: Returns what the dataset holds: while it is the same, what a ``REPEATED`` command made is copied.
        ran: Every command that was run so far.
        made: Folders that ``REPEATED`` commands made, by command, state and commit.
    """

    origin: Path
    folder: Path
    environment: Mapping[str, str]
    context: dict[str, str]
    prepared: Callable[[Path], object]
    state: Callable[[], str]
    ran: set[str] = field(default_factory=set)
    made: dict[tuple[str, ...], Path | None] = field(default_factory=dict)

    def artefact(self, name: str) -> Path:
        """Return where an artefact lies."""
        return self.folder / "artefacts" / name

    def run(self, workflow: Path, job: str, commit: str, **context: str) -> Outcome:
        """Run a job of a workflow.

        Args:
            workflow: Its file.
            job: The job's name.
            commit: What the service checks out unless a step says otherwise.
            context: More values of expressions, dots written as two underscores.
        """
        known = self.context | {key.replace("__", "."): value for key, value in context.items()}
        asked = read_workflow(workflow)["jobs"][job]
        if "if" in asked and not evaluated(str(asked["if"]), known):
            return Outcome(skipped=True)
        outcome = Outcome()
        place = self.folder / f"{workflow.stem}-{job}-{len(list(self.folder.iterdir()))}"
        summary, written = self.folder / f"{place.name}.md", self.folder / f"{place.name}.out"
        known |= {f"env.{name}": filled(str(value), known) for name, value in asked.get("env", {}).items()}
        for step in asked["steps"]:
            condition = str(step.get("if", "'a step'"))
            if condition != "always()" and (outcome.failed is not None or not evaluated(condition, known)):
                continue
            if "uses" in step:
                self._use(step, place, commit, known)
                continue
            settings = {**asked.get("env", {}), **step.get("env", {})}
            environment = {name: filled(str(value), known) for name, value in settings.items()}
            environment |= {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(written), "CI": "true"}
            environment["GITHUB_EVENT_NAME"] = known.get("github.event_name", "workflow_dispatch")
            written.write_text("")
            failed, output = self._give(step["run"], place, environment)
            outcome.output += f"$ {step['run']}\n{output}"
            outcome.failed = step["run"] if failed else None
            lines = (line.partition("=") for line in written.read_text().splitlines())
            known |= {f"steps.{step.get('id')}.outputs.{name}": value for name, _, value in lines}
        outcome.summary = summary.read_text() if summary.exists() else ""
        outcome.outputs = {name: filled(str(value), known) for name, value in asked.get("outputs", {}).items()}
        shutil.rmtree(place, ignore_errors=True)
        return outcome

    def _give(self, command: str, place: Path, environment: Mapping[str, str]) -> tuple[bool, str]:
        """Give a command to bash, and return whether it failed and what it wrote."""
        head = subprocess.check_output(["git", "-C", str(place), "rev-parse", "HEAD"], text=True).strip()
        of = head if " release build " in command or " release check " in command else ""
        key, out = (command, self.state(), of), re.search(r"--out (\S+)", command)
        self.ran.add(command)
        if key in self.made:
            if (made := self.made[key]) is not None and out is not None:
                shutil.copytree(made, place / out[1])
            return False, ""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            cwd=place, env={**self.environment, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not done.returncode and REPEATED.search(command):
            kept = self.folder / f"made-{len(self.made)}"
            self.made[key] = shutil.copytree(place / out[1], kept) if out is not None else None
        return bool(done.returncode), done.stdout + done.stderr

    def _use(self, step: Mapping[str, Any], place: Path, commit: str, known: Mapping[str, str]) -> None:
        action = step["uses"].split("@")[0].removeprefix("actions/")
        given = {name: filled(str(value), known) for name, value in step.get("with", {}).items()}
        if action == "checkout":
            self._checkout(place, given.get("ref", commit))
        elif action in ("upload-artifact", "upload-pages-artifact"):
            name = given.get("name", "github-pages")
            shutil.rmtree(self.artefact(name), ignore_errors=True)
            if given.get("if-no-files-found") != "ignore" or (place / given["path"]).exists():
                shutil.copytree(place / given["path"], self.artefact(name))
        elif action == "download-artifact":
            shutil.copytree(self.artefact(given["name"]), place / given["path"])
        elif action == "deploy-pages":
            shutil.copytree(self.artefact("github-pages"), self.folder / "deployed", dirs_exist_ok=True)
        else:
            assert action == "setup-python"

    def _checkout(self, place: Path, commit: str) -> None:
        subprocess.run(["git", "clone", "-q", "--branch", "main", str(self.origin), str(place)], check=True)
        subprocess.run(["git", "-C", str(place), "checkout", "-q", "--detach", commit], check=True)
        self.prepared(place)


def evaluated(expression: str, known: Mapping[str, str]) -> str:
    """Return the value of an expression of names, texts, ``==``, ``!=``, ``&&`` and ``||``; a text, empty for false."""
    words = {"&&": "and", "||": "or", "==": "==", "!=": "!=", "always()": "'always'"}

    def word(match: re.Match[str]) -> str:
        token = match[0]
        return token if token.startswith("'") else words.get(token) or repr(known.get(token, ""))

    # Of files of this repository, in a test.
    value = eval(_TOKEN.sub(word, expression), {"__builtins__": {}})
    return value if isinstance(value, str) else "true" if value else ""


def filled(text: str, known: Mapping[str, str]) -> str:
    """Put values in the place of expressions."""
    return EXPRESSION.sub(lambda match: evaluated(match[1], known), text)


WARM = (
    *("ircore.commands.main", "ircore.commands.play", "ircore.commands.score", "ircore.commands.instances"),
    *("ircore.commands.maintain.batch", "ircore.commands.submission.check", "ircore.submissions.check.change"),
    *("ircore.games.reconstruction.game", "ircore.games.reference.game", "ircore.games.conversation.game"),
    *("leaderboard.building.site_build", "leaderboard.building.site_check", "ircore.submissions.rescoring.rescore"),
    *("leaderboard.building.preview", "ircore.scorers.verification.judge"),
    *("scipy.ndimage", "jinja2", "openai"),
)
"""Modules that are imported once for all commands."""

CLIENT = """#!{python} -SsE
import array, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({address!r})
parts = [os.getcwd(), *(f"{{name}}={{value}}" for name, value in os.environ.items()), "", *sys.argv[1:]]
descriptors = array.array("i", [0, 1, 2])
data = chr(0).join(parts).encode()
asked.sendmsg([len(data).to_bytes(4)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
asked.sendall(data)
sys.exit(asked.recv(1)[0])
"""


@contextmanager
def quick_commands(folder: Path) -> Iterator[Path]:
    """Yield a program ``ircore`` that a process with all modules imported answers, a fork for each command.

    A command takes about a second less of the processor. The code is this working tree's, as in the clones.
    """
    address, program = folder / "socket", folder / "ircore"
    program.write_text(CLIENT.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    server = subprocess.Popen([sys.executable, "-P", __file__, str(address)], env=dict(os.environ))
    try:
        while not address.exists():
            assert server.poll() is None
            sleep(0.05)
        yield program
    finally:
        server.terminate()
        server.wait()


def _answer(asked: socket.socket) -> None:
    """Run a command in this process, which is a fork, with the descriptors, folder and variables of the client."""
    head, sent, _, _ = asked.recvmsg(4, socket.CMSG_LEN(12))
    descriptors = array("i", sent[0][2])
    data = b""
    while len(data) < int.from_bytes(head):
        data += asked.recv(1 << 20)
    place, *rest = data.decode().split(chr(0))
    end = rest.index("")
    for ours, theirs in enumerate(descriptors):
        os.dup2(theirs, ours)
    os.environ.clear()
    os.environ.update(dict(line.split("=", 1) for line in rest[:end]))
    os.chdir(place)
    sys.argv = ["ircore", *rest[end + 1 :]]
    status = 70
    try:
        from ircore.commands.main import run

        status = run()
    except BaseException:  # noqa: BLE001 - told, whatever it is
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        asked.sendall(bytes([status]))
        os._exit(0)


def _serve(address: str) -> None:
    # What reads variables when it is imported, such as huggingface_hub, each command imports by itself.
    for name in WARM:
        import_module(name)
    assert "huggingface_hub" not in sys.modules
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        while True:
            asked, _ = server.accept()
            if os.fork() == 0:
                _answer(asked)
            asked.close()
            os.waitpid(-1, os.WNOHANG)


def plain_environment(home: Path) -> dict[str, str]:
    """Return the variables of a machine that nobody has set up."""
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}


if __name__ == "__main__":
    _serve(sys.argv[1])
