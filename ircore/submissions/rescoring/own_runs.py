"""Findings in runs that maintainers played: the same comparisons as for transcripts of submitters."""

from collections.abc import Sequence
from pathlib import Path

from ircore.core.errors import InputError
from ircore.games.registry import load_game
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import MAX_FLAGS, Flag, write_provenance
from ircore.submissions.reproduce import offline_players, submission_of
from ircore.submissions.rescoring.drawn_texts import reader
from ircore.submissions.rescoring.flags import Replayed, find_flags
from ircore.submissions.rescoring.rules import Replay


def flag_run(path: Path, published: Sequence[Path] = ()) -> tuple[Flag, ...]:
    """Find unlikely events in a finished run, and record the findings with its origin.

    Args:
        path: The run folder, played by the maintainers.
        published: Runs of other pairs, whose renderings these should not be.

    Raises:
        InputError: Nobody vouches for the run.
    """
    folder = RunFolder(path)
    known = folder.provenance()
    if known is None:
        raise InputError(f"{path}: nobody vouches for this run", "Play it with --as-maintainers.")
    run, events, game = folder.run, list(folder.events()), load_game(folder.game, f"{path}: game")
    players = offline_players(submission_of(folder))
    replay = Replay(run, folder.instances, game, game.prompts(None), folder.rendering, players)
    # A run of the maintainers has no faults: it is played again for what the comparisons need.
    replay.faults(events)
    replayed = Replayed(replay.drawn_from, replay.reproduced, replay.differing)
    others = [RunFolder(other) for other in published]
    flags = find_flags(run, events, folder.instances, folder.rendering, others, replayed, reader())[:MAX_FLAGS]
    write_provenance(path, known.model_copy(update={"flags": flags}))
    return flags
