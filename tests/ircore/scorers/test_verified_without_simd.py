"""The judge ``verified`` says the same on any processor, in any process, thread and order."""

import os
import subprocess
import sys

import pytest

VERDICTS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from PIL import Image
from ircore.core.images import Picture
from ircore.games.reconstruction.build_targets import draw
from ircore.scorers.judge_test import pixel_edits
from ircore.scorers.verification.score import verify_picture

def line(job):
    result = verify_picture(*job)
    return f"{result.score} {result.transform} {[(fact.verdict, fact.credit, fact.seen) for fact in result.facts]}"


jobs = []
for category in ("bar_graph", "line_graph", "pie_graph", "functions", "geometry", "simple_shapes"):
    target = draw(category, "hard", 3)
    own = Picture.from_pixels(target.drawing.pixels)
    moved = pixel_edits.rotated(pixel_edits.shifted(target.drawing.pixels, distance=3), degrees=1)
    for pixels in (moved, pixel_edits.as_jpeg(moved, quality=40)):
        jobs.append((own, target.scene, Picture.from_pixels(pixels)))
if sys.argv[1:]:
    with ThreadPoolExecutor(3) as pool:
        print(*reversed(list(pool.map(line, reversed(jobs)))), sep="\\n")
else:
    print(*map(line, jobs), sep="\\n")
"""


def verdicts(*options: str, **environment: str) -> str:
    """Return scores, transforms and readings, computed in a process of its own, with ``backwards`` in threads."""
    command = [sys.executable, "-c", VERDICTS, *options]
    return subprocess.run(command, env={**os.environ, **environment}, text=True, capture_output=True, check=True).stdout


@pytest.mark.slow
def test_every_reading_is_the_same_without_wide_instructions_in_threads_and_backwards() -> None:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # type: ignore[import-not-found]

    wide = " ".join(feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature))
    narrow = {"NPY_DISABLE_CPU_FEATURES": wide, "OPENBLAS_CORETYPE": "Nehalem"}
    assert verdicts() == verdicts(**narrow) == verdicts("backwards", OMP_NUM_THREADS="1")
