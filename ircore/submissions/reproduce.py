"""Playing published runs again: offline players must give the same answers, to the byte."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.games.registry import find_step_word, load_game
from ircore.players.base import RECORDED
from ircore.players.submission import MANIFEST, LoadedSubmission, make_player
from ircore.players.traits import load_traits
from ircore.runs.folder import RunFolder, create_run
from ircore.runs.play import play
from ircore.runs.session import PlayPlan
from ircore.runs.setup import make_players


def is_played_offline(run: Run) -> bool:
    """Return whether all players of a run need no service, no key and nobody, so that they can be asked again."""
    return all(spec.player == RECORDED or is_offline(spec) for spec in run.submission.players.values())


def is_offline(spec: PlayerSpec) -> bool:
    """Return whether a player needs no service, no key and nobody."""
    # A model or a key means a service, whatever the player is called.
    return spec.model is None and spec.api_key_env is None and load_traits(spec.player).needs == "nothing"


def load_offline_players(loaded: LoadedSubmission) -> dict[str, Any]:
    """Return the players of a submission that can be asked again, by seat.

    References, which look into the instance set, are left out.

    Raises:
        InputError: A player does not take its settings.
    """
    return {
        seat: make_player(loaded, seat)
        for seat, spec in loaded.submission.players.items()
        if spec.player != RECORDED and is_offline(spec) and not load_traits(spec.player).reference
    }


def build_submission(folder: RunFolder) -> LoadedSubmission:
    """Return the submission that a run was played for, as the run states it."""
    run, manifest = folder.run, folder.path / MANIFEST
    return LoadedSubmission(run.slug, run.submission, manifest)


def list_differences(published: RunFolder, out: Path, limit: int | None = None) -> Iterator[str]:
    """Play a run again and yield a line for each episode that differs from the published run.

    Args:
        published: The run.
        out: A folder to make for the new run.
        limit: Only the first so many instances of the set; all if None.

    Raises:
        InputError: It was played with other prompts than this version has.
    """
    run, game = published.run, load_game(published.game, f"{published.path}: game")
    prompts = game.read_prompts(None)
    if prompts.version != run.prompts:
        raise InputError(
            f"{published.path}: was played with the prompts {run.prompts}", "Use the version that has them."
        )
    instances = published.instances
    again = create_run(out, run, instances)
    plan = PlayPlan(run, instances, instances.instances[:limit], prompts, concurrency=2)
    play(plan, again, game, make_players(game, build_submission(published)))
    ours, word = again.read_endings(), find_step_word(run.game)
    for name, episode in published.read_endings().items():
        # With a limit, only some of the published episodes are played again.
        if name in ours and (difference := _find_difference(episode, ours[name], word)):
            yield f"{run.slug}: {name}: {difference}"


def _find_difference(published: Episode, ours: Episode, word: str) -> str:
    """Return the first thing that differs between two episodes; seconds may."""
    their_steps, our_steps = published.steps, ours.steps
    for number, (then, now) in enumerate(zip(their_steps, our_steps, strict=False), start=1):
        for name in dict.fromkeys([*then, *now]):
            # Another machine takes another time.
            if name != "seconds" and then.get(name) != now.get(name):
                return f"{word} {number}: another {name} than was published"
    if (published.outcome, len(their_steps)) != (ours.outcome, len(our_steps)):
        counts = f"{len(our_steps)} {word}s; published: {published.outcome} after {len(their_steps)}"
        return f"{ours.outcome} after {counts}"
    return ""
