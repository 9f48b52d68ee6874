"""Two trees side by side: does every number stay, whatever was moved or renamed?

A tree is played from nothing: the demo at two pictures a condition, with all games, and every table of its results.
What is kept of it is every value that a reader can meet: words and pictures of each answer, scores, tables in full
precision, rows of the release, cells of the pages and the site's data files. Clock times, dates and versions are left
out. Names that changed on purpose stand in ``oracle.yaml``; whatever else differs is said.

    python benchmarks/oracle.py keep build/oracle/before     play and keep (in a checkout of before)
    python benchmarks/oracle.py keep build/oracle/after      (in the changed tree)
    python benchmarks/oracle.py compare build/oracle/before build/oracle/after
"""

import argparse
import csv
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml
from PIL import Image
from pyarrow import parquet

RENAMED = Path(__file__).with_suffix(".yaml")
IRCORE = str(Path(sys.executable).with_name("ircore"))
PER_CONDITION = 2

Cells = dict[str, list[Any]]
"""Values by column; the values of a column in the order of its rows."""


def keep(out: Path) -> None:
    """Play the demo and write what is kept of it, a JSON file for each part."""
    started = perf_counter()
    demo = out / "demo"
    if not (demo / "site").is_dir():
        _run("demo", "--out", demo, "--per-condition", PER_CONDITION, "--no-serve")
    runs = sorted(path.parent for path in (demo / "runs").glob("*/run.json"))
    identities = _identities(runs)
    for game in sorted({json.loads((run / "run.json").read_text()).get("game") for run in runs}):
        _run("results", *runs, "--game", game, "--out", out / "tables" / game)
    parts = {"answers": _answers(runs), "tables": _tables(out / "tables"), "release": _release(demo / "dataset")}
    parts |= {"pages": _pages(demo / "site"), "data": _data(demo / "site")}
    for name, tables in parts.items():
        kept = dict(sorted(tables))
        text = json.dumps(kept, indent=0, default=str)
        for identity, word in identities.items():
            text = text.replace(identity, word)
        (out / f"{name}.json").write_text(text)
        print(f"{name:<8} {len(kept):>5} tables {sum(len(v) for c in kept.values() for v in c.values()):>9} values")
    print(f"{perf_counter() - started:.0f} s")


def _identities(runs: Iterable[Path]) -> dict[str, str]:
    """Return words for the hashes of runs and sets, which change with every field of a record."""
    words: dict[str, str] = {}
    for run in runs:
        stated = json.loads((run / "run.json").read_text())
        words |= {stated["run_id"]: stated["slug"], stated["instance_set"]: f"set of {stated['game']}"}
        words |= {stated["instance_set"][:8]: f"set of {stated['game']}"}
    return words


