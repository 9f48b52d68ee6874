"""Lines that are shown after play: how the episodes ended, and the scores of a run in which a person played."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ircore.commands.nested_commands import run_nested
from ircore.commands.next_step import NEXT
from ircore.core.counted import counted
from ircore.core.game_records import AnyEnded
from ircore.core.records import RECONSTRUCTION
from ircore.core.terminal import printable
from ircore.games.base import Game
from ircore.runs.folder import RunFolder
from ircore.runs.session import PlayPlan


def tell_outcomes(plan: PlayPlan, game: Game[Any], episodes: Sequence[AnyEnded]) -> int:
    """Say how the episodes of a plan ended, and return the exit status: 1 if some failed for technical reasons."""
    counts = ", ".join(
        f"{sum(episode.outcome == outcome.name for episode in episodes)} {outcome.name}" for outcome in game.outcomes
    )
    planned = counted(len(plan.instances.instances) * plan.run.repeats, "episode")
    click.echo(f"{plan.run.slug}: {len(episodes)} of {planned}: {counts}", err=True)
    failed = [episode for episode in episodes if not episode.finished]
    for episode in failed[:5]:
        click.echo(printable(f"  {episode.episode_id}: {episode.abort_reason}: {episode.detail}"), err=True)
    if failed:
        click.echo(
            f"ircore: {counted(len(failed), 'episode')} failed, so the run is incomplete and has no rank; the same "
            "command plays them again, with --final it counts them as not played",
            err=True,
        )
    return 1 if failed else 0


def score_person(out: Path, game: str) -> None:
    """Score a run in which a person played, and show the person the score of every episode."""
    run_nested(["score", str(out)])
    # The scores are there, so the usual step after play is done.
    click.get_current_context().meta[NEXT] = "ircore results {out}"
    if game != RECONSTRUCTION:
        run_nested(["results", str(out)])
        return
    scores = RunFolder.open(out).scores()
    for episode in RunFolder.open(out).episodes():
        final = max((turn.turn for turn in episode.rendered_turns), default=0)
        values = {
            score.judge: f"{score.judge} {score.value:.1f}"
            for score in scores
            if (score.episode_id, score.task, score.turn) == (episode.episode_id, "similarity", final)
            and score.value is not None
        }
        said = ", ".join(values.values())
        click.echo(f"your score  {episode.episode_id}: {f'{said} of 10' if said else 'nothing was drawn'}", err=True)
