"""A season's set is drawn in secret and shown to be the same afterwards; who may change an entry, and its name."""

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from change_attacks import BASE, GOOD_FILE, IN
from manifest_attacks import GOOD
from samples import sample_instances, sample_run
from trees import PLAIN, Files, ObjectRepository

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.store import read_instances
from ircore.submissions.check.change import CheckedChange, ProposingAccount, check_change
from ircore.submissions.findings import select_errors
from ircore.submissions.seasons import begin_season, compute_commitment, read_season, reveal_season, verify_season


@pytest.mark.slow
def test_the_commitment_is_a_plain_hash() -> None:
    """Anybody can compute it: printf 'ircore season\\nNAME\\nIDENTITY\\nSALT\\n' | sha256sum."""
    text = b"ircore season\nspring\n" + b"a" * 64 + b"\n" + b"b" * 64 + b"\n"
    assert compute_commitment("spring", "a" * 64, "b" * 64) == hashlib.sha256(text).hexdigest()


@pytest.mark.slow
def test_a_season_from_commitment_to_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret, public = tmp_path / "secret", tmp_path / "public" / "spring.json"
    common = ["maintain", "season"]
    assert (
        ircore([*common, "begin", "spring", "--out", str(secret), "--publish", str(public), "--per-condition", "1"])
        == 0
    )
    published = json.loads(public.read_text())
    # Nothing that is published tells the set.
    assert set(published) == {"schema", "season", "commitment", "committed", "instances", "version", "edition"}
    assert published["edition"] == 2
    known = read_instances(secret / "instances")
    assert known.identity not in public.read_text()
    assert published["instances"] == len(known.instances) == 12
    # Nobody else on the machine reads the seed, or sees the pictures.
    assert secret.stat().st_mode & 0o077 == 0
    assert ircore([*common, "verify", str(public)]) == 2
    assert "not revealed yet" in capsys.readouterr().err

    assert ircore([*common, "reveal", str(secret), "--publish", str(public)]) == 0
    assert ircore([*common, "verify", str(public), "--instances", str(secret / "instances")]) == 0
    shown = capsys.readouterr().out
    assert "the one that was committed to" in shown
    # Whoever has no ircore gives the two commands that are shown.
    commands = re.findall(r"^  (.*)   gives (\w+)$", shown, re.MULTILINE)
    assert [given for _, given in commands] == [known.identity, published["commitment"]]
    for command, given in commands:
        done = subprocess.run(
            ["sh", "-c", command], cwd=secret / "instances", capture_output=True, text=True, check=True
        )
        assert done.stdout.split()[0] == given
    # And the seed draws the same set again.
    season = read_season(public)
    assert season.seed is not None
    again = build_instances(
        tmp_path / "again", season.seed, 1, sorted({item.category for item in known.instances}), edition=2
    )
    assert again.identity == season.identity


@pytest.mark.slow
def test_another_set_is_found_out(tmp_path: Path) -> None:
    ours, other = sample_instances(tmp_path / "ours"), sample_instances(tmp_path / "other", per_condition=2)
    begin_season("spring", tmp_path / "secret", tmp_path / "spring.json", instance_set=ours.folder)
    kept, published = tmp_path / "secret" / "secret.json", (tmp_path / "spring.json").read_text()
    secret = json.loads(kept.read_text())
    # A salt that does not belong to the commitment is refused before it is published.
    kept.write_text(json.dumps(secret | {"salt": "0" * len(secret["salt"])}))
    with pytest.raises(InputError, match="do not give the commitment"):
        reveal_season(tmp_path / "secret", tmp_path / "spring.json")
    assert (tmp_path / "spring.json").read_text() == published
    kept.write_text(json.dumps(secret))
    season = reveal_season(tmp_path / "secret", tmp_path / "spring.json")
    verify_season(season, ours)
    with pytest.raises(InputError, match="not the set of season spring"):
        verify_season(season, other)
    with pytest.raises(InputError, match="do not give the commitment"):
        verify_season(season.model_copy(update={"identity": other.identity}), other)
    picture = ours.folder / ours.instances[0].pictures["target"].image
    picture.write_bytes(Picture.from_pixels(255 - ours.pictures(ours.instances[0])["target"].pixels).data)
    with pytest.raises(InputError, match="not the picture that was recorded"):
        verify_season(season, ours)


