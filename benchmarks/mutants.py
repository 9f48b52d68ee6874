"""Planted faults: does a test notice when the code stops doing what its comments promise?

Each fault of ``mutants.yaml`` undoes one promise of a comment, a docstring or a page: a text that stands exactly once
in the files of a room, and what takes its place. A fault is found by its text and not by a line, so it outlives a move
within its room; a text that is gone, or stands twice, is an error that names the fault.

Faults are planted one at a time into a copy of the working tree. A fault counts as found if a test of its own room
fails that passes without the fault. The quick tests go first, those that name the changed module or function before the
others; then, within a limit of time, the slow ones that need no browser.

    python benchmarks/mutants.py                       every fault, quick tests and then slow ones
    python benchmarks/mutants.py --quick --room runs   the faults of one room, quick tests alone
    python benchmarks/mutants.py --only order-of-hops  one fault
    python benchmarks/mutants.py --survivors           once more those that no test has noticed
    python benchmarks/mutants.py --check               the texts alone: does each stand exactly once?

Verdicts are kept in ``build/mutants.jsonl``, so that a run that was cut off goes on where it was.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
FAULTS = Path(__file__).with_suffix(".yaml")
RESULTS = ROOT / "build" / "mutants.jsonl"

ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core": (("ircore/core",), ("tests/ircore/core",)),
    "players": (("ircore/seeing", "ircore/players"), ("tests/ircore/seeing", "tests/ircore/players")),
    "games": (("ircore/games",), ("tests/ircore/games", "tests/games")),
    "runs": (("ircore/runs",), ("tests/ircore/runs",)),
    "scorers": (("ircore/scorers",), ("tests/ircore/scorers",)),
    "results": (("ircore/results",), ("tests/ircore/results",)),
    "submissions": (("ircore/submissions",), ("tests/ircore/submissions",)),
    "instances": (("ircore/instances",), ("tests/ircore/instances",)),
    "commands": (("ircore/commands", "ircore/library"), ("tests/ircore/commands", "tests/ircore/library")),
    "dataset_card": (("dataset_card",), ("tests/dataset_card",)),
    "leaderboard": (("leaderboard",), ("tests/leaderboard",)),
}
"""Folders of the code and of the tests of each room."""

SUFFIXES = {".py", ".j2", ".html", ".js", ".css", ".yaml", ".toml", ".txt", ".json"}
PHASES = {"quick": "not slow", "slow": "slow and not browser"}
"""Markers of the tests of each phase, in their order."""


class MutantError(Exception):
    """A fault of the list that cannot be planted."""


@dataclass(frozen=True)
class Mutant:
    """A fault to be planted."""

    name: str
    room: str
    promise: str
    """What the fault undoes, as comment, docstring or page say it."""

    find: str
    replace: str

    @property
    def key(self) -> str:
        """Hash of the edit: a verdict on another edit of the same name does not count."""
        return hashlib.sha256(f"{self.room}\0{self.find}\0{self.replace}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Verdict:
    """Which tests found a fault."""

    name: str
    key: str
    room: str
    found: str
    """``quick`` or ``slow``; ``no`` if no test fails; ``cut`` if the time for slow tests ended before."""

    test: str = ""
    seconds: float = 0.0
    phases: tuple[str, ...] = ()
    """Phases that were run."""


def read_mutants(path: Path = FAULTS) -> list[Mutant]:
    """Return the faults of a list: a mapping of rooms to mappings of names to promise, find and replace.

    Raises:
        MutantError: An entry is not complete, or its room is unknown.
    """
    document: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    mutants = []
    for room, entries in document.items():
        if room not in ROOMS:
            raise MutantError(f"{path.name}: no room is called {room}; there are {', '.join(ROOMS)}")
        for name, entry in entries.items():
            if entry.keys() != {"promise", "find", "replace"} or entry["find"] == entry["replace"]:
                raise MutantError(f"{path.name}: {name}: write promise, find and another text to replace it")
            mutants.append(Mutant(name, room, entry["promise"], entry["find"].rstrip(), entry["replace"].rstrip()))
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise MutantError(f"{path.name}: a name stands twice: {', '.join(sorted(twice))}")
    return mutants


def place_mutant(root: Path, mutant: Mutant) -> tuple[Path, str]:
    """Return the file of a fault and the file's text with the fault in it.

    Lines after the first are indented as the first, so that a text of several lines may move to another depth.

    Raises:
        MutantError: The text does not stand exactly once in the files of the room.
    """
    first, *rest = mutant.find.split("\n")
    pattern = re.escape(first)
    if rest:
        lines = (rf"\n(?P=indent){re.escape(line)}" if line else r"\n" for line in rest)
        pattern = rf"(?m)^(?P<indent>[ \t]*){pattern}{''.join(lines)}"
    hits = [
        (path, text, match)
        for path, text in _texts(root, ROOMS[mutant.room][0]).items()
        if first in text
        for match in re.finditer(pattern, text)
    ]
    if len(hits) != 1:
        places = ", ".join(sorted({str(path.relative_to(root)) for path, _, _ in hits}))
        many = f"stands {len(hits)} times ({places})" if hits else "does not stand"
        raise MutantError(f"{mutant.name}: its text {many} in the room {mutant.room}: {first.strip()}")
    path, text, match = hits[0]
    new = mutant.replace
    if rest:
        new = "\n".join(match["indent"] + line if line else line for line in new.split("\n"))
    return path, f"{text[: match.start()]}{new}{text[match.end() :]}"


@lru_cache(maxsize=32)
def _texts(root: Path, folders: tuple[str, ...]) -> dict[Path, str]:
    """Return the files of a room, read once: a planted fault is taken out again before the next one is placed."""
    files = (path for path in _files(root, folders) if path.suffix in SUFFIXES)
    return {path: path.read_text(encoding="utf-8", errors="replace") for path in files}


def _files(root: Path, folders: Sequence[str]) -> list[Path]:
    paths = (path for folder in folders for path in sorted((root / folder).rglob("*")))
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts]


def likely_tests(root: Path, mutant: Mutant, path: Path, start: int) -> list[str]:
    """Return the test files of the room, those first that name the changed module, its parts or the function.

    Args:
        root: The tree.
        mutant: The fault.
        path: The changed file.
        start: Number of the first changed line, from 1.
    """
    module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    names = _names_around(path, start)

    def weight(test: Path) -> float:
        text = test.read_text(encoding="utf-8")
        found = sum(3.0 for name in names if re.search(rf"\b{re.escape(name)}\b", text))
        found += 5.0 if re.search(rf"\b{re.escape(module)}\b", text) else 0.0
        found += 2.0 if module.rpartition(".")[0] in text else 0.0
        words = set(path.stem.split("_")) & set(test.stem.removeprefix("test_").split("_"))
        return found + 4.0 * len(words) / max(1, len(path.stem.split("_")))

    tests = [test for test in _files(root, ROOMS[mutant.room][1]) if test.name.startswith("test_")]
    ordered = sorted(tests, key=lambda test: (-weight(test), str(test)))
    return [test.relative_to(root).as_posix() for test in ordered]


def _names_around(path: Path, start: int) -> set[str]:
    """Return the names of the functions and classes that hold a line."""
    if path.suffix != ".py":
        return {path.stem}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    around = (node for node in nodes if isinstance(node, kinds) and node.lineno <= start <= (node.end_lineno or 0))
    return {node.name for node in around if not node.name.startswith("__")}


@contextmanager
def scratch_tree() -> Iterator[Path]:
    """A copy of the working tree, without what git ignores."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        tree = Path(name) / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True,
        ).stdout.decode()  # fmt: skip
        for file in filter(None, listed.split("\0")):
            if (ROOT / file).is_file():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, tree / file)
        yield tree


