"""Committing to one run before it is played: neither its submitter nor the maintainers can choose seed and order."""

import hashlib
import hmac
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from known_values import known
from samples import sample_instances
from transcripts import Handed

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import Opening
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import compute_commitment, compute_seed, sort_ids
from ircore.submissions.commitments import number_of, register_of
from ircore.submissions.rescoring.packing import pack
from ircore.submissions.rescoring.rescore import Rescored, rescore

NONCE = "1" * 40
MANIFEST = {
    "schema": 1, "name": "Mine", "licence": "CC0-1.0", "describer": {"player": "captioner"},
    "generator": {"player": "sketch"},
}  # fmt: skip


def git(clone: Path, *words: str, when: str = "2026-01-01T00:00:00+00:00") -> str:
    """Give git a command, as a service or somebody at home."""
    names = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    command = ["git", "-C", str(clone), *words]
    done = subprocess.run(command, env={**os.environ, **names, **dates}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def new_clone(folder: Path) -> Path:
    """A clone of a repository, in which a submission is made; return the submission's folder."""
    pair = folder / "submissions" / "my-pair"
    pair.mkdir(parents=True)
    git(folder, "init", "--quiet", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "the project")
    (pair / "submission.yaml").write_text(yaml.safe_dump(MANIFEST, sort_keys=False))
    return pair


def merge(clone: Path, *options: str) -> str:
    """Commit the submissions to a branch, merge it, and return the last commit of the branch main."""
    git(clone, "checkout", "-q", "-b", f"change-{len(git(clone, 'branch').split())}")
    git(clone, "add", "submissions")
    git(clone, "commit", "-q", "-m", "a commitment")
    change = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "-q", "main")
    git(clone, "merge", "-q", *(options or ("--no-ff",)), "-m", "merged", change)
    return git(clone, "rev-parse", "HEAD")


def commit(pair: Path, *more: str) -> str:
    """Give the command and return the commitment in the manifest."""
    assert ircore(["submission", "commit", str(pair), "--salt", str(pair.parents[1] / "salt"), *more]) == 0
    return str(yaml.safe_load((pair / "submission.yaml").read_text())["commitment"])


def test_a_commitment_is_of_name_players_rules_and_salt_alone(tmp_path: Path) -> None:
    pair, salt = new_clone(tmp_path), "a" * 64

    def made(slug: str = "my-pair", salt: str = salt, **fields: Any) -> str:
        (pair / "submission.yaml").write_text(yaml.safe_dump(MANIFEST | fields))
        return compute_commitment(slug, read_manifest(pair).submission, salt)

    same = [made(), made(name="Ours", authors=["Somebody"]), made(hardware="a laptop")]
    other = [
        made(salt="b" * 64),
        made(slug="your-pair"),
        made(rules={"max_turns": 3}),
        made(describer={"player": "classical"}),
        made(describer={"player": "classical", "parameters": {"ocr": True}}),
    ]
    assert len(set(same)) == 1
    assert len({*same, *other}) == 6


def test_seed_and_order_need_both_numbers() -> None:
    ids = [f"target-{number}" for number in range(40)]
    opening, salt = Opening(salt="0" * 64, nonce=NONCE), bytes(32)
    drawn = hmac.digest(salt, f"{NONCE} seed".encode(), hashlib.sha256)
    assert compute_seed(opening) == int.from_bytes(drawn[:8]) // 2
    others = [Opening(salt="2" * 64, nonce=NONCE), Opening(salt="0" * 64, nonce="2" * 64)]
    assert len({compute_seed(known) for known in (opening, *others)}) == 3
    orders = [tuple(sort_ids(known, ids)) for known in (opening, *others)]
    assert len(set(orders)) == 3
    assert all(sorted(order) == sorted(ids) for order in orders)


def test_the_command_keeps_a_secret_and_replaces_nothing_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = new_clone(tmp_path)
    first = commit(pair)
    assert stat.S_IMODE((tmp_path / "salt").stat().st_mode) == 0o600
    assert commit(pair) == first
    text = (pair / "submission.yaml").read_text()
    (pair / "submission.yaml").write_text(text.replace("captioner", "classical"))
    assert ircore(["submission", "commit", str(pair), "--salt", str(tmp_path / "salt")]) == 2
    assert "submission.yaml: commitment: is of other players" in capsys.readouterr().err
    assert commit(pair, "--new") != first
    assert (tmp_path / "salt").read_text().strip() not in (pair / "submission.yaml").read_text()


