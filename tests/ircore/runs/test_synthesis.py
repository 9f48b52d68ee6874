"""Making targets with two models: asked once, tried again with the reason, resumed after a kill, reviewed, accepted."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from program_server import BLANK, ProgramServer, bars, program_server
from sandboxes import drawing, sandbox

from ircore.commands.main import run
from ircore.games.synthesis.game import PLACEHOLDERS, find_plan, find_program, load_synthesis_prompts
from ircore.instances.store import read_instances
from ircore.instances.synthesis.drawn_figures import FIGURES, DrawnFigures
from ircore.instances.targets import SYNTHETIC
from ircore.runs.synthesis import list_candidates, open_synthesis
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
    rejected = [DrawnFigures(out / FIGURES).stored(key) for key in waiting[0].step.programs[:-1]]
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
@pytest.mark.parametrize("killed_after", [1, 4])
def test_after_a_kill_no_question_is_asked_twice(killed_after: int, tmp_path: Path) -> None:
    out, log = tmp_path / "made", tmp_path / "questions.txt"
    programs = {"figure 1": [BLANK, bars([3, 1, 2])], "figure 2": [bars([1, 5, 4, 7, 2], "#aa3311")]}
    with program_server(programs, slow_s=0.3, log=log) as server:
        words = options(server, out, count=2)
        process = subprocess.Popen([sys.executable, "-m", "ircore", *words], stderr=subprocess.DEVNULL)
        for _ in range(600):
            journal = out / "journal.jsonl"
            if journal.is_file() and journal.read_bytes().count(b"\n") >= killed_after:
                break
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = journal.read_bytes().count(b"\n")
        assert killed_after <= before < 6
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
