"""``ircore score``: judges and metrics on the renderings of runs."""

from pathlib import Path

import click


@click.command("score")
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Instead of structural; may be repeated.")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Instead of all built-in; may be repeated.")
@click.option("--every-turn", is_flag=True, help="Score every rendering, not only the first and the final one.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON document.")
def command(
    runs: tuple[Path, ...], judges: tuple[str, ...], metrics: tuple[str, ...], every_turn: bool, as_json: bool
) -> None:
    """Score the first and the final rendering of every played episode of RUNS.

    What has been scored is kept and never scored again; the same command goes on where it stopped.
    """
    import json
    from dataclasses import asdict
    from os.path import realpath
    from time import monotonic

    from ircore.runs import RunFolder
    from ircore.scoring import JUDGES, METRICS, ScoringPlan, score_runs

    begun = monotonic()
    plan = ScoringPlan(judges or JUDGES, metrics or METRICS, every_turn)
    folders = [RunFolder.open(path) for path in dict.fromkeys(Path(realpath(one)) for one in runs)]
    done = score_runs(folders, plan)
    seconds = round(monotonic() - begun, 2)
    if as_json:
        click.echo(json.dumps({**asdict(done), "seconds": seconds}, indent=2))
        return
    without = f", {done.unavailable} of them without a value" if done.unavailable else ""
    click.echo(
        f"{done.episodes} played episode{'s' if done.episodes != 1 else ''} "
        f"of {done.runs} run{'s' if done.runs != 1 else ''}: "
        f"{done.new:,} new scores{without}, {done.kept:,} kept ({seconds:.1f} s)"
    )
