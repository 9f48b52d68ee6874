"""Before a run is played and scored: committing to it, and the list of what is merged and not evaluated yet."""

import hashlib
import hmac
import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from known_values import known
from samples import sample_instances
from transcripts import Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import Opening
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, compute_commitment, compute_seed, make_provenance, sort_ids, write_provenance
from ircore.submissions.commitments import number_of, register_of
from ircore.submissions.pending_work import (
    Forecast,
    choose_pending,
    find_waiting_submissions,
    forecast,
    read_merged_submissions,
    write_bounds,
)
from ircore.submissions.rescoring.packing import pack
from ircore.submissions.rescoring.rescore import Rescored, rescore

pytestmark = pytest.mark.slow


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


def change_nonce(handed: Handed) -> None:
    opening = Opening(salt=(handed.submission.parents[1] / "salt").read_text().strip(), nonce="d" * 40)
    handed.edit_run(lambda run: run.update(opening=opening.model_dump(), seed=compute_seed(opening)))


def move_main(handed: Handed, where: str) -> None:
    git(handed.submission.parents[1], "update-ref", "refs/heads/main", where)


def take_out_commitment(handed: Handed) -> None:
    path = handed.submission / "submission.yaml"
    path.write_text(path.read_text().replace("commitment:", "#"))


NOT_MERGED = "commitment: no merge has brought it to the branch main"
ATTACKS: dict[str, tuple[Callable[[Handed], object], str]] = {
    "other salt": (
        lambda handed: handed.edit_run(lambda run: run["opening"].update(salt="e" * 64)),
        "opening: is not of this commitment",
    ),
    "other seed": (
        lambda handed: handed.edit_run(lambda run: run.update(seed=7)),
        "seed: does not follow from the commitment",
    ),
    "without opening": (
        lambda handed: handed.edit_run(lambda run: run.pop("opening")),
        "opening: the transcripts do not open the commitment",
    ),
    "other nonce": (change_nonce, "opening: is not of this commitment"),
    "begun before": (
        lambda handed: handed.edit_run(lambda run: run.update(started="2025-12-31T23:59:59+00:00")),
        "started: is before the commitment was merged",
    ),
    "never merged": (lambda handed: move_main(handed, "main^1"), NOT_MERGED),
    "not merged by a merge": (lambda handed: move_main(handed, "main^2"), NOT_MERGED),
    "of another manifest": (take_out_commitment, "opening: the manifest has no commitment"),
}


@pytest.mark.attack
@pytest.mark.parametrize(("attack", "problem"), ATTACKS.values(), ids=ATTACKS)
def test_a_run_that_does_not_follow_from_its_commitment_is_refused(
    handed: Handed, tmp_path: Path, attack: Callable[[Handed], object], problem: str
) -> None:
    attack(handed)
    with pytest.raises(InputError, match=problem):
        rescored(handed, tmp_path)
    assert not (tmp_path / "rescored").exists()


@pytest.mark.attack
def test_episodes_in_an_order_of_the_submitters_own_are_a_finding(handed: Handed, tmp_path: Path) -> None:
    def reverse(lines: list[dict[str, Any]]) -> None:
        episodes: dict[str, list[dict[str, Any]]] = {}
        for line in lines:
            episodes.setdefault(line.get("episode_id") or line["episode"]["episode_id"], []).append(line)
        lines[:] = [line for name in reversed(episodes) for line in episodes[name]]

    handed.edit(reverse)
    (flag,) = (flag for flag in rescored(handed, tmp_path).flags if flag.rule == "other_order")
    assert not flag.grave


SUBMISSIONS = Path(__file__).resolve().parents[3] / "submissions"


@pytest.fixture
def given(tmp_path: Path) -> Handed:
    return hand_in(tmp_path)


def publish(given: Handed, runs: Path) -> None:
    """Re-score what was handed in, as the protected job does."""
    made = rescore(given.submission, runs / "one", given.instances, given.packed)
    manifest = given.submission / "submission.yaml"
    write_provenance(made.folder.path, make_provenance(manifest, read_manifest(manifest).submission.transcripts))


def what(given: Handed, runs: Path, *sets: InstanceSet) -> list[str]:
    merged = read_merged_submissions(given.submission.parent)
    return [submission.what for submission in find_waiting_submissions(merged, sorted(runs.glob("*")), sets)]


