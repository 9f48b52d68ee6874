"""Every block of README.md and ``docs/*.md`` works as it is printed, in a clone where ``make demo`` was given."""

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from documented_blocks import Block, copy_project, make_demo_project, read_blocks, run_command
from shared_folders import made_once

from ircore.submissions.check.submission import check_bytes

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))

RUN_ELSEWHERE = {
    "docs/adding-a-game.md": "tests/games/test_new_submission.py",
    "docs/adding-plug-ins.md": "tests/ircore/commands/test_new.py",
    "docs/adding-targets.md": "tests/ircore/commands/test_new.py",
    "docs/build-on.md": "tests/test_docs.py",
    "docs/commands.md": "tests/ircore/commands/test_help.py",
    "docs/game-pages.md": "tests/ircore/results/test_game_boards.py",
    "docs/library.md": "tests/ircore/library/test_library.py",
    "docs/maintain.md": "tests/test_docs.py",
    "docs/model.md": "tests/test_docs.py",
    "docs/own-player.md": "tests/ircore/players/test_submissions.py",
    "docs/question.md": "tests/test_docs.py",
    "docs/taking-out.md": "tests/dataset_card/hub/test_taking_out.py",
}
"""Pages that build upon folders of their own, and the tests that run their blocks."""

NOT_RUN = {
    r"make ": "the fixture gave make demo",
    r"(python -m )?pip |python3 -m venv|apt-get ": "installs; tests/test_wheel.py builds the wheel",
    r"docker ": "needs Docker",
    r"\.venv/bin/python benchmarks/": "measures for minutes",
    r"sbatch |.*\$i\b|CUDA_|dask |.*node0": "needs other machines; tests/ircore/runs has a queue and a cluster",
    r"git |ircore submission check-change": "needs a remote; tests/ircore/submissions has one",
    r".*\b(ORG/|you/your-transcripts)|.*hf://|.*\bpulled/": "needs the Hub; tests/dataset_card has one on loopback",
    r".*gpt-|.*my-judge|.*--judge (lipsim|facts\.yaml)": "needs a model",
    r"(\.venv/bin/)?ircore site serve": "serves until it is stopped",
    r"ircore (play-me|study run|study import|submission hand-in)|ircore submission new \S+$": "waits for a person",
    r".*(ratings\.csv|decisions\.json|dense\.json|gone\.jsonl|human-p01|judge-tests?[ /]human)": "needs persons' work",
    r".*judge-tests?[ /]verified": "measures for minutes",
    r"ircore judge-test structural": "tests/leaderboard/pages/test_people_page.py gives it",
    r"ircore release check build/dataset --rescore": "tests/dataset_card/checking/test_release_rescore.py gives it",
    r"ircore site build --runs build/demo/runs/\* --out build/site$": "make demo gave it",
    r"ircore site check": "goes on from the above",
    r"ircore maintain channel-test": "tests/ircore/submissions/test_channel.py gives it",
    r"ircore maintain (evaluate|rescore|spot-replay)": "goes on from one of the above",
    r"ircore maintain retire": "writes into the project; tests/dataset_card/releases/test_release_gaps.py gives it",
    r"ircore instances review genome": "goes on from one of the above",
    r".*\b202[78]\.1\b": "records a version to come; tests/ircore/commands/test_help.py runs it",
    r"ircore language novelty": "needs the extra tagger",
    r".*(…|\b[A-Z]{3,}\b)": "names something of the reader's own",
}
"""Beginnings of lines that are not run, and why."""


MANIFEST = re.compile(r"(#.*\n)?schema: 1\nname:[\s\S]*\ndescriber:")
PROGRAMS = re.compile(r"(\.venv/bin/)?(ircore|python3?|pip|git|hf|make|docker|sbatch|dask|export|apt-get|CUDA_\w+)\b")


