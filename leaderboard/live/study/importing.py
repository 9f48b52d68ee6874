"""Participants' runs, brought where boards find them, except after a stop, without consent or without attention."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.files import write_new_folder
from ircore.core.plain_words import format_count
from ircore.runs.folder import RUN_FILE, RunFolder
from leaderboard.live.study.participant_seat import CONSENT, is_passed, read_answers
from leaderboard.live.study.plan import Session, Study, read_study


@dataclass(frozen=True)
class Imported:
    """A participant's part of a study.

    >>> Imported("p01", targets=4, checks=2, passed=2, why="").is_taken
    True

    Attributes:
        code: Of the participant.
        targets: Targets that were played to the end.
        checks: Attention checks that were asked.
        passed: Of them, those that were passed.
        why: Why the run was left out; empty if it was taken.
    """

    code: str
    targets: int
    checks: int
    passed: int
    why: str

    @property
    def is_taken(self) -> bool:
        """Whether the run was taken."""
        return not self.why


def import_study(folder: Path, out: Path) -> list[Imported]:
    """Copy the runs of a study's participants to ``out/human-CODE`` and return the verdict on each.

    Raises:
        InputError: The folder holds no study, nobody has taken part, or a run is there already.
    """
    study = read_study(folder)
    taken = [_judge_participant(folder, session, study) for session in study.sessions]
    began = [imported for imported in taken if imported is not None]
    if not began:
        raise InputError(f"{folder}: nobody has taken part", f"Begin: ircore study run {folder} --participant p01")
    for imported in began:
        place = out / f"human-{imported.code}"
        # Checked for all before any is copied: an import is done wholly or not at all.
        if imported.is_taken and place.exists():
            raise InputError(f"{place}: is there already", "Name another folder with --out.")
    for imported in began:
        if imported.is_taken:
            with write_new_folder(out / f"human-{imported.code}") as made:
                shutil.copytree(folder / "results" / imported.code / "run", made, dirs_exist_ok=True)
    return began


def _judge_participant(folder: Path, session: Session, study: Study) -> Imported | None:
    """Return the verdict on a participant's run; None if the participant never began."""
    own = folder / "results" / session.code
    if not (own / "run" / RUN_FILE).is_file():
        return None
    ended = sum(episode.played for episode in RunFolder(own / "run").episodes())
    checks = read_answers(own)
    right = sum(map(is_passed, checks))
    if not (own / CONSENT).exists():
        why = "did not agree"
    # Attention comes before completeness: whoever failed a check is named for the check.
    elif right < len(checks):
        why = f"failed {len(checks) - right} of {format_count(len(checks), 'attention check')}"
    elif ended < len(session.order):
        why = f"played {ended} of {format_count(len(session.order), 'target')}"
    else:
        why = "" if len(checks) == len(study.session(session.code).checks) else "was not asked every attention check"
    return Imported(session.code, ended, len(checks), right, why)
