"""Playing published runs again: offline pairs must give the same words and the same pictures, to the byte."""

from collections.abc import Iterator
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.records import Episode, Run
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.registry import load_game
from ircore.players.submission import MANIFEST, LoadedSubmission, make_player
from ircore.players.traits import traits_of
from ircore.runs.folder import RunFolder
from ircore.runs.play import PlayPlan, play


def plays_offline(run: Run) -> bool:
    """Say whether both players of a run need no service, no key and nobody, so that they can be asked again."""
    return all(
        spec.model is None and spec.api_key_env is None and traits_of(spec.player).needs == "nothing"
        for spec in run.submission.players.values()
    )


def reproduce(published: RunFolder, out: Path, limit: int | None = None) -> Iterator[str]:
    """Play a run again and yield what differs from the published one, one line each.

    Args:
        published: The run.
        out: A folder to make for the new run.
        limit: Only so many instances of the set, from the first on.

    Raises:
        InputError: It was played with other prompts than this version has.
    """
    run = published.run
    prompts = load_prompts(run.game)
    if prompts.version != run.prompts:
        raise InputError(
            f"{published.path}: was played with the prompts {run.prompts}", "Use the version that has them."
        )
    instances = published.instances
    loaded = LoadedSubmission(run.slug, run.submission, published.path / MANIFEST)
    again = RunFolder.create(out, run, instances)
    plan = PlayPlan(run, instances, instances.instances[:limit], prompts, concurrency=2)
    game = load_game(run.game)
    play(plan, again, game, {seat.name: make_player(loaded, seat.name) for seat in game.seats})
    ours = {one.episode_id: one for one in again.episodes()}
    for theirs in published.episodes():
        if theirs.episode_id in ours and (what := _difference(theirs, ours[theirs.episode_id])):
            yield f"{run.slug}: {theirs.episode_id}: {what}"


def _difference(theirs: Episode, ours: Episode) -> str:
    """Return the first thing that differs; seconds may."""
    for then, now in zip(theirs.turns, ours.turns, strict=False):
        if then.message != now.message or then.action != now.action:
            return f"turn {then.turn}: another message than was published"
        if then.rendering != now.rendering:
            return f"turn {then.turn}: another rendering than was published"
    if (theirs.outcome, len(theirs.turns)) != (ours.outcome, len(ours.turns)):
        return f"{ours.outcome} after {len(ours.turns)} turns; published: {theirs.outcome} after {len(theirs.turns)}"
    return ""
