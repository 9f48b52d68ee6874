"""``ircore doctor``: does a submission work, does a judge?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.options import PATH
from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.core.records import PlayerSpec
    from ircore.submissions.doctor import Finding


@click.command("doctor")
@click.argument("submission", type=PATH)
@click.option("--timeout", type=click.FloatRange(1, 3600), default=120, show_default=True, help="Seconds an answer.")
def command(submission: Path, timeout: float) -> int:
    """Ask the players of SUBMISSION (a folder or its submission.yaml) two tiny questions each, and say what works.

    SUBMISSION may also be the file of a judge that is a model: it is asked one question about two pictures.

    The describer is shown a small picture, then a second one; the generator is asked for a picture, then for a
    correction of it. Of other games each seat is asked one question. With a paid service this costs a few cents.
    """
    from ircore.games.registry import load_game
    from ircore.players.submission import read_any_manifest
    from ircore.runs.setup import check_seats, rules_of
    from ircore.scorers.judges.manifest import names_judge, read_judge
    from ircore.submissions.doctor import examine_judge, examine_seat

    if names_judge(submission):
        judge = read_judge(submission)
        return _show("judge", judge.spec, [examine_judge(judge, timeout)])
    loaded = read_any_manifest(submission)
    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    rules = rules_of(game, loaded, {})
    check_seats(game, loaded, rules)
    players = loaded.submission.players
    asked = game.seats_of(rules)
    return max(_show(seat.name, players[seat.name], examine_seat(loaded, seat, timeout)) for seat in asked)


def _show(seat: str, spec: "PlayerSpec", findings: "list[Finding]") -> int:
    """Show the findings about a player; return the exit status, 1 if a question failed."""
    click.echo(printable(f"{seat:<10} {spec.label}{f' at {spec.base_url}' if spec.base_url else ''}"))
    for finding in findings:
        click.echo(printable(f"  {'works' if finding.works else 'FAILS':<6} {finding.question}: {finding.detail}"))
        if finding.remedy:
            click.echo(printable(f"         {finding.remedy}"))
    return 0 if all(finding.works for finding in findings) else 1
