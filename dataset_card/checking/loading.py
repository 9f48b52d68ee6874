"""Whether ``datasets`` loads a release as its users do: every table, whole and streamed, at one revision.

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
from collections.abc import Iterator
from typing import Any

from dataset_card.tables.schema import ALL_CONFIGS, CONFIGS, SPLIT, Column, Config
from ircore.core.errors import WorkError

SECONDS = 3600
"""How long loading may take."""


def loading_faults(place: str, revision: str | None, rows: Counter[str]) -> Iterator[str]:
    """Load a release and say what did not come as it should, one line each.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub.
        rows: Rows of each config, as the files have them.

    Raises:
        WorkError: No process can be started, or it takes too long.
    """
    seen = _load(place, revision)
    if isinstance(seen, str):
        yield f"load_dataset: {seen}"
        return
    for config in (one for one in ALL_CONFIGS if one in CONFIGS or rows[one.name]):
        one = seen.get(config.name, {"error": "is not among its configs"})
        if "error" in one:
            yield f"load_dataset({config.name!r}): {one['error']}"
        elif one["rows"] != rows[config.name]:
            yield f"load_dataset({config.name!r}): {one['rows']} rows, the files have {rows[config.name]}"
        elif one["columns"] != [column.name for column in config.columns]:
            yield f"load_dataset({config.name!r}): other columns than the files have"
        elif one["whole"] != one["streamed"]:
            yield f"load_dataset({config.name!r}): its first row is another one when it is streamed"
        elif pictures := [name for name, size in one["whole"].items() if size == "bytes"]:
            yield f"load_dataset({config.name!r}): {', '.join(pictures)} is not decoded"


def _load(place: str, revision: str | None) -> dict[str, Any] | str:
    command = [sys.executable, "-P", "-m", "dataset_card.checking.loading", place, *([revision] if revision else [])]
    with tempfile.TemporaryDirectory(prefix="ircore-loading-") as cache:
        environment = os.environ | {"HF_DATASETS_CACHE": cache, "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
        try:
            done = subprocess.run(  # noqa: S603 - this module
                command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorkError(f"{place}: load_dataset cannot be tried ({type(error).__name__})") from error
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:300]
    loaded: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def main(place: str, revision: str | None) -> None:
    """Load every table and print what was seen as one line of JSON."""
    import datasets

    known = datasets.get_dataset_config_names(place, revision=revision)
    seen = {config.name: _seen(place, revision, config) for config in ALL_CONFIGS if config.name in known}
    print(json.dumps(seen), flush=True)
    os._exit(0)  # open streams would keep the process


def _seen(place: str, revision: str | None, config: Config) -> dict[str, Any]:
    import datasets

    asked = {"path": place, "name": config.name, "split": SPLIT, "revision": revision}
    try:
        table = datasets.load_dataset(**asked)
        streamed = next(iter(datasets.load_dataset(**asked, streaming=True)))
        return {
            "rows": len(table),
            "columns": table.column_names,
            "whole": _shown(config.columns, table[0]),
            "streamed": _shown(config.columns, streamed),
        }
    except Exception as error:  # noqa: BLE001 - whatever keeps a user from loading it is a finding
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}


def _shown(columns: tuple[Column, ...], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with each picture as its size, or as ``bytes`` if it was not decoded."""
    return {one.name: _size(row[one.name]) if one.kind == "image" else row[one.name] for one in columns}


def _size(picture: Any) -> object:
    if picture is None:
        return None
    return list(picture.size) if hasattr(picture, "size") else "bytes"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
