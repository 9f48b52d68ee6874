"""What is merged and not evaluated yet is a list for maintainers."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from known_values import known
from samples import sample_instances
from transcripts import Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, make_provenance, write_provenance
from ircore.submissions.pending_work import (
    Forecast,
    choose_pending,
    forecast,
    merged_submissions,
    waiting_submissions,
    write_bounds,
)
from ircore.submissions.rescoring.rescore import rescore

pytestmark = pytest.mark.slow

SUBMISSIONS = Path(__file__).resolve().parents[3] / "submissions"


@pytest.fixture
def handed(tmp_path: Path) -> Handed:
    return hand_in(tmp_path)


def publish(handed: Handed, runs: Path) -> None:
    """Re-score what was handed in, as the protected job does."""
    made = rescore(handed.submission, runs / "one", handed.instances, handed.packed)
    manifest = handed.submission / "submission.yaml"
    write_provenance(made.folder.path, make_provenance(manifest, read_manifest(manifest).submission.transcripts))


def what(handed: Handed, runs: Path, *sets: InstanceSet) -> list[str]:
    merged = merged_submissions(handed.submission.parent)
    return [submission.what for submission in waiting_submissions(merged, sorted(runs.glob("*")), sets)]


def test_a_merged_pair_waits_until_its_run_is_published(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    assert what(handed, runs) == ["to be re-scored: no run of it is published"]
    publish(handed, runs)
    assert what(handed, runs) == []


def test_a_run_that_nobody_vouches_for_does_not_count(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    rescore(handed.submission, runs / "one", handed.instances, handed.packed)
    assert what(handed, runs) == ["to be re-scored: nobody vouches for its published run"]


def test_a_pair_without_transcripts_is_to_be_played(handed: Handed, tmp_path: Path) -> None:
    write_manifest(handed.submission, None)
    assert what(handed, tmp_path / "none") == ["to be played: no run of it is published"]


def test_what_changed_since_makes_it_wait_again(handed: Handed, tmp_path: Path) -> None:
    runs, manifest = tmp_path / "published" / "runs", handed.submission / "submission.yaml"
    publish(handed, runs)
    text = manifest.read_text()
    revision = read_manifest(manifest).submission.transcripts.revision  # type: ignore[union-attr]
    manifest.write_text(text.replace(revision, "f" * 40))
    why = "to be re-scored: its transcripts are others than those of the published run"
    (run,) = (RunFolder(path).run.run_id for path in runs.iterdir())
    # A release holds one run of a pair under the same rules: what becomes of the former one has to be said.
    assert what(handed, runs) == [f"{why}; before that, ircore maintain correct --run {run}"]
    assert ircore(["maintain", "correct", str(handed.submission), "--run", run, "--reason", "r"]) == 0
    assert what(handed, runs) == [why]
    manifest.write_text(text.replace("rules: {}", "rules: {token_budget: 50}"))
    assert what(handed, runs) == ["to be re-scored: its players or rules changed since"]
    manifest.write_text(f"{text}hardware: another word about it\n")
    assert what(handed, runs) == []


def test_a_run_of_a_former_version_of_the_benchmark_does_not_count(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    publish(handed, runs)
    (path,) = runs.iterdir()
    now, known = RunFolder(path).run, path / "run.json"

    def waiting(*sets: InstanceSet) -> list[str]:
        return what(handed, runs, *sets)

    former = ["to be re-scored: its published run is of another version of the benchmark"]
    played_on = read_instances(handed.instances)
    another = replace(played_on, identity="0" * 64)
    assert (waiting(), waiting(played_on), waiting(another)) == ([], [], former)
    known.write_text(known.read_text().replace(now.prompts, "built-in 0123456789ab"))
    assert waiting() == former


def test_the_command_lists_them(handed: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published, folder = tmp_path / "published", str(handed.submission.parent)
    assert ircore(["maintain", "pending", folder, "--published", str(published)]) == 2
    (published / "runs").mkdir(parents=True)
    words = ["maintain", "pending", folder, "--published", str(published), "--instances", str(handed.instances)]
    assert ircore([*words, "--json"]) == 0
    waits = {"slug": "centre-block", "what": "to be re-scored: no run of it is published", "cost_usd": 0.0}
    told = {"waiting": [waits | {"cost": "nothing to pay"}], "held": [], "disputed": []}
    capsys.readouterr()
    assert ircore([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told
    publish(handed, published / "runs")
    assert ircore(words) == 0
    assert capsys.readouterr().out == "nothing is waiting\n"
    run = RunFolder(published / "runs" / "one")
    flag = Flag(rule="identical_to_target", where="geometry-easy-01, turn 1", what="the rendering is the target")
    write_provenance(run.path, known(run.provenance()).model_copy(update={"flags": (flag,)}))
    assert ircore(["maintain", "dispute", str(handed.submission), "--reason", "is it so", "--date", "2026-11-01"]) == 0
    capsys.readouterr()
    assert ircore(words) == 0
    held, disputed = capsys.readouterr().out.splitlines()
    assert held.startswith(f"centre-block: {run.run.run_id} is held: identical_to_target at geometry-easy-01")
    assert disputed == "centre-block: all runs: disputed since 2026-11-01: is it so"
    assert ircore(["maintain", "clear", str(handed.submission), "--run", run.run.run_id, "--reason", "r"]) == 0
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
