"""Checking that a run follows from the commitment that was announced: see ``ircore.runs.commitment``."""

from datetime import datetime

from ircore.core.game_records import GameRun
from ircore.core.submission_records import Run
from ircore.players.submission import AnyLoaded
from ircore.runs.commitment import commitment_of, seed_of
from ircore.runs.provenance import Committed
from ircore.submissions.commitments import COMMITMENTS, number_of, register_of
from ircore.submissions.rescoring.packed_transcripts import TranscriptError


def check_opening(loaded: AnyLoaded, run: Run | GameRun) -> Committed | None:
    """Check that a submitter's run follows from the commitment that the manifest states.

    Args:
        loaded: The submission as merged.
        run: Identity of the run, as the submitter states it.

    Returns:
        The registered commitment; None without one.

    Raises:
        TranscriptError: The run has another seed, another salt, no opening, or was begun before the registration.
    """
    stated, opening = loaded.submission.commitment, run.opening
    if stated is None:
        if opening is not None:
            raise _refused(loaded, "opening", "the manifest has no commitment that it opens")
        return None
    register = register_of(loaded.path.parent)
    entry = register.get((loaded.slug, stated))
    if entry is None:
        raise _refused(loaded, "commitment", f"is not in {COMMITMENTS}")
    if opening is None:
        raise _refused(loaded, "opening", "the transcripts do not open the commitment; play with --salt")
    if opening.nonce != entry.nonce or commitment_of(loaded.slug, loaded.submission, opening.salt) != stated:
        raise _refused(loaded, "opening", "is not of this commitment")
    first = seed_of(opening)
    # Further seeds of one's own choice would be as good as another first one.
    if run.seeds != tuple(range(first, first + run.repeats)):
        raise _refused(loaded, "seed", "does not follow from the commitment")
    # An earlier start would allow playing first and committing to the best of several runs.
    if datetime.fromisoformat(run.started) < datetime.fromisoformat(entry.when):
        raise _refused(loaded, "started", "is before the commitment was registered")
    return Committed(commitment=stated, when=entry.when, number=number_of(entry, register))


def _refused(loaded: AnyLoaded, field: str, problem: str) -> TranscriptError:
    return TranscriptError(f"{loaded.path}: {field}: {problem}", "Play by the commitment: docs/commit-to-a-run.md.")
