"""A run folder begins whole, belongs to one process, and does not follow changes of the user's set."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from known_values import known
from pairs import play_pair, write_pair
from pydantic import ValidationError
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import TranscriptsReference
from ircore.instances.store import InstanceSet
from ircore.runs import setup
from ircore.runs.folder import RunFolder
from ircore.runs.merge import merge
from ircore.runs.provenance import PROVENANCE, Flag, Provenance, make_provenance, read_provenance, write_provenance


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
    provenance = known(RunFolder(tmp_path / "run").provenance())
    assert provenance.manifest == make_provenance(pair).manifest


@pytest.mark.slow
def test_an_editor_that_writes_in_place_breaks_no_run(tmp_path: Path, pair: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    assert play_pair(pair, instances, tmp_path / "run", "--limit", "1") == 0
    with (tmp_path / "set" / "instances.jsonl").open("r+b") as index:
        index.write(b"changed")
    assert ircore(["show", str(tmp_path / "run")]) == 0
    assert ircore(["score", str(tmp_path / "run"), "--metric", "psnr"]) == 0


SOURCE = TranscriptsReference(repo="org/name", revision="a" * 40, run="pair-12345678")


def vouched(tmp_path: Path, source: TranscriptsReference | None = None) -> Provenance:
    manifest = tmp_path / "submission.yaml"
    manifest.write_text("schema: 1\n")
    return make_provenance(manifest, source)


@pytest.mark.slow
def test_a_run_says_nothing_of_itself(tmp_path: Path) -> None:
    folder = sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    assert folder.provenance() is None


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    item = vouched(tmp_path, SOURCE)
    flagged = item.model_copy(update={"flags": (Flag(rule="identical_to_target", where="a, turn 1", what="alike"),)})
    write_provenance(tmp_path, flagged)
    assert read_provenance(tmp_path) == flagged
    assert flagged.manifest == sha256(b"schema: 1\n").hexdigest()
    assert flagged.kind == "rescored"


def test_a_source_belongs_to_a_rescored_run_only(tmp_path: Path) -> None:
    item = vouched(tmp_path).model_dump(by_alias=True)
    with pytest.raises(ValidationError, match="source is given exactly when kind is rescored"):
        Provenance.model_validate({**item, "kind": "rescored"})
    with pytest.raises(ValidationError, match="source is given exactly when kind is rescored"):
        Provenance.model_validate({**item, "source": SOURCE.model_dump()})


@pytest.mark.parametrize("content", ["", "{", '{"kind": "maintainers"}', "[" * 100_000, '{"kind": NaN}'])
def test_a_damaged_file_is_an_error_of_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / PROVENANCE).write_text(content)
    with pytest.raises(InputError) as caught:
        read_provenance(tmp_path)
    assert str(tmp_path / PROVENANCE) in caught.value.problem
    assert "\n" not in caught.value.problem


@pytest.mark.slow
def test_only_a_run_begun_by_the_maintainers_is_theirs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    common = ["play", str(pair), "--instances", str(tmp_path / "set"), "--limit", "1"]
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    assert ircore([*common, "--out", ours, "--as-maintainers"]) == 0
    assert ircore([*common, "--out", theirs]) == 0
    voucher = known(RunFolder(Path(ours)).provenance())
    assert (voucher.kind, voucher.source, voucher.flags) == ("maintainers", None, ())
    assert voucher.manifest == sha256(pair.read_bytes()).hexdigest()
    assert not (tmp_path / "theirs" / PROVENANCE).exists()
    # Neither may be gone on with by the other.
    capsys.readouterr()
    assert ircore([*common, "--out", theirs, "--as-maintainers"]) == 2
    assert "was not begun with --as-maintainers" in capsys.readouterr().err
    assert ircore([*common, "--out", ours]) == 2
    assert ircore([*common, "--out", ours, "--as-maintainers"]) == 0
    assert RunFolder(Path(ours)).provenance() == voucher


@pytest.mark.slow
def test_a_rescored_run_is_not_played_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    common = ["play", str(pair), "--instances", str(tmp_path / "set"), "--limit", "1", "--out", str(tmp_path / "run")]
    assert ircore(common) == 0
    write_provenance(tmp_path / "run", vouched(tmp_path, SOURCE))
    assert ircore(common) == 2
    assert "was played by its submitter and re-scored" in capsys.readouterr().err


@pytest.mark.slow
def test_merged_shards_keep_who_vouches_and_must_agree(tmp_path: Path) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    for index, more in ((1, ["--as-maintainers"]), (2, ["--as-maintainers"])):
        out = ["--out", str(tmp_path / f"shard{index}"), "--shard", f"{index}/2"]
        assert ircore(["play", str(pair), "--instances", str(tmp_path / "set"), *out, *more]) == 0
    shards = [tmp_path / "shard1", tmp_path / "shard2"]
    merged = known(merge(shards, tmp_path / "merged").folder.provenance())
    assert merged.kind == "maintainers"
    (tmp_path / "shard2" / PROVENANCE).unlink()
    with pytest.raises(InputError, match="comes from somebody else"):
        merge(shards, tmp_path / "other")
    assert not (tmp_path / "other").exists()
