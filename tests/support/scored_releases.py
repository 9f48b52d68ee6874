"""A release of two runs that are scored by a computed judge and metrics, and runs that were changed by hand."""

from dataclasses import dataclass
from pathlib import Path

from samples import sample_instances, sample_run, sample_submission

from dataset_card.releases.build import build_release
from ircore.core.episode_records import Episode
from ircore.core.score_records import JudgeIdentity, Score
from ircore.instances.store import InstanceSet
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, create_run
from ircore.scorers.scoring import ScoringPlan, score_runs

PAIRS = ("centre-block", "other-block")

Episodes = dict[str, Episode]


@dataclass(frozen=True)
class Scored:
    """A release of two scored runs, and what it was built of."""

    folder: Path
    instances: InstanceSet

    @property
    def release(self) -> Path:
        return self.folder / "release"

    def run(self, slug: str) -> RunFolder:
        return RunFolder(self.folder / "runs" / slug)


def make_scored(folder: Path) -> Scored:
    """Make it: each run has 12 episodes, 10 of them with two renderings, the second one exact."""
    instances = sample_instances(folder / "instances", per_condition=3)
    runs = [sample_run(folder / "runs" / slug, instances, sample_submission(slug)) for slug in PAIRS]
    score_runs(runs, ScoringPlan(every_turn=True), workers=1)
    build_release([run.path for run in runs], instances.folder, folder / "release")
    return Scored(folder, instances)


def write_run(
    path: Path, run: RunFolder, episodes: Episodes, scores: list[Score], judges: tuple[JudgeIdentity, ...] | None = None
) -> RunFolder:
    """Write a run with other episodes and scores, as somebody with an editor could; renderings stay."""
    made = create_run(path, run.run, run.instances)
    (made.path / "renderings").mkdir(exist_ok=True)
    for file in (run.path / "renderings").iterdir():
        (made.path / "renderings" / file.name).write_bytes(file.read_bytes())
    with RunWriter(made) as writer:
        writer.record([EventEntry(End(episode=episode)) for episode in episodes.values()])
    made.add_scores(scores)
    for judge in tuple(run.judges().values()) if judges is None else judges:
        made.keep_judge(judge)
    return made


def changed(score: Score, **values: object) -> Score:
    """Return a score with other values."""
    return Score.model_validate(score.model_dump() | values)
