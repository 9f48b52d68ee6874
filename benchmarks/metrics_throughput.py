"""Throughput of psnr + ssim + uqi + brisque beside the recipe of sewar and brisque, in one run.

    python benchmarks/metrics_throughput.py                      100 pairs of 1024 × 1024, all cores
    python benchmarks/metrics_throughput.py --pairs 8 --theirs 2

The recipe is what ConvGenVisMo runs: ``sewar.full_ref`` and ``brisque`` of the package registry, one pair after the
other in one process. They are installed into a virtual environment of this benchmark (``build/benchmark-metrics``),
since ``brisque`` needs an older NumPy. Both sides read the same files; the recipe may be timed on fewer pairs
(``--theirs``), since every pair costs the same, and both are given as pairs a second. Ours is timed on one process and
on all cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from PIL import Image

from ircore.core.workers import map_in_order
from ircore.scorers.metrics.base import load_metrics, load_pixels, measure

METRICS = ("psnr", "ssim", "uqi_sewar", "brisque")
SIDE = 1024
FOLDER = Path("build/benchmark-metrics")
PACKAGES = ("sewar==0.4.10", "brisque==0.2.0", "opencv-python-headless", "numpy<2.4", "pillow", "setuptools")

THEIRS = """
import json, sys, time
import numpy as np
from PIL import Image
from brisque import BRISQUE
from sewar.full_ref import psnr, ssim, uqi
judge, rows = BRISQUE(url=False), []
begun = time.perf_counter()
for target, image in json.load(sys.stdin):
    x = np.array(Image.open(target).convert("RGB"))
    generated = Image.open(image).convert("RGB")
    y = np.array(generated.resize((x.shape[1], x.shape[0])))
    rows.append([float(psnr(x, y)), float(ssim(x, y)[0]), float(uqi(x, y)), float(judge.score(generated))])
print(json.dumps({"seconds": time.perf_counter() - begun, "rows": rows}))
"""


def main() -> None:
    """Print pairs a second of both sides, their ratio, and how far the values are apart."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--pairs", type=int, default=100)
    arguments.add_argument(
        "--theirs", type=int, default=None, help="pairs on which the recipe is timed; all if left out"
    )
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = [_pair(Path(folder), number) for number in range(given.pairs)]
        theirs = _theirs(pairs[: given.theirs or given.pairs])
        single, rows = _ours(pairs[: len(theirs["rows"])], workers=1)
        several, _ = _ours(pairs, workers=os.cpu_count() or 1)
    speed = len(theirs["rows"]) / theirs["seconds"]
    alone, together = len(theirs["rows"]) / single, given.pairs / several
    print(f"{', '.join(METRICS)} on pairs of {SIDE} × {SIDE}, pairs a second")
    print(f"sewar and brisque, one process   {speed:8.3f}   ({len(theirs['rows'])} pairs)")
    print(f"ircore, one process              {alone:8.3f}   {alone / speed:6.1f} ×   ({len(rows)} pairs)")
    everyone = f"ircore, {os.cpu_count()} processes"
    print(f"{everyone:<33}{together:8.3f}   {together / speed:6.1f} ×   ({given.pairs} pairs)")
    apart = np.abs(np.array(rows) - np.array(theirs["rows"])).max(axis=0)
    print("largest difference: " + ", ".join(f"{name} {value:.1e}" for name, value in zip(METRICS, apart, strict=True)))


def _pair(folder: Path, number: int) -> tuple[str, str]:
    """Write a picture with waves and texture, and the same with noise, seeded; return both paths."""
    rng = np.random.default_rng(number)
    waves = np.sin(np.arange(SIDE) / (20 + number))[:, None, None] + np.cos(np.arange(SIDE) / 25)[None, :, None]
    smooth = 127 + 50 * waves * np.array([1.0, 0.8, 0.6]) + rng.normal(0, 6, (SIDE, SIDE, 3))
    paths = []
    for name, pixels in (("target", smooth), ("image", smooth + rng.normal(0, 20, smooth.shape))):
        path = folder / f"{name}-{number}.png"
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(path, compress_level=1)
        paths.append(str(path))
    return paths[0], paths[1]


def _ours(pairs: list[tuple[str, str]], workers: int) -> tuple[float, list[list[float]]]:
    begun = perf_counter()
    rows = list(map_in_order(_measured, pairs, workers))
    return perf_counter() - begun, rows


def _measured(pair: tuple[str, str]) -> list[float]:
    metrics, _ = load_metrics(METRICS)
    target, image = (load_pixels(path, "upstream") for path in pair)
    return [measure(metric, target, image).value or float("nan") for metric in metrics.values()]


def _theirs(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Run the recipe in an environment of its own, made on the first call."""
    python = FOLDER / "bin" / "python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    done = subprocess.run([python, "-c", THEIRS], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


if __name__ == "__main__":
    main()
