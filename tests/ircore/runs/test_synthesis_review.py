"""The review page in a real browser: decisions are kept, saved as a file, and what models wrote stays text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from visits import ARGUMENTS, axe_findings

from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.games.synthesis.game import NAME, FigureStep
from ircore.instances.store import read_instances, write_instances
from ircore.instances.synthesis.drawn_figures import FIGURES, DrawnProgram
from ircore.runs.episode import build_episode
from ircore.runs.events import End, Entry
from ircore.runs.folder import RunFolder, RunWriter, create_run
from ircore.runs.play import add_run_id
from ircore.runs.synthesis import open_synthesis, write_accepted_set, write_review

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><img src=x onerror=alert(1)>"


def made(path: Path) -> RunFolder:
    """Return a folder of two figures as ``synthesize`` leaves it, with hostile words in every place for words."""
    spec = {"player": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    manifest = {"schema": 1, "game": NAME, "name": "Targets", "licence": "CC0-1.0",
                "describer": spec, "coder": spec}  # fmt: skip
    condition = Instance(instance_id="bar_graph-easy", game=NAME, category="bar_graph", difficulty="easy",
                             source="a test", licence="CC0-1.0", payload={"count": 2})  # fmt: skip
    instances = write_instances(path.with_name("conditions"), [(condition, {})])
    run = add_run_id(Run.model_validate({
        "run_id": NAME, "game": NAME, "slug": NAME, "submission": manifest, "instance_set": instances.identity,
        "rules": {"tries": 3}, "prompts": "built-in", "seed": 0, "version": "1.0",
        "started": "2026-11-23T08:00:00+00:00",
    }))  # fmt: skip
    folder = create_run(path, run, instances)
    (path / FIGURES).mkdir()
    steps = [step_of(path, number) for number in (1, 2)]
    ended = build_episode(condition, "completed", steps, None, None)
    with folder.lock(), RunWriter(folder) as writer:
        writer.record([Entry(End(episode=ended))])
    return open_synthesis(path)


def step_of(path: Path, number: int) -> FigureStep:
    pixels = np.full((300, 300, 3), 255, np.uint8)
    pixels[100:200, 50 * number : 50 * number + 80] = (31, 119, 180)
    picture, key = Picture.from_pixels(pixels), str(number) * 64
    drawn = DrawnProgram(key=key, category="bar_graph", seed=1, program=f"# {HOSTILE}", picture=picture.sha256,
                         width=300, height=300, unread=(HOSTILE,))  # fmt: skip
    (path / FIGURES / f"{key}.json").write_text(drawn.model_dump_json())
    (path / FIGURES / f"{key}.png").write_bytes(picture.data)
    return FigureStep(
        number=number, summary=f"Figure {number} {HOSTILE}", description=HOSTILE, programs=(key,), faults=(), key=key
    )


@pytest.fixture
def page(chromium: str) -> Iterator["Page"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=ARGUMENTS, chromium_sandbox=False)
        yield browser.new_page(viewport={"width": 1280, "height": 900})
        browser.close()


def test_decisions_made_on_the_page_make_the_set(page: "Page", tmp_path: Path) -> None:
    folder = made(tmp_path / "made")
    assert write_review(folder, tmp_path / "review") == 2
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    address = (tmp_path / "review" / "index.html").as_uri()
    page.goto(address)
    figures = page.locator(".figure")
    assert figures.count() == 2
    assert figures.first.locator(".summary").inner_text() == f"Figure 1 {HOSTILE}"
    figures.nth(0).locator(".accept").click()
    figures.nth(1).locator(".reject").click()
    figures.nth(1).locator(".reason").fill("labels overlap")
    page.reload()
    assert page.locator("#tally").inner_text() == "2 pictures: 1 accepted, 1 rejected, 0 open"
    page.select_option("#shown", "reject")
    assert [figure.is_visible() for figure in figures.all()] == [False, True]
    with page.expect_download() as download:
        page.locator("#save").click()
    decisions = tmp_path / "decisions.json"
    download.value.save_as(decisions)
    assert complaints == []

    saved = json.loads(decisions.read_text())["decisions"]
    assert {name: (decision["verdict"], decision["reason"]) for name, decision in saved.items()} == {
        "bar_graph-easy-01": ("accept", ""),
        "bar_graph-easy-02": ("reject", "labels overlap"),
    }
    write_accepted_set(folder, decisions, tmp_path / "set")
    assert [target.instance_id for target in read_instances(tmp_path / "set").instances] == ["bar_graph-easy-01"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_phone(page: "Page", scheme: str, tmp_path: Path) -> None:
    write_review(made(tmp_path / "made"), tmp_path / "review")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 390, "height": 844})
    # The page's own policy lets no other script in; axe looks at its tree in a copy without it.
    index = tmp_path / "review" / "index.html"
    index.write_text(
        "\n".join(line for line in index.read_text().splitlines() if "Content-Security-Policy" not in line)
    )
    page.goto(index.as_uri())
    page.locator(".accept").first.click()
    page.locator(".reject").nth(1).click()
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
