"""``ircore submission pin``: a submission names the transcripts that its submitter uploaded."""

from pathlib import Path

import click

from ircore.core.terminal import printable


@click.command("pin", short_help="Name uploaded transcripts in a manifest.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--repo", required=True, metavar="ORG/NAME", help="The public dataset repository they were uploaded to.")
@click.option("--revision", metavar="SHA", help="The commit; the newest one if not given.")
@click.option("--run", "run_id", metavar="ID", help="The run; the only one that is there if not given.")
@click.option(
    "--deadline", type=click.FloatRange(min=0, min_open=True), default=120, show_default=True, help="Seconds, at most."
)
def command(path: Path, repo: str, revision: str | None, run_id: str | None, deadline: float) -> None:
    """Write into the submission at PATH where its transcripts are: repository, commit and run.

    Asks the Hub which commit it is now, and whether what is there was packed: ircore submission pack.
    """
    from ircore.players.submission import MANIFEST, folder_of, read_manifest
    from ircore.submissions.rescoring.pinning import find_reference, name_transcripts

    folder = folder_of(path)
    read_manifest(folder)
    reference = find_reference(repo, revision, run_id, deadline)
    name_transcripts(folder, reference)
    click.echo(printable(f"{folder / MANIFEST}: names the run {reference.run}"))
    click.echo(printable(f"  at {reference.repo}, commit {reference.revision}"))
    click.echo(f"Next: ircore submission check {folder}", err=True)
