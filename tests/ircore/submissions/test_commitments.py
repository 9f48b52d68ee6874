"""Committing to one run before it is played: neither its submitter nor the maintainers can choose seed and order."""

import hashlib
import hmac
import json
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from github_server import TOKEN, git, running_github
from known_values import known
from samples import sample_instances
from transcripts import Handed

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import Opening
from ircore.players.submission import read_manifest
from ircore.runs.commitment import commitment_of, in_order, players_of, seed_of
from ircore.runs.folder import RunFolder
from ircore.submissions.commitments import COMMITMENTS, parse_commitments
from ircore.submissions.rescoring.packing import pack
from ircore.submissions.rescoring.rescore import Rescored, rescore

NONCE = "1" * 64
MANIFEST = {
    "schema": 1, "name": "Mine", "licence": "CC0-1.0", "describer": {"player": "captioner"},
    "generator": {"player": "sketch"},
}  # fmt: skip


def new_clone(folder: Path) -> Path:
    """A clone of a repository with one submission; return the submission's folder."""
    pair = folder / "submissions" / "my-pair"
    pair.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "-b", "main", str(folder)], check=True)
    (pair / "submission.yaml").write_text(yaml.safe_dump(MANIFEST, sort_keys=False))
    return pair


def register(clone: Path, *commitments: str, when: str = "2026-01-01T00:00:00+00:00") -> None:
    """Write the register as the repository's job does."""
    players = players_of(read_manifest(clone / "submissions" / "my-pair").submission)
    known = {"slug": "my-pair", "players": players, "nonce": NONCE, "when": when, "account_id": 7, "pull_request": 12}
    entries = [known | {"commitment": name} for name in commitments]
    (clone / COMMITMENTS).write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def commit(pair: Path, *more: str) -> str:
    """Give the command and return the commitment in the manifest."""
    assert ircore(["submission", "commit", str(pair), "--salt", str(pair.parents[1] / "salt"), *more]) == 0
    return str(yaml.safe_load((pair / "submission.yaml").read_text())["commitment"])


def test_a_commitment_is_of_name_players_rules_and_salt_alone(tmp_path: Path) -> None:
    pair, salt = new_clone(tmp_path), "a" * 64

    def made(slug: str = "my-pair", salt: str = salt, **fields: Any) -> str:
        (pair / "submission.yaml").write_text(yaml.safe_dump(MANIFEST | fields))
        return commitment_of(slug, read_manifest(pair).submission, salt)

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
    assert seed_of(opening) == int.from_bytes(drawn[:8]) // 2
    others = [Opening(salt="2" * 64, nonce=NONCE), Opening(salt="0" * 64, nonce="2" * 64)]
    assert len({seed_of(known) for known in (opening, *others)}) == 3
    orders = [tuple(in_order(known, ids)) for known in (opening, *others)]
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


def test_a_commitment_that_nobody_registered_is_not_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = new_clone(tmp_path)
    commit(pair)
    instances = sample_instances(tmp_path / "set")
    words = ["play", str(pair), "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore([*words, "--salt", str(tmp_path / "salt")]) == 2
    assert f"commitment: is not in {COMMITMENTS} yet" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    """A run of twelve episodes that was played by its commitment, one episode at a time."""
    folder = tmp_path_factory.mktemp("committed") / "clone"
    pair = new_clone(folder)
    register(folder, commit(pair))
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
    assert run.run.seed == seed_of(opening)
    begun = list(dict.fromkeys(event.episode_id for event in run.calls()))
    assert begun == in_order(opening, begun)
    made = rescored(handed, tmp_path)
    assert made.committed is not None
    assert (made.committed.number, made.committed.when) == (1, "2026-01-01T00:00:00+00:00")
    assert not {"other_order"} & {flag.rule for flag in made.flags}


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["my-pair", "another-name"])
def test_an_earlier_commitment_of_these_players_is_counted(handed: Handed, tmp_path: Path, slug: str) -> None:
    file = handed.submission.parents[1] / COMMITMENTS
    earlier = {**json.loads(file.read_text()), "slug": slug, "commitment": "f" * 64}
    file.write_text(json.dumps(earlier) + "\n" + file.read_text())
    made = rescored(handed, tmp_path)
    assert known(made.committed).number == 2


@pytest.mark.attack
@pytest.mark.slow
def test_a_copied_commitment_takes_nothing_from_its_owner(handed: Handed, tmp_path: Path) -> None:
    file = handed.submission.parents[1] / COMMITMENTS
    copied = {**json.loads(file.read_text()), "slug": "a-thief", "nonce": "9" * 64, "players": "8" * 64}
    file.write_text(json.dumps(copied) + "\n" + file.read_text())
    made = rescored(handed, tmp_path)
    assert known(made.committed).number == 1


