"""Results of many pairs that nobody played: drawn by chance from a seed, for figures and tables with many rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random

from target_instances import target_instance, with_target

from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Instance, PlayerSpec
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run, Submission
from ircore.games.reconstruction.records import CATEGORIES, Rules, Turn, list_turns
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class InventedRun:
    """What results are computed from, without a folder."""

    path: Path
    run: Run
    instances: InstanceSet
    played: tuple[Episode, ...]
    given: tuple[Score, ...] = ()
    key: str = ""
    """As a site's runs have it without a build cache."""

    def episodes(self) -> tuple[Episode, ...]:
        return self.played

    def scores(self) -> tuple[Score, ...]:
        return self.given

    def judges(self) -> dict[str, JudgeIdentity]:
        return {}

    def measured(self) -> tuple[Score, ...]:
        return ()

    def costs(self) -> dict[str, EpisodeCost]:
        return {}

    def provenance(self) -> Provenance | None:
        return None

    def rendering(self, rendering: Rendering) -> Picture:
        raise NotImplementedError("an invented run has no pictures")


def invented_set(per_condition: int, categories: tuple[str, ...] = CATEGORIES) -> InstanceSet:
    """A set of instances without pictures."""
    made = tuple(
        with_target(
            target_instance(f"{category}-{difficulty}-{index:02d}", category=category, difficulty=difficulty),
            width=512,
            height=512,
        )
        for category, difficulty, index in product(categories, DIFFICULTIES, range(1, per_condition + 1))
    )
    return InstanceSet(Path("nowhere"), "0" * 63 + "1", Instances.of(made))


