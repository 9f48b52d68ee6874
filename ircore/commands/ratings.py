"""``ircore ratings``: import people's ratings into runs."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, SeveralPathsCommand, open_runs
from ircore.commands.run_paths import find_runs_to_change
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.scorers.people.importing import ImportSummary, import_ratings


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Import people's ratings."""


@command.command("import", cls=SeveralPathsCommand)
@click.argument("file", type=PATH)
@click.option(
    "--run",
    "runs",
    multiple=True,
    required=True,
    metavar="RUN...",
    type=PATH,
    callback=find_runs_to_change,
    help="The run folders that were rated: several after one --run, or one each.",
)
@click.option("--check", is_flag=True, help="Say what would be imported; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON document.")
def import_(file: Path, runs: tuple[Path, ...], check: bool, as_json: bool) -> None:
    """Import the ratings in the CSV file FILE, which an annotation page exported, into runs.

    The columns annotator, episode_id, turn, task (similarity or preference) and value are enough. The file is imported
    whole or not at all; what was imported before is kept.
    """
    folders = open_runs(runs)
    done = import_ratings(file, folders, check)
    if any(not load_game(folder.game).is_judged for folder in folders):
        # Their board shows people beside the judges, and takes no judge by name.
        click.get_current_context().meta[NEXT] = "ircore results {runs}"
    if as_json:
        click.echo(json.dumps({"file": str(file), "checked_only": check, **asdict(done)}, indent=2))
    else:
        click.echo(make_printable(_format_page(file, done, check)))


def _format_page(file: Path, done: ImportSummary, check: bool) -> str:
    would = "would be added (nothing was written)" if check else "added"
    unchanged = f", {done.kept:,} kept as they were" if done.kept else ""
    lines = [f"{file}: {format_count(done.added, 'rating')} {would}{unchanged}"]
    for annotator in done.annotators:
        unable = f", {annotator.without_value:,} of them without a value" if annotator.without_value else ""
        lines.append(
            f"  {annotator.annotator}: {annotator.answered:,} of {format_count(annotator.items, 'item')}{unable}"
        )
    return "\n".join(lines)