class Bench:
    """Plants faults into a copy of the tree and runs tests there.

    Args:
        tree: The copy.
        limits: Seconds that each phase may take.
        tests: Test files that are run for each fault; those of its room if empty.
    """

    def __init__(self, tree: Path, limits: dict[str, float], tests: Sequence[str] = ()) -> None:
        self._tree = tree
        self._tests = list(tests)
        self._limits = limits
        self._edits = 0

    def judge(self, mutant: Mutant, phases: Sequence[str]) -> Verdict:
        """Plant a fault, run the tests, and take the fault out again."""
        begun, found, test = time.monotonic(), "no", ""
        path, text = place_mutant(self._tree, mutant)
        original = path.read_text(encoding="utf-8", errors="surrogateescape")
        start = next(
            (number for number, (old, new) in enumerate(zip(original.split("\n"), text.split("\n"), strict=False), 1)
             if old != new), 1,
        )  # fmt: skip
        tests = self._tests or likely_tests(self._tree, mutant, path, start)
        self._write(path, text)
        try:
            for phase in phases:
                status, test = self._run(tests, phase, self._limits[phase])
                if status == "failed":
                    self._write(path, original)
                    if self._run([test], phase, 600)[0] == "failed":
                        raise MutantError(f"{test} fails without the fault {mutant.name}: mend it first")
                    found = phase
                    break
                found = "cut" if status == "cut" else found
        finally:
            self._write(path, original)
        return Verdict(
            mutant.name, mutant.key, mutant.room, found, test, round(time.monotonic() - begun, 1), tuple(phases)
        )

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        # Python takes compiled code for current if time, to the second, and size of its source are the same.
        self._edits += 1
        os.utime(path, (1_000_000_000 + self._edits, 1_000_000_000 + self._edits))

    def _run(self, tests: Sequence[str], phase: str, seconds: float) -> tuple[str, str]:
        """Return how tests ended: ``passed``, ``failed`` with the first test that did, or ``cut`` off."""
        command = [
            sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-rfE", "--tb=no", "--no-header",
            "--disable-warnings", "-p", "no:cacheprovider", *tests,
        ]  # fmt: skip
        if "::" not in tests[0]:
            command += ["-m", PHASES[phase]]
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment = {**os.environ, **one_thread, "PYTHONPATH": str(self._tree)}
        process = subprocess.Popen(
            command, cwd=self._tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return "cut", ""
        if process.returncode in (0, 5):
            return "passed", ""
        # An example's name may hold what stands before the message of a failure, too.
        match = re.search(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\w+)*(?:\[.*?\](?= - |$))?)", output, re.MULTILINE)
        if match is None:
            raise MutantError(f"pytest ended with {process.returncode}: {output[-600:]}")
        return "failed", match[1]


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """Return the latest verdict on each fault, by the hash of its edit."""
    lines: list[dict[str, Any]] = []
    if path.is_file():
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["key"]: Verdict(**{**line, "phases": tuple(line["phases"])}) for line in lines}


