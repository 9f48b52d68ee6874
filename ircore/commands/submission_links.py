"""``ircore submission links``: whether the links of submissions still lead somewhere."""

from pathlib import Path

import click

from ircore.core.errors import WorkError
from ircore.core.terminal import printable


@click.command("links", short_help="Ask whether every link still leads somewhere.")
@click.argument("folder", default="submissions", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Ask for every link and every transcript that the submissions in FOLDER name; withdrawn ones are left out.

    One line a link that leads nowhere; exit status 1 if there is any.
    """
    from ircore.players.submission import manifests_in, read_manifest
    from ircore.submissions.history import read_history, status_of
    from ircore.submissions.links import dead_links, links_of

    files = [one for one in manifests_in(folder) if status_of(read_history(one.parent)) != "withdrawn"]
    links = [link for file in files for link in links_of(read_manifest(file))]
    dead = dead_links(links)
    for one in dead:
        click.echo(printable(f"{one.link.slug}: {one.link.field}: {one.link.address}: {one.problem}"))
    if dead:
        raise WorkError(f"{len(dead)} of {len(links)} links lead nowhere", "Ask the submitters for new ones.")
    click.echo(f"{len(links)} links of {len(files)} submissions, none is dead")