def test_a_commitment_that_nobody_merged_is_not_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = new_clone(tmp_path)
    commit(pair)
    instances = sample_instances(tmp_path / "set")
    words = ["play", str(pair), "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore([*words, "--salt", str(tmp_path / "salt")]) == 2
    assert "commitment: no merge has brought it to the branch main" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    """A run of twelve episodes that was played by its commitment, one episode at a time."""
    folder = tmp_path_factory.mktemp("committed") / "clone"
    pair = new_clone(folder)
    commit(pair)
    merge(folder)
    instances = sample_instances(folder / "set", per_condition=3)
    words = ["play", str(pair), "--instances", str(instances.folder), "--out", str(folder / "run")]
    assert ircore([*words, "--salt", str(folder / "salt"), "--concurrency", "1"]) == 0
    packed = pack(folder / "run", folder / "packed")
    return Handed(pair, packed.folder, packed.folder / packed.run.run_id, instances.folder)


@pytest.fixture
def handed(committed: Handed, tmp_path: Path) -> Handed:
    """A copy of it that a test may change."""
    shutil.copytree(committed.submission.parents[1], tmp_path / "clone", symlinks=True)
    moved = [tmp_path / "clone" / path.relative_to(committed.submission.parents[1]) for path in committed]
    return Handed(*moved)


def rescored(handed: Handed, folder: Path) -> Rescored:
    return rescore(handed.submission, folder / "rescored", handed.instances, handed.packed)


@pytest.mark.slow
def test_a_run_by_its_commitment_is_told_from_others(handed: Handed, tmp_path: Path) -> None:
    run = RunFolder(handed.submission.parents[1] / "run")
    opening = known(run.run.opening)
    assert run.run.seed == compute_seed(opening)
    begun = list(dict.fromkeys(event.episode_id for event in run.calls()))
    assert begun == sort_ids(opening, begun)
    assert opening.nonce == git(handed.submission.parents[1], "rev-parse", "main")
    made = rescored(handed, tmp_path)
    assert made.committed is not None
    assert (made.committed.number, made.committed.when) == (1, "2026-01-01T00:00:00+00:00")
    assert not {"other_order"} & {flag.rule for flag in made.flags}


@pytest.mark.attack
def test_commitments_are_counted_by_pair_and_by_players(tmp_path: Path) -> None:
    pair = new_clone(tmp_path)

    def announced(folder: Path) -> str:
        (tmp_path / "salt").unlink(missing_ok=True)
        return commit(folder, "--new")

    first, nonces = announced(pair), [merge(tmp_path)]
    second = announced(pair)
    nonces.append(merge(tmp_path))
    shutil.copytree(pair, pair.with_name("another-name"))
    third = announced(pair.with_name("another-name"))
    nonces.append(merge(tmp_path))
    # A copy of the first commitment, for other players: it takes nothing from whose it is.
    shutil.copytree(pair, pair.with_name("a-thief"))
    copied = MANIFEST | {"describer": {"player": "classical"}, "commitment": first}
    (pair.with_name("a-thief") / "submission.yaml").write_text(yaml.safe_dump(copied))
    nonces.append(merge(tmp_path))
    register = register_of(tmp_path)
    keys = [("my-pair", first), ("my-pair", second), ("another-name", third), ("a-thief", first)]
    assert list(register) == keys
    assert [(register[key].nonce, number_of(register[key], register)) for key in keys] == list(
        zip(nonces, (1, 2, 3, 1), strict=True)
    )


@pytest.mark.attack
def test_a_commit_of_the_submitters_own_is_no_nonce(tmp_path: Path) -> None:
    """Its id is the submitter's to choose, by another message or time: only a merge's is nobody's."""
    pair = new_clone(tmp_path)
    commit(pair)
    merge(tmp_path, "--ff-only")
    assert register_of(tmp_path) == {}
    assert register_of(tmp_path / "elsewhere") == {}


def _other_salt(handed: Handed) -> None:
    handed.edit_run(lambda run: run["opening"].update(salt="e" * 64))


def _other_seed(handed: Handed) -> None:
    handed.edit_run(lambda run: run.update(seed=7))


def _without_opening(handed: Handed) -> None:
    handed.edit_run(lambda run: run.pop("opening"))


def _other_nonce(handed: Handed) -> None:
    opening = Opening(salt=(handed.submission.parents[1] / "salt").read_text().strip(), nonce="d" * 40)
    handed.edit_run(lambda run: run.update(opening=opening.model_dump(), seed=compute_seed(opening)))


def _begun_before(handed: Handed) -> None:
    handed.edit_run(lambda run: run.update(started="2025-12-31T23:59:59+00:00"))


def _never_merged(handed: Handed) -> None:
    git(handed.submission.parents[1], "update-ref", "refs/heads/main", "main^1")


def _not_merged_by_a_merge(handed: Handed) -> None:
    git(handed.submission.parents[1], "update-ref", "refs/heads/main", "main^2")


def _of_another_manifest(handed: Handed) -> None:
    path = handed.submission / "submission.yaml"
    path.write_text(path.read_text().replace("commitment:", "#"))


ATTACKS: dict[Callable[[Handed], None], str] = {
    _other_salt: "opening: is not of this commitment",
    _other_seed: "seed: does not follow from the commitment",
    _without_opening: "opening: the transcripts do not open the commitment",
    _other_nonce: "opening: is not of this commitment",
    _begun_before: "started: is before the commitment was merged",
    _never_merged: "commitment: no merge has brought it to the branch main",
    _not_merged_by_a_merge: "commitment: no merge has brought it to the branch main",
    _of_another_manifest: "opening: the manifest has no commitment",
}


@pytest.mark.attack
@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__.strip("_"))
def test_a_run_that_does_not_follow_from_its_commitment_is_refused(
    handed: Handed, tmp_path: Path, attack: Callable[[Handed], None]
) -> None:
    attack(handed)
    with pytest.raises(InputError, match=ATTACKS[attack]):
        rescored(handed, tmp_path)
    assert not (tmp_path / "rescored").exists()


@pytest.mark.attack
@pytest.mark.slow
def test_episodes_in_an_order_of_the_submitters_own_are_a_finding(handed: Handed, tmp_path: Path) -> None:
    def reverse(lines: list[dict[str, Any]]) -> None:
        episodes: dict[str, list[dict[str, Any]]] = {}
        for line in lines:
            episodes.setdefault(line.get("episode_id") or line["episode"]["episode_id"], []).append(line)
        lines[:] = [line for name in reversed(episodes) for line in episodes[name]]

    handed.edit(reverse)
    (flag,) = (flag for flag in rescored(handed, tmp_path).flags if flag.rule == "other_order")
    assert not flag.grave
