"""What judges that are models are to be asked about a run: each thing once, whoever wants to know."""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.records import Episode, Instance, Rendering, Score
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import JudgedTask, JudgeQuestion, QuestionKey, asked_as, read_judgements
from ircore.scorers.computed import Wanted, scored_turns, scores_by_question
from ircore.scorers.judges.manifest import LoadedJudge


@dataclass(frozen=True)
class Item:
    """One thing to be judged: a rendering, or the final one against the first.

    Attributes:
        run: The run folder.
        instance: Whose picture is the original.
        task: What is asked.
        renderings: One for similarity; the first and the final one for preference.
        wanted: The scores that it answers: two turns may have the same rendering.
        known: Questions of earlier commands to this judge that were answered, by what identifies them.
    """

    run: RunFolder
    instance: Instance
    task: JudgedTask
    renderings: tuple[Rendering, ...]
    wanted: tuple[Wanted, ...]
    known: dict[QuestionKey, JudgeQuestion]


@dataclass(frozen=True)
class JudgedRun:
    """What one judge is to do about one run.

    Attributes:
        items: To be judged.
        kept: Scores that are there.
        asked: Every question of earlier commands to this judge, asked in vain or not.
    """

    items: tuple[Item, ...]
    kept: tuple[Score, ...]
    asked: tuple[JudgeQuestion, ...]


def plan_run(run: RunFolder, judge: LoadedJudge, every_turn: bool) -> JudgedRun:
    """List what a judge is to be asked about a run.

    Raises:
        InputError: A file of the run is damaged.
    """
    done = scores_by_question(run)
    asked = tuple(one for one in read_judgements(run) if one.judge == judge.name)
    who = asked_as(judge.identity)
    known = {one.key: one for one in asked if one.settled and one.asked_as == who}
    wanted = [one for episode in run.episodes() if episode.played for one in _wanted(episode, judge.name, every_turn)]
    groups: dict[tuple[str, tuple[Rendering, ...]], list[Wanted]] = {}
    instances = {one.instance_id: one for one in run.instances.instances}
    for instance_id, renderings, question in wanted:
        if question not in done:
            groups.setdefault((instance_id, renderings), []).append(question)
    items = tuple(
        Item(run, instances[name], _task(renderings), renderings, tuple(questions), known)
        for (name, renderings), questions in groups.items()
    )
    return JudgedRun(items, tuple(done[one] for _, _, one in wanted if one in done), asked)


def _task(renderings: Sequence[Rendering]) -> JudgedTask:
    return "similarity" if len(renderings) == 1 else "preference"


def _wanted(episode: Episode, judge: str, every_turn: bool) -> list[tuple[str, tuple[Rendering, ...], Wanted]]:
    """List instance, renderings and score of each thing that is asked about an episode, the preference last."""
    by_turn = {turn.turn: turn.rendering for turn in episode.turns if turn.rendering is not None}
    scored = scored_turns(episode, every_turn)
    found: list[tuple[str, tuple[Rendering, ...], Wanted]] = [
        (episode.instance_id, (by_turn[turn],), Wanted(episode.episode_id, turn, "similarity", judge, sha256))
        for turn, sha256 in scored
    ]
    if len(scored) > 1:
        (first, _), (final, sha256) = scored[0], scored[-1]
        question = Wanted(episode.episode_id, final, "preference", judge, sha256)
        found.append((episode.instance_id, (by_turn[first], by_turn[final]), question))
    return found
