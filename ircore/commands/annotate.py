"""``ircore annotate`` and ``ircore ratings``: a page in which people rate renderings; importing their ratings."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, SeveralPathsCommand, conditions_options, open_runs
from ircore.commands.run_paths import find_runs_to_change, find_runs_to_read
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.scorers.annotation_tasks import Study, TaskPlan, WrittenPage, choose_tasks, write_page
from ircore.scorers.ratings import ImportSummary, import_ratings


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Make a page in which people rate renderings."""


@command.command()
@click.argument("runs", type=PATH, nargs=-1, required=True, callback=find_runs_to_read)
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@click.option(
    "--items",
    type=click.IntRange(min=1),
    help="At most this many items, but at least those of one target: 3 for each run of two turns or more, more with "
    "--every-turn. Whole targets are drawn, evenly over the conditions.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draw and of the orders."
)
@click.option("--annotators", metavar="A,B,C", help="Pseudonyms that may rate; default: any that people give.")
@click.option(
    "--every-turn",
    is_flag=True,
    help="Ask for the similarity of every rendering, not only of the first and the final rendering.",
)
@click.option(
    "--foreign", is_flag=True, help="Of judge tests: only pictures that others than the target's drawer drew."
)
@click.option(
    "--by-score",
    metavar="JUDGE",
    help="Draw single renderings, 200 or --items, evenly over this judge's scores and over categories, and ask for "
    "their similarity alone: a study of how far the judge follows people.",
)
@conditions_options
@click.option("--json", "as_json", is_flag=True, help="Print what was made as one JSON document.")
def build(
    runs: tuple[Path, ...], out: Path, items: int | None, seed: int, annotators: str | None, every_turn: bool,
    foreign: bool, by_score: str | None, categories: tuple[str, ...], difficulties: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Make a static page in which people rate the renderings of RUNS, all played on one instance set.

    Two tasks, as in the paper: how similar a rendering is to the target, 0–10, and which of the first and the final
    rendering is more similar. The page needs no server; `ircore ratings import` reads what it exports.
    """
    names = tuple(name.strip() for name in annotators.split(",")) if annotators is not None else ()
    plan = TaskPlan(every_turn, categories, difficulties, items, seed, names, foreign, by_score)
    folders = open_runs(runs)
    study = choose_tasks(folders, plan)
    summary = _build_summary(study, write_page(study, out))
    click.echo(json.dumps(summary, indent=2) if as_json else _format_page(summary))


def _build_summary(study: Study, written: WrittenPage) -> dict[str, Any]:
    page = written.folder / "index.html"
    return {
        "study": study.study_id,
        "seed": study.seed,
        "items": len(study.items),
        "similarity": sum(item.task == "similarity" for item in study.items),
        "preference": sum(item.task == "preference" for item in study.items),
        "first_and_final_alike": study.alike,
        "items_by_score": study.strata,
        "episodes": len({(item.run_id, item.episode_id) for item in study.items}),
        "runs": len({item.run_id for item in study.items}),
        "pictures": written.pictures,
        "megabytes": round(written.megabytes, 2),
        "page": str(page),
        "links": [f"{page}?annotator={name}" for name in study.annotators],
    }


def _format_page(summary: dict[str, Any]) -> str:
    lines = [
        f"{format_count(summary['items'], 'item')} an annotator: {summary['similarity']:,} similarity, "
        f"{summary['preference']:,} preference ({format_count(summary['episodes'], 'episode')} "
        f"of {format_count(summary['runs'], 'run')})",
        f"study {summary['study']}, {format_count(summary['pictures'], 'picture')}, {summary['megabytes']:.1f} MB",
    ]
    if summary["first_and_final_alike"]:
        lines.append(
            f"no preference for {format_count(summary['first_and_final_alike'], 'episode')} "
            "whose first and final rendering are the same picture"
        )
    if summary["items_by_score"]:
        counts = ", ".join(f"{count} of {low}–{low + 1}" for low, count in enumerate(summary["items_by_score"]))
        lines.append(f"by score: {counts}")
    lines += [f"open {link}" for link in summary["links"] or [summary["page"]]]
    return "\n".join(lines)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def ratings() -> None:
    """Import people's ratings."""


@ratings.command("import", cls=SeveralPathsCommand)
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
        click.echo(make_printable(_format_summary(file, done, check)))


def _format_summary(file: Path, done: ImportSummary, check: bool) -> str:
    would = "would be added (nothing was written)" if check else "added"
    unchanged = f", {done.kept:,} kept as they were" if done.kept else ""
    lines = [f"{file}: {format_count(done.added, 'rating')} {would}{unchanged}"]
    for annotator in done.annotators:
        unable = f", {annotator.without_value:,} of them without a value" if annotator.without_value else ""
        lines.append(
            f"  {annotator.annotator}: {annotator.answered:,} of {format_count(annotator.items, 'item')}{unable}"
        )
    return "\n".join(lines)
