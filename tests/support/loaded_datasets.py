"""Configs of a release loaded as a user does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def load_dataset(folder: Path, config: str, tmp: Path) -> dict[str, Any]:
    """Load a config as a user does, in a process of its own with a cache of its own."""
    code = f"""
import datasets, json
table = datasets.load_dataset({str(folder)!r}, {config!r}, split="test")
first = {{name: list(value.size) if hasattr(value, "size") else value for name, value in table[0].items()}}
print(json.dumps({{"rows": len(table), "columns": table.column_names, "first": first}}))
"""
    environment = {**os.environ, "HF_DATASETS_CACHE": str(tmp), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return loaded