def invented_run(
    instances: InstanceSet, describer: str, generator: str, skill: float, gain: float, judge: str = "structural"
) -> InventedRun:
    """A run whose episodes begin near ``skill`` and change by about ``gain`` a turn."""
    slug = re.sub("[^a-z0-9.]+", "-", f"{describer}-{generator}".lower()).strip("-")
    random = Random(f"{slug}-{skill}")
    submission = Submission(
        schema_=1,
        name=slug,
        describer=PlayerSpec(player="openai", model=describer),
        generator=PlayerSpec(player="openai-images", model=generator),
        licence="CC0-1.0",
    )
    run = Run(
        schema_=1, run_id=slug, slug=slug, submission=submission, instance_set=instances.identity, rules=Rules(),
        prompts="reconstruction-test", seed=0, version="0", started="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    pairs = [_episode(instance, random, skill, gain, judge) for instance in instances.instances]
    return InventedRun(
        Path(slug),
        run,
        instances,
        tuple(item for item, _ in pairs),
        tuple(score for _, scores in pairs for score in scores),
    )


def invented_results(describers: list[str], generators: list[str], per_condition: int = 3) -> Results:
    """Results of every describer with every generator."""
    instances = invented_set(per_condition)
    grid = product(enumerate(describers), enumerate(generators))
    return Results.from_runs(
        [
            invented_run(instances, item, other, 3.5 + 1.1 * row + 0.4 * column, 0.5 - 0.35 * column)
            for (row, item), (column, other) in grid
        ]
    )


def judged_also(run: InventedRun, judge: str, bias: float, noise: float, annotator: str | None = None) -> InventedRun:
    """The same run with the ratings of one more judge, or of a person: those that are there, shifted and shaken."""
    random = Random(f"{run.run.slug}-{judge}-{annotator}")
    own = [score for score in run.given if score.by == run.given[0].by and score.task == "similarity"]
    values = [round(min(10.0, max(0.0, (score.value or 0.0) + random.gauss(bias, noise)))) for score in own]
    more = [
        score.model_copy(update={"by": judge, "annotator": annotator, "value": value})
        for score, value in zip(own, values, strict=True)
    ]
    return replace(run, given=(*run.given, *more))


def scored_run(*trajectories: Sequence[float | None]) -> InventedRun:
    """A run of easy geometry whose episodes got these scores, turn by turn; None is a turn that was not scored."""
    instances = invented_set(len(trajectories), ("geometry",))
    run = invented_run(replace(instances, instances=instances.select(difficulties=["easy"])), "seer", "painter", 5, 0)
    episodes, scores = [], []
    for episode, values in zip(run.played, trajectories, strict=True):
        first, score = list_turns(episode)[0], next(s for s in run.given if s.episode_id == episode.episode_id)
        turns = tuple(first.model_copy(update={"turn": number}) for number in range(1, len(values) + 1))
        episodes.append(episode.with_steps(turns, outcome="converged", abort_reason=None))
        rated = [(number, value) for number, value in enumerate(values, start=1) if value is not None]
        scores += [score.model_copy(update={"step": number, "value": value}) for number, value in rated]
    return replace(run, played=tuple(episodes), given=tuple(scores))


def preferring(run: InventedRun) -> InventedRun:
    """The same run with a preference by every rater: whichever of first and final rendering it rated higher."""
    rated: dict[tuple[str, str, str | None], list[Score]] = {}
    for score in run.given:
        rated.setdefault((score.episode_id, score.by, score.annotator), []).append(score)
    more = [
        scores[-1].model_copy(update={"measure": "preference", "value": _preference(scores)})
        for scores in rated.values()
        if len(scores) > 1
    ]
    return replace(run, given=(*run.given, *more))


def repeated(run: InventedRun, shift: float) -> InventedRun:
    """The same run with a second episode of each target, rated ``shift`` points apart, up and down by turns."""
    episodes, scores = list(run.played), list(run.given)
    for place, episode in enumerate(run.played):
        name = f"{episode.episode_id}.r2"
        episodes.append(episode.model_copy(update={"episode_id": name}))
        signed = shift * (-1) ** place
        scores += [
            score.model_copy(update={"episode_id": name, "value": min(10.0, max(0.0, (score.value or 0.0) + signed))})
            for score in run.given
            if score.episode_id == episode.episode_id
        ]
    made = run.run.model_copy(update={"more_seeds": (1,)})
    return replace(run, run=made, played=tuple(episodes), given=tuple(scores))


def under_budget(run: InventedRun, budget: int) -> InventedRun:
    """The same run as if it had been played under another token budget."""
    rules = {**run.run.rules, "token_budget": budget}
    made = run.run.model_copy(update={"rules": rules, "run_id": f"{run.run.run_id}-{budget}"})
    return replace(run, path=Path(f"{run.path}-{budget}"), run=made)


def talking(run: InventedRun) -> InventedRun:
    """The same run with messages that correct something."""
    random = Random(f"{run.run.slug}-talk")
    return replace(run, played=tuple(_with_messages(episode, random) for episode in run.played))


CORRECTING = (
    "Move the red circle a little further to the left.",
    "The label of the axis should read 40 instead of 20.",
    "Make the square larger and add a thin black outline.",
    "The colours are right now; remove the second line.",
    "The bar is too tall compared with its neighbour.",
)


def _with_messages(episode: Episode, random: Random) -> Episode:
    def message(turn: Turn) -> str:
        return "A drawing." if turn.turn == 1 else " ".join(random.sample(CORRECTING, random.choice((1, 2))))

    return episode.with_steps(tuple(turn.model_copy(update={"message": message(turn)}) for turn in list_turns(episode)))


def _preference(scores: list[Score]) -> float:
    first, final = scores[0].value or 0.0, scores[-1].value or 0.0
    return 0.5 if first == final else float(final > first)


def rich_results(per_condition: int = 3) -> Results:
    """Two describers × two generators by two judges and two people with preferences, one pair under three budgets."""
    instances = invented_set(per_condition)
    runs = []
    for (row, describer), (column, generator) in product(
        enumerate(("seer", "teller")), enumerate(("painter", "sketcher"))
    ):
        run = invented_run(instances, describer, generator, 3.5 + 1.1 * row + 0.4 * column, 0.7 - 0.5 * column)
        run = judged_also(talking(run), "zealous", 1.0, 1.0)
        if column == 0:
            run = judged_also(judged_also(run, "human", -0.5, 0.8, "ann"), "human", 0.0, 1.0, "bo")
        runs.append(preferring(run))
    for budget, skill in ((10, 2.0), (50, 3.4)):
        run = judged_also(talking(invented_run(instances, "teller", "painter", skill, 0.9)), "zealous", 1.0, 1.0)
        runs.append(under_budget(preferring(run), budget))
    return Results.from_runs(runs)


def _episode(
    instance: Instance, random: Random, skill: float, gain: float, judge: str
) -> tuple[Episode, tuple[Score, ...]]:
    harder = 1.2 if instance.difficulty == "hard" else 0.0
    level = random.gauss(skill - harder + 0.3 * CATEGORIES.index(instance.category), 0.8)
    turns, scores = [], []
    for turn in range(1, random.choice((1, 2, 3, 4, 6, 10)) + 1):
        rendering = Rendering(sha256=f"{turn:064x}", width=512, height=512)
        turns.append(
            Turn(turn=turn, action="describe", message="words", message_tokens=40, rendering=rendering, seconds=1.0)
        )
        value = round(min(10.0, max(0.0, level)), 3)
        about = {"episode_id": instance.instance_id, "step": turn, "rendering": rendering.sha256}
        scores.append(Score.model_validate({**about, "measure": "similarity", "by": judge, "value": value}))
        level += random.gauss(gain / turn, 0.5)
    outcome = "aborted" if random.random() < 0.04 else "turn_limit" if len(turns) == 10 else "converged"
    episode = Episode.model_validate(
        {
            "episode_id": instance.instance_id, "instance_id": instance.instance_id, "category": instance.category,
            "difficulty": instance.difficulty, "outcome": outcome,
            "abort_reason": "describer_format" if outcome == "aborted" else None, "steps": turns,
        }
    )  # fmt: skip
    return episode, tuple(scores)
