"""The workflows as data, and a small runner that does on this machine what the service would do.

Every ``run:`` step is given to bash as it stands, in order, in a fresh clone; expressions are looked up in a context;
actions are replaced by what they amount to here: a checkout clones, an upload copies a folder, a deployment too.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

REPEATED = re.compile(r"ircore (?:instances build|release pull) .*--out (\S+)$")
"""Commands that make the same folder in many jobs."""

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


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
        ran: The commands that were run, in order.
        failed: The command that failed, if any.
        output: What all commands wrote.
        summary: What they wrote for the page of the job.
    """

    ran: list[str] = field(default_factory=list)
    failed: str | None = None
    output: str = ""
    summary: str = ""


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
        made: Folders that ``REPEATED`` commands made, by command and state.
    """

    origin: Path
    folder: Path
    environment: Mapping[str, str]
    context: dict[str, str]
    prepared: Callable[[Path], object]
    state: Callable[[], str]
    ran: list[str] = field(default_factory=list)
    made: dict[tuple[str, str], Path] = field(default_factory=dict)

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
        document = read_workflow(workflow)
        asked = document["jobs"][job]
        outcome = Outcome()
        place = self.folder / f"{workflow.stem}-{job}-{len(list(self.folder.iterdir()))}"
        summary = self.folder / f"{place.name}.md"
        known |= {f"env.{name}": _filled(str(value), known) for name, value in asked.get("env", {}).items()}
        for step in asked["steps"]:
            if not self._wanted(step, known, outcome.failed is not None):
                continue
            if "uses" in step:
                self._use(step, place, commit, known)
                continue
            repeated, key = REPEATED.search(step["run"]), (step["run"], self.state())
            if repeated and key in self.made:
                shutil.copytree(self.made[key], place / repeated[1])
                continue
            settings = {**asked.get("env", {}), **step.get("env", {})}
            environment = {name: _filled(str(value), known) for name, value in settings.items()}
            whole = {**self.environment, **environment, "GITHUB_STEP_SUMMARY": str(summary), "CI": "true"}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=place, env=whole, capture_output=True, text=True, timeout=1800, check=False,
            )  # fmt: skip
            outcome.ran.append(step["run"])
            self.ran.append(step["run"])
            outcome.output += f"$ {step['run']}\n{done.stdout}{done.stderr}"
            if done.returncode:
                outcome.failed = step["run"]
            elif repeated:
                self.made[key] = shutil.copytree(place / repeated[1], self.folder / f"made-{len(self.made)}")
        outcome.summary = summary.read_text() if summary.exists() else ""
        return outcome

    def _wanted(self, step: Mapping[str, Any], known: Mapping[str, str], failed: bool) -> bool:
        if failed or step.get("if") == "always()":
            return step.get("if") == "always()"
        condition = re.fullmatch(r"([\w.]+) (==|!=) '(.*)'", step.get("if", "x == ''"))
        assert condition is not None
        return (known.get(condition[1], "") == condition[3]) == (condition[2] == "==")

    def _use(self, step: Mapping[str, Any], place: Path, commit: str, known: Mapping[str, str]) -> None:
        action = step["uses"].split("@")[0].removeprefix("actions/")
        given = {name: _filled(str(value), known) for name, value in step.get("with", {}).items()}
        if action == "checkout":
            self._checkout(place, given.get("ref", commit))
        elif action in ("upload-artifact", "upload-pages-artifact"):
            name = given.get("name", "github-pages")
            shutil.rmtree(self.artefact(name), ignore_errors=True)
            if given.get("if-no-files-found") != "ignore" or (place / given["path"]).exists():
                shutil.copytree(place / given["path"], self.artefact(name))
        elif action == "download-artifact":
            if self.artefact(given["name"]).exists() or not step.get("continue-on-error"):
                shutil.copytree(self.artefact(given["name"]), place / given["path"])
        elif action == "deploy-pages":
            shutil.copytree(self.artefact("github-pages"), self.folder / "deployed", dirs_exist_ok=True)
        else:
            assert action == "setup-python"

    def _checkout(self, place: Path, commit: str) -> None:
        subprocess.run(["git", "clone", "-q", "--branch", "main", str(self.origin), str(place)], check=True)
        subprocess.run(["git", "-C", str(place), "checkout", "-q", "--detach", commit], check=True)
        self.prepared(place)


def _filled(text: str, known: Mapping[str, str]) -> str:
    """Put values in the place of expressions.

    ``a || 'b'`` is b where a is empty; ``a == b && 'c' || 'd'`` is c where both are the same, else d.
    """

    def value(found: re.Match[str]) -> str:
        if choice := re.fullmatch(r"([\w.]+) == ([\w.]+) && '(\w+)' \|\| '(\w+)'", found[1]):
            return choice[3] if known.get(choice[1], "") == known.get(choice[2]) else choice[4]
        name, _, fallback = found[1].partition(" || ")
        assert re.fullmatch(r"[\w.]+", name), found[1]
        return known.get(name, "") or fallback.strip("'")

    return EXPRESSION.sub(value, text)


def plain_environment(home: Path) -> dict[str, str]:
    """Return the variables of a machine that nobody has set up."""
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
