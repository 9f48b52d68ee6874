"""``ircore submission rescore``: a submitter's transcripts, checked and kept as a run."""

from pathlib import Path

import click

from ircore.commands.paths import published_runs
from ircore.core.terminal import printable

SHOWN = 20
"""Findings that are listed when transcripts are refused."""


@click.command("rescore", short_help="Check named transcripts, and keep them as a run.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run folder to make.")
@click.option(
    "--instances", type=click.Path(path_type=Path), help="The instance set that counts; the benchmark's if not given."
)
@click.option(
    "--transcripts", type=click.Path(path_type=Path), help="Packed transcripts here, for a rehearsal without the Hub."
)
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    default=3600,
    show_default=True,
    help="Seconds that fetching may take.",
)
@click.option(
    "--published", type=click.Path(path_type=Path), help="What ircore release pull made: others' pictures are flagged."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    path: Path,
    out: Path,
    instances: Path | None,
    transcripts: Path | None,
    deadline: float,
    published: Path | None,
    as_json: bool,
) -> None:
    """Fetch the transcripts that the submission at PATH names, check them, and keep them as a run.

    Hashes are verified, other instance sets refused, and the rules played again on every episode. What cannot be is
    refused; what is only unlikely is flagged for people to look at. Score the run afterwards: ircore score RUN
    """
    from ircore.submissions.rescoring.rescore import RefusedError, rescore

    others = published_runs(published) if published is not None else ()
    try:
        made = rescore(path, out, instances, transcripts, deadline, others)
    except RefusedError as error:
        for fault in error.faults[:SHOWN] if len(error.faults) > 1 else ():
            click.echo(printable(f"  {fault}"), err=True)
        raise
    if as_json:
        import json

        about = {"run": made.folder.run.run_id, "folder": str(out), "flags": [one.model_dump() for one in made.flags]}
        vouched = made.provenance.model_dump(mode="json", by_alias=True) if made.provenance else None
        click.echo(json.dumps({**about, "provenance": vouched}, indent=2))
        return
    episodes = len(made.folder.episodes())
    whose = "re-scored" if made.provenance else "a rehearsal: nobody vouches for it"
    click.echo(f"{made.folder.run.run_id}: {episodes} episodes hold by the rules ({whose})")
    for flag in made.flags:
        click.echo(printable(f"  {flag.rule}: {flag.where}: {flag.what}"))
    if made.flags:
        count = f"{len(made.flags)} finding{'' if len(made.flags) == 1 else 's'}"
        click.echo(f"  {count} for people to look at; none breaks a rule")
    click.echo(f"{out}  (next: ircore score {out})")
