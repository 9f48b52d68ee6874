"""Commands begin their work soon and end at SIGTERM without a traceback; ``ircore instances`` on the command line."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from openai_server import serving
from pairs import default_signals, served_pair
from PIL import Image
from samples import sample_instances

from ircore.commands.main import run
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
    "ircore.results.tables.variance", "ircore.results.tables.judges", "ircore.results.tables.fact_tables",
}  # fmt: skip
"""Modules that a board does not need."""


def test_a_board_imports_of_scipy_its_special_functions_and_no_other_tables_modules(run: RunFolder) -> None:
    assert ircore(["score", str(run.path), "--metric", "psnr"]) == 0
    modules = imported_by("results", str(run.path))
    assert "ircore.results.tables.board" in modules
    assert modules.isdisjoint({*OF_OTHER_TABLES, "ircore.core.workers", "PIL", *LARGE} - {"scipy"})
    assert modules.isdisjoint({"scipy.stats", "scipy.optimize", "scipy.ndimage", "scipy.sparse", "scipy.interpolate"})
    assert "ircore.results.effects" in imported_by("results", str(run.path), "--table", "effects")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a set and a run that was scored."""
    folder = tmp_path_factory.mktemp("played")
    build = ["instances", "build", "--out", str(folder / "set"), "--per-condition", "2", "-c", "simple_shapes"]
    assert ircore(build) == 0
    play = ["play", "classical+canvas", "--instances", str(folder / "set"), "--out", str(folder / "run")]
    assert ircore(play) == 0
    assert ircore(["score", str(folder / "run"), "--judge", "structural", "--metric", "psnr"]) == 0
    return folder


def stopped(words: list[str], folder: Path, seconds: float) -> str:
    """Give a command, send SIGTERM to its whole group after some seconds, and return what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ircore", *words], cwd=folder, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=default_signals,
    )  # fmt: skip
    time.sleep(seconds)
    # A fast machine may have done the work by now.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    said, _ = process.communicate(timeout=120)
    assert process.returncode in (0, 128 + signal.SIGTERM, -signal.SIGTERM), said
    until = time.monotonic() + 60
    while is_there(process.pid):
        assert time.monotonic() < until, "a process of the group is left"
        time.sleep(0.05)
    return said


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes")
@pytest.mark.parametrize(("command", "seconds"), [("play", 2.5), ("score", 1.0), ("site", 1.5)])
def test_a_group_that_is_stopped_prints_no_traceback(
    command: str, seconds: float, played: Path, tmp_path: Path
) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    for name in ("scores.jsonl", "facts.jsonl"):
        (tmp_path / "run" / name).unlink(missing_ok=True)
    commands = {
        "play": ["play", "served", "--instances", "set", "--out", "new", "--processes", "2", "--concurrency", "6"],
        "score": ["score", "run", "--every-turn"],
        "site": ["site", "build", "--runs", str(played / "run"), "--out", "site"],
    }
    with serving(latency=1.0) as service:
        sample_instances(tmp_path / "set", per_condition=4)
        commands["play"][1] = str(served_pair(tmp_path, service.base_url))
        said = stopped(commands[command], tmp_path, seconds)
    assert "Traceback" not in said
    assert "Exception" not in said


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """A small set: two easy and two hard pictures of shapes."""
    out = tmp_path / "shapes"
    assert run(["instances", "build", "--out", str(out), "--per-condition", "2", "-c", "simple_shapes"]) == 0
    return out


def test_show_as_json_is_one_document(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["instances", "show", str(shapes), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["instances"] == 4
    assert len(shown["identity"]) == 64
    assert shown["conditions"] == [
        {"category": "simple_shapes", "difficulty": "easy", "instances": 2},
        {"category": "simple_shapes", "difficulty": "hard", "instances": 2},
    ]
    assert shown["sizes"] == [{"width": 512, "height": 512, "instances": 4}]
    assert shown["licences"] == {"simple_shapes": {"CC0-1.0": 4}}
    assert shown["bytes"] == sum(path.stat().st_size for path in (shapes / "images").iterdir())


def test_a_sheet_shows_every_picture(shapes: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    assert run(["instances", "show", str(shapes), "--sheet", str(sheet)]) == 0
    with Image.open(sheet) as image:
        assert image.size == (10 + 2 * 170, 10 + 2 * 188)


def test_show_notices_a_changed_picture(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shapes / "images" / "simple_shapes-easy-01.png").write_bytes(b"")
    assert run(["instances", "show", str(shapes)]) == 2
    assert "not the picture that was recorded" in capsys.readouterr().err


def test_importing_a_folder(shapes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--category", "photos", "--difficulty", "hard", "--licence", "CC0-1.0", "--source", "My own"]
    out = tmp_path / "mine"
    assert run(["instances", "import", "folder", str(shapes / "images"), "--out", str(out), *options]) == 0
    assert ["photos", "–", "4", "4", "CC0-1.0"] in [line.split() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX shell")
def test_a_disk_that_takes_no_more_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: writing fails in the same way.

    Python writes no bytecode (-B): files of it would be cut off, too, and break whatever imports them next.
    """
    command = f"ulimit -f 8; exec {sys.executable} -B -m ircore instances build --out set -c photos"
    done = subprocess.run(["/bin/bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot be written (File too large)" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_diff_names_what_was_added_removed_and_changed(
    shapes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    lines = (shapes / "instances.jsonl").read_text().splitlines()
    other.mkdir()
    edited = [lines[0].replace('"procedural"', '"drawn by hand"'), *lines[2:]]
    (other / "instances.jsonl").write_text("".join(f"{line}\n" for line in edited))
    capsys.readouterr()
    assert run(["instances", "diff", str(shapes), str(other)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "removed  simple_shapes-easy-02",
        "changed  simple_shapes-easy-01: source",
        "0 added, 1 removed, 1 changed, 2 the same",
    ]
    assert run(["instances", "diff", str(other), str(shapes)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "added    simple_shapes-easy-02"


def test_stats_counts_elements_as_the_index_lists_them(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [json.loads(line) for line in (shapes / "instances.jsonl").read_text().splitlines()]
    capsys.readouterr()
    assert run(["instances", "stats", str(shapes), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    counts = {name: measures["elements"] for name, measures in document["instances"].items()}
    assert counts == {record["instance_id"]: len(record["payload"]["scene"]["elements"]) for record in records}
    easy, hard = document["conditions"]
    assert easy["elements"] == sum(counts[f"simple_shapes-easy-0{index}"] for index in (1, 2)) / 2
    assert hard["elements"] > easy["elements"]
    assert document["not_rising"] == document["near_duplicates"] == []


def test_the_page_fetches_nothing_and_names_every_picture(shapes: Path, tmp_path: Path) -> None:
    page = tmp_path / "statistics.html"
    assert run(["instances", "stats", str(shapes), "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")
    assert "<script" not in text
    assert all(f"simple_shapes-{level}-0{index}" in text for level in ("easy", "hard") for index in (1, 2))


def test_stats_refuses_a_page_of_another_kind(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "stats", str(shapes), "--page", "statistics.pdf"]) == 2
    assert "not a .html file" in capsys.readouterr().err