@pytest.mark.slow
def test_two_seasons_of_one_set_have_different_commitments(tmp_path: Path) -> None:
    ours = sample_instances(tmp_path / "ours")
    item, other = (
        begin_season("spring", tmp_path / f"secret{number}", tmp_path / f"{number}.json", instance_set=ours.folder)
        for number in range(2)
    )
    assert item.commitment != other.commitment
    with pytest.raises(InputError, match="commits to another set"):
        reveal_season(tmp_path / "secret0", tmp_path / "1.json")


@pytest.mark.slow
def test_nothing_is_replaced(tmp_path: Path) -> None:
    ours = sample_instances(tmp_path / "ours")
    begin_season("spring", tmp_path / "secret", tmp_path / "spring.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="exists already"):
        begin_season("spring", tmp_path / "another", tmp_path / "spring.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="exists already"):
        begin_season("spring", tmp_path / "secret", tmp_path / "other.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="Spring"):
        begin_season("Spring time", tmp_path / "third", tmp_path / "third.json", instance_set=ours.folder)


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "{}", '{"schema": 1, "salt": "x"}', "[" * 50_000])
def test_a_file_that_is_no_season(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError) as caught:
        read_season(tmp_path / "x.json")
    assert "\n" not in caught.value.problem


@pytest.mark.slow
def test_the_gap_between_public_and_secret_is_shown_once_the_season_is_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The season's set is committed to, played, revealed; the gap is the difference of the two main scores."""
    public, secret = sample_instances(tmp_path / "public"), sample_instances(tmp_path / "secret", per_condition=2)
    begin_season("spring", tmp_path / "kept", tmp_path / "spring.json", instance_set=secret.folder)
    for name, instances in (("p", public), ("s", secret)):
        sample_run(tmp_path / name, instances)
        assert ircore(["score", str(tmp_path / name), "--judge", "structural"]) == 0
    command = [
        "maintain", "season", "gap", str(tmp_path / "spring.json"), "--judge", "structural", "--format", "json",
    ]  # fmt: skip
    runs = ["--public", str(tmp_path / "p"), "--secret", str(tmp_path / "s")]
    assert ircore([*command, *runs]) == 2
    assert "not revealed yet" in capsys.readouterr().err
    reveal_season(tmp_path / "kept", tmp_path / "spring.json")
    assert ircore([*command, "--public", str(tmp_path / "p"), "--secret", str(tmp_path / "p")]) == 2
    assert "not played on the set of season spring" in capsys.readouterr().err
    assert ircore([*command, *runs]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    scores = [row[name]["mean"] if isinstance(row[name], dict) else row[name] for name in ("public", "secret", "gap")]
    assert scores[2] == pytest.approx(scores[0] - scores[1])


ANN, EVE = ProposingAccount("ann", "ann"), ProposingAccount("eve", "eve")
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
    def check(files: Files, by: ProposingAccount | None, maintainers: bool = False) -> CheckedChange:
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


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("name", CHANGES)
def test_what_belongs_to_an_account_is_changed_by_it_or_maintainers(proposed: Propose, name: str) -> None:
    wrong = select_errors(proposed(CHANGES[name], EVE).findings)
    assert (next(iter(CHANGES[name])), BELONGS) in [(fault.file, fault.problem) for fault in wrong]
    assert any("Dispute a result" in fault.remedy for fault in wrong)
    assert proposed(CHANGES[name], ANN).findings == ()
    assert select_errors(proposed(CHANGES[name], EVE, maintainers=True).findings) == []
    assert {finding.level for finding in proposed(CHANGES[name], None).findings} == {"warning"}, "at home"


@pytest.mark.attack
def test_the_manifest_that_is_merged_says_whose_it_is(proposed: Propose) -> None:
    """Not the manifest that the change brings: who writes a name of their own into it gains nothing."""
    taken: Files = {THERE: (PLAIN, MANIFEST.replace(b"Ann", b"eve"))}
    assert [fault.problem for fault in select_errors(proposed(taken, EVE).findings)] == [BELONGS]
    assert select_errors(proposed(taken, EVE, maintainers=True).findings) == [], "maintainers pass a pair on"
    given: Files = {THERE: (PLAIN, MANIFEST.replace(b"Ann", b"bob"))}
    (wrong,) = select_errors(proposed(given, ANN).findings)
    assert (wrong.field, wrong.problem) == ("submitter", "names bob, and ann opens the pull request")


@pytest.mark.attack
def test_a_pair_without_a_submitter_is_for_maintainers(proposed: Propose) -> None:
    changed: Files = {NOBODYS: (PLAIN, OLDER + b"submitter: eve\n")}
    (wrong,) = select_errors(proposed(changed, EVE).findings)
    assert "names no submitter" in wrong.problem


@pytest.mark.attack
def test_a_new_submission_names_the_account_that_hands_it_in(proposed: Propose) -> None:
    assert proposed(GOOD_FILE, EVE).findings == ()
    (wrong,) = select_errors(proposed(GOOD_FILE, ANN).findings)
    assert (wrong.field, wrong.remedy) == ("submitter", "Write submitter: ann. A maintainer passes a pair on.")
    without: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("submitter: eve\n", "").encode())}
    (wrong,) = select_errors(proposed(without, EVE).findings)
    assert (wrong.problem, wrong.remedy) == ("is missing", "Write submitter: eve.")


