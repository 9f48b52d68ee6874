"""``ircore release pull``: back to runs, release and leaderboard; what was pushed, read with the real clients."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_clients import HubClient, Outcome, run_with_hub
from hub_server import DroppedError, HubError, HubServer, PageError
from releases import FINALS, TRANSCRIPTS, contents, rewrite, rewrite_tables, seal
from target_instances import with_target

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.hub.pull import find_release, pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import INSTANCES
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError, WorkError
from ircore.core.submission_records import Withdrawal
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import build_index_bytes, read_instances
from ircore.results.model import Results
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import format_json
from ircore.runs.folder import RunFolder
from ircore.runs.summary import summarise
from ircore.scorers.scoring import ScoringPlan, score_runs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pulled(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample release brought back, not to be changed."""
    out = tmp_path_factory.mktemp("pulled") / "out"
    pull_release(built / "release", out)
    return out


def run_folders(folder: Path) -> list[RunFolder]:
    return [RunFolder(path) for path in sorted((folder / "runs").iterdir())]


def test_the_instance_set_is_the_same_to_the_byte(built: Path, pulled: Path) -> None:
    assert contents(pulled / "instances") == contents(built / "instances")


def test_runs_are_the_same_as_those_that_were_played(built: Path, pulled: Path) -> None:
    originals = {folder.run.run_id: folder for folder in run_folders(built)}
    assert {folder.path.name for folder in run_folders(pulled)} == originals.keys()
    for run in run_folders(pulled):
        original = originals[run.run.run_id]
        assert run.run == original.run
        assert run.episodes() == original.episodes()
        assert sorted(map(repr, run.scores())) == sorted(map(repr, original.scores()))
        assert run.judges() == original.judges()
        assert contents(run.path / "renderings") == contents(original.path / "renderings")


