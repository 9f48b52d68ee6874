"""Making targets with two models: asked once, tried again with the reason, resumed after a kill, reviewed, accepted."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from program_server import BLANK, ProgramServer, bars, program_server
from sandboxes import drawing, sandbox
from visits import ARGUMENTS, axe_findings

from ircore.commands.main import run
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.games.synthesis.game import NAME, PLACEHOLDERS, FigureStep, find_plan, find_program, load_synthesis_prompts
from ircore.instances.store import read_instances, write_instances
from ircore.instances.synthesis.studio import FIGURES, DrawnFigures, DrawnProgram
from ircore.instances.targets import SYNTHETIC
from ircore.runs.episode import build_episode
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, create_run
from ircore.runs.play import add_run_id
from ircore.runs.synthesis import list_candidates, open_synthesis, write_accepted_set, write_review
from ircore.scorers.verification.score import verify_picture

__all__ = ["drawing", "sandbox"]

TITLED = bars([3, 1, 2], extra="axes.set_title('no')")


def options(server: ProgramServer, out: Path, *more: str, count: int = 1) -> list[str]:
    return [
        "instances", "synthesize", "--describer-model", "describer", "--coder-model", "coder", "-c", "bar_graph",
        "-d", "easy", "--count", str(count), "--base-url", server.base_url, "--out", str(out), *more,
    ]  # fmt: skip


class Result(NamedTuple):
    """What a command ended with."""

    exit_code: int
    stdout: str
    stderr: str


def command(*words: str) -> Result:
    """Run a command in this process; its status and what it wrote."""
    with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
        status = run(list(words))
    return Result(status, stdout.getvalue(), stderr.getvalue())


@pytest.mark.slow
@pytest.mark.usefixtures("drawing")
def test_two_models_make_targets_and_a_person_accepts_them(tmp_path: Path) -> None:
    out = tmp_path / "made"
    programs = {
        "figure 1": [BLANK, TITLED, bars([3, 1, 2])],
        "figure 2": [bars([3, 1, 2.02]), bars([1, 5, 4, 7, 2], "#aa3311")],
        "figure 3": [BLANK],
    }
    with program_server(programs) as server:
        made = command(*options(server, out, count=3))
        assert made.exit_code == 0, made.stderr
        # Three tries, then two, then three in vain.
        assert server.asked == ["describer", *["coder"] * 3, "describer", *["coder"] * 2, "describer", *["coder"] * 3]
        reasons = [words.splitlines()[0].split(": ", 1)[1] for words in server.words if "cannot be used" in words]
        assert reasons[:3] == [
            "the figure is blank or almost blank",
            "the figure has a title ('no'); draw none",
            "the figure looks like the earlier figure bar_graph-easy-01; draw another one",
        ]
        third = [words for words in server.words if "You plan figures" in words][2]
        assert "figure 1: a / plan" in third
        assert "figure 2: a / plan" in third
        asked = len(server.asked)
        again = command(*options(server, out, count=3))
        assert (again.exit_code, len(server.asked)) == (0, asked)
    assert "2 of 3 figures passed the checks" in made.stdout
    assert "given up: figure 3" in made.stderr

    folder = open_synthesis(out)
    waiting = list_candidates(folder)
    assert [candidate.name for candidate in waiting] == ["bar_graph-easy-01", "bar_graph-easy-02"]
    first = waiting[0].drawn
    assert first.program.strip() == bars([3, 1, 2]).strip()
    assert set(first.versions) == {"python", "matplotlib", "numpy"}
    rejected = [DrawnFigures(out / FIGURES).read_stored(key) for key in waiting[0].step.programs[:-1]]
    assert [drawn.fault for drawn in rejected if drawn] == reasons[:2]

    decided = {
        "bar_graph-easy-01": {"sha256": first.picture, "verdict": "accept", "reason": ""},
        "bar_graph-easy-02": {"sha256": waiting[1].drawn.picture, "verdict": "reject", "reason": "too many bars"},
    }
    decisions = tmp_path / "decisions.json"
    decisions.write_text(json.dumps({"schema": 1, "run": folder.run.run_id, "decisions": decided}), encoding="utf-8")
    accepted = command("instances", "accept", str(out), str(decisions), "--out", str(tmp_path / "set"))
    assert accepted.exit_code == 0, accepted.stderr
    targets = read_instances(tmp_path / "set")
    (target,) = targets.instances
    assert (target.instance_id, target.category, target.difficulty) == ("bar_graph-easy-01", "bar_graph", "easy")
    assert target.source == "described by describer, programmed by coder"
    assert target.scene is not None
    assert [bar.parameters["value"] for bar in target.scene.elements if bar.type == "bar"] == [3, 1, 2]
    picture = targets.picture(target, "target")
    assert verify_picture(picture, target.scene, picture).score == 10


@pytest.mark.slow
@pytest.mark.usefixtures("drawing")
def test_after_a_kill_no_question_is_asked_twice(tmp_path: Path) -> None:
    out, log = tmp_path / "made", tmp_path / "questions.txt"
    programs = {"figure 1": [BLANK, bars([3, 1, 2])], "figure 2": [bars([1, 5, 4, 7, 2], "#aa3311")]}
    with program_server(programs, slow_s=0.3, log=log) as server:
        words = options(server, out, count=2)
        process = subprocess.Popen([sys.executable, "-m", "ircore", *words], stderr=subprocess.DEVNULL)
        for _ in range(600):
            journal = out / "journal.jsonl"
            if journal.is_file() and journal.read_bytes().count(b"\n") >= 3:
                break
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = journal.read_bytes().count(b"\n")
        assert 3 <= before < 6
        result = command(*words)
        assert result.exit_code == 0, result.stderr
    questions = log.read_text().splitlines()
    # Five answers: two descriptions, three programs. One question may have been under way when the process was killed.
    assert len(questions) - len(set(questions)) <= 1
    assert len(questions) <= 6
    assert [json.loads(line)["event"] for line in journal.read_text().splitlines()] == [*["call"] * 5, "end"]


@pytest.mark.slow
@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("-c", "photos"), "photos"),
        (("-d", "medium"), "medium"),
        (("--licence", "all mine"), "licence"),
        (("--prompts", "nowhere"), "describer.txt"),
    ],
)
def test_a_wrong_setting_is_one_line_and_exit_2(words: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    server = ProgramServer({}, base_url="http://127.0.0.1:9/v1")
    result = command(*options(server, tmp_path / "made", *words))
    assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("drawing")
def test_without_a_sandbox_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with program_server({}) as server:
        result = command(*options(server, tmp_path / "made"))
        assert (result.exit_code, server.asked) == (2, [])
    assert "bubblewrap" in result.stderr


def test_the_prompts_have_words_for_every_kind() -> None:
    prompts = load_synthesis_prompts(None)
    assert len(SYNTHETIC) == 6
    assert set(prompts.texts) == set(PLACEHOLDERS)
    asked = prompts.coder("pie_graph", "hard", "a {kind} of {reason}")
    assert "a {kind} of {reason}" in asked  # a description is no template
    assert prompts.texts["pie_graph_hard"] in asked


@pytest.mark.parametrize(
    ("answer", "description"),
    [
        ("<DESCRIPTION>\nA disc.\n</DESCRIPTION>\n<SUMMARY>One\ntwo</SUMMARY>", "A disc."),
        ("<description>A disc.</description>", "A disc."),
        ("A disc.", None),
        ("<DESCRIPTION>  </DESCRIPTION>", None),
    ],
)
def test_a_plan_is_what_stands_between_the_tags(answer: str, description: str | None) -> None:
    plan = find_plan(answer)
    assert (plan.description if plan else None) == description


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("```python\ndef draw(): ...\n```", "def draw(): ...\n"),
        ("```\nshort\n```\nand\n```py\ndef draw():\n    pass\n```", "def draw():\n    pass\n"),
        ("def draw():\n    pass", "def draw():\n    pass"),
        ("I cannot.", None),
    ],
)
def test_a_program_is_the_longest_block_of_code(answer: str, program: str | None) -> None:
    assert find_program(answer) == program


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
        writer.record([EventEntry(End(episode=ended))])
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
