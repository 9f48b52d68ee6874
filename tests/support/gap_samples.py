"""Run folders in which something is missing: episodes that a pair gave up, a service lost, a judge refused or left."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from hand_made import Fate, episode_of, is_judged, score_of
from samples import sample_instances
from site_samples import named_submission

from ircore.core.episode_records import Rendering
from ircore.core.files import write_text
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules
from ircore.instances.store import InstanceSet
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter
from ircore.runs.play import make_run, open_run
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site

EYE = JudgeIdentity(name="eye", label="Eye", kind="model")
SHAPES_EYE = JudgeIdentity(name="shapes-eye", label="Shapes eye", kind="model", categories=("simple_shapes",))

GOOD, POOR = 9.0, 5.0

FATES: Mapping[str, Sequence[Fate]] = {
    # Plays everything: score 8.0, main score 80.
    "honest": [GOOD] * 9 + [POOR] * 3,
    # The same pair that gives up on what it plays worst: score 9.0, main score 67.5.
    "choosy": [GOOD] * 9 + ["aborted"] * 3,
    # A service failed three times: no rank until these are played.
    "broken": [GOOD] * 9 + ["failed"] * 3,
    # The judge refused three renderings and has not been asked about one: 8 of 12 rated.
    "unseen": [GOOD] * 8 + ["refused"] * 3 + ["not yet"],
    "plain": [POOR] * 12,
}
"""What became of the twelve pictures of each pair, in the order of the set: geometry first, easy before hard."""


def gap_runs(folder: Path) -> list[RunFolder]:
    """Write a run for every entry of ``FATES``, on two categories of two difficulties of three pictures each."""
    instances = sample_instances(folder / "instances", per_condition=3)
    return [gap_run(folder / slug, instances, slug, fates) for slug, fates in FATES.items()]


def build_gap_site(folder: Path) -> None:
    """Build the site of these runs in ``folder``, judged by ``eye``."""
    build_site([run.path for run in gap_runs(folder)], folder / "site", Options(judge="eye"))


def gap_run(path: Path, instances: InstanceSet, slug: str, fates: Sequence[Fate]) -> RunFolder:
    """Write a run of these fates, one an instance; ``eye`` rates all, ``shapes-eye`` simple shapes alone."""
    prompts = load_prompts("reconstruction")
    loaded = named_submission(slug, f"{slug}-describer", f"{slug}-generator")
    run = make_run(loaded, instances, Rules(), prompts, seed=0)
    opened = open_run(path, run, instances)
    pairs = [(item, fate) for item, fate in zip(instances.instances, fates, strict=True) if fate is not None]
    with opened.lock(), RunWriter(opened) as writer:
        for instance, _ in pairs:
            target = instance.pictures["target"]
            shutil.copyfile(instances.folder / target.image, opened.rendering_path(target.sha256))
        writer.record([EventEntry(End(episode=episode_of(item, fate, _drawn(item)))) for item, fate in pairs])
    (path / "judges").mkdir(exist_ok=True)
    for judge in (EYE, SHAPES_EYE):
        write_text(path / "judges" / f"{judge.name}.json", judge.model_dump_json() + "\n")
        scored = [
            (instance, fate)
            for instance, fate in pairs
            if judge.categories is None or instance.category in judge.categories
        ]
        opened.add_scores(score_of(item, fate, judge.name, _drawn(item)) for item, fate in scored if is_judged(fate))
    return opened


def _drawn(instance: Instance) -> Rendering:
    """Its target, as a perfect rendering."""
    target = instance.pictures["target"]
    return Rendering(sha256=target.sha256, width=target.width, height=target.height)
