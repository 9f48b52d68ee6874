"""A season's set is drawn in secret, committed to in public, and shown to be the same afterwards."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.store import read_instances
from ircore.submissions.seasons import begin_season, commitment_to, read_season, reveal_season, verify_season

pytestmark = pytest.mark.slow


def test_the_commitment_is_a_plain_hash() -> None:
    """Anybody can compute it: printf 'ircore season\\nNAME\\nIDENTITY\\nSALT\\n' | sha256sum."""
    text = b"ircore season\nspring\n" + b"a" * 64 + b"\n" + b"b" * 64 + b"\n"
    assert commitment_to("spring", "a" * 64, "b" * 64) == hashlib.sha256(text).hexdigest()


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


def test_two_seasons_of_one_set_have_different_commitments(tmp_path: Path) -> None:
    ours = sample_instances(tmp_path / "ours")
    item, other = (
        begin_season("spring", tmp_path / f"secret{number}", tmp_path / f"{number}.json", instance_set=ours.folder)
        for number in range(2)
    )
    assert item.commitment != other.commitment
    with pytest.raises(InputError, match="commits to another set"):
        reveal_season(tmp_path / "secret0", tmp_path / "1.json")


def test_nothing_is_replaced(tmp_path: Path) -> None:
    ours = sample_instances(tmp_path / "ours")
    begin_season("spring", tmp_path / "secret", tmp_path / "spring.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="exists already"):
        begin_season("spring", tmp_path / "another", tmp_path / "spring.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="exists already"):
        begin_season("spring", tmp_path / "secret", tmp_path / "other.json", instance_set=ours.folder)
    with pytest.raises(InputError, match="Spring"):
        begin_season("Spring time", tmp_path / "third", tmp_path / "third.json", instance_set=ours.folder)


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 1, "salt": "x"}', "[" * 50_000])
def test_a_file_that_is_no_season(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError) as caught:
        read_season(tmp_path / "x.json")
    assert "\n" not in caught.value.problem


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
