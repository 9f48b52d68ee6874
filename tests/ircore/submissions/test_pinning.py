"""Transcripts that were uploaded are named in the manifest: the commit that the Hub has, the run that lies there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import HubServer, running_hub
from transcripts import SLUG, Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.submission_records import TranscriptsReference
from ircore.players.submission import read_manifest
from ircore.submissions.rescoring import fetch as fetching


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    return hand_in(tmp_path_factory.mktemp("handed"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with running_hub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setattr(fetching, "WAITS", (0.01, 0.02))
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A submission that names no transcripts yet, with a comment of its author."""
    write_manifest(tmp_path / SLUG, None)
    manifest = tmp_path / SLUG / "submission.yaml"
    manifest.write_text(f"# mine\n{manifest.read_text()}")
    return tmp_path / SLUG


@pytest.mark.slow
def test_the_newest_commit_and_the_only_run_are_found(hub: HubServer, played: Handed, folder: Path) -> None:
    repo = hub.add_repo("me/mine", files=played.files())
    before = (folder / "submission.yaml").read_text()
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 0
    reference = read_manifest(folder).submission.transcripts
    assert reference == TranscriptsReference(repo="me/mine", revision=repo.head, run=played.run.name)
    assert (folder / "submission.yaml").read_text().startswith(before.rstrip())
    words = ["--instances", str(played.instances), "--out", str(folder.parent / "run")]
    assert ircore(["maintain", "rescore", str(folder), *words]) == 0


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
    hub: HubServer, played: Handed, folder: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add_repo("me/mine", files=played.files())
    hub.add_repo("me/two", files={"a/pack.json": b"{}", "b/pack.json": b"{}"})
    hub.add_repo("me/odd", files={"R\u202ens\n::error::/pack.json": b"{}"})
    hub.add_repo("me/none", files={"README.md": b"x"})
    hub.add_repo("me/unpacked", files={"run/notes.txt": b"x"})
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
    hub: HubServer, played: Handed, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add_repo("me/mine", files=played.files())
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 0
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 2
    assert "ircore maintain update" in capsys.readouterr().err


def test_a_manifest_that_takes_no_more_lines_is_left_alone(hub: HubServer, played: Handed, folder: Path) -> None:
    hub.add_repo("me/mine", files=played.files())
    manifest = folder / "submission.yaml"
    manifest.write_text(read_manifest(folder).submission.model_dump_json(by_alias=True, exclude_none=True))
    before = manifest.read_bytes()
    assert ircore(["submission", "pin", str(folder), "--repo", "me/mine"]) == 2
    assert manifest.read_bytes() == before