def _other_salt(handed: Handed) -> None:
    handed.edit_run(lambda run: run["opening"].update(salt="e" * 64))


def _other_seed(handed: Handed) -> None:
    handed.edit_run(lambda run: run.update(seed=7))


def _without_opening(handed: Handed) -> None:
    handed.edit_run(lambda run: run.pop("opening"))


def _other_nonce(handed: Handed) -> None:
    opening = Opening(salt=(handed.submission.parents[1] / "salt").read_text().strip(), nonce="d" * 64)
    handed.edit_run(lambda run: run.update(opening=opening.model_dump(), seed=seed_of(opening)))


def _registered_later(handed: Handed) -> None:
    clone = handed.submission.parents[1]
    ((_, known),) = parse_commitments((clone / COMMITMENTS).read_bytes())
    register(clone, known, when="2999-01-01T00:00:00+00:00")


def _never_registered(handed: Handed) -> None:
    (handed.submission.parents[1] / COMMITMENTS).write_text("")


def _of_another_manifest(handed: Handed) -> None:
    path = handed.submission / "submission.yaml"
    path.write_text(path.read_text().replace("commitment:", "#"))


ATTACKS: dict[Callable[[Handed], None], str] = {
    _other_salt: "opening: is not of this commitment",
    _other_seed: "seed: does not follow from the commitment",
    _without_opening: "opening: the transcripts do not open the commitment",
    _other_nonce: "opening: is not of this commitment",
    _registered_later: "started: is before the commitment was registered",
    _never_registered: f"commitment: is not in {COMMITMENTS}",
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


@pytest.mark.slow
@pytest.mark.attack
def test_a_job_registers_what_open_pull_requests_announce_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone, origin = tmp_path / "clone", tmp_path / "origin.git"
    pair = new_clone(clone)
    git(clone, "commit", "-q", "--allow-empty", "-m", "the project")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    git(clone, "remote", "add", "origin", str(origin))
    git(clone, "push", "-q", "origin", "main")
    git(clone, "checkout", "-q", "-b", "mine")
    announced = commit(pair)
    git(clone, "add", "submissions")
    git(clone, "commit", "-q", "-m", "a commitment")
    git(clone, "push", "-q", "origin", "HEAD:refs/pull/1/head")
    git(clone, "checkout", "-q", "main")
    with running_github(origin, tmp_path / "artefacts") as github:
        github.titles = {1: "Mine"}
        for name, value in {"API_URL": github.url, "REPOSITORY": "org/benchmark", "TOKEN": TOKEN}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        for _ in range(2):
            assert ircore(["submission", "register-commitments", "--repo", str(clone)]) == 0
    (entry,) = parse_commitments(git(origin, "show", f"main:{COMMITMENTS}").encode()).values()
    assert (entry.slug, entry.commitment, entry.pull_request) == ("my-pair", announced, 1)
    assert entry.nonce != NONCE


@pytest.mark.slow
def test_nobody_announces_runs_of_somebody_elses_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stranger's commitment under the name of a merged pair would count as an earlier choice of its owner."""
    clone, origin = tmp_path / "clone", tmp_path / "origin.git"
    pair = new_clone(clone)
    owner = {"slug": "my-pair", "account": "ann", "account_id": 9, "pull_request": 1, "date": "2026-11-01"}
    (clone / "owners.jsonl").write_text(json.dumps(owner) + "\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "merged")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    git(clone, "remote", "add", "origin", str(origin))
    git(clone, "push", "-q", "origin", "main")
    announced = {}
    for number in (2, 3):
        git(clone, "checkout", "-q", "-B", f"change-{number}", "main")
        announced[number] = commit(pair, "--new")
        git(clone, "commit", "-q", "-am", "a commitment")
        git(clone, "push", "-q", "origin", f"HEAD:refs/pull/{number}/head")
        (clone / "salt").unlink()
    git(clone, "checkout", "-q", "main")
    with running_github(origin, tmp_path / "artefacts") as github:
        github.titles = {2: "Theirs", 3: "Mine"}
        github.accounts = {2: ("eve", 8), 3: ("ann", 9)}
        for name, value in {"API_URL": github.url, "REPOSITORY": "org/benchmark", "TOKEN": TOKEN}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        assert ircore(["submission", "register-commitments", "--repo", str(clone)]) == 0
    assert "#2: my-pair: belongs to the account ann" in capsys.readouterr().out
    (entry,) = parse_commitments(git(origin, "show", f"main:{COMMITMENTS}").encode()).values()
    assert (entry.commitment, entry.account_id) == (announced[3], 9)
