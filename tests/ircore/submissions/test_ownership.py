"""Whose entry it is: a merged submission is changed by the account that handed it in, or by maintainers."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from change_attacks import BASE, GOOD_FILE, IN
from github_server import TOKEN, GitHubServer, git, running_github
from manifest_attacks import GOOD
from trees import PLAIN, Files, ObjectRepository

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.submissions.check.change import CheckedChange, check_change
from ircore.submissions.findings import errors
from ircore.submissions.github import GitHub
from ircore.submissions.owners import OWNERS, Proposer, parse_owners

pytestmark = pytest.mark.attack

ANN, EVE = Proposer(7, "ann"), Proposer(8, "eve")
OWNED = {"slug": "there", "account": "ann", "account_id": 7, "organisation": "ann", "pull_request": 3}
OWNERS_FILE = json.dumps({**OWNED, "date": "2026-11-01"}).encode() + b"\n"
MERGED: Files = {
    **BASE,
    OWNERS: (PLAIN, OWNERS_FILE),
    "submissions/nobodys/submission.yaml": (PLAIN, GOOD.replace("A plain pair", "Older than the record").encode()),
}
THERE = "submissions/there/submission.yaml"
HISTORY = "submissions/there/history.jsonl"
MANIFEST = MERGED[THERE][1]
TRANSCRIPTS = b"transcripts: {repo: eve/traced, revision: " + b"a" * 40 + b", run: a-run}\n"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> ObjectRepository:
    return ObjectRepository(tmp_path_factory.mktemp("git") / "repository")


@pytest.fixture(scope="module")
def base(objects: ObjectRepository) -> str:
    return objects.commit(MERGED)


Propose = Callable[..., CheckedChange]


@pytest.fixture(scope="module")
def proposed(objects: ObjectRepository, base: str) -> Propose:
    def check(files: Files, by: Proposer | None, maintainers: bool = False, message: str = "Mine") -> CheckedChange:
        head = objects.commit({**MERGED, **files}, base, message=message)
        return check_change(objects.path, base, head, maintainers, by)

    return check


def step(kind: str, **more: str) -> bytes:
    return json.dumps({"date": "2026-11-01", "kind": kind, "reason": "we say so", **more}).encode() + b"\n"


CHANGES: dict[str, Files] = {
    "another author": {THERE: (PLAIN, MANIFEST.replace(b"Someone", b"Eve"))},
    "other transcripts": {THERE: (PLAIN, MANIFEST + TRANSCRIPTS)},
    "a withdrawal": {HISTORY: (PLAIN, step("withdrawn"))},
    "a dispute": {HISTORY: (PLAIN, step("disputed"))},
    "an update": {HISTORY: (PLAIN, step("updated"))},
    "a correction": {HISTORY: (PLAIN, step("corrected", run_id="a-run"))},
    "a return": {HISTORY: (PLAIN, step("reinstated"))},
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_belongs_to_another_account_is_not_changed(proposed: Propose, name: str) -> None:
    wrong = errors(proposed(CHANGES[name], EVE).findings)
    assert [(fault.file, fault.problem) for fault in wrong] == [
        (next(iter(CHANGES[name])), "belongs to the account ann, which alone may change submissions/there")
    ]
    assert "Dispute a result" in wrong[0].remedy


@pytest.mark.parametrize("name", CHANGES)
def test_its_account_changes_it_without_a_remark(proposed: Propose, name: str) -> None:
    remarks = [(finding.level, finding.problem) for finding in proposed(CHANGES[name], ANN).findings]
    assert [problem for level, problem in remarks if level == "error"] == []
    assert not any("already there" in problem or "adds to the history" in problem for _, problem in remarks)


@pytest.mark.parametrize("name", CHANGES)
def test_maintainers_are_excepted(proposed: Propose, name: str) -> None:
    assert errors(proposed(CHANGES[name], EVE, maintainers=True).findings) == []


def test_a_pair_without_a_recorded_submitter_is_for_maintainers(proposed: Propose) -> None:
    path = "submissions/nobodys/submission.yaml"
    changed: Files = {path: (PLAIN, MERGED[path][1].replace(b"Someone", b"Eve"))}
    (wrong,) = errors(proposed(changed, ANN).findings)
    assert "no recorded submitter" in wrong.problem
    assert "ircore submission own submissions/nobodys" in wrong.remedy


def test_a_new_submission_may_be_anybodys(proposed: Propose) -> None:
    assert proposed(GOOD_FILE, EVE).findings == ()


@pytest.mark.parametrize(
    "line",
    [
        OWNERS_FILE.replace(b'"account_id": 7', b'"account_id": 8'),
        OWNERS_FILE + OWNERS_FILE.replace(b'"account_id": 7', b'"account_id": 8'),
        b"",
    ],
)
def test_the_record_is_not_the_pull_requests_to_write(proposed: Propose, line: bytes) -> None:
    """Neither in a change of its own nor beside the change that it would allow: the merged record counts."""
    both: Files = {OWNERS: (PLAIN, line), THERE: (PLAIN, MANIFEST.replace(b"Someone", b"Eve"))}
    wrong = {(fault.file, fault.problem) for fault in errors(proposed(both, EVE).findings)}
    assert (OWNERS, "only the repository's workflows and maintainers write it") in wrong
    assert (THERE, "belongs to the account ann, which alone may change submissions/there") in wrong


def test_an_account_that_took_a_name_that_was_given_up_is_another(proposed: Propose) -> None:
    assert errors(proposed(CHANGES["a withdrawal"], Proposer(9, "ann")).findings)


def test_a_pair_changes_hands_by_a_later_line() -> None:
    later = OWNERS_FILE.replace(b"ann", b"bob").replace(b": 7", b": 70")
    owners = parse_owners(OWNERS_FILE + later)
    assert (owners["there"].account, owners["there"].account_id) == ("bob", 70)


@pytest.mark.parametrize(
    "line", [b"{}\n", b"[]\n", OWNERS_FILE.replace(b": 7", b": true"), OWNERS_FILE.replace(b"{", b'{"slug": "x", ')]
)
def test_a_damaged_record_is_named(line: bytes) -> None:
    with pytest.raises(InputError, match=r"owners\.jsonl:1: "):
        parse_owners(line)


# Decisions that are the maintainers'.


@pytest.mark.parametrize("kind", ["cleared", "settled"])
@pytest.mark.parametrize("spelled", ["plainly", "with an escape"])
def test_who_owns_a_pair_does_not_judge_it(proposed: Propose, kind: str, spelled: str) -> None:
    line = step(kind, run_id="a-run")
    if spelled == "with an escape":
        line = line.replace(b'"' + kind.encode(), b'"\\u%04x' % ord(kind[0]) + kind[1:].encode())
    assert json.loads(line)["kind"] == kind
    (wrong,) = errors(proposed({HISTORY: (PLAIN, line)}, ANN).findings)
    assert "which only maintainers may" in wrong.problem


def test_not_even_a_space_of_an_earlier_line_changes(objects: ObjectRepository) -> None:
    merged: Files = {**MERGED, HISTORY: (PLAIN, step("withdrawn"))}
    base = objects.commit(merged)

    def wrong(data: bytes) -> list[str]:
        head = objects.commit({**merged, HISTORY: (PLAIN, data)}, base)
        return [fault.problem for fault in errors(check_change(objects.path, base, head, False, ANN).findings)]

    added = step("reinstated")
    assert wrong(step("withdrawn") + added) == []
    for data in (step("withdrawn").replace(b": ", b":  ", 1) + added, added, step("withdrawn")[:-1] + b" \n" + added):
        assert "changes what is in the history already" in wrong(data)


# Words by which checks are left out.

SKIPPING = (
    "[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "[SKIP CI]", "[skip-ci]", "[ skip ci ]",
    "[skip  ci]", "***NO_CI***", "x\n\n\nskip-checks:true", "x\n\n\nskip-checks: true", "[skip checks]",
    "long\nlines\nof text\nand [ci skip] in the last",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("message", SKIPPING)
def test_words_that_skip_checks_are_refused(proposed: Propose, message: str) -> None:
    wrong = errors(proposed(GOOD_FILE, EVE, message=message).findings)
    assert [fault.file for fault in wrong] == ["the pull request"]
    assert "by which checks are left out" in wrong[0].problem
    assert errors(proposed(GOOD_FILE, None, maintainers=True, message=message).findings), "from maintainers too"


@pytest.mark.slow
def test_an_earlier_commit_and_the_title_count_too(objects: ObjectRepository, base: str) -> None:
    first = objects.commit({**MERGED, **GOOD_FILE}, base, message="Submit [skip ci]")
    later: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.encode() + b"\n")}
    head = objects.commit({**MERGED, **later}, first)
    (wrong,) = errors(check_change(objects.path, base, head, False, EVE).findings)
    assert first[:12] in wrong.problem
    good = objects.commit({**MERGED, **GOOD_FILE}, base)
    (wrong,) = errors(check_change(objects.path, base, good, False, EVE, "Submit mine [ci skip]").findings)
    assert "the title" in wrong.problem


# Names.

TAKEN_NAMES = {
    # In both directions: whichever of the two was there first.
    "Сору": "Copy", "Copy": "Сору", "ΑΒΕ": "ABE", "ABE": "ΑΒΕ", "paypaI": "paypal", "paypal": "paypaI",
    "CLASSICAL": "classical",
    "Mini pair": "MINI PAIR", "rnodel": "model", "model": "rnodel", "vvide": "wide", "Аrс": "Arc",
    "0ne": "One", "ＡＢ": "AB",
    "Same": "Same", "plain_pair": "Plain pair", "ρair": "pair",
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN_NAMES)
def test_a_name_that_looks_like_one_that_is_there(objects: ObjectRepository, name: str) -> None:
    there = TAKEN_NAMES[name]
    if any(ord(letter) > 0x2FF for letter in name) and any(letter.isascii() and letter.isalpha() for letter in name):
        return  # refused already as a word of two alphabets
    merged: Files = {"submissions/first/submission.yaml": (PLAIN, GOOD.replace("A plain pair", there).encode())}
    base = objects.commit(merged)
    mine: Files = {"submissions/second/submission.yaml": (PLAIN, GOOD.replace("A plain pair", name).encode())}
    problems = [
        fault.problem
        for fault in errors(check_change(objects.path, base, objects.commit({**merged, **mine}, base)).findings)
    ]
    assert any(
        "looks like the name of first" in problem or "is also the name of first" in problem for problem in problems
    )


@pytest.mark.slow
def test_a_folder_is_not_named_as_another_pair_nor_a_pair_as_a_folder(objects: ObjectRepository) -> None:
    merged: Files = {
        "submissions/night-owl/submission.yaml": (PLAIN, GOOD.replace("A plain pair", "Early bird").encode())
    }
    base = objects.commit(merged)
    for slug, name, told in (
        ("early-bird", "Mine", "looks like the name of night-owl"),
        ("mine", "Night Owl", "looks like"),
    ):
        mine: Files = {f"submissions/{slug}/submission.yaml": (PLAIN, GOOD.replace("A plain pair", name).encode())}
        wrong = errors(check_change(objects.path, base, objects.commit({**merged, **mine}, base)).findings)
        assert [told in fault.problem for fault in wrong] == [True]


RESERVED = (
    "Official pair", "OFFICIAL", "0fficial pair", "Off1cial", "оffiсiаl", "o f f i c i a l",
    "Verified by us", "VERIFIED",
    "Gold medal", "The 1st", "1st pair", "Winner", "Champion of all", "State-of-the-art pair", "SOTA pair",
    "Top 1", "No. 1 pair",
    "Rank 1 pair", "Image Reconstruction Game pair", "ircore pair", "Built-in pair", "The maintainers", "Maintainers",
    "🥇 pair", "pair 🏆", "★ pair",
    "pair ✅", "pair ✔", "Re-scored pair", "Certified pair", "Number one", "First place",
)  # fmt: skip


@pytest.mark.parametrize("word", RESERVED)
def test_reserved_words(proposed: Propose, word: str) -> None:
    written = json.dumps(word, ensure_ascii=False)
    manifest = GOOD.replace("name: A plain pair", f"name: {written}").replace("[Someone]", f"[{written}]")
    wrong = errors(proposed({f"{IN}/submission.yaml": (PLAIN, manifest.encode())}, EVE).findings)
    assert {"name", "authors[0]"} <= {fault.field for fault in wrong}


@pytest.mark.parametrize(
    "slug", ["official-pair", "gold-pair", "1st", "the-verified", "ircore-pair", "sota", "built-in-x"]
)
def test_reserved_words_in_folders(proposed: Propose, slug: str) -> None:
    wrong = errors(proposed({f"submissions/{slug}/submission.yaml": (PLAIN, GOOD.encode())}, EVE).findings)
    assert any("which only this project says" in fault.problem for fault in wrong)


@pytest.mark.parametrize(
    "name", ["Golden Gate", "An unofficial-looking owl", "Mediocre", "Firstborn", "Bestiary", "Goldilocks + canvas"]
)
def test_words_that_only_begin_alike(proposed: Propose, name: str) -> None:
    files: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("A plain pair", name).encode())}
    assert proposed(files, EVE).findings == ()


PROVIDERS = ("OpenAI", "Open AI", "OPENAI", "0penAI", "ОреnАІ", "OpenAI Research", "Ann (OpenAI)", "Google DeepMind",
             "Anthropic", "Mistral AI",
             "Team Google", "Meta", "xAI", "Stability AI", "Microsoft", "nvidia")  # fmt: skip


@pytest.mark.parametrize("author", PROVIDERS)
def test_a_providers_name_as_author_needs_proof(proposed: Propose, author: str) -> None:
    files: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("[Someone]", f'["{author}"]').encode())}
    assert errors(proposed(files, EVE).findings)


@pytest.mark.slow
def test_the_fork_of_the_organisation_is_the_proof(proposed: Propose) -> None:
    files: Files = {"submissions/openai-first/submission.yaml": (PLAIN, GOOD.replace("[Someone]", "[OpenAI]").encode())}
    refused = {(fault.field, fault.remedy) for fault in errors(proposed(files, EVE).findings)}
    assert refused == {
        ("", "Write your own name for the folder, or prove it: open the pull request from a fork of openai."),
        ("authors[0]", "Write your own name, or prove it: open the pull request from a fork of openai."),
    }
    # Names of accounts do not differ by case.
    for account in ("OpenAI", "openai", "OPENAI"):
        assert proposed(files, Proposer(8, account)).findings == ()
    assert errors(proposed(files, Proposer(8, "openai-fans")).findings)
    assert errors(proposed(files, EVE, maintainers=True).findings) == []
    at_home = proposed(files, None).findings
    assert [finding.level for finding in at_home] == ["warning", "warning"]


# What the service knows: the gate, and the record at the merge.


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a bare repository with the merged pairs, three pull requests beside them."""
    objects = ObjectRepository(tmp_path / "origin.git")
    base = objects.commit(MERGED)
    heads = {
        1: objects.commit({**MERGED, **GOOD_FILE}, base),
        2: objects.commit({**MERGED, **CHANGES["another author"]}, base),
        3: objects.commit({**MERGED, "README.md": (PLAIN, b"better\n")}, base, message="Better [skip ci]"),
        4: objects.commit({**MERGED, "README.md": (PLAIN, b"better\n")}, base),
    }
    for number, head in heads.items():
        git(objects.path, "update-ref", f"refs/pull/{number}/head", head)
    git(objects.path, "update-ref", "refs/heads/main", base)
    git(objects.path, "symbolic-ref", "HEAD", "refs/heads/main")
    subprocess.run(["git", "clone", "-q", str(objects.path), str(tmp_path / "clone")], check=True)
    return tmp_path / "clone"