def table(mutants: Sequence[Mutant], verdicts: dict[str, Verdict]) -> str:
    """Return how many faults of each room were found by quick tests, by slow ones, and by none."""
    lines = [f"{'room':14}{'planted':>9}{'quick':>7}{'slow':>6}{'none':>6}{'cut':>5}{'found':>8}"]
    for room in [*dict.fromkeys(mutant.room for mutant in mutants), "all"]:
        of_room = [verdicts[mutant.key].found for mutant in mutants
                   if mutant.key in verdicts and room in (mutant.room, "all")]  # fmt: skip
        quick, slow, none, cut = (of_room.count(found) for found in ("quick", "slow", "no", "cut"))
        share = f"{100 * (quick + slow) / len(of_room):.0f} %" if of_room else "–"
        lines.append(f"{room:14}{len(of_room):>9}{quick:>7}{slow:>6}{none:>6}{cut:>5}{share:>8}")
    return "\n".join(lines)


def main() -> int:
    """Plant the chosen faults one after the other and print a table by room."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--room", choices=ROOMS, action="append", help="only the faults of this room")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this fault, and anew")
    parser.add_argument("--quick", action="store_true", help="run the quick tests alone")
    parser.add_argument("--survivors", action="store_true", help="anew those that no test has found")
    parser.add_argument("--check", action="store_true", help="only look whether each text stands exactly once")
    parser.add_argument("--tests", nargs="+", default=[], metavar="FILE", help="run these tests instead of the room's")
    parser.add_argument("--faults", type=Path, default=FAULTS, help="another list")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the verdicts")
    parser.add_argument("--quick-limit", type=float, default=300, metavar="SECONDS", help="of quick tests, for a fault")
    parser.add_argument("--slow-limit", type=float, default=300, metavar="SECONDS", help="of slow tests, for a fault")
    options = parser.parse_args()
    try:
        mutants = read_mutants(options.faults)
        for mutant in mutants:
            place_mutant(ROOT, mutant)
        if unknown := set(options.only or ()) - {mutant.name for mutant in mutants}:
            raise MutantError(f"--only: no fault is called {', '.join(sorted(unknown))}")
        chosen = [
            mutant for mutant in mutants
            if (not options.room or mutant.room in options.room) and (not options.only or mutant.name in options.only)
        ]  # fmt: skip
        if options.check:
            print(f"{len(mutants)} faults, each of whose texts stands exactly once")
            return 0
        phases = ("quick",) if options.quick else tuple(PHASES)
        judge_all(chosen, phases, options)
    except MutantError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    return 0


def judge_all(mutants: Sequence[Mutant], phases: Sequence[str], options: argparse.Namespace) -> None:
    """Judge those faults on which there is no verdict yet, and print the table."""
    verdicts = read_verdicts(options.results)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with scratch_tree() as tree, options.results.open("a", encoding="utf-8") as file:
        bench = Bench(tree, {"quick": options.quick_limit, "slow": options.slow_limit}, options.tests)
        for mutant in mutants:
            known = verdicts.get(mutant.key)
            is_found = known is not None and known.found in PHASES
            is_anew = bool(options.only) or (options.survivors and not is_found)
            missing = [phase for phase in phases if is_anew or known is None or phase not in known.phases]
            if not missing or (is_found and not is_anew):
                continue
            verdict = bench.judge(mutant, missing)
            if known is not None and not is_anew:
                verdict = replace(verdict, phases=(*known.phases, *verdict.phases))
            verdicts[mutant.key] = verdict
            file.write(json.dumps(asdict(verdict)) + "\n")
            file.flush()
            print(
                f"{verdict.seconds:5.0f} s  {mutant.room:13}{verdict.found:6} {mutant.name}: {verdict.test}", flush=True
            )
    print(table(mutants, verdicts))
    for mutant in mutants:
        if mutant.key in verdicts and verdicts[mutant.key].found not in PHASES:
            print(f"not found: {mutant.room}: {mutant.name}: {mutant.promise}")


if __name__ == "__main__":
    sys.exit(main())
