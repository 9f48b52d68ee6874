"""``ircore submission reproduce``: whether published runs of offline pairs come out the same today."""

from pathlib import Path

import click

from ircore.core.errors import InputError, WorkError
from ircore.core.terminal import printable

SHOWN = 20


@click.command("reproduce", short_help="Play published offline pairs again.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--instances", type=click.Path(path_type=Path), help="The set that they must have been played on.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make for the new runs.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N instances of the set.")
def command(runs: tuple[Path, ...], instances: Path | None, out: Path, limit: int | None) -> None:
    """Play those of RUNS again whose players are offline, and compare every word and every picture.

    Exit status 1 if anything differs.
    """
    from ircore.instances.store import read_instances
    from ircore.runs.folder import RunFolder
    from ircore.submissions.reproduce import plays_offline, reproduce

    folders = [RunFolder.open(path) for path in runs]
    identity = read_instances(instances).identity if instances else None
    for one in folders:
        if identity is not None and one.run.instance_set != identity:
            remedy = "Build the set that counts, or evaluate it anew if it is of a former version."
            raise InputError(f"{one.path}: was not played on the set in {instances}", remedy)
    chosen = [one for one in folders if plays_offline(one.run)]
    found = [line for one in chosen for line in reproduce(one, out / one.run.run_id, limit)]
    for line in found[:SHOWN]:
        click.echo(printable(line))
    if found:
        raise WorkError(f"{len(found)} episodes differ from what was published", "See what changed in the players.")
    click.echo(f"{len(chosen)} of {len(folders)} runs played again: the same words and the same pictures")
