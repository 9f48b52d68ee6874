"""From a submitter's run to a run of ours: packed, uploaded, named by its commit, fetched, replayed, scored."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from hub_server import DroppedError, HubError, HubServer, running_hub
from PIL import Image, PngImagePlugin
from samples import sample_instances, sample_run
from target_instances import target_instance
from transcripts import SLUG, Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.submission_records import TranscriptsReference
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import collect_renderings, list_turns
from ircore.instances.store import write_instances
from ircore.players.submission import read_manifest
from ircore.runs.events import Call, End, Event, Failure
from ircore.runs.folder import RunFolder, RunWriter
from ircore.runs.provenance import PROVENANCE, make_provenance, write_provenance
from ircore.seeing.descriptors import compute_descriptor
from ircore.submissions.rescoring import fetch as fetching
from ircore.submissions.rescoring import flags as flagging
from ircore.submissions.rescoring import rules
from ircore.submissions.rescoring.copies import CopyComparison
from ircore.submissions.rescoring.fetch import Hub, fetch
from ircore.submissions.rescoring.packing import pack
from ircore.submissions.rescoring.rescore import RefusedError, rescore
from ircore.submissions.rescoring.rules import TranscriptReplay


@pytest.fixture(scope="module")
def hub() -> Iterator[HubServer]:
    with running_hub() as server:
        yield server


@pytest.fixture
def served(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> HubServer:
    hub.empty()
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr(fetching, "WAITS", (0.01, 0.02))
    return hub


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    return hand_in(tmp_path_factory.mktemp("handed"))


def upload(hub: HubServer, handed: Handed, more: dict[str, bytes] | None = None) -> str:
    """Put packed transcripts into a repository and name its commit in the manifest."""
    repo = hub.add_repo("me/mine", files=handed.files() | (more or {}))
    write_manifest(handed.submission, {"repo": "me/mine", "revision": repo.head, "run": handed.run.name})
    return repo.head


@pytest.mark.slow
def test_a_run_comes_back_as_it_was_played(tmp_path: Path, served: HubServer) -> None:
    handed = hand_in(tmp_path)
    commit = upload(served, handed)
    made = rescore(handed.submission, tmp_path / "rescored", handed.instances)
    theirs, ours = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "rescored")
    assert ours.episodes() == theirs.episodes()
    # The journal has one end an episode, and nothing is left of the work.
    assert len([event for event in ours.events() if isinstance(event, End)]) == len(ours.episodes()) == 4
    assert not list(tmp_path.glob(".rescored*"))
    assert ours.calls() == theirs.calls()
    assert [
        ours.rendering(turn.rendering).sha256
        for episode in ours.episodes()
        for turn in list_turns(episode)
        if turn.rendering
    ]
    assert made.provenance == ours.provenance()
    assert made.provenance is not None
    assert made.provenance.kind == "rescored"
    assert made.provenance.source == TranscriptsReference(repo="me/mine", revision=commit, run=handed.run.name)
    # It is another run than the submitter's: its manifest names the transcripts.
    assert ours.run.run_id != theirs.run.run_id
    assert ours.run.submission.transcripts == made.provenance.source
    # No word of ours went to the stranger's repository but what is asked for.
    assert not [request for request in served.requests if not request.startswith("GET ")]
    # And it is scored like any other.
    assert ircore(["score", str(tmp_path / "rescored")]) == 0
    assert ours.scores()


@pytest.mark.slow
def test_an_episode_that_was_taken_up_again_is_as_it_ended_last(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)

    def interrupt(lines: list[dict[str, Any]]) -> None:
        end = next(line for line in lines if line["event"] == "end")
        why = {"detail": "down"}
        down = {"outcome": "aborted", "abort_reason": "provider_error", "steps": [], **why}
        failure = {"event": "failure", "turn": 1, "role": "describer", "reason": "provider_error", **why}
        lines[:0] = [
            failure | {"episode_id": end["episode"]["episode_id"]}, end | {"episode": end["episode"] | down},
        ]  # fmt: skip

    handed.edit(interrupt)
    made = rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
    assert made.folder.episodes() == RunFolder(tmp_path / "run").episodes()


@pytest.mark.slow
def test_the_command_says_what_it_found(
    tmp_path: Path, served: HubServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = hand_in(tmp_path)
    upload(served, handed)
    monkeypatch.setenv("HF_TOKEN", "hf_" + "y" * 30)  # never sent: the server would refuse it
    common = ["maintain", "rescore", str(handed.submission), "--instances", str(handed.instances)]
    assert ircore([*common, "--out", str(tmp_path / "one")]) == 0
    shown = capsys.readouterr().out
    assert "4 episodes hold by the rules (re-scored)" in shown
    assert "identical_to_target: geometry-easy-01, turn 2: the rendering is the target, pixel by pixel" in shown
    assert ircore([*common, "--out", str(tmp_path / "two"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [flag["rule"] for flag in document["flags"]].count("identical_to_target") == 4
    assert document["provenance"]["kind"] == "rescored"
    assert ircore([*common, "--out", str(tmp_path / "two")]) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.slow
def test_a_strangers_own_provenance_is_refused_and_never_packed(tmp_path: Path, served: HubServer) -> None:
    handed = hand_in(tmp_path)
    write_provenance(tmp_path / "run", make_provenance(handed.submission / "submission.yaml"))
    again = pack(tmp_path / "run", tmp_path / "again")
    assert {file.path for file in again.index.files if "/" not in file.path} == {"run.json", "journal.jsonl"}
    upload(served, handed, {f"{handed.run.name}/{PROVENANCE}": b"{}"})
    with pytest.raises(InputError, match=r"'provenance\.json' has no place in transcripts"):
        rescore(handed.submission, tmp_path / "rescored", handed.instances)
    assert not (tmp_path / "rescored").exists()


@pytest.mark.slow
def test_players_of_the_submitters_own_need_not_be_here(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)
    manifest = handed.submission / "submission.yaml"
    manifest.write_text(manifest.read_text().replace("player: classical", "player: my-own-model"))
    handed.edit_run(lambda run: run["submission"]["describer"].update(player="my-own-model"))
    made = rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
    assert made.folder.run.submission.players["describer"].player == "my-own-model"
    assert ircore(["score", str(tmp_path / "rescored")]) == 0


def test_a_submission_without_transcripts(tmp_path: Path, played: Handed) -> None:
    write_manifest(tmp_path / "centre-block", None)
    with pytest.raises(InputError, match="names no transcripts"):
        rescore(tmp_path / "centre-block", tmp_path / "out", played.instances)


# Fetching.


def test_only_what_is_listed_and_no_more_is_read(tmp_path: Path, served: HubServer, played: Handed) -> None:
    commit = upload(served, played, {f"other-run/{index}.bin": b"x" * 100 for index in range(50)})
    reference = TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name)
    folder = fetch(reference, tmp_path, deadline=300)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == sorted(
        path.relative_to(played.run).as_posix() for path in played.run.rglob("*") if path.is_file()
    )
    assert not [request for request in served.requests if "other-run" in request]


def test_a_long_listing_comes_page_by_page(
    tmp_path: Path, served: HubServer, played: Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = upload(served, played)
    monkeypatch.setattr(fetching, "PAGE", 3)
    folder = fetch(TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name), tmp_path, deadline=300)
    assert len([request for request in served.requests if "/tree/" in request]) == 4  # ten files and a folder
    assert len(list(folder.rglob("*.png"))) == len(list(played.run.rglob("*.png")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (HubError(404, "RepoNotFound", "gone"), "no such public dataset, commit, run or file on the Hub (404)"),
        (HubError(401, "", "private"), "no such public dataset, commit, run or file on the Hub (401)"),
        (HubError(418, "", "teapot"), "the Hub refuses: 418"),
        (HubError(503, "", "busy"), "the Hub answers 503"),
        (DroppedError(), "RemoteDisconnected"),
        (HubError(302, "", "", Location="http://169.254.169.254/latest"), "169.254.169.254, which is not followed"),
        (HubError(302, "", "", Location="file:///etc/passwd"), "the Hub refuses: 302"),
        (HubError(302, "", "", Location="https://10.0.0.1/x"), "10.0.0.1, which is not followed"),
        (HubError(302, "", "", Location="https://0x7f.1/x"), "0x7f.1, which is not followed"),
        (HubError(302, "", "", Location="https://metadata.google.internal/x"), "internal, which is not followed"),
        (HubError(302, "", "", Location="https://10.0.0.1.nip.io/x"), "nip.io, which is not followed"),
        (HubError(302, "", "", Location="https://[half/x"), "ValueError"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_hub_that_fails_is_one_clear_line(
    tmp_path: Path, served: HubServer, played: Handed, fault: Exception, message: str
) -> None:
    commit = upload(served, played)
    served.fail("GET /datasets/me/mine/resolve/.*run.json", fault, times=99)
    reference = TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name)
    with pytest.raises(InputError) as caught:
        fetch(reference, tmp_path, deadline=300)
    assert message in caught.value.problem
    assert "\n" not in caught.value.problem


@pytest.mark.parametrize("following", ["https://[half", "https://10.0.0.1/x", "//evil.example/x", "file:///etc/passwd"])
def test_a_listing_goes_on_at_the_hub_alone(following: str) -> None:
    with pytest.raises(WorkError, match="the Hub leads to"):
        Hub("https://huggingface.co", monotonic() + 300).open(following, "me/mine")


def test_a_hub_that_is_busy_for_a_while_is_asked_again(tmp_path: Path, served: HubServer, played: Handed) -> None:
    commit = upload(served, played)
    served.fail("GET /api/datasets/me/mine/tree", HubError(429, "", "slow down"))
    served.fail("GET /datasets/me/mine/resolve/.*pack.json", DroppedError())
    reference = TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name)
    assert (fetch(reference, tmp_path, deadline=300) / "pack.json").is_file()


def test_time_is_bounded(tmp_path: Path, served: HubServer, played: Handed) -> None:
    commit = upload(served, played)
    reference = TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name)
    with pytest.raises(WorkError, match="takes too long"):
        fetch(reference, tmp_path, deadline=1e-6)


def test_a_file_longer_than_listed_is_not_read_to_its_end(
    tmp_path: Path, served: HubServer, played: Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = upload(served, played)
    shorter = {path: len(data) for path, data in played.files().items()}
    monkeypatch.setattr(
        fetching, "list_files", lambda *_: [(path.split("/", 1)[1], 10) for path in shorter if "/" in path]
    )
    with pytest.raises(InputError, match="listed 10 bytes and sends another number"):
        fetch(TranscriptsReference(repo="me/mine", revision=commit, run=played.run.name), tmp_path, deadline=300)


@pytest.mark.parametrize(
    "address", ["http://example.org", "https://user:word@example.org", "ftp://x", "https://127.0.0.1"]
)
def test_the_hub_is_https_or_on_loopback(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(InputError, match="HF_ENDPOINT"):
        fetching.read_endpoint()
    monkeypatch.delenv("HF_ENDPOINT")
    assert fetching.read_endpoint() == "https://huggingface.co"


# Packing.


@pytest.mark.slow
def test_pictures_are_packed_without_anything_beside_their_pixels(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    run = sample_run(tmp_path / "run", instances)
    first = next(event for event in run.events() if isinstance(event, Call) and event.rendering)
    assert first.rendering is not None
    plain = run.rendering(first.rendering)
    text = PngImagePlugin.PngInfo()
    text.add_text("prompt", "hf_" + "z" * 30)
    noisy = tmp_path / "noisy.png"
    Image.fromarray(plain.pixels).save(noisy, pnginfo=text)
    run.rendering_path(first.rendering.sha256).write_bytes(noisy.read_bytes())
    packed = pack(tmp_path / "run", tmp_path / "packed")
    assert not [path for path in (tmp_path / "packed").rglob("*.png") if b"prompt" in path.read_bytes()]
    pixels = {Picture.read_untrusted(path.read_bytes(), "x").pixels.tobytes() for path in packed.folder.rglob("*.png")}
    assert plain.pixels.tobytes() in pixels
    assert packed.index.size == sum(
        path.stat().st_size
        for path in packed.folder.rglob("*")
        if path.name not in ("pack.json", "README.md") and path.is_file()
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "secret",
    ["hf_" + "a" * 30, "-----BEGIN RSA " + "PRIVATE KEY-----", "/home/somebody/models", "C:\\Users\\somebody"],
    ids=lambda secret: secret[:6],
)
def test_a_secret_in_what_was_said_stops_the_packing_and_is_not_shown(tmp_path: Path, secret: str) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    journal = run.path / "journal.jsonl"
    journal.write_text(
        journal.read_text().replace("<DESCRIPTION>left", f"<DESCRIPTION>{json.dumps(secret)[1:-1]} left", 1)
    )
    with pytest.raises(InputError) as caught:
        pack(tmp_path / "run", tmp_path / "packed")
    assert "turn 1, describer, answer: a" in caught.value.problem
    assert "at character 14" in caught.value.problem
    assert secret not in caught.value.problem
    assert not (tmp_path / "packed").exists()


@pytest.mark.slow
def test_a_secret_in_an_error_message_is_taken_out(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    key = "sk-" + "k" * 40
    failure = Failure(
        episode_id="geometry-easy-01", turn=1, role="describer", reason="provider_error", detail=f"401 for {key}"
    )
    with run.lock(), RunWriter(run) as writer:
        from ircore.runs.events import EventEntry

        writer.record([EventEntry(failure)])
    packed = pack(tmp_path / "run", tmp_path / "packed")
    assert packed.removed == ("geometry-easy-01: an API key (sk-…)",)
    written = (packed.folder / run.run.run_id / "journal.jsonl").read_text()
    assert key not in written
    assert "[an API key (sk-…) was here]" in written


@pytest.mark.slow
def test_an_unfinished_run_is_not_packed_and_not_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handed = hand_in(tmp_path)
    handed.edit(lambda lines: lines.__delitem__(slice(-1, None)))
    with pytest.raises(RefusedError, match="1 of 4 episodes were not played to their end"):
        rescore(handed.submission, tmp_path / "out", handed.instances, handed.packed)
    sample_run(tmp_path / "half", sample_instances(tmp_path / "other"), limit=2)
    capsys.readouterr()
    assert ircore(["submission", "pack", str(tmp_path / "half"), "--out", str(tmp_path / "p")]) == 2
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem.endswith(
        "not packed, since 2 of 4 episodes were not played to their end: simple_shapes-easy-01, simple_shapes-hard-01"
    )
    assert "ircore play centre-block" in remedy
    assert not (tmp_path / "p").exists()


# The parts.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A submission that names no transcripts yet, with a comment of its author."""
    write_manifest(tmp_path / SLUG, None)
    manifest = tmp_path / SLUG / "submission.yaml"
    manifest.write_text(f"# mine\n{manifest.read_text()}")
    return tmp_path / SLUG


