"""Folders that are made once for all workers of a test run, and the clone in which ``make demo`` was given."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from filelock import FileLock
from workflows import plain_environment

ROOT = Path(__file__).resolve().parents[2]


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder that ``make`` has filled: by the first worker that asks for it; not to be changed.

    Runs of ``make test`` share a folder, which the variable ``TESTS_SHARED`` names.
    """
    session = factory.getbasetemp()
    own = session.parent if "PYTEST_XDIST_WORKER" in os.environ else session
    folder = Path(os.environ.get("TESTS_SHARED", own)) / name
    complete = folder.with_suffix(".complete")
    with FileLock(folder.with_suffix(".lock")):
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            complete.touch()
    return folder


def copy_tree(folder: Path, left_out: Collection[str] = ()) -> None:
    """Copy the files of this working tree, new ones included, into a repository of their own, without some folders."""
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file() and name.split("/")[0] not in left_out:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def set_up(clone: Path) -> None:
    """What `make install ocr` would make is there already: the environment that runs these tests."""
    (clone / ".venv").symlink_to(sys.prefix)
    for name in ("requirements/run.txt", "pyproject.toml"):
        os.utime(clone / name, (0, 0))
    (clone / "build").mkdir(exist_ok=True)
    (clone / "build" / ".installed-ocr").touch()


CATEGORIES = "geometry", "bar_graph", "pie_graph"
"""Categories of the demo that tests share: pages name these, and every pair has a rank on them."""


def make_demo(tree: Path) -> None:
    """Copy this working tree and give ``make demo`` there, as a reader and a maintainer would."""
    copy_tree(tree)
    set_up(tree)
    environment = plain_environment(tree / "build" / "home") | {"PYTHONPATH": str(tree)}
    command = ["make", "demo", "PER_CONDITION=1", f"CATEGORIES={' '.join(CATEGORIES)}"]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