def test_show_says_what_a_pulled_run_has_and_what_it_has_not(
    built: Path, pulled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = RunFolder(built / "runs" / "centre-block")
    run = pulled / "runs" / played.run.run_id
    assert ircore(["show", str(run), "--json"]) == 0
    shown, known = json.loads(capsys.readouterr().out), summarise(played)
    for name in ("episodes", "outcomes", "turns", "images"):
        assert shown[name] == known[name]
    # A release rounds the seconds of each of its 24 turns to a thousandth.
    assert shown["seconds"] == pytest.approx(
        sum(turn.seconds for episode in played.episodes() for turn in list_turns(episode)), abs=24 * 5e-4
    )
    assert shown["requests"] == {"describer": None, "generator": None, "judge": 0}
    assert [item["images"] for item in shown["per_episode"]] == [entry["images"] for entry in known["per_episode"]]
    assert ircore(["show", str(run)]) == 0
    page = capsys.readouterr().out
    assert "requests  not recorded, since the run was pulled from a release" in page
    assert "images    20" in page
    assert ircore(["show", str(run), "--episode", "geometry-easy-01"]) == 0
    dialogue = capsys.readouterr().out
    assert "2 images" in dialogue
    assert "left 41 colour #1f77b4" in dialogue
    assert "(done)" in dialogue


@pytest.mark.usefixtures("whole_release")
def test_costs_and_judges_that_are_known_come_along(tmp_path: Path) -> None:
    """An episode's cost is in the release, the answers that it is the sum of are not."""
    for slug in FINALS:
        run = RunFolder(tmp_path / "runs" / slug)
        costs = {episode.episode_id: {"usd": 0.125, "seconds": 2.5} for episode in run.episodes()}
        (run.path / "costs.json").write_text(json.dumps(costs))
        score_runs([run], ScoringPlan(judges=("structural",), metrics=()), workers=1)
    build_release([tmp_path / "runs" / slug for slug in FINALS], tmp_path / "instances", tmp_path / "priced")
    pull_release(tmp_path / "priced", tmp_path / "out")
    build_release(list((tmp_path / "out/runs").iterdir()), tmp_path / "out/instances", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "priced")
    assert b"structural" in (tmp_path / "priced/judges.jsonl").read_bytes()
    board = format_json(leaderboard_table(Results.from_runs(run_folders(tmp_path / "out"))))
    assert "0.125" in board


def test_a_release_whose_card_is_of_another_version_still_gives_its_data(release: Path, tmp_path: Path) -> None:
    """What stands in the card changes with the program; whoever reads the data does not read it."""
    card = release / "README.md"
    card.write_text(card.read_text("utf-8").replace("import gc", "import gc  # as it was then"), "utf-8")
    assert any("is not one of ours" in fault for fault in check_release(release).faults)
    assert pull_release(release, tmp_path / "out").episodes == 24
    assert load_results(str(release)).judges


def test_one_run_of_a_release_can_be_scored_by_another_judge(built: Path, tmp_path: Path) -> None:
    wanted = RunFolder(built / "runs" / "other-block").run.run_id
    done = pull_release(built / "release", tmp_path / "out", wanted)
    assert [path.name for path in done.runs] == [wanted]
    run = RunFolder(done.runs[0])
    summary = score_runs([run], ScoringPlan(judges=("structural",), metrics=()), workers=1)
    assert summary.new == 3 * summary.episodes == 30  # first, final, preference
    with pytest.raises(InputError, match="unknown run 'nobody'"):
        pull_release(built / "release", tmp_path / "other", "nobody")


def test_a_faulty_release_leaves_nothing_behind(release: Path, tmp_path: Path) -> None:
    rewrite(release, TRANSCRIPTS, lambda rows: rows[0].update(rendering_sha256="0" * 64))
    with pytest.raises(WorkError, match="SHA-256"):
        pull_release(release, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_row_group_that_is_too_large_is_not_read(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dataset_card.tables.parquet.MAX_GROUP_BYTES", 1000)
    with pytest.raises(WorkError, match="a row group is larger than"):
        pull_release(release, tmp_path / "out")


def test_a_picture_cannot_be_written_outside_the_set(built: Path, tmp_path: Path) -> None:
    """Even if everything else of the release was made to agree."""
    shutil.copytree(built / "runs", tmp_path / "runs")
    shutil.copytree(built / "instances", tmp_path / "instances")
    hostile_release(tmp_path, "../evil.png")
    with pytest.raises(WorkError, match="not a safe file name"):
        pull_release(tmp_path / "release", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "evil.png").exists()


def hostile_release(folder: Path, name: str) -> None:
    """Make a release whose first picture has this file name, and whose runs name the set with it."""
    first, *others = read_instances(folder / "instances").instances
    index = build_index_bytes([with_target(first, image=name), *others])
    identity = hashlib.sha256(index).hexdigest()
    build_release(sorted((folder / "runs").iterdir()), folder / "instances", folder / "release")
    former = read_instances(folder / "instances").identity

    def rename(rows: list[Row]) -> None:
        for row in rows:
            texts = {key: value for key, value in row.items() if key in ("instance_id", "instance_set")}
            row |= {key: str(value).replace(former, identity).replace(former[:8], identity[:8])
                    for key, value in texts.items()}  # fmt: skip

    configs = read_release(folder / "release").configs
    named = [config for config in configs if {"instance_id", "instance_set"} & {item.name for item in config.columns}]
    first_picture = (INSTANCES, lambda rows: rows[0].update(picture_files=[name]))
    rewrite_tables(folder / "release", [first_picture, *((config, rename) for config in named)])
    runs = (folder / "release" / "runs.jsonl").read_text().splitlines()
    changed = [json.dumps(json.loads(line) | {"instance_set": identity}) for line in runs]
    (folder / "release" / "runs.jsonl").write_text("".join(f"{line}\n" for line in changed))
    record = read_release(folder / "release")
    games = tuple(game.model_copy(update={"instance_set": identity}) for game in record.games)
    seal(folder / "release", record.model_copy(update={"games": games}))


def test_a_folder_has_no_revisions(built: Path) -> None:
    assert find_release(str(built / "release")) == built / "release"
    with pytest.raises(InputError, match="has no revisions"):
        find_release(str(built / "release"), "v1")


@pytest.mark.parametrize(
    ("request_", "page"),
    [
        ("", PageError(200, b"<html><title>Welcome to the guest network</title></html>")),
        ("", PageError(200, b"[]", "application/json")),
        (".* /datasets/", PageError(200, b"<html><title>Welcome to the guest network</title></html>")),
    ],
)
def test_an_answer_that_is_none_of_the_hub_is_called_so(
    release: Path, tmp_path: Path, hub: HubServer, hub_client: HubClient, request_: str, page: PageError
) -> None:
    assert hub_client.run("release", "push", release, "--repo", "org/portal", "--revision", "v1").code == 0
    hub.fail(request_, page, times=10**6)
    for words in (("pull", "org/portal", "--out", tmp_path / "out"), ("push", release, "--repo", "org/portal2")):
        if request_ and words[0] == "push":
            continue  # a push asks for no file
        done = hub_client.run("release", *words)
        assert done.code == 1
        assert "gave no answer of the Hub" in done.err
        assert "HF_ENDPOINT" in done.err
        assert len(done.err.strip().splitlines()) == 2
    assert not (tmp_path / "out").exists()
    hub.forgive()


def test_what_was_pushed_is_pulled_by_tag(
    release: Path, built: Path, tmp_path: Path, hub: HubServer, hub_client: HubClient
) -> None:
    ircore_on = hub_client.run
    assert ircore_on("release", "push", release, "--repo", "org/back", "--revision", "v1").code == 0
    repo = hub.repos["org/back"]
    repo.commit("broken", {path: file for path, file in repo.tree.items() if "scores" not in path})
    done = ircore_on("release", "pull", "org/back", "--revision", "v1", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "2 runs, 24 episodes, 80 scores"
    assert contents(tmp_path / "out" / "instances") == contents(built / "instances")
    hub.fail("", DroppedError(), times=10**6)
    for name, words in (("offline", ("--revision", "v1")), ("unnamed", ())):
        command = ["-m", "ircore", "release", "pull", "org/back", *words, "--out", str(tmp_path / name)]
        again = run_with_hub(hub, hub_client.home, command, HF_HUB_OFFLINE="1")
        assert again.code == 0, again.err
        assert contents(tmp_path / name) == contents(tmp_path / "out")
    hub.forgive()
    newest = ircore_on("release", "pull", "org/back", "--out", tmp_path / "newest")
    assert newest.code == 1
    assert "scores" in newest.err
    for problem, arguments in (
        ("ircore: org/back: no such revision", ("org/back", "--revision", "v9")),
        ("ircore: org/nothing: no such dataset, or none that this token may see", ("org/nothing",)),
        ("ircore: nowhere: no such folder", ("nowhere",)),
    ):
        failed = ircore_on("release", "pull", *arguments, "--out", tmp_path / "none")
        assert failed.err.splitlines()[0] == problem
    assert not (tmp_path / "none").exists()


REPO = "org/irg"
SCRIPT = str(Path(__file__).with_name("load_from_hub.py"))
Run = Callable[..., Outcome]


def read_back(hub: HubServer, home: Path, *tags: str, **changes: str) -> dict[str, Any]:
    done = run_with_hub(hub, home, [SCRIPT, REPO, *tags], **changes)
    assert done.code == 0, done.err
    document: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return document


def hashes(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents(folder).items()}


@pytest.fixture
def without_one(built: Path, tmp_path: Path) -> Path:
    """The release after the sample one: one of its two runs was withdrawn."""
    gone = Withdrawal(slug="other-block", kind="withdrawn", reason="wrong model", date="2100-01-01")
    build_release([], built / "instances", tmp_path / "second", BuildPlan(built / "release", [gone]))
    return tmp_path / "second"


def test_every_release_loads_by_its_tag_also_after_a_run_was_withdrawn(
    built: Path, release: Path, without_one: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    releases = (release, without_one)
    names = [read_release(release).name for release in releases]
    for item in releases:
        assert ircore_on("release", "push", item, "--repo", REPO).code == 0
    assert not any("other-block" in name for name in hub.repos[REPO].tree)
    uploads = [request for request in hub.requests if request.startswith("PUT /lfs/")]
    seen = read_back(hub, tmp_path / "hf", *names)
    first, second = (seen[name] for name in names)
    assert seen["tags"] == sorted(names)
    assert first["runs"] == {"centre-block": 30, "other-block": 30}
    assert second["runs"] == {"centre-block": 30}
    boards = {"leaderboard": first["rows"]["leaderboard"], "measures": first["rows"]["measures"]}
    rows = {"transcripts": 60, "episodes": 24, "scores": 80, "runs": 2, "calls": 104, "dialogues": 44}
    assert first["rows"] == rows | {"instances": 12} | boards
    boards["leaderboard"] //= 2
    assert second["rows"] == {name: count // 2 for name, count in rows.items()} | {"instances": 12} | boards
    assert first["first"] == second["first"] == ["left 41 colour #1f77b4", [96, 96], [96, 96]]
    assert (first["typed"], second["typed"]) == (["centre-block", "other-block"], ["centre-block"])
    assert (first["frame"], second["frame"]) == (60, 30)
    for item, name in zip(releases, names, strict=True):
        assert {path: sha for path, sha in seen[name]["files"].items() if path != ".gitattributes"} == hashes(item)
    assert (seen["no such repository"], seen["no such revision"]) == ("DatasetNotFoundError", "DatasetNotFoundError")
    # Of the second release only what is new was sent: the board and pictures of the card.
    new = {sha for name, sha in hashes(without_one).items() if sha not in hashes(built / "release").values()}
    assert {upload.removeprefix("PUT /lfs/") for upload in uploads} - set(hashes(built / "release").values()) <= new
    hub.fail("", DroppedError(), times=10**6)
    offline = read_back(hub, tmp_path / "hf", HF_HUB_OFFLINE="1")
    assert offline == {"rows": 30}  # the newest, as it was loaded before


@pytest.mark.parametrize(
    ("request_", "raises"),
    [
        (r"GET /api/datasets/org/irg$", HubError(429, "", "Too Many Requests", **{"Retry-After": "1"})),
        (r"GET /datasets/org/irg/resolve/.*leaderboard", DroppedError()),
    ],
    ids=["429", "file dropped"],
)
def test_a_pull_goes_on_after_what_fails_for_a_while(
    request_: str, raises: Exception, release: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("release", "push", release, "--repo", REPO, "--message", request_).code == 0
    hub.fail(request_, raises)
    done = ircore_on("release", "pull", REPO, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert done.out.startswith("2 runs, 24 episodes")
