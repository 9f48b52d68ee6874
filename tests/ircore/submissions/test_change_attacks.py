"""Pull requests as git objects: one valid submission and nothing else; nothing is checked out, written or run."""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from change_attacks import BASE, CHANGES, GOOD_FILE, IN, MANIFEST, Change
from manifest_attacks import GOOD
from trees import FOLDER, PLAIN, Files, ObjectRepository
from workflows import read_workflow

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError, WorkError
from ircore.submissions.check.change import CheckedChange, check_change
from ircore.submissions.findings import select_errors

pytestmark = [pytest.mark.attack, pytest.mark.slow]

WORKFLOWS = Path(__file__).resolve().parents[3] / ".github" / "workflows"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> ObjectRepository:
    return ObjectRepository(tmp_path_factory.mktemp("git") / "repository")


@pytest.fixture(scope="module")
def base(objects: ObjectRepository) -> str:
    return objects.commit(BASE)


@pytest.fixture(scope="module")
def proposed(objects: ObjectRepository, base: str) -> Callable[..., CheckedChange]:
    def check(files: Files, removed: tuple[str, ...] = ()) -> CheckedChange:
        kept = {path: file for path, file in BASE.items() if path not in removed}
        return check_change(objects.path, base, objects.commit({**kept, **files}, base))

    return check


def test_a_good_submission_passes(proposed: Callable[..., CheckedChange]) -> None:
    change = proposed(GOOD_FILE)
    assert change.findings == ()
    assert [submission.slug for submission in change.checked] == ["plain-pair"]


@pytest.mark.parametrize("change", CHANGES, ids=lambda entry: entry.name)
def test_a_hostile_change_is_refused(objects: ObjectRepository, base: str, change: Change) -> None:
    """From maintainers too, all but where it lies: that is theirs to decide."""
    kept = {path: file for path, file in BASE.items() if path not in change.removed}
    head = objects.commit({**kept, **change.files}, base)
    wrong = select_errors(check_change(objects.path, base, head).findings)
    told = [fault for fault in wrong if fault.file == change.file and change.problem in fault.problem]
    assert told, [str(fault) for fault in wrong]
    assert all(fault.remedy for fault in wrong)
    assert all(part.isprintable() for fault in wrong for part in (fault.file, fault.field, fault.problem, fault.remedy))
    may = "only maintainers add or change built-in pairs"
    harmful = [fault for fault in wrong if "submissions/" in fault.file and fault.problem != may]
    assert select_errors(check_change(objects.path, base, head, by_maintainers=True).findings) == harmful


def test_an_update_passes_with_a_remark(proposed: Callable[..., CheckedChange]) -> None:
    changed = BASE["submissions/there/submission.yaml"][1].replace(b"Someone", b"Someone Else")
    change = proposed({"submissions/there/submission.yaml": (PLAIN, changed)})
    assert [(finding.level, finding.problem) for finding in change.findings] == [
        ("warning", "changes a submission that is already there")
    ]


def test_what_was_merged_meanwhile_is_no_part_of_a_change(objects: ObjectRepository, base: str) -> None:
    head = objects.commit({**BASE, **GOOD_FILE}, base)
    newer: Files = {
        **BASE,
        "README.md": (PLAIN, b"new\n"),
        "submissions/new/submission.yaml": (PLAIN, GOOD.replace("plain", "new").encode()),
    }
    assert check_change(objects.path, objects.commit(newer, base), head).findings == ()


def test_names_that_were_merged_meanwhile_are_taken(objects: ObjectRepository, base: str) -> None:
    head = objects.commit({**BASE, **GOOD_FILE}, base)
    newer: Files = {**BASE, "submissions/plain-pa1r/submission.yaml": (PLAIN, GOOD.replace("plain", "PLAIN").encode())}
    wrong = select_errors(check_change(objects.path, objects.commit(newer, base), head).findings)
    assert [fault.problem for fault in wrong] == ["looks like the name of plain-pa1r"]


def test_thousands_of_files_are_refused_shortly(proposed: Callable[..., CheckedChange]) -> None:
    many: Files = {f"{IN}/file-{number}": (PLAIN, b"x") for number in range(2000)}
    assert 40 < len(proposed({**GOOD_FILE, **many}).findings) < 60