def _run(*words: object) -> None:
    subprocess.run([IRCORE, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def _pixels(data: bytes) -> str:
    """Return a hash of what a picture shows, whatever its encoding."""
    with Image.open(BytesIO(data)) as picture:
        return hashlib.sha256(f"{picture.size}".encode() + picture.convert("RGB").tobytes()).hexdigest()[:16]


def _answers(runs: Iterable[Path]) -> Iterator[tuple[str, Cells]]:
    """Yield what each seat answered, by run: the words to the letter, the pictures to the pixel."""
    for run in runs:
        answers = []
        for line in (run / "journal.jsonl").read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "call":
                drawn = event.get("rendering")
                shown = drawn and _pixels((run / "renderings" / f"{drawn['sha256']}.png").read_bytes())
                key = [event["episode_id"], event["turn"], event["role"]]
                answers.append([*key, event.get("text"), event.get("choice"), shown, event.get("notes")])
        names = ("episode", "step", "seat", "text", "choice", "picture", "notes")
        yield run.name, _columns(dict(zip(names, row, strict=True)) for row in sorted(answers, key=str))


def _tables(folder: Path) -> Iterator[tuple[str, Cells]]:
    for path in sorted(folder.rglob("*.json")):
        document = json.loads(path.read_text())
        rows = document if isinstance(document, list) else document.get("rows", [document])
        yield path.relative_to(folder).as_posix(), _columns(map(_flat, rows))


def _release(folder: Path) -> Iterator[tuple[str, Cells]]:
    for path in sorted(folder.rglob("*.parquet")):
        rows = [_flat(row) for row in parquet.read_table(path).to_pylist()]
        yield path.relative_to(folder).as_posix(), _columns(sorted(rows, key=lambda row: json.dumps(row, default=str)))


def _pages(site: Path) -> Iterator[tuple[str, Cells]]:
    for path in sorted(site.rglob("*.html")):
        page = _TableCells()
        page.feed(path.read_text())
        yield path.relative_to(site).as_posix(), {"cell": page.texts}


def _data(site: Path) -> Iterator[tuple[str, Cells]]:
    for path in sorted((site / "data").rglob("*.csv")):
        with path.open(newline="") as file:
            yield path.relative_to(site).as_posix(), _columns(list(csv.DictReader(file)))


class _TableCells(HTMLParser):
    """The text of every cell of every table of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in ("td", "th"):
            self._open += 1
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open -= tag in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open and (words := " ".join(data.split())):
            self.texts[-1] = f"{self.texts[-1]} {words}".strip()


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a row with nested values under dotted names; a picture is the hash of its pixels."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
            flat[prefix + name] = _pixels(value["bytes"])
        elif isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def _columns(rows: Iterable[Mapping[str, Any]]) -> Cells:
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names if not _passes(name)}


def _passes(name: str) -> bool:
    """Whether a column says when or how long, or by which version: other values each time."""
    return any(word in name for word in ("seconds", "started", "date", "version", "time"))


def compare(before: Path, after: Path) -> int:
    """Print what differs beyond the declared names, and return the number of differing values."""
    renamed, columns, gone = _declared()
    different: Counter[str] = Counter()
    for path in sorted(before.glob("*.json")):
        old, new = (json.loads((folder / path.name).read_text()) for folder in (before, after))
        for table, cells in old.items():
            where = f"{path.stem}/{table}"
            if any(fnmatch(where, pattern) for pattern in gone):
                continue
            now = new.get(renamed.get(where, where).partition("/")[2])
            for column, values in cells.items():
                place = f"{where}:{column}"
                if any(fnmatch(place, pattern) for pattern in gone):
                    continue
                # A number with its interval, or with what is said about it, has the column's name as a part of its own.
                known = ".".join(columns.get(part, part) for part in column.split("."))
                found = None if now is None else now.get(renamed.get(place, column), now.get(known))
                if found != values:
                    different[place] += _differing(place, values, found)
    print(f"{sum(different.values())} values differ in {len(different)} columns")
    return sum(different.values())


def _declared() -> tuple[dict[str, str], dict[str, str], list[str]]:
    document = yaml.safe_load(RENAMED.read_text()) if RENAMED.is_file() else {}
    return document.get("renamed") or {}, document.get("columns") or {}, document.get("gone") or []


def _differing(place: str, values: list[Any], found: list[Any] | None) -> int:
    if found is None:
        print(f"{place}: gone ({len(values)} values)")
        return len(values)
    pairs = [(one, other) for one, other in zip(values, found, strict=False) if one != other]
    if len(values) != len(found):
        print(f"{place}: {len(values)} values, now {len(found)}")
    if pairs:
        print(f"{place}: {len(pairs)} of {len(values)}; {str(pairs[0][0])[:60]!r} is now {str(pairs[0][1])[:60]!r}")
    return len(pairs) + abs(len(values) - len(found))


def main() -> None:
    """Keep or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("keep").add_argument("out", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "keep":
        given.out.mkdir(parents=True, exist_ok=True)  # a demo that was played there is taken as it is
        keep(given.out)
    else:
        sys.exit(bool(compare(given.before, given.after)))


if __name__ == "__main__":
    main()