@pytest.mark.slow
def test_the_newest_commit_and_the_only_run_are_found(served: HubServer, played: Handed, folder: Path) -> None:
    repo = served.add_repo("me/mine", files=played.files())
    before = (folder / "submission.yaml").read_text()
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 0
    reference = read_manifest(folder).submission.transcripts
    assert reference == TranscriptsReference(repo="me/mine", revision=repo.head, run=played.run.name)
    assert (folder / "submission.yaml").read_text().startswith(before.rstrip())
    words = ["--instances", str(played.instances), "--out", str(folder.parent / "run")]
    assert ircore(["maintain", "rescore", str(folder), *words]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--repo", "https://huggingface.co/datasets/me/mine"], "is no name of a dataset"),
        (["--repo", "nobody/nothing"], "no such public dataset"),
        (["--repo", "me/mine", "--revision", "main"], "is no commit"),
        (["--repo", "me/mine", "--revision", "0" * 40], "no such public dataset, commit"),
        (["--repo", "me/mine", "--run", "other"], "no such public dataset, commit, run"),
        (["--repo", "me/mine", "--run", "../x"], "'../x' is no run"),
        (["--repo", "me/odd"], r"'R\u202ens\n::error::' is no run"),
        (["--repo", "me/two"], "holds 2 runs: 'a', 'b'"),
        (["--repo", "me/none"], "holds no runs"),
        (["--repo", "me/unpacked"], "has no place in transcripts"),
        (["--repo", "me/new", "--packed", "."], "holds 0 packed runs"),
        (["--repo", "me/new", "--packed", ".", "--run", "other"], "--packed goes with neither"),
    ],
)
def test_what_cannot_be_named_leaves_the_manifest_as_it_is(
    served: HubServer, played: Handed, folder: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    served.add_repo("me/mine", files=played.files())
    served.add_repo("me/two", files={"a/pack.json": b"{}", "b/pack.json": b"{}"})
    served.add_repo("me/odd", files={"R\u202ens\n::error::/pack.json": b"{}"})
    served.add_repo("me/none", files={"README.md": b"x"})
    served.add_repo("me/unpacked", files={"run/notes.txt": b"x"})
    before = (folder / "submission.yaml").read_bytes()
    assert ircore(["submission", "pin", str(folder), *words]) == 2
    err = capsys.readouterr().err
    assert problem in err.splitlines()[0]
    assert "Traceback" not in err
    assert (folder / "submission.yaml").read_bytes() == before


def test_without_a_network_the_reason_is_told_also_when_time_is_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody listens at port 1; the wait before the next try would be longer than the deadline."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(fetching, "WAITS", (1000.0,))
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine", "--deadline", "500"]) == 1
    assert "me/mine: the Hub cannot be reached (Connection refused)" in capsys.readouterr().err


def test_transcripts_that_are_named_already_are_updated_instead(
    served: HubServer, played: Handed, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    served.add_repo("me/mine", files=played.files())
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 0
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 2
    assert "ircore maintain update" in capsys.readouterr().err


def test_a_manifest_that_takes_no_more_lines_is_left_alone(served: HubServer, played: Handed, folder: Path) -> None:
    served.add_repo("me/mine", files=played.files())
    manifest = folder / "submission.yaml"
    manifest.write_text(read_manifest(folder).submission.model_dump_json(by_alias=True, exclude_none=True))
    before = manifest.read_bytes()
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 2
    assert manifest.read_bytes() == before


def test_an_episode_ends_once_more_after_an_outage_and_only_then(run: RunFolder) -> None:
    game, events = ReconstructionGame(), list(run.events())
    ended = next(event.episode for event in events if isinstance(event, End))
    down = {"outcome": "aborted", "abort_reason": "provider_error", "detail": "down", "steps": ()}
    failure = Failure(episode_id=ended.episode_id, turn=1, role="describer", reason="provider_error", detail="down")

    def faults(*before: Event) -> tuple[str, ...]:
        return TranscriptReplay(run.run, run.instances, game, game.read_prompts(None)).faults((*before, *events))

    assert faults() == ()
    assert faults(failure, End(episode=ended.model_copy(update=down))) == ()
    assert faults(End(episode=ended))[0].endswith("ended twice")


@pytest.mark.slow
def test_a_rendering_of_several_turns_is_named_by_the_first(run: RunFolder) -> None:
    dot = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    drawn = Rendering(sha256=dot.sha256, width=8, height=8)
    ended = next(event for event in run.events() if isinstance(event, End)).episode
    steps = tuple(
        step.model_copy(update={"rendering": drawn}) if step.rendering else step for step in list_turns(ended)
    )
    assert len(collect_renderings(ended)) > 1
    flags = flagging.find_flags(run.run, [End(episode=ended.with_steps(steps))], run.instances, lambda _: dot)
    assert [flag.where for flag in flags if flag.rule == "tiny_rendering"] == [f"{ended.episode_id}, turn 1"]


@pytest.mark.parametrize(
    ("recorded", "by_rules", "same"),
    [
        (True, 1, False), (1, True, False), (1, 1.0, True), (0.1 + 0.2, 0.3, True), ("1", 1, False),
        ({"turns": [1]}, {"turns": [True]}, False), ([1, 2], [1], False), ({"a": None}, {}, False),
    ],
)  # fmt: skip
def test_true_is_not_1_in_a_transcript(recorded: Any, by_rules: Any, same: bool) -> None:
    assert rules._are_same(by_rules, recorded) is same


def pictures_of(count: int) -> list[Picture]:
    """Drawn pictures with fine detail of their own."""
    drawings = [Drawing(160, 160) for _ in range(count)]
    for number, drawing in enumerate(drawings):
        for place in range(9):
            middle = (22.3 + 50 * (place % 3) + number, 22.7 + 50 * (place // 3))
            drawing.ellipse(middle, (9.3 + number, 14.6 + place), "#1f77b4", rotation=17 * place + 5 * number)
    return [Picture.from_pixels(drawing.pixels) for drawing in drawings]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("played", "copied", "turns", "held"),
    [(6, 5, 1, True), (6, 1, 5, False), (2, 2, 1, False), (12, 4, 1, False)],
    ids=["five of six targets", "one target in five turns", "two of two", "four of twelve"],
)
def test_copies_of_many_targets_hold_a_run_and_many_copies_of_one_do_not(
    tmp_path: Path, played: int, copied: int, turns: int, held: bool
) -> None:
    targets = {f"target-{number}": picture for number, picture in enumerate(pictures_of(played))}
    made = [
        (target_instance(name, target, category="geometry"), {"target": target}) for name, target in targets.items()
    ]
    blank = Picture.from_pixels(np.full((160, 160, 3), 250, np.uint8))
    drawn: dict[str, dict[str, int]] = {name: {blank.sha256: 1} for name in targets}
    known = {blank.sha256: blank}
    for name in list(targets)[:copied]:
        darker = [Picture.from_pixels(targets[name].pixels - np.uint8(turn)) for turn in range(1, turns + 1)]
        drawn[name] = {picture.sha256: turn for turn, picture in enumerate(darker, start=1)}
        known |= {picture.sha256: picture for picture in darker}
    looks = cache(lambda sha256: compute_descriptor(known[sha256]))
    flags = list(
        CopyComparison("turn", drawn, known.__getitem__, looks).with_instances(write_instances(tmp_path, made))
    )
    assert len(flags) == copied * turns
    assert {flag.grave for flag in flags} == {held}


def test_a_pair_may_draw_its_own_pictures_again_and_no_other_pairs(run: RunFolder) -> None:
    drawn = {
        episode.episode_id: {
            turn.rendering.sha256: turn.turn for turn in list_turns(episode) if turn.rendering is not None
        }
        for episode in run.episodes()
    }
    pictures = {
        turn.rendering.sha256: run.rendering(turn.rendering)
        for episode in run.episodes()
        for turn in list_turns(episode)
        if turn.rendering is not None
    }
    looks = cache(lambda sha256: compute_descriptor(pictures[sha256]))
    comparison = CopyComparison("turn", drawn, pictures.__getitem__, looks)
    assert list(comparison.with_others(run.run, [run], run.instances)) == []
    stranger = run.run.model_copy(update={"slug": "another"})
    assert len(list(comparison.with_others(stranger, [run], run.instances))) == sum(map(len, drawn.values()))