def test_a_run_that_nobody_vouches_for_does_not_count(given: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    rescore(given.submission, runs / "one", given.instances, given.packed)
    assert what(given, runs) == ["to be re-scored: nobody vouches for its published run"]


def test_a_pair_without_transcripts_is_to_be_played(given: Handed, tmp_path: Path) -> None:
    write_manifest(given.submission, None)
    assert what(given, tmp_path / "none") == ["to be played: no run of it is published"]


def test_what_changed_since_makes_it_wait_again(given: Handed, tmp_path: Path) -> None:
    runs, manifest = tmp_path / "published" / "runs", given.submission / "submission.yaml"
    publish(given, runs)
    text = manifest.read_text()
    revision = read_manifest(manifest).submission.transcripts.revision  # type: ignore[union-attr]
    manifest.write_text(text.replace(revision, "f" * 40))
    why = "to be re-scored: its transcripts are others than those of the published run"
    (run,) = (RunFolder(path).run.run_id for path in runs.iterdir())
    # A release holds one run of a pair under the same rules: what becomes of the former one has to be said.
    assert what(given, runs) == [f"{why}; before that, ircore maintain correct --run {run}"]
    assert ircore(["maintain", "correct", str(given.submission), "--run", run, "--reason", "r"]) == 0
    assert what(given, runs) == [why]
    manifest.write_text(text.replace("rules: {}", "rules: {token_budget: 50}"))
    assert what(given, runs) == ["to be re-scored: its players or rules changed since"]
    manifest.write_text(f"{text}hardware: another word about it\n")
    assert what(given, runs) == []


def test_a_run_of_a_former_version_of_the_benchmark_does_not_count(given: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    publish(given, runs)
    (path,) = runs.iterdir()
    now, known = RunFolder(path).run, path / "run.json"

    def waiting(*sets: InstanceSet) -> list[str]:
        return what(given, runs, *sets)

    former = ["to be re-scored: its published run is of another version of the benchmark"]
    played_on = read_instances(given.instances)
    another = replace(played_on, identity="0" * 64)
    assert (waiting(), waiting(played_on), waiting(another)) == ([], [], former)
    known.write_text(known.read_text().replace(now.prompts, "built-in 0123456789ab"))
    assert waiting() == former


def test_the_command_lists_them(given: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published, folder = tmp_path / "published", str(given.submission.parent)
    assert ircore(["maintain", "pending", folder, "--published", str(published)]) == 2
    (published / "runs").mkdir(parents=True)
    words = ["maintain", "pending", folder, "--published", str(published), "--instances", str(given.instances)]
    assert ircore([*words, "--json"]) == 0
    waits = {"slug": "centre-block", "what": "to be re-scored: no run of it is published", "cost_usd": 0.0}
    told = {"waiting": [waits | {"cost": "nothing to pay"}], "held": [], "disputed": []}
    capsys.readouterr()
    assert ircore([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told
    publish(given, published / "runs")
    assert ircore(words) == 0
    assert capsys.readouterr().out == "nothing is waiting\n"
    run = RunFolder(published / "runs" / "one")
    flag = Flag(rule="identical_to_target", where="geometry-easy-01, turn 1", what="the rendering is the target")
    write_provenance(run.path, known(run.provenance()).model_copy(update={"flags": (flag,)}))
    assert ircore(["maintain", "dispute", str(given.submission), "--reason", "is it so", "--date", "2026-11-01"]) == 0
    capsys.readouterr()
    assert ircore(words) == 0
    held, disputed = capsys.readouterr().out.splitlines()
    assert held.startswith(f"centre-block: {run.run.run_id} is held: identical_to_target at geometry-easy-01")
    assert disputed == "centre-block: all runs: disputed since 2026-11-01: is it so"
    assert ircore(["maintain", "clear", str(given.submission), "--run", run.run.run_id, "--reason", "r"]) == 0
    capsys.readouterr()
    assert ircore(words) == 0
    assert capsys.readouterr().out.splitlines() == [disputed]


CLASSICAL, CANVAS = {"player": "classical"}, {"player": "canvas"}
PRICED = {"player": "openai", "model": "gpt-4.1", "api_key_env": "OPENAI_API_KEY"}


def write_pair(folder: Path, describer: dict[str, Any], generator: dict[str, Any]) -> Path:
    """Write a manifest whose name is the folder's."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"schema": 1, "name": f"The {folder.name}", "licence": "CC0-1.0"}
    (folder / "submission.yaml").write_text(yaml.safe_dump(about | {"describer": describer, "generator": generator}))
    return folder


def test_a_batch_goes_on_where_it_was_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One pair is finished, one fails; the second time only the failed one is begun again, and no answer is lost."""
    sample_instances(tmp_path / "instances")
    (tmp_path / "published" / "runs").mkdir(parents=True)
    submissions = tmp_path / "submissions"
    write_pair(submissions / "a-pair", CLASSICAL, CANVAS)
    write_pair(submissions / "z-pair", {"player": "classical"}, {"player": "nobody-has-it"})
    words = [
        *("maintain", "evaluate-pending", str(submissions), "--instances", str(tmp_path / "instances")),
        *("--published", str(tmp_path / "published"), "--out", str(tmp_path / "runs"), "--max-cost", "1"),
    ]
    assert ircore([*words, "--finished", str(tmp_path / "finished")]) == 0
    out = capsys.readouterr().out
    assert "1 evaluated: a-pair" in out
    assert "1 still wait: z-pair" in out
    assert [path.name for path in (tmp_path / "finished").iterdir()] == ["a-pair"]
    journal = (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes()

    write_pair(submissions / "z-pair", {"player": "classical"}, {"player": "sketch"})
    assert ircore([*words, "--finished", str(tmp_path / "again")]) == 0
    assert (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes() == journal
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == ["a-pair", "z-pair"]

    # A changed manifest is another run: the former one is not gone on with.
    write_pair(submissions / "a-pair", {"player": "captioner"}, {"player": "canvas"})
    assert ircore([*words, "--only", "a-pair", "--finished", str(tmp_path / "changed")]) == 0
    assert (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes() != journal
    assert [path.name for path in (tmp_path / "changed").iterdir()] == ["a-pair"]
    # Names that do not wait are skipped, and nothing is wrong.
    capsys.readouterr()
    assert ircore([*words, "--only", "nobody", "--finished", str(tmp_path / "none")]) == 0
    assert "1 skipped, since they do not wait: nobody" in capsys.readouterr().out


def test_an_unknown_price_asks_for_a_bound_before_anything_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    instances = sample_instances(tmp_path / "instances")
    pair = write_pair(tmp_path / "submissions" / "a-pair", {**PRICED, "model": "unheard-of"}, {"player": "canvas"})
    words = ["maintain", "evaluate", str(pair), "--instances", str(tmp_path / "instances")]
    assert ircore([*words, "--out", str(tmp_path / "run"), "--max-cost", "1"]) == 2
    assert "no price of unheard-of is known" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()

    loaded = read_manifest(pair)
    assert forecast(loaded, instances).unknown == ("unheard-of",)
    table = known(write_bounds(loaded.submission, 20, None, tmp_path / "prices.yaml"))
    stated = yaml.safe_load(table.read_text())["models"]["unheard-of"]
    # 20 $ a million tokens; an image of 1,000 tokens: 2 cents.
    assert (stated["input"], stated["output"], stated["images"]) == (20, 20, {"*/*": 0.02})
    assert forecast(loaded, instances, table).unknown == ()
    assert (forecast(loaded, instances, table).cost_usd or 0) > 0


def test_what_waits_is_told_with_its_cost(tmp_path: Path) -> None:
    offline = write_pair(tmp_path / "a-pair", CLASSICAL, CANVAS)
    assert forecast(read_manifest(offline), None) == Forecast(0.0)
    assert Forecast(0.0).text == "nothing to pay"
    priced = read_manifest(write_pair(tmp_path / "b-pair", PRICED, {"player": "canvas"}))
    one, two = (sample_instances(tmp_path / f"set-{count}", count) for count in (1, 2))
    cost = known(forecast(priced, one).cost_usd)
    assert forecast(priced, two).cost_usd == pytest.approx(2 * cost)
    assert forecast(priced, None).text == "cost not foretold; prices are known"
    assert choose_pending([], ["b", "a"]) == (["b", "a"], [])


def test_each_pair_of_a_batch_is_played_on_the_set_of_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample_instances(tmp_path / "instances")
    (tmp_path / "published" / "runs").mkdir(parents=True)
    submissions = tmp_path / "submissions"
    write_pair(submissions / "a-pair", CLASSICAL, CANVAS)
    shutil.copytree(SUBMISSIONS / "looker", submissions / "looker")
    shutil.copytree(SUBMISSIONS / "extractive", submissions / "extractive")
    build = ["instances", "build", "--game", "reference", "--per-condition", "1", "--out", str(tmp_path / "trials")]
    assert ircore(build) == 0
    sets = ["--instances", str(tmp_path / "instances"), "--instances", str(tmp_path / "trials")]
    words = ["--published", str(tmp_path / "published"), "--out", str(tmp_path / "runs")]
    finished = ["--finished", str(tmp_path / "finished")]
    assert ircore(["maintain", "evaluate-pending", str(submissions), *sets, *words, *finished]) == 0
    out, err = capsys.readouterr()
    assert "2 evaluated: a-pair, looker" in out
    assert "extractive: no set of conversation is given" in err
    games = {RunFolder(path).game for path in (tmp_path / "finished").iterdir()}
    assert games == {"reconstruction", "reference"}
