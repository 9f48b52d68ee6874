"""``ircore submission check``: one submission, several, or a whole folder; for people, programs and pull requests."""

import json
import os
from pathlib import Path

import pytest
from manifest_attacks import GOOD

from ircore.cli import run as ircore
from ircore.plugins import available, load
from ircore.submissions.findings import errors
from ircore.submissions.seats import AT_HOME, OFFLINE, SERVICES
from ircore.submissions.tree import check_tree

SUBMISSIONS = Path(__file__).resolve().parents[2] / "submissions"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder of two good submissions."""
    for slug in ("first", "second"):
        folder = tmp_path / "submissions" / slug
        folder.mkdir(parents=True)
        (folder / "submission.yaml").write_text(GOOD.replace("A plain", f"The {slug}"))
    return tmp_path / "submissions"


def test_the_repositorys_own_submissions_are_valid() -> None:
    checked = check_tree(SUBMISSIONS)
    assert {one.slug for one in checked.checked} >= {"builtin-classical-canvas", "builtin-captioner-sketch"}
    assert errors(checked.findings) == []


def test_players_are_known_by_their_seats_without_being_imported() -> None:
    ours = {name for name, point in available("players").items() if point.dist and point.dist.name == "ircore"}
    assert ours == OFFLINE.keys() | SERVICES.keys() | AT_HOME
    for name, seat in {**OFFLINE, **SERVICES}.items():
        player = load("players", name)
        assert hasattr(player, "describe" if seat == "describer" else "render")
        assert not hasattr(player, "render" if seat == "describer" else "describe")


def test_a_whole_folder(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["submission", "check", "--all", str(tree)]) == 0
    assert capsys.readouterr().out == "2 of 2 submissions valid\n"
    (tree / "second" / "submission.yaml").write_text("schema: 1\n")
    assert ircore(["submission", "check", "--all", str(tree), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [(one["slug"], one["valid"]) for one in told["submissions"]] == [("first", True), ("second", False)]
    assert {one["field"] for one in told["errors"]} == {"name", "describer", "generator", "licence"}


def test_what_else_lies_in_a_folder_is_found(tree: Path) -> None:
    (tree / "first" / "notes.txt").write_text("x")
    (tree / "second" / "more").mkdir()
    (tree / "second" / "more" / "x.py").write_text("x")
    (tree / "empty").mkdir()
    (tree / "link").symlink_to(tree / "first")
    (tree / "linked").mkdir()
    (tree / "linked" / "submission.yaml").symlink_to("/etc/passwd")
    os.mkfifo(tree / "first" / "pipe")
    (tree / "stray.yaml").write_text("x")
    found = {Path(one.file).relative_to(tree).as_posix(): one.problem for one in errors(check_tree(tree).findings)}
    assert found == {
        "empty": "has no submission.yaml",
        "first/notes.txt": "is no file that a submission has",
        "first/pipe": "has the mode 000000",
        "link": "is in no submission's folder",
        "linked/submission.yaml": "is a symbolic link",
        "second/more/x.py": "is no file that a submission has",
        "stray.yaml": "is in no submission's folder",
    }


def test_a_manifest_that_is_a_link_or_a_pipe_is_not_opened(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "first" / "submission.yaml").unlink()
    (tree / "first" / "submission.yaml").symlink_to("/dev/zero")
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    os.mkfifo(tree / "pipe")
    assert ircore(["submission", "check", str(tree / "pipe")]) == 2
    assert capsys.readouterr().err.count("not a plain file") == 2


def test_one_line_first_then_every_finding_with_its_place(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(GOOD.replace("name:", "nmae:").replace("CC-BY-4.0", "cc-by-4.0").replace("github.com", "x.y"))
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[:5] == [
        f"ircore: {manifest}:1: name: is missing (3 errors, 1 warning)",
        f"  {manifest}:1:1: error: name: is missing",
        "    expected: one line of 1–300 characters",
        "    mend: Add name: one line of 1–300 characters.",
        f"  {manifest}:2:1: error: nmae: unknown key",
    ]
    assert f"{manifest}:8:10: warning: licence: SPDX writes it CC-BY-4.0" in err


def test_warnings_leave_a_submission_valid(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(GOOD.replace("-2026-01-15", "").replace("{temperature: 0}", "{}").replace("dates:", "# dates:"))
    assert ircore(["submission", "check", str(tree / "first"), "--github"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("first: valid: gpt-5.2 describes, canvas draws\n::warning file=")
    for words in ("which version of the model", "the provider's defaults", "does not say when"):
        assert words in err


def test_a_colon_and_a_comma_in_a_path_do_not_end_an_annotations_property(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a,b:c%" / "pair"
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text("schema: 1\n")
    assert ircore(["submission", "check", str(folder), "--github"]) == 2
    assert "a%2Cb%3Ac%25/pair" in capsys.readouterr().out.splitlines()[0]


def test_options_that_do_not_go_together(tree: Path) -> None:
    assert ircore(["submission", "check"]) == 2
    assert ircore(["submission", "check", "--all", str(tree), str(tree)]) == 2
    assert ircore(["submission", "check", "--all", str(tree / "nowhere")]) == 2
    assert ircore(["submission", "check", "--all", str(tree / "first")]) == 2
    assert ircore(["submission", "check", str(tree / "first"), "--preview", str(tree / "site")]) == 2
    assert not (tree / "site").exists()
