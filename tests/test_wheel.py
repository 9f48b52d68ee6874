"""The wheel holds all that the repository's packages read, and works in an empty folder without the repository."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from leaderboard.building.marker import MARKER

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ircore", "leaderboard", "dataset_card")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that the build leaves nothing in the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    copied = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "mkdocs.yml", "CITATION.cff")
    for name in copied:
        (folder / "source").mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, folder / "source" / name)
    for name in (*PACKAGES, "docs", "submissions"):
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=folder / "source", check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps", "--offline", "--target"]
    subprocess.run([*command, str(target), str(wheel)], check=True)
    return target


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = [
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert set(files) <= packed
    assert {f"leaderboard/skeleton/docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} <= packed


def test_what_is_installed_builds_a_site_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    located = subprocess.run(
        [sys.executable, "-c", "import ircore, leaderboard; print(ircore.__file__, leaderboard.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert located.stdout.count(str(installed)) == 2
    run("ircore", "instances", "build", "--out", "set", "--per-condition", "1", "--category", "simple_shapes")
    run("ircore", "play", "classical+canvas", "--instances", "set", "--out", "run")
    run("ircore", "score", "run")
    run("ircore", "site", "build", "--runs", "run", "--out", "site")
    run("ircore", "site", "check", "site")
    assert (tmp_path / "site" / MARKER).is_file()
    for page in ("index.html", "library.html", "cite.html"):
        assert (tmp_path / "site" / page).is_file()
