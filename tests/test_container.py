"""The container and the dev container run the commands of README.md; no container is started here."""

import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, lines joined, without comments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = (line.partition(" ") for line in text.splitlines() if line)
    return [(name, arguments) for name, _, arguments in pairs]


def test_the_container_installs_and_plays_the_demo_as_an_ordinary_user() -> None:
    steps = instructions()
    names = [name for name, _ in steps]
    assert json.loads(steps[-1][1]) == ["make", "demo"]
    assert ("RUN", "make install") in steps
    assert names.index("USER") < names.index("COPY") < steps.index(("RUN", "make install"))
    made = {shlex.split(arguments)[1] for name, arguments in steps if name == "RUN" and arguments.startswith("make")}
    assert made | {"demo"} <= TARGETS
