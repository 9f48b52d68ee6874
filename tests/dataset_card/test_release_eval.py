"""Results of single models for the Hub's leaderboards: only where there is a complete grid, and read by its client."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from samples import rating_of, sample_instances, sample_run, sample_submission

from dataset_card.eval_results import Source, compute_marginals, write_eval_results
from dataset_card.releases.build import build_release
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission
from ircore.results.model import Results
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

VALUES = {("ann", "max"): 9.0, ("ann", "tim"): 7.0, ("org/bob", "max"): 5.0, ("org/bob", "tim"): 1.0}
"""What every final rendering of a pair scores."""


def played(folder: Path, instances: InstanceSet, describer: str, generator: str, value: float) -> RunFolder:
    slug = f"{describer}-{generator}".encode().hex()
    loaded = sample_submission(slug)
    seats = {"describer": describer, "generator": generator}
    players = {seat: PlayerSpec(player="classical", model=label) for seat, label in seats.items()}
    named = LoadedSubmission(slug, loaded.submission.model_copy(update=players), loaded.path)
    run = sample_run(folder / slug, instances, named)
    run.add_scores(
        rating_of(episode, turn, value) for episode in run.episodes() for turn in list_rendered_turns(episode)[-1:]
    )
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RunFolder]]:
    folder = tmp_path_factory.mktemp("grid")
    instances = sample_instances(folder / "instances", per_condition=2)
    return folder, [played(folder, instances, *pair, value) for pair, value in VALUES.items()]


@pytest.fixture(scope="module")
def release(runs: tuple[Path, list[RunFolder]]) -> Path:
    folder, folders = runs
    build_release([folder.path for folder in folders], folder / "instances", folder / "release")
    return folder / "release"


def test_a_model_s_score_is_its_mean_over_all_partners(runs: tuple[Path, list[RunFolder]]) -> None:
    sums = compute_marginals(Results.from_runs(runs[1]), "eye")
    assert [(rating.role, rating.label, rating.score.mean) for rating in sums] == [
        ("describer", "ann", 8.0),
        ("describer", "org/bob", 3.0),
        ("generator", "max", 7.0),
        ("generator", "tim", 4.0),
    ]


def test_without_a_complete_grid_no_model_has_one(runs: tuple[Path, list[RunFolder]]) -> None:
    with pytest.raises(InputError, match="no model has a score of its own: needs at least two players"):
        compute_marginals(Results.from_runs(runs[1][:3]), "eye")
    with pytest.raises(InputError, match="unknown judge 'ear'"):
        compute_marginals(Results.from_runs(runs[1]), "ear")


def test_the_hub_s_client_reads_the_entries(release: Path, tmp_path: Path) -> None:
    write_eval_results(release, Source("org/irg", "a" * 40, "eye"), tmp_path / "out")
    (entry,) = parse_eval_result_entries(
        read(tmp_path / "out/org--bob-b200-t10-allow/.eval_results/image-reconstruction-game.yaml")
    )
    assert (entry.dataset_id, entry.task_id, entry.value) == ("org/irg", "describer_eye", 3.0)
    assert entry.dataset_revision == "a" * 40
    assert entry.source_url == f"https://huggingface.co/datasets/org/irg/tree/{'a' * 40}"
    assert "As describer; mean over 2 partners (max, tim)." in str(entry.notes)
    assert "95 % interval" in str(entry.notes)
    assert "Rules b200-t10-allow: 200 tokens a message, 10 turns;" in str(entry.notes)


def test_each_model_has_a_file_whatever_the_letters_of_its_name(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances", per_condition=2)
    names = [("模型甲", "Max"), ("模型甲", "max"), ("模型乙", "Max"), ("模型乙", "max")]
    runs = [played(tmp_path, instances, *pair, value).path for pair, value in zip(names, (9, 7, 5, 1), strict=True)]
    build_release(runs, tmp_path / "instances", tmp_path / "release")
    write_eval_results(tmp_path / "release", Source("org/irg", None, "eye"), tmp_path / "out")
    files = [*(tmp_path / "out").glob("*/.eval_results/*.yaml")]
    assert len({file.parts[-3].casefold() for file in files}) == 4
    assert sorted(entry.value for file in files for entry in parse_eval_result_entries(read(file))) == [3, 4, 7, 8]


def test_the_benchmark_has_a_task_for_each_seat(release: Path, tmp_path: Path) -> None:
    write_eval_results(release, Source("org/irg", None, "eye"), tmp_path / "out")
    document = read(tmp_path / "out" / "eval.yaml")
    assert document.keys() == {"name", "description", "evaluation_framework", "tasks"}
    assert document["tasks"] == [
        {"id": f"{seat}_eye", "config": "transcripts", "split": "test"} for seat in ("describer", "generator")
    ]
    written = {path.parent.parent.name for path in (tmp_path / "out").glob("*/.eval_results/*.yaml")}
    assert written == {f"{name.replace('/', '--')}-b200-t10-allow" for pair in VALUES for name in pair}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def test_the_command(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["release", "eval", str(release), "--judge", "eye", "--out", str(tmp_path / "out")]
    assert ircore(command) == 2
    assert "--repo ORG/NAME" in capsys.readouterr().err
    assert ircore([*command, "--repo", "org/irg"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["describer   8.00  ann", "describer   3.00  org/bob"]