def test_nothing_is_checked_out_and_no_hook_or_filter_runs(tmp_path: Path) -> None:
    folder = tmp_path / "clone"
    objects = ObjectRepository(tmp_path / "origin")
    base = objects.commit(BASE)
    attributes: Files = {".gitattributes": (PLAIN, b"* filter=evil diff=evil\n")}
    head = objects.commit({**BASE, **GOOD_FILE, **attributes}, base)
    subprocess.run(["git", "clone", "-q", str(objects.path), str(folder)], check=True, capture_output=True)
    mark = tmp_path / "ran"
    subprocess.run(["git", "-C", str(folder), "fetch", "-q", str(objects.path), base, head], check=True)
    for setting in ("filter.evil.smudge", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor"):
        subprocess.run(["git", "-C", str(folder), "config", setting, f"touch {mark}"], check=True)
    before = sorted(path for path in folder.rglob("*") if "objects" not in path.parts)
    assert select_errors(check_change(folder, base, head).findings)
    assert sorted(path for path in folder.rglob("*") if "objects" not in path.parts) == before
    assert not mark.exists()


# What only somebody makes who writes git's objects by hand, or merges with care.


def test_a_merge_cannot_hide_that_it_undoes_something(objects: ObjectRepository, base: str) -> None:
    """Two branches that merged one another: against the newest commit in common, nothing seems to be undone."""
    first: Files = {"submissions/first/submission.yaml": (PLAIN, GOOD.replace("plain", "first").encode())}
    mended: Files = {**BASE, "README.md": (PLAIN, b"mended\n")}
    mending = objects.commit(mended, base, when=1790000001)
    # A submitter's own commit, merged before, that bears a date of the future.
    earlier = objects.commit({**BASE, **first}, base, when=1990000000)
    main = objects.commit({**mended, **first}, mending, earlier)
    undoing = objects.commit({**BASE, **first, **GOOD_FILE}, earlier, mending, when=1990000001)
    with pytest.raises(InputError, match="departed from one another at 2 commits") as caught:
        check_change(objects.path, main, undoing)
    assert "git rebase" in caught.value.remedy


@pytest.mark.parametrize("last_is_good", [True, False])
def test_a_file_that_is_there_twice(objects: ObjectRepository, base: str, last_is_good: bool) -> None:
    """A reader takes the last one of two, a checkout perhaps the first."""
    both = [objects.blob(b"evil: 1\n"), objects.blob(GOOD.encode())]
    pair = objects.listing(*((PLAIN, "submission.yaml", item) for item in (both if last_is_good else both[::-1])))
    rest = {path.removeprefix("submissions/"): file for path, file in BASE.items() if path.startswith("submissions/")}
    folder = objects.listing((FOLDER, "plain-pair", pair), (FOLDER, "there", objects.tree(rest)))
    head = objects.commit_of(objects.listing((FOLDER, "submissions", folder)), base)
    with pytest.raises(InputError, match=r"plain-pair/submission\.yaml': is twice in one commit"):
        check_change(objects.path, base, head)


def test_the_workflow_fetches_no_objects_that_git_would_not_make(tmp_path: Path) -> None:
    objects = ObjectRepository(tmp_path / "origin")
    base = objects.commit(BASE)
    twice = objects.listing(*[(PLAIN, "submission.yaml", objects.blob(GOOD.encode()))] * 2)
    heads = [objects.commit_of(tree, base) for tree in (objects.tree(GOOD_FILE), twice)]
    for number, head in enumerate(heads):
        subprocess.run(["git", "-C", str(objects.path), "update-ref", f"refs/pull/{number}/head", head], check=True)
    steps = read_workflow(WORKFLOWS / "submission.yml")["jobs"]["submitted"]["steps"]
    (step,) = (step for step in steps if step.get("run", "").startswith("git fetch "))
    clone = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", str(objects.path)], check=True)

    def fetched(head: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **step["env"], "HEAD": head, "LC_ALL": "C"}
        return subprocess.run(["bash", "-c", step["run"]], cwd=clone, env=environment, capture_output=True, text=True)

    assert fetched(heads[0]).returncode == 0
    refused = fetched(heads[1])
    assert refused.returncode
    assert "duplicateEntries" in refused.stderr


def test_a_few_objects_that_name_ten_thousand_million_files(objects: ObjectRepository, base: str) -> None:
    tree = objects.listing(*((PLAIN, f"f{number}", objects.blob(b"x")) for number in range(10)))
    for _ in range(9):
        tree = objects.listing(*((FOLDER, f"d{number}", tree) for number in range(10)))
    head = objects.commit_of(objects.listing((FOLDER, "submissions", tree)), base)
    with pytest.raises(WorkError, match="lists more than is read here"):
        check_change(objects.path, base, head)


@pytest.mark.parametrize("mode", ["100664", "100600", "0100644"])
def test_other_ways_to_write_a_plain_file(objects: ObjectRepository, base: str, mode: str) -> None:
    """Git itself takes them for plain files, so that a merge makes them plain ones."""
    pair = objects.listing((mode, "submission.yaml", objects.blob(GOOD.encode())))
    kept = {path: file for path, file in BASE.items() if not path.startswith("submissions/")}
    there = {path.split("/")[1]: {"submission.yaml": file} for path, file in BASE.items() if path not in kept}
    folders = [(FOLDER, slug, objects.tree(files)) for slug, files in there.items()]
    folder = objects.listing(*sorted([*folders, (FOLDER, "plain-pair", pair)], key=lambda entry: entry[1]))
    github = {".github/workflows/ci.yml": BASE[".github/workflows/ci.yml"]}
    whole = [
        (FOLDER, ".github", objects.tree({path.removeprefix(".github/"): item for path, item in github.items()})),
        (PLAIN, "README.md", objects.blob(BASE["README.md"][1])),
        (FOLDER, "submissions", folder),
    ]
    change = check_change(objects.path, base, objects.commit_of(objects.listing(*whole), base))
    assert change.findings == ()


# Decisions.

MADE = {"date": "2026-11-01", "kind": "disputed", "reason": "the pictures look traced"}
DECISIONS = "submissions/there/decisions.yaml"
BAD_DECISIONS = {
    "a script": ({**MADE, "reason": "<script>x</script>"}, "holds markup"),
    "a link that runs": ({**MADE, "reason": "[see](javascript:x)"}, "holds markup"),
    "a template": ({**MADE, "reason": "{{ 7*7 }}"}, "holds markup"),
    "a formula": ({**MADE, "reason": "=HYPERLINK(1)"}, "formulas of spreadsheets"),
    "text from right to left": ({**MADE, "reason": "abc\u202ecba"}, "U+202E"),
    "a space without width": ({**MADE, "reason": "a\u200bb"}, "U+200B"),
    "two alphabets in a word": ({**MADE, "reason": "mаde up"}, "mixes alphabets"),
    "a key": ({**MADE, "reason": f"sk-{'a1B2' * 10}"}, "an API key"),
    "somebody's folder": ({**MADE, "reason": "see /home/somebody/x"}, "a path of a machine"),
    "a day that never comes": ({**MADE, "date": "9999-12-31"}, "is in the future"),
    "a repository elsewhere": (
        {**MADE, "kind": "updated", "former": {"repo": "https://evil.example/x", "revision": "a" * 40, "run": "a"}},
        "no name of a dataset repository",
    ),
}


@pytest.mark.parametrize("name", BAD_DECISIONS)
def test_words_of_a_decision_that_cannot_be_published(proposed: Callable[..., CheckedChange], name: str) -> None:
    decision, problem = BAD_DECISIONS[name]
    data = f"decisions:\n- {json.dumps(MADE)}\n- {json.dumps(decision)}\n".encode()
    (wrong,) = select_errors(proposed({DECISIONS: (PLAIN, data)}).findings)
    assert (wrong.file, wrong.line) == (DECISIONS, 3)
    assert problem in wrong.problem
    assert wrong.problem.isprintable()


def test_nothing_is_decided_yet_about_what_is_not_there(proposed: Callable[..., CheckedChange]) -> None:
    data = json.dumps({"decisions": [MADE]}).encode()
    for files in ({}, GOOD_FILE):
        (wrong,) = select_errors(proposed({**files, f"{IN}/decisions.yaml": (PLAIN, data)}).findings)
        assert "not there yet" in wrong.problem


@pytest.mark.parametrize("name", ["--upload-pack=touch x", "no-such", "HEAD:README.md", "", "-h"])
def test_what_is_no_commit_is_refused(objects: ObjectRepository, base: str, name: str) -> None:
    with pytest.raises(InputError, match="no commit in"):
        check_change(objects.path, name, base)


def test_histories_that_never_met_are_refused(objects: ObjectRepository, base: str) -> None:
    with pytest.raises(InputError, match="no commit in common") as caught:
        check_change(objects.path, base, objects.commit(GOOD_FILE))
    assert "--unshallow" in caught.value.remedy


def test_the_command_says_the_same_to_people_programs_and_the_service(
    objects: ObjectRepository,
    base: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    bad = objects.commit({**BASE, MANIFEST: (PLAIN, GOOD.replace("0}}", "0, <b>: 1}}").encode())}, base)
    command = ["submission", "check-change", base, bad, "--repo", str(objects.path)]
    assert ircore([*command, "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["base"], told["head"]) == (False, base, bad)
    assert [(entry["file"], entry["line"]) for entry in told["errors"]] == [(MANIFEST, 3)]
    assert ircore([*command, "--github"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith(f"::error file={MANIFEST},line=3,col=")
    assert err.startswith(f"ircore: {MANIFEST}:3:")
    assert err.splitlines()[0].endswith(": describer.parameters.<b>: unknown parameter (1 error)")
    summary = (tmp_path / "summary.md").read_text()
    assert "### Submission check: refused" in summary
    assert "&lt;b&gt;" in summary
    assert "<b>" not in summary
    good = objects.commit({**BASE, **GOOD_FILE}, base)
    assert ircore([*command[:3], good, *command[4:], "--github"]) == 0
    assert capsys.readouterr().out == "plain-pair: valid: describer: gpt-5.2-2026-01-15, generator: canvas\n"


def test_a_clone_without_the_files_is_told_from_one_without_a_submission(tmp_path: Path) -> None:
    objects = ObjectRepository(tmp_path / "repository")
    base = objects.commit(BASE)
    head = objects.commit({**BASE, **GOOD_FILE}, base)
    content = f"blob {len(GOOD)}\0{GOOD}".encode()
    name = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    (objects.path / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(WorkError):
        check_change(objects.path, base, head)


def test_where_there_is_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["submission", "check-change", "main", "mine", "--repo", str(tmp_path)]) == 2
    assert f"{tmp_path}: no git repository" in capsys.readouterr().err


def test_a_change_of_decisions_alone_says_so(
    objects: ObjectRepository, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    merged = objects.commit({**BASE, **GOOD_FILE}, base)
    data = json.dumps({"decisions": [MADE]}).encode()
    head = objects.commit({**BASE, **GOOD_FILE, f"{IN}/decisions.yaml": (PLAIN, data)}, merged)
    assert ircore(["submission", "check-change", merged, head, "--repo", str(objects.path)]) == 0
    assert capsys.readouterr().out == "no manifest is added or changed; no errors in what is\n"


def test_maintainers_change_several_pairs_and_other_files(objects: ObjectRepository, base: str) -> None:
    mended = BASE["submissions/there/submission.yaml"][1].replace(b"Someone", b"Someone Else")
    builtin, page = "submissions/builtin-more/submission.yaml", "README.md"
    files = {"submissions/there/submission.yaml": (PLAIN, mended), builtin: GOOD_FILE[MANIFEST], page: (PLAIN, b"x")}
    head = objects.commit({**BASE, **files}, base)
    problems = {error.problem for error in select_errors(check_change(objects.path, base, head).findings)}
    assert {"only maintainers add or change built-in pairs", "is in no submission's folder"} <= problems
    change = check_change(objects.path, base, head, by_maintainers=True)
    assert select_errors(change.findings) == []
    assert {submission.slug for submission in change.checked} == {"there", "builtin-more"}


def test_who_deletes_a_submission_is_told_how_to_take_it_back(
    objects: ObjectRepository, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    merged = objects.commit({**BASE, **GOOD_FILE}, base)
    head = objects.commit(BASE, merged)
    assert ircore(["submission", "check-change", merged, head, "--repo", str(objects.path)]) == 2
    assert f"ircore maintain withdraw {MANIFEST.rpartition('/')[0]} --reason TEXT" in capsys.readouterr().err
