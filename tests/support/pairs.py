"""Submissions written by tests: two seats, a manifest, the command that plays it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from openai_server import OpenAIServer
from samples import sample_instances

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


def begin_playing(
    folder: Path, service: OpenAIServer, at_once: int, *more: str, **describer: Any
) -> "subprocess.Popen[str]":
    """Begin to play in a process of its own, and return when so many questions are under way.

    Args:
        folder: Where the set and the run will be.
        service: Who is asked.
        at_once: Questions, and episodes at a time unless ``more`` says otherwise.
        more: Options of ``ircore play``.
        describer: Parameters of the describer.
    """
    sample_instances(folder / "set", per_condition=4)
    manifest = served_pair(folder, service.base_url, describer)
    command = [sys.executable, "-m", "ircore", "play", str(manifest), "--instances", str(folder / "set")]
    command += ["--out", str(folder / "run"), "--concurrency", str(max(1, at_once)), *more]
    # Whoever runs the tests in the background, or under nohup, may let signals be ignored, and a child takes that over.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    end = time.monotonic() + 60
    while service.at_once < at_once:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the questions never came"
        time.sleep(0.01)
    return process


def default_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
