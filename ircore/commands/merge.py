"""``ircore merge``: join the shards of a run."""

from pathlib import Path

import click

from ircore.commands.options import PATH, echo_json, json_option
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.plain_words import format_count
from ircore.runs.merge import merge


@click.command("merge")
@click.argument("shards", type=PATH, nargs=-1, required=True, metavar="SHARD...", callback=find_runs_to_read)
@click.option("--out", type=PATH, required=True, help="The run folder to make.")
@click.option("--partial", is_flag=True, help="Join what there is although something is missing.")
@json_option
def command(shards: tuple[Path, ...], out: Path, partial: bool, as_json: bool) -> None:
    """Join run folders that were played with `ircore play --shard i/n` into one run, or under several seeds.

    Checked first: they are parts of the same run and of the same selected instances, all are there, none overlap, every
    episode has ended. Scores are joined as well. The shards are left as they are. Runs that differ in nothing but
    their seeds become the repeats of one run.
    """
    done = merge(shards, out, partial)
    if as_json:
        echo_json(
            {
                "run": str(out),
                "episodes": done.episodes,
                "shards": len(set(shards)),
                "missing": done.missing,
                "lacking": done.lacking,
            }
        )
        return
    click.echo(
        f"{done.folder.run.slug}: {format_count(done.episodes, 'episode')} of "
        f"{format_count(len(set(shards)), 'shard')} in {out}"
    )
    if done.lacking:
        click.echo(f"  {done.lacking} are missing; ircore play --out {out} plays them", err=True)
