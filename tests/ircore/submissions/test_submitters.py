"""Whose entry it is: a merged submission is changed by the account that its manifest names, or by maintainers."""

import json
from collections.abc import Callable

import pytest
from change_attacks import BASE, GOOD_FILE, IN
from manifest_attacks import GOOD
from trees import PLAIN, Files, ObjectRepository

from ircore.submissions.check.change import CheckedChange, Proposer, check_change
from ircore.submissions.findings import select_errors

pytestmark = pytest.mark.attack

ANN, EVE = Proposer("ann", "ann"), Proposer("eve", "eve")
THERE = "submissions/there/submission.yaml"
DECISIONS = "submissions/there/decisions.yaml"
MANIFEST = BASE[THERE][1].replace(b"submitter: eve", b"submitter: Ann")
NOBODYS = "submissions/nobodys/submission.yaml"
OLDER = GOOD.replace("A plain pair", "Of nobody").replace("submitter: eve\n", "").encode()
MERGED: Files = {**BASE, THERE: (PLAIN, MANIFEST), NOBODYS: (PLAIN, OLDER)}
TRANSCRIPTS = b"transcripts: {repo: eve/traced, revision: " + b"a" * 40 + b", run: a-run}\n"
BELONGS = "belongs to the account Ann, which alone may change submissions/there"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> ObjectRepository:
    return ObjectRepository(tmp_path_factory.mktemp("git") / "repository")


@pytest.fixture(scope="module")
def base(objects: ObjectRepository) -> str:
    return objects.commit(MERGED)


Propose = Callable[..., CheckedChange]


@pytest.fixture(scope="module")
def proposed(objects: ObjectRepository, base: str) -> Propose:
    def check(files: Files, by: Proposer | None, maintainers: bool = False) -> CheckedChange:
        head = objects.commit({**MERGED, **files}, base)
        return check_change(objects.path, base, head, maintainers, by)

    return check


def decided(*kinds: str, run: str | None = None) -> bytes:
    more = {} if run is None else {"run_id": run}
    made = [{"date": "2026-11-01", "kind": kind, "reason": "we say so", **more} for kind in kinds]
    return json.dumps({"decisions": made}).encode()


CHANGES: dict[str, Files] = {
    "another author": {THERE: (PLAIN, MANIFEST.replace(b"Someone", b"Eve"))},
    "other transcripts": {THERE: (PLAIN, MANIFEST + TRANSCRIPTS)},
    **{f"a decision: {kind}": {DECISIONS: (PLAIN, decided(kind))} for kind in ("withdrawn", "disputed", "reinstated")},
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_belongs_to_an_account_is_changed_by_it_or_maintainers(proposed: Propose, name: str) -> None:
    wrong = select_errors(proposed(CHANGES[name], EVE).findings)
    assert (next(iter(CHANGES[name])), BELONGS) in [(fault.file, fault.problem) for fault in wrong]
    assert any("Dispute a result" in fault.remedy for fault in wrong)
    assert proposed(CHANGES[name], ANN).findings == ()
    assert select_errors(proposed(CHANGES[name], EVE, maintainers=True).findings) == []
    assert {finding.level for finding in proposed(CHANGES[name], None).findings} == {"warning"}, "at home"


def test_the_manifest_that_is_merged_says_whose_it_is(proposed: Propose) -> None:
    """Not the manifest that the change brings: who writes a name of their own into it gains nothing."""
    taken: Files = {THERE: (PLAIN, MANIFEST.replace(b"Ann", b"eve"))}
    assert [fault.problem for fault in select_errors(proposed(taken, EVE).findings)] == [BELONGS]
    assert select_errors(proposed(taken, EVE, maintainers=True).findings) == [], "maintainers pass a pair on"
    given: Files = {THERE: (PLAIN, MANIFEST.replace(b"Ann", b"bob"))}
    (wrong,) = select_errors(proposed(given, ANN).findings)
    assert (wrong.field, wrong.problem) == ("submitter", "names bob, and ann opens the pull request")


def test_a_pair_without_a_submitter_is_for_maintainers(proposed: Propose) -> None:
    changed: Files = {NOBODYS: (PLAIN, OLDER + b"submitter: eve\n")}
    (wrong,) = select_errors(proposed(changed, EVE).findings)
    assert "names no submitter" in wrong.problem


def test_a_new_submission_names_the_account_that_hands_it_in(proposed: Propose) -> None:
    assert proposed(GOOD_FILE, EVE).findings == ()
    (wrong,) = select_errors(proposed(GOOD_FILE, ANN).findings)
    assert (wrong.field, wrong.remedy) == ("submitter", "Write submitter: ann. A maintainer passes a pair on.")
    without: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("submitter: eve\n", "").encode())}
    (wrong,) = select_errors(proposed(without, EVE).findings)
    assert (wrong.problem, wrong.remedy) == ("is missing", "Write submitter: eve.")


