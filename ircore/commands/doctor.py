"""``ircore doctor``: does a submission work, does a judge?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.core.records import PlayerSpec
    from ircore.players.submission import LoadedGameSubmission
    from ircore.submissions.doctor import Finding

GAME = "reconstruction"


@click.command("doctor")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--timeout", type=click.FloatRange(1, 3600), default=120, show_default=True, help="Seconds an answer.")
def command(submission: Path, timeout: float) -> int:
    """Ask the players of SUBMISSION (a folder or its submission.yaml) two tiny questions each, and say what works.

    SUBMISSION may also be the file of a judge that is a model: it is asked one question about two pictures.

    The describer is shown a small picture, then a second one; the generator is asked for a picture, then for a
    correction of it. Of other games each seat is asked one question. With a paid service this costs a few cents.
    """
    from ircore.games.reconstruction.prompts import load_prompts
    from ircore.players.submission import LoadedGameSubmission, read_any_manifest, read_submission
    from ircore.scorers.judges.manifest import names_judge
    from ircore.submissions.doctor import Doctor

    if names_judge(submission):
        return _judge(submission, timeout)
    if isinstance(loaded := read_any_manifest(submission), LoadedGameSubmission):
        return _seats(loaded, timeout)
    doctor = Doctor(read_submission(submission), load_prompts(GAME), timeout)
    works = True
    for seat in ("describer", "generator"):
        _head(seat, getattr(doctor.loaded.submission, seat))
        for finding in doctor.examine(seat):
            _tell(finding)
            works &= finding.works
    return 0 if works else 1


def _seats(loaded: "LoadedGameSubmission", timeout: float) -> int:
    from ircore.games.registry import load_game
    from ircore.runs.setup import check_seats
    from ircore.submissions.game_doctor import examine_seat

    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    check_seats(game, loaded)
    findings = []
    for seat in game.seats:
        _head(seat.name, loaded.submission.players[seat.name])
        findings.append(examine_seat(loaded, seat, timeout))
        _tell(findings[-1])
    return 0 if all(finding.works for finding in findings) else 1


def _judge(path: Path, timeout: float) -> int:
    from ircore.scorers.judges.manifest import read_judge
    from ircore.submissions.doctor import examine_judge

    judge = read_judge(path)
    _head("judge", judge.spec)
    finding = examine_judge(judge, timeout)
    _tell(finding)
    return 0 if finding.works else 1


def _head(seat: str, spec: "PlayerSpec") -> None:
    click.echo(printable(f"{seat:<10} {spec.label}{f' at {spec.base_url}' if spec.base_url else ''}"))


def _tell(finding: "Finding") -> None:
    click.echo(printable(f"  {'works' if finding.works else 'FAILS':<6} {finding.question}: {finding.detail}"))
    if finding.remedy:
        click.echo(printable(f"         {finding.remedy}"))
