"""An always-secret slice: each evaluation adds ten pictures that nobody publishes, and boards show the gap."""

import json
from pathlib import Path

import numpy as np
import pytest
from known_values import known
from samples import sample_instances, sample_run
from transcripts import write_manifest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.builtin_pairs import list_builtin_pairs
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.seasons import (
    CommittedSeason,
    begin_season,
    compute_gap,
    read_committed_set,
    read_season_gaps,
    select_slice,
    write_slice,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def committed(tmp_path: Path) -> CommittedSeason:
    """A season of twelve pictures under four conditions."""
    given = sample_instances(tmp_path / "given", per_condition=3)
    begin_season("spring", tmp_path / "secret", tmp_path / "spring.json", instance_set=given.folder)
    return read_committed_set(tmp_path / "secret", given.folder)


def test_a_pairs_pictures_are_the_same_each_time_and_others_than_another_pairs(committed: CommittedSeason) -> None:
    ours = select_slice(committed, "ours-01234567", 4)
    assert ours == select_slice(committed, "ours-01234567", 4)
    assert len({(instance.category, instance.difficulty) for instance in ours}) == 4
    others = {
        tuple(known.instance_id for known in select_slice(committed, f"other-{number}", 4)) for number in range(20)
    }
    assert len(others) > 10
    assert len(select_slice(committed, "ours-01234567", 10)) == 10
    with pytest.raises(InputError, match="has no 13 pictures"):
        select_slice(committed, "ours-01234567", 13)


def test_only_the_committed_set_is_taken(tmp_path: Path, committed: CommittedSeason) -> None:
    other = sample_instances(tmp_path / "other")
    with pytest.raises(InputError, match="not the set of season spring"):
        read_committed_set(tmp_path / "secret", other.folder)
    known = write_slice(committed, "ours-01234567", tmp_path / "slice", 4)
    assert write_slice(committed, "ours-01234567", tmp_path / "slice", 4).identity == known.identity
    with pytest.raises(InputError, match="holds other pictures"):
        write_slice(committed, "ours-01234567", tmp_path / "slice", 5)


class ByHeart:
    """Knows the public targets: says which one it is, and draws it from memory. Of others it knows nothing."""

    def __init__(self, known: InstanceSet) -> None:
        pictures = (known.picture(entry, "target") for entry in known.instances)
        self._pictures = {picture.sha256[:12]: picture for picture in pictures}

    async def describe(self, view: DescriberView) -> TextAnswer:
        said = f"The picture that we call {view.target.sha256[:12]}."
        return TextAnswer("<DONE>" if view.turn > 1 else f"<DESCRIPTION>{said}</DESCRIPTION>")

    async def render(self, view: GeneratorView) -> PictureAnswer:
        blank = Picture.from_pixels(np.full((96, 96, 3), 255, np.uint8))
        return PictureAnswer(self._pictures.get(view.message.split()[-1].strip("."), blank))


def played(folder: Path, targets: InstanceSet, player: ByHeart) -> RunFolder:
    opened = sample_run(folder, targets, describer=player, generator=player)
    score_runs([opened], ScoringPlan(judges=("structural",), metrics=()))
    return opened


@pytest.mark.attack
def test_a_pair_that_knows_the_public_targets_by_heart_shows_a_gap(tmp_path: Path, committed: CommittedSeason) -> None:
    public = sample_instances(tmp_path / "public")
    player = ByHeart(public)
    pictures = {entry.pictures["target"].sha256 for entry in public.instances}
    assert sum(entry.pictures["target"].sha256 not in pictures for entry in select_slice(committed, "x", 12)) == 8
    first = played(tmp_path / "p", public, player)
    targets = write_slice(committed, first.run.run_id, tmp_path / "slice", 12)
    gap = compute_gap(first, played(tmp_path / "s", targets, player), "structural")
    assert known(gap.mean) > 30
    assert known(gap.low) > 0


def test_nothing_but_the_gap_leaves_the_secret_folder(
    tmp_path: Path, committed: CommittedSeason, capsys: pytest.CaptureFixture[str]
) -> None:
    public, pair = sample_instances(tmp_path / "public"), list_builtin_pairs()["captioner+canvas"]
    out = tmp_path / "run"
    assert ircore(["play", str(pair), "--instances", str(public.folder), "--out", str(out), "--as-maintainers"]) == 0
    assert ircore(["score", str(out)]) == 0
    gaps = tmp_path / "gaps.json"
    command = ["maintain", "season", "slice", str(pair), str(out), "--secret", str(tmp_path / "secret")]
    options = ["--instances", str(tmp_path / "given"), "--gaps", str(gaps), "--judge", "structural"]
    before = {path for path in tmp_path.rglob("*") if tmp_path / "secret" not in path.parents}
    assert ircore([*command, *options]) == 0
    after = {path for path in tmp_path.rglob("*") if tmp_path / "secret" not in path.parents}
    assert after - before == {gaps}
    published = gaps.read_text()
    secrets = [entry.pictures["target"].sha256 for entry in select_slice(committed, "any", 12)]
    assert not [secret for secret in (*secrets, committed.salt, committed.instances.identity) if secret in published]
    known = read_season_gaps(gaps)
    assert known.season.revealed is None
    assert (known.pictures, [gap.run_id for gap in known.gaps]) == (10, [RunFolder(out).run.run_id])
    # The same once more takes the place of the first, and asks nobody again.
    assert ircore([*command, *options]) == 0
    assert json.loads(gaps.read_text()) == json.loads(published)
    assert ircore([*command, *options, "--pictures", "8"]) == 2
    assert "holds other pictures" in capsys.readouterr().err


def test_a_job_draws_the_season_again_from_a_line_of_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin_season("autumn", tmp_path / "at-home", tmp_path / "autumn.json", per_condition=1)
    text = (tmp_path / "at-home" / "secret.json").read_text()
    restore = ["maintain", "season", "restore", "autumn", "--out", str(tmp_path / "job")]
    assert ircore(restore) == 2
    assert "IRCORE_SEASON_SECRET: is not set" in capsys.readouterr().err
    monkeypatch.setenv("IRCORE_SEASON_SECRET", text)
    assert ircore(restore) == 0
    here, there = read_committed_set(tmp_path / "at-home"), read_committed_set(tmp_path / "job")
    assert (there.season, there.instances.identity, there.salt) == (begun, here.instances.identity, here.salt)
    assert ircore(restore) == 2, "a folder that holds something stays as it is"
    assert ircore([*restore[:3], "winter", *restore[4:5], str(tmp_path / "other")]) == 2
    assert "is that of season autumn" in capsys.readouterr().err
    # Nothing of a damaged secret is said, since a job's log is public.
    monkeypatch.setenv("IRCORE_SEASON_SECRET", text.replace('"salt": "', '"salt": "x'))
    assert ircore([*restore[:-1], str(tmp_path / "damaged")]) == 2
    said = capsys.readouterr()
    assert "its secret cannot be read (salt)" in said.err
    assert there.salt[:8] not in said.out + said.err
    assert not (tmp_path / "damaged").exists()


def test_evaluate_takes_both_options_or_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_manifest(tmp_path / "my-pair", None)
    command = ["maintain", "evaluate", str(tmp_path / "my-pair"), "--instances", "x", "--out", "y", "--gaps", "z"]
    assert ircore(command) == 2
    assert "--secret and --gaps go together" in capsys.readouterr().err
