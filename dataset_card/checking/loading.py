"""Check that ``datasets`` loads every table of a release, whole and streamed, as users load it.

It runs in a process of its own (``python -m dataset_card.checking.loading PLACE [REVISION]``), with a cache of its own
that is removed: ``datasets`` reads its settings when it is imported, and an open stream can keep Python from exiting
(apache/arrow#45214).
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dataset_card.tables.columns import SPLIT, Config
from ircore.core.errors import WorkError

SECONDS = 3600
"""How long loading may take."""


def check_loading(place: str, revision: str | None, configs: Sequence[Config], rows: Counter[str]) -> Iterator[str]:
    """Load a release and yield a line for each table that loads differently from its files.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub.
        configs: The release's tables, as the files have them.
        rows: Rows of each table, as the files have them.

    Raises:
        WorkError: No process can be started, or it takes too long.
    """
    loaded_tables = _load(place, revision)
    if isinstance(loaded_tables, str):
        yield f"load_dataset: {loaded_tables}"
        return
    for config in configs:
        table = loaded_tables.get(config.name, {"error": "is not among its configs"})
        where = f"load_dataset({config.name!r})"
        if "error" in table:
            yield f"{where}: {table['error']}"
        elif table["rows"] != rows[config.name]:
            yield f"{where}: {table['rows']} rows, the files have {rows[config.name]}"
        elif table["columns"] != [column.name for column in config.columns]:
            yield f"{where}: other columns than the files have"
        elif table["whole"] != table["streamed"]:
            yield f"{where}: its first row is another one when it is streamed"
        elif raw := [column.name for column in config.images if _is_raw(table["whole"][column.name])]:
            yield f"{where}: {', '.join(raw)} is not decoded"


def _is_raw(shown: object) -> bool:
    """Return whether a cell, or an item of one that holds several, is a picture that was not decoded."""
    return shown == "bytes" or (isinstance(shown, list) and "bytes" in shown)


def _load(place: str, revision: str | None) -> dict[str, Any] | str:
    # -P: nothing that lies in the working folder is imported.
    command = [sys.executable, "-P", "-m", "dataset_card.checking.loading", place, *([revision] if revision else [])]
    with tempfile.TemporaryDirectory(prefix="ircore-loading-") as cache:
        # A cache of its own, so that a check leaves nothing with the user and takes nothing from an earlier check.
        environment = os.environ | {"HF_DATASETS_CACHE": cache, "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
        try:
            done = subprocess.run(  # noqa: S603 - this module
                command, env=environment, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorkError(
                f"{place}: load_dataset cannot be tried ({type(error).__name__})", "Try again, or give --no-load."
            ) from error
    if done.returncode != 0:
        # The last line of a traceback names the error.
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:300]
    # The last line, because datasets may print too.
    loaded: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def main(place: str, revision: str | None) -> None:
    """Load every table and print rows, columns and first rows as a line of JSON."""
    import datasets

    known = datasets.get_dataset_config_names(place, revision=revision)
    print(json.dumps({name: _load_table(place, revision, name) for name in known}), flush=True)
    os._exit(0)  # open streams would keep the process


def _load_table(place: str, revision: str | None, name: str) -> dict[str, Any]:
    import datasets

    try:
        # What load_dataset does, with one builder for both: the card's YAML is read once a table, not twice.
        builder = datasets.load_dataset_builder(place, name, revision=revision)
        builder.download_and_prepare()
        table = builder.as_dataset(split=SPLIT)
        streamed = next(iter(builder.as_streaming_dataset(split=SPLIT)))
        return {
            "rows": len(table),
            "columns": table.column_names,
            "whole": _describe_row(table[0]),
            "streamed": _describe_row(streamed),
        }
    except Exception as error:  # noqa: BLE001 - whatever keeps a user from loading it is a finding
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}


def _describe_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which each picture is given by its size, or by ``bytes`` if the picture was not decoded."""
    return {name: _measure_size(value) for name, value in row.items()}


def _measure_size(value: Any) -> object:
    if isinstance(value, dict):
        return "bytes"
    if isinstance(value, list):
        return [_measure_size(item) for item in value]
    # Of a decoded picture the size is compared: pixels would be large, and are checked with the tables.
    return list(value.size) if hasattr(value, "size") else value


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