def command_lines(block: Block) -> Iterator[str]:
    """Yield the command lines of a block; a line that ends with a backslash goes on in the next one."""
    for line in re.sub(r"\\\n\s*", " ", block.text).splitlines():
        if PROGRAMS.match(line):
            yield line


def reason_not_run(line: str) -> str:
    """Return why a line is not run here; empty if it is run."""
    return next((reason for beginning, reason in NOT_RUN.items() if re.match(beginning, line)), "")


def run_block(block: Block, project: Path) -> None:
    """Do what a block says: check a manifest, read settings, run code, give commands."""
    if block.language == "python" or block.text.startswith(("import ", "from ")):
        # tests/dataset_card/test_release_data.py runs those that ask the Hub, on a hub of its own.
        if "ORG/NAME" not in block.text and "DATASET" not in block.text:
            exec(compile(block.text, f"line {block.line}", "exec"), {})
    elif block.language == "toml" or block.text.startswith("[project"):
        tomllib.loads(block.text)
    elif MANIFEST.match(block.text):
        findings = check_bytes(block.text.encode(), "submission.yaml", "my-pair").findings
        errors = [finding.problem for finding in findings if finding.level == "error"]
        # A page shows how to play a reference, which nobody may hand in.
        assert [error for error in errors if "never ranked" not in error] == []
    elif block.language == "yaml" or re.match(r"(schema|describer|generator|rules|models|transcripts):", block.text):
        assert isinstance(yaml.safe_load(block.text), dict)
    else:
        for line in command_lines(block):
            if not reason_not_run(line):
                run_command(line, project)


def prepare(blocks: list[Block], project: Path) -> None:
    """Put the files that a page shows where its commands look for them."""
    text = "\n".join(block.text for block in blocks)
    if "ircore submission new submissions/my-pair" in text:
        shutil.rmtree(project / "submissions" / "my-pair")
        shutil.rmtree(project / "build" / "runs")
    if "instances build --game conversation" in text:  # of all categories, scoring takes a quarter of a minute
        with (project / "ircore.toml").open("a", encoding="utf-8") as settings:
            settings.write('category = ["pie_graph"]\n')
    for run in (project / "build" / "demo" / "runs").iterdir():
        if f"--out build/runs/{run.name}" in text and run.name != "extractive":
            shutil.copytree(run, project / "build" / "runs" / run.name)  # the page goes on from what the demo played
    for block in blocks:
        if block.text.startswith("annotator,"):
            (project / "a1.csv").write_text(block.text + "\n", "utf-8")
        elif MANIFEST.match(block.text) and (folder := re.search(r"\bplay (references/\S+)", text)):
            (project / folder[1]).mkdir(parents=True)
            (project / folder[1] / "submission.yaml").write_text(block.text, "utf-8")


@pytest.fixture(scope="module")
def demo_project(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which ``make demo`` and the commands of the README were given; not to be changed."""
    return made_once(tmp_path_factory, "project", lambda project: make_demo_project(project, demo))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if name not in RUN_ELSEWHERE])
def test_the_blocks_of_a_page_run_as_printed(
    name: str, demo_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / name).read_text("utf-8")
    blocks = list(read_blocks(text))
    if not blocks:
        pytest.skip("the page has no block")
    project = tmp_path / "project"
    copy_project(demo_project, project)
    prepare(blocks, project)
    monkeypatch.chdir(project)
    for block in blocks:
        run_block(block, project)


def test_the_tests_that_run_the_other_pages_are_there() -> None:
    assert RUN_ELSEWHERE.keys() <= set(PAGES)
    assert [test for test in RUN_ELSEWHERE.values() if not (ROOT / test).is_file()] == []


def test_every_reason_not_to_run_something_is_needed() -> None:
    blocks = [block for name in PAGES for block in read_blocks((ROOT / name).read_text("utf-8"))]
    lines = [line for block in blocks for line in command_lines(block)]
    assert [beginning for beginning in NOT_RUN if not any(re.match(beginning, line) for line in lines)] == []
