"""``ircore submission waiting``: which merged pairs maintainers have still to play or to re-score."""

from pathlib import Path

import click

from ircore.commands.paths import published_runs
from ircore.core.terminal import printable


@click.command("waiting", short_help="Which merged pairs are still to be evaluated.")
@click.argument("folder", default="submissions", type=click.Path(path_type=Path))
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    required=True,
    help="What ircore release pull made: the runs that are published.",
)
@click.option(
    "--instances", type=click.Path(path_type=Path), help="The set that counts, to see whose runs are of a former one."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(folder: Path, published: Path, instances: Path | None, as_json: bool) -> None:
    """List the submissions in FOLDER that no published run shows as they are now, each with what is to be done."""
    from ircore.instances.store import read_instances
    from ircore.submissions.pending import awaited

    identity = read_instances(instances).identity if instances is not None else None
    found = awaited(folder, published_runs(published), identity)
    if as_json:
        import json

        click.echo(json.dumps([one._asdict() for one in found], indent=2))
        return
    for one in found:
        click.echo(printable(f"{one.slug}: {one.what}"))
    if found:
        click.echo("Each by: ircore submission evaluate, or the workflow evaluate with its slug", err=True)
    else:
        click.echo("nothing is waiting")
