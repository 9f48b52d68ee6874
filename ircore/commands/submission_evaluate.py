"""``ircore submission evaluate``: what the maintainers' protected job does with a merged submission."""

from pathlib import Path

import click

from ircore.commands.paths import published_runs
from ircore.core.errors import InputError, WorkError


@click.command("evaluate", short_help="Play or re-score a merged pair, then score it.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--instances", type=click.Path(path_type=Path), required=True, help="The instance set.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run folder; made, or gone on with.")
@click.option("--judges", type=click.Path(path_type=Path), help="A folder of judges (*.yaml), asked beside structural.")
@click.option(
    "--published", type=click.Path(path_type=Path), help="What ircore release pull made: others' pictures are flagged."
)
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Stop playing at this cost."
)
@click.option("--deadline", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop playing then.")
def command(
    path: Path,
    instances: Path,
    out: Path,
    judges: Path | None,
    published: Path | None,
    concurrency: int,
    max_cost: float | None,
    deadline: float | None,
) -> None:
    """Check the merged submission at PATH, play it or re-score the transcripts that it names, and score the run.

    The maintainers vouch for what comes out. Each command is shown before it is run; each can be given by hand.
    """
    from ircore.players.submission import read_manifest
    from ircore.runs.folder import RUN_FILE

    # Before anything is paid for.
    asked = _judges(judges)
    if published is not None:
        published_runs(published)
    _run(["submission", "check", str(path), "--resolve"])
    loaded = read_manifest(path)
    if loaded.submission.transcripts is None:
        limits = [("--max-cost", max_cost), ("--deadline", deadline)]
        more = [word for name, value in limits if value is not None for word in (name, str(value))]
        play = ["play", str(path), "--instances", str(instances), "--out", str(out)]
        _run([*play, "--as-maintainers", "--only-outside", "--concurrency", str(concurrency), *more])
    elif not (out / RUN_FILE).is_file():
        beside = ["--published", str(published)] if published is not None else []
        _run(["submission", "rescore", str(path), "--instances", str(instances), "--out", str(out), *beside])
    _run(["score", str(out), "--every-turn"])
    if asked:
        _run(["score", str(out), *asked])


def _judges(folder: Path | None) -> list[str]:
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name the folder of the judges, or leave --judges out.")
    return [word for file in sorted(folder.glob("*.yaml") if folder else ()) for word in ("--judge", str(file))]


def _run(words: list[str]) -> None:
    """Give a command as somebody would, shown first; its errors are told already when it fails."""
    from shlex import join

    from ircore.commands.main import run

    click.echo(f"+ ircore {join(words)}", err=True)
    status = run(words)
    if status == 130:
        raise click.exceptions.Exit(status)  # stopped by Ctrl-C, which it has said
    if status:
        kind = WorkError if status == 1 else InputError
        raise kind(f"ircore {' '.join(words[:2])} failed", "See above.")
