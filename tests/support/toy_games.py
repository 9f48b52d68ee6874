"""The game of rock, paper, scissors, which lies outside the packages, installed by pip; commands as users give them."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hub_clients import HubClient, Outcome
from installed_packages import install_package
from shared_folders import made_once

from ircore.commands.main import run as ircore_command

TOYS = Path(__file__).parents[1] / "games"
"""Packages from outside."""

MANIFEST = """\
schema: 1
game: rps
name: Signer and chooser
signer: {player: rps-signer, parameters: {delay_s: DELAY, asked: "ASKED"}}
chooser: {player: rps-chooser, parameters: {delay_s: DELAY, asked: "ASKED", slip: 3}}
licence: CC0-1.0
"""


PAGE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
"""Shows a game with one seat that answers with a text."""


def write_game_of_page(packages: Path) -> None:
    """Put the code of the page on adding a game into a package as it stands there, without installing it by pip."""
    page = PAGE.read_text("utf-8")
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    install_package(packages, "my-game", toml, "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))


class Toy:
    """The commands, with the package installed."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder = folder
        self.packages = packages
        self.environment = self._usual = {**os.environ, "PYTHONPATH": str(packages)}
        self.client: HubClient | None = None

    def start(self, *words: object, typed: bool = False) -> "subprocess.Popen[str]":
        """Start a command; ``typed`` if something will be sent to it as if typed."""
        command = [sys.executable, "-m", "ircore", *map(str, words)]
        keys, pipe = subprocess.PIPE if typed else None, subprocess.PIPE
        return subprocess.Popen(
            command, env=self.environment, stdin=keys, stdout=pipe, stderr=pipe, text=True, cwd=self.folder
        )

    def run(self, *words: object, status: int = 0) -> str:
        """Run a command; returns its output, or its errors.

        It runs in the test's own process, which spares 0.4 s of start, unless the environment was changed; with a Hub
        in the process of the client, which imports its libraries once.
        """
        done = self.outcome(*words)
        assert done.code == status, done.err
        return done.out if status == 0 else done.err

    def outcome(self, *words: object) -> Outcome:
        """Run a command, whatever its exit status."""
        if self.client is not None:
            return self.client.run(*words)
        if self.environment != self._usual:
            process = self.start(*words)
            printed, complaints = process.communicate()
            return Outcome(process.returncode, printed, complaints)
        out, errors = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
            patch.chdir(self.folder)
            patch.syspath_prepend(self.packages)
            code = ircore_command([*map(str, words)])
        return Outcome(code, out.getvalue(), errors.getvalue())

    def json(self, *words: object) -> Any:
        return json.loads(self.run(*words, "--json"))

    def check(self, site: str) -> str:
        """Return what the check of a site says."""
        process = self.start("site", "check", site)
        return "".join(process.communicate())

    def manifest(self, name: str, delay: float = 0, text: str = MANIFEST) -> Path:
        folder = self.folder / "submissions" / name
        folder.mkdir(parents=True)
        asked = self.folder / f"{name}-asked"
        (folder / "submission.yaml").write_text(text.replace("DELAY", str(delay)).replace("ASKED", str(asked)))
        return folder


def installed(name: str, folders: pytest.TempPathFactory) -> Path:
    """Install a package of this folder by pip; returns where it lies."""

    def install(target: Path) -> None:
        source = folders.mktemp("source") / name
        shutil.copytree(TOYS / name, source, ignore=shutil.ignore_patterns("__pycache__"))
        options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(target), str(source)]
        subprocess.run([sys.executable, "-m", "pip", "install", *options], check=True)

    return made_once(folders, name, install)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the game lies."""
    return installed("toy_rps", tmp_path_factory)


@pytest.fixture(scope="session")
def signs(tmp_path_factory: pytest.TempPathFactory, packages: Path) -> Path:
    """Instances of the game; not to be changed."""
    build = ("instances", "build", "--game", "rps", "--per-condition", "4", "--out", "instances")
    return made_once(tmp_path_factory, "signs", lambda folder: Toy(folder, packages).run(*build)) / "instances"


@pytest.fixture
def toy(tmp_path: Path, packages: Path, signs: Path) -> Toy:
    shutil.copytree(signs, tmp_path / "instances")
    return Toy(tmp_path, packages)
