"""``ircore submission``: check a manifest."""

from pathlib import Path

import click

from ircore.commands import submission_pack, submission_rescore
from ircore.terminal import printable


@click.group("submission")
def command() -> None:
    """Check a submission."""


@command.command("check")
@click.argument("path", type=click.Path(path_type=Path))
def check(path: Path) -> None:
    """Check the manifest at PATH (a folder or its submission.yaml), the players it names included; needs no keys."""
    from ircore.submissions import check_player, read_submission

    loaded = read_submission(path)
    for seat in ("describer", "generator"):
        check_player(loaded, seat)
    one = loaded.submission
    click.echo(printable(f"{loaded.slug}: valid: {one.describer.label} describes, {one.generator.label} draws"))


command.add_command(submission_pack.command)
command.add_command(submission_rescore.command)
