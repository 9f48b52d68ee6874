"""*Try it*: the built-in canvas in the visitor's browser, and its score held equal to the judge's."""

import ast
import base64
import hashlib
import io
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from visits import Visit, axe_findings

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.scorers.judges.structural import StructuralJudge
from leaderboard.building.site_build import build_site
from leaderboard.building.sources import bundle, pack_canvas

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

VENDORED = Path(__file__).parents[3] / "leaderboard" / "assets" / "pyodide"
LOADED_S = 60


def test_the_archive_holds_the_canvas_as_it_is_installed() -> None:
    with zipfile.ZipFile(io.BytesIO(pack_canvas())) as archive:
        names = archive.namelist()
        reader = archive.read("ircore/players/builtin/canvas/reader.py").decode()
        for name in names:
            read = ast.parse if name.endswith(".py") else tomllib.loads
            read(archive.read(name).decode())
    import ircore.players.builtin.canvas.reader as installed

    assert reader == Path(str(installed.__file__)).read_text(encoding="utf-8")
    assert "ircore/players/builtin/canvas/generator.py" not in names
    assert pack_canvas() == pack_canvas()


def test_the_archive_draws_without_anything_that_is_installed(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(pack_canvas())) as archive:
        archive.extractall(tmp_path)
    # In a browser the page's script measures texts.
    (tmp_path / "measuring.py").write_text("def size(text, size): return len(text) * size / 2, size\n")
    words = json.dumps(["A red circle of radius 80 px centred at (200, 200)."])
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import try_it; print(try_it.drawn({words!r}))"
    # Neither site-packages nor the folder of this project are on the path, as in a browser.
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["steps"]


def test_python_for_browsers_is_what_its_package_holds_and_fits() -> None:
    told = json.loads((VENDORED / "VENDORED.json").read_text())
    files = [path for path in VENDORED.iterdir() if path.name not in {"VENDORED.json", "LICENSE.txt"}]
    assert sorted(told) == sorted(path.name for path in files)
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == told[path.name]["sha256"] for path in files)
    assert sum(path.stat().st_size for path in files) + len(pack_canvas()) < 15_000_000
    assert "Mozilla Public License" in (VENDORED / "LICENSE.txt").read_text()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("try")
    made, played = str(folder / "set"), str(folder / "classical")
    chosen = ["--category", "simple_shapes", "--difficulty", "easy"]
    assert ircore(["instances", "build", "--out", made, "--per-condition", "1", *chosen]) == 0
    assert ircore(["play", "classical+canvas", "--instances", made, "--out", played]) == 0
    assert ircore(["score", played, "--judge", "structural"]) == 0
    build_site([Path(played)], folder / "site")
    return folder / "site"


def test_a_visitor_describes_and_is_scored_beside_the_pairs(visit: Visit) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    page = visit.open("try.html")
    assert not any("pyodide" in url for url in asked)  # loaded on demand
    page.get_by_label("Your message").fill("A red circle of radius 80 px centred at (200, 200).")
    page.get_by_role("button", name="Draw it").click()
    status = page.locator("[data-part=status]")
    status.get_by_text("of 10.").wait_for(timeout=1000 * LOADED_S)
    assert pixel(page, 200, 200) == [255, 0, 0, 255]
    assert pixel(page, 290, 200) == [255, 255, 255, 255]
    names = page.locator("[data-part=scores] th").all_inner_texts()
    assert sorted(names) == ["classical + canvas", "you"]
    page.get_by_label("Your message").fill("Make the red circle blue.")
    page.get_by_role("button", name="Draw it").click()
    page.wait_for_timeout(500)
    assert pixel(page, 200, 200) == [0, 0, 255, 255]
    page.get_by_role("button", name="Take back").click()
    page.wait_for_timeout(500)
    assert pixel(page, 200, 200) == [255, 0, 0, 255]
    assert all(url.startswith((visit.address, "data:")) for url in asked)
    assert axe_findings(page) == []


def pixel(page: "Page", x: int, y: int) -> list[int]:
    levels: list[int] = page.locator("[data-part=sheet]").evaluate(
        "(sheet, [x, y]) => [...sheet.getContext('2d').getImageData(x, y, 1, 1).data]", [x, y]
    )
    return levels


def drawn(seed: int) -> Picture:
    rng = np.random.default_rng(seed)
    drawing = Drawing(512, 512, ("#ffffff", "#f4f1de")[seed % 2])
    for _ in range(6):
        x, y, size = (int(value) for value in rng.integers(60, 450, 3))
        colour = "#" + "".join(f"{level:02x}" for level in rng.integers(0, 255, 3))
        drawing.ellipse((x, y), (size / 5, size / 8), colour)
        drawing.line([(x, y), (size, x)], "#222222", 3)
    return Picture.from_pixels(drawing.pixels)


def test_the_script_scores_as_the_judge_does(visit: Visit) -> None:
    page = visit.open("try.html")
    for seed in range(4):
        target, image = drawn(seed), drawn(seed + (seed > 0))
        wanted = StructuralJudge().rate(target, image).value
        levels = [base64.b64encode(np.dstack([picture.pixels, np.full((512, 512), 255, np.uint8)]).tobytes()).decode()
                  for picture in (target, image)]  # fmt: skip
        made = page.evaluate(
            f"""(levels) => {{ const {{ rating }} = {bundle("try-score")}
            const [target, image] = levels.map((level) => new ImageData(
              new Uint8ClampedArray(Uint8Array.from(atob(level), (letter) => letter.charCodeAt(0))), 512, 512));
            return rating(target, image); }}""",
            levels,
        )
        assert made == pytest.approx(wanted, abs=0.011)
