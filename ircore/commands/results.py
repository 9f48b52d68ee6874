"""``ircore results``: the results of some runs as tables."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.options import PATH, open_runs
from ircore.core.errors import InputError

if TYPE_CHECKING:
    from ircore.results.model import Order, Results
    from ircore.results.tables.catalogue import Entry, Question
    from ircore.results.tables.formats import Format
    from ircore.results.tables.model import Table
    from ircore.runs.folder import GameRunFolder

ORDERS = ("main", "quality")
"""Orders of boards."""

FORMATS: "tuple[Format, ...]" = ("text", "json", "csv", "markdown", "latex")
SUFFIXES: "dict[Format, str]" = {"json": "json", "csv": "csv", "markdown": "md", "latex": "tex"}
"""What ``--out`` writes of each table."""


@click.command("results")
@click.argument("runs", type=PATH, nargs=-1, required=True)
@click.option(
    "--table", "name", metavar="NAME", default="board", show_default=True, help="Which table: see docs/results.md."
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How.")
@click.option("--judge", metavar="NAME", help="Whose scores to rank by.  [default: verified where it rated]")
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--difficulty", metavar="NAME", help="Only easy or hard.")
@click.option(
    "--order",
    metavar="main|quality|PART",
    help="Of a board: by main score, which decides the ranks, or by quality, the score of what was played. Of the "
    "table parts: by presence, text, colour, value, place, count or extra.  [default: main]",
)
@click.option("--episode", metavar="ID", help="Of the table facts: those of one episode, turn by turn.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--episodes", is_flag=True, help="In JSON: list the episodes behind each number one by one.")
@click.option("--out", type=PATH, help="Write every table in every format into this new folder.")
def command(
    runs: tuple[Path, ...],
    name: str,
    form: "Format",
    judge: str | None,
    category: str | None,
    difficulty: str | None,
    order: str | None,
    episode: str | None,
    as_json: bool,
    episodes: bool,
    out: Path | None,
) -> None:
    """Tables of RUNS, all played on one instance set and scored.

    The default is the board: pairs ranked by their main score, in which an episode that was not played counts as 0.
    """
    from ircore.results.model import Results
    from ircore.results.tables.catalogue import Question, table_entry
    from ircore.results.tables.formats import render
    from ircore.runs.folder import GameRunFolder, RunFolder

    opened = open_runs(runs)
    games = [folder for folder in opened if isinstance(folder, GameRunFolder)]
    if games:
        if len(games) < len(opened):
            raise InputError("runs of several games", "Ask for one game at a time.")
        if judge or order or episode or episodes or out or (name != "board" and (category or difficulty)):
            raise InputError(
                f"runs of {games[0].game}: a board by category and difficulty, and other tables of all instances",
                "Leave out --judge, --order, --episode, --episodes, --out; of other tables also --category.",
            )
        click.echo(render(_game_table(games, name, category, difficulty), "json" if as_json else form, None), nl=False)
        return
    entry = table_entry(name, "--table")
    _check_order(name, entry, order)
    if episode is not None and name != "facts":
        raise click.UsageError("--episode goes with --table facts")
    results = Results.from_runs([folder for folder in opened if isinstance(folder, RunFolder)])
    by_board: Order = "quality" if order == "quality" else "main"
    part = None if order in ORDERS else order
    question = Question(judge, category, difficulty, by_board, part, episode)
    if out is not None:
        _write_all(results, question, out)
    else:
        table = entry.table(results, question)
        click.echo(render(table, "json" if as_json else form, results if episodes else None), nl=False)


def _game_table(games: "list[GameRunFolder]", name: str, category: str | None, difficulty: str | None) -> "Table":
    """Return a table of runs of one game other than reconstruction."""
    from ircore.results.games import read_game_results
    from ircore.results.tables.game_curves import named_table
    from ircore.results.tables.games import game_board

    results = read_game_results(games)
    return game_board(results, category, difficulty) if name == "board" else named_table(results, name)


def _check_order(name: str, entry: "Entry", order: str | None) -> None:
    """Refuse an order that a table does not have.

    Raises:
        click.UsageError: It has another one or none.
    """
    from ircore.core.fact_records import PARTS

    if order is None or (order in ORDERS and entry.ordered) or (order in PARTS and entry.by_part):
        return
    if order in ORDERS:
        raise click.UsageError(f"--order {order} is of boards; the table {name} has no such order")
    if order in PARTS:
        raise click.UsageError(f"--order {order} is of --table parts; the table {name} has no such order")
    raise click.UsageError(f"--order {order}: no such order; choose one of {', '.join((*ORDERS, *PARTS))}")


def _write_all(results: "Results", question: "Question", out: Path) -> None:
    """Write every table; tables of ratings once for each judge, unless a judge was named."""
    from dataclasses import replace

    from ircore.core.files import new_folder, write_text
    from ircore.core.plugins import BrokenPluginError
    from ircore.core.terminal import printable
    from ircore.results.tables.catalogue import Entry, table_entry, table_names
    from ircore.results.tables.formats import render

    entries: dict[str, Entry] = {}
    for name in table_names():
        try:
            entries[name] = table_entry(name)
        except BrokenPluginError as error:
            click.echo(printable(f"ircore: left out: {error.problem}"), err=True)
    judges = (question.the_judge(results),) if question.judge or len(results.judges) < 2 else results.judges
    with new_folder(out) as folder:
        for name, entry in entries.items():
            for judge in judges if entry.of_judge else judges[:1]:
                table = entry.table(results, replace(question, judge=judge))
                stem = f"{name}-{judge}" if entry.of_judge and len(judges) > 1 else name
                for form, suffix in SUFFIXES.items():
                    write_text(folder / f"{stem}.{suffix}", render(table, form))
    click.echo(f"{out}: {', '.join(entries)} as {', '.join(SUFFIXES.values())}", err=True)
