"""``ircore maintain spot-replay``: a few episodes of a submitter's run, played again."""

from contextlib import nullcontext
from pathlib import Path

import click

from ircore.commands.options import PATH, POSITIVE, path_option
from ircore.core.errors import InputError
from ircore.core.terminal import make_printable
from ircore.results.tables.formats import Format, render
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import record_findings
from ircore.submissions.addresses import refuse_internal as guard
from ircore.submissions.spot_replay import RULE
from ircore.submissions.spot_replay import spot_replay as replayed


@click.command("spot-replay", short_help="Play a few episodes of a submitter's run again.")
@click.argument("run", type=PATH)
@path_option("--out", "Folder of the replay: created, or resumed if it exists.", required=True)
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="Share of the episodes that are played again; at least 7 episodes.",
)
@click.option(
    "--commit",
    metavar="SHA",
    help="Commit that decides which episodes are played; by default the commit that re-scored the run.",
)
@click.option("--judge", default="structural", show_default=True, help="Computed judge that compares.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop at this cost.")
@click.option("--only-outside", is_flag=True, help="Connect to public addresses only: for strangers' pairs.")
@click.option("--record", "recording", is_flag=True, help="Record a worse replay as a finding, which holds the run.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(["text", "json", "csv"]))
def spot_replay(
    run: Path,
    out: Path,
    share: float,
    commit: str | None,
    judge: str,
    concurrency: int,
    max_cost: float | None,
    only_outside: bool,
    recording: bool,
    form: Format,
) -> None:
    """Play some episodes of the scored RUN again with its own players, and compare the scores.

    The keys of the services must be set. Which episodes are played follows from a commit that nobody knew when the
    transcripts were handed in.
    """
    folder = RunFolder(run)
    provenance = folder.provenance()
    drawn_by = commit or (provenance and provenance.commit)
    if not drawn_by:
        raise InputError("--commit: is missing, and the run names none", "Name a commit made after the hand-in.")
    with guard() if only_outside else nullcontext():
        result = replayed(folder, out, drawn_by, share, judge, concurrency, max_cost)
    if recording:
        record_findings(run, {RULE}, [] if result.flag is None else [result.flag])
    click.echo(render(result.table, form), nl=False)
    if result.flag is not None:
        click.echo(make_printable(f"{run}: {result.flag.what}"), err=True)