@pytest.mark.attack
def test_a_change_without_a_submission_passes(proposed: Propose) -> None:
    """The required check reports for every pull request; code and pages are for reviewers."""
    for files in ({"README.md": (PLAIN, b"better\n")}, {".github/workflows/ci.yml": (PLAIN, b"name: evil\n")}):
        for maintainers in (False, True):
            change = proposed(files, EVE, maintainers)
            assert (change.checked, change.findings) == ((), ())


# Decisions.


@pytest.mark.attack
@pytest.mark.parametrize("kind", ["cleared", "settled"])
@pytest.mark.parametrize("spelled", ["plainly", "with an escape"])
def test_who_owns_a_pair_does_not_judge_it(proposed: Propose, kind: str, spelled: str) -> None:
    data = decided(kind, run="a-run")
    if spelled == "with an escape":
        data = data.replace(b'"' + kind.encode(), b'"\\u%04x' % ord(kind[0]) + kind[1:].encode())
    (wrong,) = select_errors(proposed({DECISIONS: (PLAIN, data)}, ANN).findings)
    assert "which only maintainers decide" in wrong.problem


@pytest.mark.slow
@pytest.mark.attack
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


@pytest.mark.slow
@pytest.mark.attack
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


@pytest.mark.attack
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


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("word", RESERVED)
def test_reserved_words(proposed: Propose, word: str) -> None:
    written = json.dumps(word, ensure_ascii=False)
    manifest = GOOD.replace("name: A plain pair", f"name: {written}").replace("[Someone]", f"[{written}]")
    wrong = select_errors(proposed({f"{IN}/submission.yaml": (PLAIN, manifest.encode())}, EVE).findings)
    assert {"name", "authors[0]"} <= {fault.field for fault in wrong}


@pytest.mark.attack
@pytest.mark.parametrize(
    "slug", ["official-pair", "gold-pair", "1st", "the-verified", "ircore-pair", "sota", "built-in-x"]
)
def test_reserved_words_in_folders(proposed: Propose, slug: str) -> None:
    wrong = select_errors(proposed({f"submissions/{slug}/submission.yaml": (PLAIN, GOOD.encode())}, EVE).findings)
    assert any("which only this project says" in fault.problem for fault in wrong)


@pytest.mark.attack
@pytest.mark.parametrize(
    "name", ["Golden Gate", "An unofficial-looking owl", "Mediocre", "Firstborn", "Bestiary", "Goldilocks + canvas"]
)
def test_words_that_only_begin_alike(proposed: Propose, name: str) -> None:
    files: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("A plain pair", name).encode())}
    assert proposed(files, EVE).findings == ()


PROVIDERS = ("OpenAI", "Open AI", "OPENAI", "0penAI", "ОреnАІ", "OpenAI Research", "Ann (OpenAI)", "Google DeepMind",
             "Anthropic", "Mistral AI",
             "Team Google", "Meta", "xAI", "Stability AI", "Microsoft", "nvidia")  # fmt: skip


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("author", PROVIDERS)
def test_a_providers_name_as_author_needs_proof(proposed: Propose, author: str) -> None:
    files: Files = {f"{IN}/submission.yaml": (PLAIN, GOOD.replace("[Someone]", f'["{author}"]').encode())}
    assert select_errors(proposed(files, EVE).findings)


@pytest.mark.attack
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
        assert proposed(files, ProposingAccount("eve", account)).findings == ()
    assert select_errors(proposed(files, ProposingAccount("eve", "openai-fans")).findings)
    assert select_errors(proposed(files, EVE, maintainers=True).findings) == []
    at_home = proposed(files, None).findings
    assert [finding.level for finding in at_home] == ["warning", "warning"]
