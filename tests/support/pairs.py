"""Submissions written by tests: two seats, a manifest, the command that plays it."""

import json
from pathlib import Path
from typing import Any

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet


def write_pair(folder: Path, describer: dict[str, Any], generator: dict[str, Any]) -> Path:
    """Write ``<folder>/pair/submission.yaml`` and return its path."""
    path = folder / "pair" / "submission.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    seats = {"describer": describer, "generator": generator}
    path.write_text(json.dumps({"schema": 1, "name": "Pair", "licence": "CC0-1.0", **seats}))
    return path


def served_pair(folder: Path, base_url: str, describer: dict[str, Any] | None = None, **generator: Any) -> Path:
    """Write a pair whose models ``a-describer`` and ``a-generator`` are at a server; the rest are parameters."""
    where = {"base_url": base_url}
    return write_pair(
        folder,
        {"player": "openai", "model": "a-describer", **where, "parameters": describer or {}},
        {"player": "openai-images", "model": "a-generator", **where, "parameters": generator},
    )


def play_pair(submission: Path, instances: InstanceSet, out: Path, *more: str) -> int:
    """Give the command and return its exit status."""
    return ircore(["play", str(submission), "--instances", str(instances.folder), "--out", str(out), *more])
