"""A run folder begins whole, belongs to one process, and does not follow changes of the user's set."""

import json
from pathlib import Path

import pytest
from pairs import play_pair, write_pair
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs import setup
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_who_is_refused_the_lock_has_changed_nothing(
    tmp_path: Path, pair: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.yaml"
    row = {"input": 1, "output": 2, "date": "2026-11-01", "source": "https://example.org/prices"}
    prices.write_text(json.dumps({"models": {"a-model": row}}))
    assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--limit", "2") == 0
    before = content(tmp_path / "run")
    with RunFolder(tmp_path / "run").lock():
        assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--prices", str(prices)) == 2
    assert "another process is working on this run" in capsys.readouterr().err
    assert content(tmp_path / "run") == before


@pytest.mark.slow
def test_who_is_refused_for_another_reason_has_changed_nothing(
    tmp_path: Path, pair: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--limit", "2") == 0
    before = content(tmp_path / "run")
    for more, problem in (
        ((), "shard 1/2 is played here"),
        (("--shard", "2/2"), "shard 1/2 is played here"),
        (("--shard", "1/2", "--as-maintainers"), "was not begun with --as-maintainers"),
        (("--shard", "1/2", "--prices", str(pair)), "models"),
    ):
        assert play_pair(pair, instances, tmp_path / "run", *more) == 2
        assert problem in capsys.readouterr().err
        assert content(tmp_path / "run") == before


@pytest.mark.slow
def test_a_crash_while_a_run_begins_leaves_nothing_or_a_run_that_goes_on(
    tmp_path: Path, pair: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last thing that is written before a run appears is who vouches for it and which shard it is."""

    class KilledError(BaseException):
        """As by kill -9: nothing is tidied up."""

    def killed(*_: object) -> None:
        raise KilledError

    more = ("--as-maintainers", "--shard", "1/2")
    for module, name in ((setup, "write_provenance"), (setup, "write_part"), (Path, "rename")):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, killed)
            with pytest.raises(KilledError):
                play_pair(pair, instances, tmp_path / "run", *more)
        assert not (tmp_path / "run").exists()
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    provenance = RunFolder(tmp_path / "run").provenance()
    assert provenance is not None
    assert provenance.manifest == make_provenance(pair).manifest


@pytest.mark.slow
def test_an_editor_that_writes_in_place_breaks_no_run(tmp_path: Path, pair: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    assert play_pair(pair, instances, tmp_path / "run", "--limit", "1") == 0
    with (tmp_path / "set" / "instances.jsonl").open("r+b") as index:
        index.write(b"changed")
    assert ircore(["show", str(tmp_path / "run")]) == 0
    assert ircore(["score", str(tmp_path / "run"), "--metric", "psnr"]) == 0
