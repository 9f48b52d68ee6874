"""``ircore doctor``: does a submission work?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.terminal import printable

if TYPE_CHECKING:
    from ircore.doctor import Finding

GAME = "reconstruction"


@click.command("doctor")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--timeout", type=click.FloatRange(1, 3600), default=120, show_default=True, help="Seconds an answer.")
def command(submission: Path, timeout: float) -> int:
    """Ask the players of SUBMISSION (a folder or its submission.yaml) two tiny questions each, and say what works.

    The describer is shown a small picture, then a second one; the generator is asked for a picture, then for a
    correction of it. With a paid service this costs a few cents.
    """
    from ircore.doctor import Doctor
    from ircore.games.prompts import load_prompts
    from ircore.submissions import read_submission

    doctor = Doctor(read_submission(submission), load_prompts(GAME), timeout)
    works = True
    for seat in ("describer", "generator"):
        spec = getattr(doctor.loaded.submission, seat)
        click.echo(printable(f"{seat:<10} {spec.label}{f' at {spec.base_url}' if spec.base_url else ''}"))
        for finding in doctor.examine(seat):
            _tell(finding)
            works &= finding.works
    return 0 if works else 1


def _tell(finding: "Finding") -> None:

    click.echo(printable(f"  {'works' if finding.works else 'FAILS':<6} {finding.question}: {finding.detail}"))
    if finding.remedy:
        click.echo(printable(f"         {finding.remedy}"))
