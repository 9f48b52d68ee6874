"""``ircore export`` and ``ircore import``: runs in the formats of other tools, and back."""

from pathlib import Path

import click

from ircore.commands.options import echo_json, json_option
from ircore.commands.run_paths import find_runs_to_read, run_to_read
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.games.registry import require_support

_SETTINGS = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=_SETTINGS)
def export_command() -> None:
    """Write a run in the format of another tool."""


@click.group(context_settings=_SETTINGS)
def import_command() -> None:
    """Make a run folder from another tool's results."""


@export_command.command("clembench")
@click.argument(
    "runs", metavar="RUN...", type=click.Path(path_type=Path), nargs=-1, required=True, callback=find_runs_to_read
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Results folder to make.")
@click.option(
    "--judge", metavar="NAME", help="Judge whose similarity is the main score, if several judges rated the runs."
)
@json_option
def export_clembench(runs: tuple[Path, ...], out: Path, judge: str | None, as_json: bool) -> None:
    """Write run folders as a results folder of clembench, with a folder for each pair and its rules.

    clem transcribe and clem eval read it, and ircore import clembench brings each folder back as the same run.
    """
    from os.path import realpath

    from ircore.games.reconstruction.plugins.clembench_export import export_runs
    from ircore.runs.folder import RunFolder

    # A run that is named twice, or by a link as well, is exported once.
    folders = [RunFolder(path) for path in dict.fromkeys(Path(realpath(run)) for run in runs)]
    for folder in folders:
        require_support("clembench export", folder.game, str(folder.path))
    exported = export_runs(folders, out, judge)
    if as_json:
        pairs = [{"pair": done.pair, "episodes": done.episodes, "judge": done.judge} for done in exported]
        echo_json({"folder": out, "pairs": pairs})
        return
    for done in exported:
        scored = f"main score: similarity by {done.judge}" if done.judge else "no scores, since nobody rated it"
        click.echo(f"{done.pair}: {format_count(done.episodes, 'episode')}, {scored}")


@export_command.command("inspect")
@click.argument("run", type=click.Path(path_type=Path), callback=run_to_read)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the log.")
@json_option
def export_inspect(run: Path, out: Path, as_json: bool) -> None:
    """Write the run folder RUN as a log of inspect_ai.

    One sample an episode: the describer's conversation as it was, what the generator did beside it, judges as scorers.
    """
    from ircore.games.reconstruction.plugins.inspect_log import export_log
    from ircore.runs.folder import RunFolder

    folder = RunFolder(run)
    require_support("export to inspect_ai", folder.game, str(run))
    done = export_log(folder, out)
    if as_json:
        echo_json({"log": done.path, "samples": done.samples})
    else:
        click.echo(f"{done.path}: {done.samples} samples")


@import_command.command("clembench")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Run folder to make.")
@json_option
def import_clembench(folder: Path, out: Path, as_json: bool) -> None:
    """Make a run folder of DIR, a results folder of clembench or the folder of a pair in it.

    What ircore export clembench wrote comes back as the same run. Runs of others are played again by our rules from
    what their events record, and can then be scored: ircore score RUN.
    """
    from ircore.games.reconstruction.plugins.clembench_import import import_run

    run = import_run(folder, out)
    if as_json:
        echo_json({"run": out, "name": run.run.submission.name, "episodes": len(run.episodes())})
    else:
        click.echo(
            make_printable(f"{run.run.submission.name}: {format_count(len(run.episodes()), 'episode')} in {out}")
        )