def test_a_change_without_a_submission_passes(proposed: Propose) -> None:
    """The required check reports for every pull request; code and pages are for reviewers."""
    for files in ({"README.md": (PLAIN, b"better\n")}, {".github/workflows/ci.yml": (PLAIN, b"name: evil\n")}):
        for maintainers in (False, True):
            change = proposed(files, EVE, maintainers)
            assert (change.checked, change.findings) == ((), ())


# Decisions.


@pytest.mark.parametrize("kind", ["cleared", "settled"])
@pytest.mark.parametrize("spelled", ["plainly", "with an escape"])
def test_who_owns_a_pair_does_not_judge_it(proposed: Propose, kind: str, spelled: str) -> None:
    data = decided(kind, run="a-run")
    if spelled == "with an escape":
        data = data.replace(b'"' + kind.encode(), b'"\\u%04x' % ord(kind[0]) + kind[1:].encode())
    (wrong,) = select_errors(proposed({DECISIONS: (PLAIN, data)}, ANN).findings)
    assert "which only maintainers decide" in wrong.problem


def test_earlier_decisions_stay(objects: ObjectRepository) -> None:
    merged: Files = {**MERGED, DECISIONS: (PLAIN, decided("disputed"))}
    base = objects.commit(merged)

    def wrong(data: bytes | None) -> list[str]:
        files = {path: file for path, file in merged.items() if path != DECISIONS}
        head = objects.commit(files if data is None else {**files, DECISIONS: (PLAIN, data)}, base)
        return [fault.problem for fault in select_errors(check_change(objects.path, base, head, False, ANN).findings)]

    assert wrong(decided("disputed", "withdrawn")) == []
    assert wrong(decided("disputed", "withdrawn").replace(b": ", b":  ", 1)) == [], "spaces decide nothing"
    for kinds in ((), ("withdrawn",), ("withdrawn", "disputed")):
        assert wrong(decided(*kinds)) == ["changes earlier decisions"]
    assert wrong(decided("disputed").replace(b"we say so", b"no reason")) == ["changes earlier decisions"]
    assert wrong(None) == ["deletes decisions"]


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
        for fault in select_errors(check_change(objects.path, base, objects.commit({**merged, **mine}, base)).findings)
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
        wrong = select_errors(check_change(objects.path, base, objects.commit({**merged, **mine}, base)).findings)
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
    wrong = select_errors(proposed({f"{IN}/submission.yaml": (PLAIN, manifest.encode())}, EVE).findings)
    assert {"name", "authors[0]"} <= {fault.field for fault in wrong}


@pytest.mark.parametrize(
    "slug", ["official-pair", "gold-pair", "1st", "the-verified", "ircore-pair", "sota", "built-in-x"]
)
def test_reserved_words_in_folders(proposed: Propose, slug: str) -> None:
    wrong = select_errors(proposed({f"submissions/{slug}/submission.yaml": (PLAIN, GOOD.encode())}, EVE).findings)
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
    assert select_errors(proposed(files, EVE).findings)


@pytest.mark.slow
def test_the_fork_of_the_organisation_is_the_proof(proposed: Propose) -> None:
    files: Files = {"submissions/openai-first/submission.yaml": (PLAIN, GOOD.replace("[Someone]", "[OpenAI]").encode())}
    refused = {(fault.field, fault.remedy) for fault in select_errors(proposed(files, EVE).findings)}
    assert refused == {
        ("", "Write your own name for the folder, or prove it: open the pull request from a fork of openai."),
        ("authors[0]", "Write your own name, or prove it: open the pull request from a fork of openai."),
    }
    # Names of accounts do not differ by case.
    for account in ("OpenAI", "openai", "OPENAI"):
        assert proposed(files, Proposer("eve", account)).findings == ()
    assert select_errors(proposed(files, Proposer("eve", "openai-fans")).findings)
    assert select_errors(proposed(files, EVE, maintainers=True).findings) == []
    at_home = proposed(files, None).findings
    assert [finding.level for finding in at_home] == ["warning", "warning"]
