"""``ircore release``: build and check a dataset release."""

from pathlib import Path

import click

from ircore.commands.paths import SeveralPathsCommand, runs_option


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Build and check a dataset release."""


@command.command(cls=SeveralPathsCommand)
@runs_option
@click.option(
    "--instances", type=click.Path(path_type=Path), required=True, help="The set that all runs are played on."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
def build(runs: tuple[Path, ...], instances: Path, out: Path) -> None:
    """Make a dataset of runs: Parquet tables with embedded pictures, and a card.

    The folder is what load_dataset reads; it appears when it is complete.
    """
    from dataset_card.build import build_release

    for one in build_release(runs, instances, out):
        click.echo(f"{one.config.name:<12} {one.rows:>8,} rows {one.file_bytes / 1e6:>9.2f} MB")
    click.echo(f"{out}  (load_dataset reads this folder; check it with: ircore release check {out})")


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def check(folder: Path) -> int:
    """Check that a release is complete, consistent and safe to publish.

    One line a fault; exit status 1 if there is any.
    """
    from dataset_card.check import check_release

    report = check_release(folder)
    for fault in report.faults:
        click.echo(fault)
    faults = f"{len(report.faults)} fault{'' if len(report.faults) == 1 else 's'}"
    click.echo(f"{folder}: {faults} in {report.rows:,} rows and {report.pictures:,} pictures")
    return 1 if report.faults else 0