@pytest.mark.slow
def test_the_gate_sets_a_status_on_every_pull_request(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = clone.parent / "origin.git"
    with running_github(origin, clone.parent / "artefacts") as github:
        github.titles = {1: "Mine", 2: "Theirs", 3: "Better", 4: "Better"}
        github.accounts = {1: ("eve", 8), 2: ("eve", 8)}
        for name, value in {"API_URL": github.url, "REPOSITORY": "org/benchmark", "TOKEN": TOKEN}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        assert ircore(["submission", "gate", "--repo", str(clone)]) == 0
        told = capsys.readouterr().out.splitlines()
        heads = [git(origin, "rev-parse", f"refs/pull/{number}/head").strip() for number in (1, 2, 3, 4)]
        assert [github.statuses[head][0] for head in heads] == [True, False, False, True]
        assert "belongs to the account ann" in github.statuses[heads[1]][1]
        assert "'[skip ci]'" in github.statuses[heads[2]][1]
        assert [line.partition(":")[0] for line in told] == ["#1", "#2", "#3", "#4"]

        # A merge by hand: the next hour its account is recorded, once.
        git(clone, "fetch", "-q", "origin", heads[0])
        git(clone, "merge", "-q", "--no-ff", "-m", "merged", heads[0])
        git(clone, "push", "-q", "origin", "HEAD:main")
        for _ in range(2):
            assert ircore(["submission", "record-owners", str(clone / "submissions")]) == 0
        told = capsys.readouterr().out.splitlines()
        assert told[0].startswith("nobodys: no pull request brought it")
        assert told[1:] == ["plain-pair: belongs to eve", told[0]]
        owners = parse_owners(GitHub.of_job().read_file(OWNERS))
        assert (owners["plain-pair"].account_id, owners["plain-pair"].pull_request) == (8, 1)
        assert owners["there"].account == "ann"


@pytest.fixture
def job(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    """GitHub's API, and the variables of a job."""
    with running_github(clone.parent / "origin.git", clone.parent / "artefacts") as github:
        for name, value in {"API_URL": github.url, "REPOSITORY": "org/benchmark", "TOKEN": TOKEN}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        yield github


@pytest.mark.slow
@pytest.mark.parametrize("allowed", [1, 5], ids=["allowed first", "allowed last"])
def test_a_commit_that_somebody_may_not_propose_is_refused_for_all(
    clone: Path, job: GitHubServer, allowed: int
) -> None:
    """A status is of a commit: a stranger's pull request with the commit of an allowed one must not take its status."""
    origin = clone.parent / "origin.git"
    git(origin, "update-ref", "refs/pull/5/head", "refs/pull/2/head")
    git(origin, "update-ref", "refs/pull/1/head", "refs/pull/2/head")
    job.titles = {1: "Mine", 5: "Mine"}
    job.accounts = {1: ("eve", 8), 5: ("eve", 8), allowed: ("ann", 7)}
    assert ircore(["submission", "gate", "--repo", str(clone)]) == 0
    passed, text = job.statuses[git(origin, "rev-parse", "refs/pull/2/head").strip()]
    assert (passed, "belongs to the account ann" in text) == (False, True)


@pytest.mark.slow
def test_who_brought_a_commit_is_not_who_merged_it_elsewhere_or_later(clone: Path, job: GitHubServer) -> None:
    origin = clone.parent / "origin.git"
    commit = git(origin, "rev-parse", "refs/pull/1/head").strip()
    for number in (0, 6):
        git(origin, "update-ref", f"refs/pull/{number}/head", commit)
    job.titles = {0: "Elsewhere", 1: "Mine", 6: "Later"}
    job.accounts = {0: ("eve", 8), 1: ("ann", 7), 6: ("eve", 8)}
    job.merged_elsewhere = {0}
    brought = GitHub.of_job().merged_by(commit)
    assert brought is not None
    assert (brought.number, brought.account_id) == (1, 7)


@pytest.mark.slow
def test_a_green_check_without_the_gate_offers_nothing(clone: Path, job: GitHubServer) -> None:
    """A fork changes the workflow that checks it; it cannot set the status."""
    commit = "a" * 40
    job.green.add(commit)
    assert not GitHub.of_job().is_checked(commit, "submission gate")
    job.statuses[commit] = (False, "no")
    assert not GitHub.of_job().is_checked(commit, "submission gate")
    job.statuses[commit] = (True, "in order")
    assert GitHub.of_job().is_checked(commit, "submission gate")
    job.green.clear()
    assert not GitHub.of_job().is_checked(commit, "submission gate")


@pytest.mark.slow
def test_a_maintainer_records_an_account_by_hand(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = clone / "submissions" / "nobodys"
    assert ircore(["submission", "own", str(path), "--account", "bob", "--account-id", "9"]) == 0
    assert "nobodys: belongs to bob" in capsys.readouterr().out
    assert parse_owners((clone / OWNERS).read_bytes())["nobodys"].account_id == 9
    assert ircore(["submission", "own", str(path), "--account", "b b", "--account-id", "9"]) == 2
    assert "account" in capsys.readouterr().err
    assert os.environ.get("GITHUB_TOKEN") is None
