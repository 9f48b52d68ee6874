"""Blocks of pages, and the clone in which readers give their commands: ``make demo`` was given, a pair was written."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from shared_folders import ROOT

from ircore.commands.main import run


class Block(NamedTuple):
    """A block of a page."""

    line: int
    language: str
    text: str


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the fenced and the indented blocks of a page."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        begin = number
        if lines[number].startswith("```"):
            number = lines.index("```", number + 1)
            yield Block(begin + 1, lines[begin][3:].strip(), "\n".join(lines[begin + 1 : number]))
        elif lines[number].startswith("    ") and not (number and lines[number - 1].strip()):
            while number < len(lines) and (lines[number].startswith("    ") or not lines[number].strip()):
                number += 1
            yield Block(begin + 1, "", "\n".join(line[4:] for line in lines[begin:number]).rstrip())
            continue
        number += 1


def run_command(line: str, project: Path) -> None:
    """Give a line that calls ``ircore`` in the clone, with the files that its patterns name, as the shell would."""
    program, *words = shlex.split(line, comments=True)
    assert program.removeprefix(".venv/bin/") == "ircore", line
    with chdir(project):
        files = (sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in words)
        assert run(list(chain.from_iterable(files))) == 0, line


def copy_project(project: Path, copy: Path) -> None:
    """Copy a folder like a clone; pictures and tables, which are only ever replaced, are linked."""

    def link_or_copy(source: str, target: str) -> None:
        (os.link if source.endswith((".png", ".parquet", ".npz")) else shutil.copyfile)(source, target)

    shutil.copytree(project, copy, symlinks=True, copy_function=link_or_copy)


def make_demo_project(project: Path, demo: Path) -> None:
    """Make a folder like a clone in which ``make demo`` and the commands of the README were given."""
    for name in ("submissions", "docs/assets", "judges"):
        shutil.copytree(ROOT / name, project / name)
    # Without the site, three quarters of the demo, which is only served.
    shutil.copytree(demo, project / "build" / "demo", ignore=shutil.ignore_patterns("site"))
    (project / ".venv").symlink_to(sys.prefix)
    # Sets that a page builds have a picture a condition; the demo has its own size.
    settings = "[instances.build]\nper-condition = 1\n"
    (project / "ircore.toml").write_text(settings, "utf-8")
    pair = project / "submissions" / "my-pair" / "submission.yaml"
    pair.parent.mkdir()
    blocks = read_blocks((ROOT / "README.md").read_text("utf-8"))
    pair.write_text(next(block.text for block in blocks if block.text.startswith("schema: 1")), "utf-8")
    play = "ircore play submissions/my-pair --instances build/demo/instances --out build/runs/my-pair"
    run_command(play, project)
    run_command("ircore score build/runs/my-pair", project)
