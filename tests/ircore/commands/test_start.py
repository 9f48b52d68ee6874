"""Commands begin their work soon: a library is imported when its work begins, not before."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

LARGE = ("scipy", "skimage", "pandas", "pyarrow", "datasets", "plotly", "jinja2", "openai", "aiohttp", "mkdocs", "dask")
"""Libraries that take a tenth of a second and more to import."""


def imported_by(*words: str) -> set[str]:
    """Run a command in a new Python and return the names of the modules that it imported."""
    code = (
        "import json, sys\nfrom ircore.commands.main import run\nrun(sys.argv[1:])\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [("compare", "missing.png", "missing.png"), ("results", "missing")])
def test_a_command_finds_that_its_input_is_missing_before_it_imports_a_large_library(words: tuple[str, ...]) -> None:
    modules = imported_by(*words)
    assert f"ircore.commands.{words[0]}" in modules
    assert modules.isdisjoint(LARGE)


def test_results_open_the_runs_before_they_import_what_computes_with_them() -> None:
    assert imported_by("results", "missing").isdisjoint({"numpy", "PIL", "yaml", "ircore.results.model"})


def test_a_metric_imports_what_it_computes_with_and_no_other(tmp_path: Path) -> None:
    for name in ("target.png", "image.png"):
        noise = np.random.default_rng(len(name)).integers(0, 256, (24, 24, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / name)
    pictures = str(tmp_path / "target.png"), str(tmp_path / "image.png")
    assert imported_by("compare", *pictures, "--metric", "ssim").isdisjoint({*LARGE, "pydantic"})
    assert {"scipy.ndimage", "scipy.optimize"} <= imported_by("compare", *pictures, "--metric", "brisque")


def test_a_release_is_opened_before_what_looks_at_its_pictures_is_imported() -> None:
    assert "scipy" not in imported_by("release", "check", "missing")


MANIFEST = Path(__file__).parents[3] / "submissions" / "builtin-classical-canvas"


def test_a_manifest_is_checked_with_the_modules_that_a_check_needs() -> None:
    ours = [name for name in imported_by("submission", "check", str(MANIFEST)) if name.split(".")[0] == "ircore"]
    assert "ircore.submissions.check.submission" in ours
    assert len(ours) <= 80


OF_OTHER_TABLES = {
    "ircore.games.reference", "ircore.results.agreement", "ircore.results.calibration",
    "ircore.results.tables.language", "ircore.results.effects", "ircore.results.language",
    "ircore.results.tables.variance", "ircore.results.tables.judges", "ircore.results.tables.facts",
}  # fmt: skip
"""Modules that a board does not need."""


def test_a_board_imports_of_scipy_its_special_functions_and_no_other_tables_modules(run: RunFolder) -> None:
    assert ircore(["score", str(run.path), "--metric", "psnr"]) == 0
    modules = imported_by("results", str(run.path))
    assert "ircore.results.tables.board" in modules
    assert modules.isdisjoint({*OF_OTHER_TABLES, "ircore.core.workers", "PIL", *LARGE} - {"scipy"})
    assert modules.isdisjoint({"scipy.stats", "scipy.optimize", "scipy.ndimage", "scipy.sparse", "scipy.interpolate"})
    assert "ircore.results.effects" in imported_by("results", str(run.path), "--table", "effects")
