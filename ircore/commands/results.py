"""``ircore results``: the results of some runs as tables."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ircore.commands.completion import complete_plugins, complete_tables
from ircore.commands.options import PATH, category_option, difficulty_option, open_runs
from ircore.commands.run_paths import find_results_to_read
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import build_unknown_name_error, convert_plugin_errors
from ircore.core.terminal import find_terminal_width, make_printable, style_text

if TYPE_CHECKING:
    from ircore.results.corrections import Choice
    from ircore.results.model import Order, Results
    from ircore.results.tables.catalogue import TableEntry, TableQuestion
    from ircore.results.tables.formats import Format
    from ircore.results.tables.model import Table
    from ircore.runs.folder import RunFolder

ORDERS = ("main", "quality")
"""Orders of boards."""

FORMATS: "tuple[Format, ...]" = ("text", "json", "csv", "markdown", "latex")
BARS = ("interval", "sem")
"""What tables can show beside means."""

LEXICONS = ("built-in", "paper")
"""Patterns of corrections, as ``ircore.results.corrections`` names them."""

SUFFIXES: "dict[Format, str]" = {"json": "json", "csv": "csv", "markdown": "md", "latex": "tex"}
"""Suffixes of the files that ``--out`` writes for each table."""


@click.command("results")
@click.argument("runs", type=PATH, nargs=-1, required=True, callback=find_results_to_read)
@click.option(
    "--table",
    "name",
    metavar="NAME",
    shell_complete=complete_tables,
    default="board",
    show_default=True,
    help="Name of the table, see docs/results.md.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option(
    "--judge",
    metavar="NAME",
    shell_complete=complete_plugins("judges"),
    help="Judge whose scores are shown.  [default: verified where it rated]",
)
@click.option("--game", metavar="NAME", shell_complete=complete_plugins("games"), help="Only runs of this game.")
@category_option
@difficulty_option
@click.option(
    "--order",
    metavar="main|quality|PART",
    help="Order of a board: main score, which decides the ranks, or quality, the score of played episodes; of the "
    "table parts: presence, text, colour, value, place, count or extra.  [default: main]",
)
@click.option(
    "--lexicon",
    type=click.Choice(LEXICONS),
    help="Words by which the tables corrections, corrections_by_turn and words tell corrections: the paper's and ours, "
    "or those alone that the paper prints.  [default: built-in]",
)
@click.option(
    "--bars",
    type=click.Choice(BARS),
    default="interval",
    show_default=True,
    help="What stands beside means: their 95 % interval, or one standard error, as in the paper's figures.",
)
@click.option("--episode", metavar="ID", help="In the table facts: only this episode, turn by turn.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--episodes", is_flag=True, help="In JSON: list the episodes behind each number one by one.")
@click.option("--out", type=PATH, help="Write every table in every format into this new folder.")
def command(
    runs: tuple[Path, ...],
    name: str,
    form: "Format",
    judge: str | None,
    game: str | None,
    category: str | None,
    difficulty: str | None,
    order: str | None,
    lexicon: "Choice | None",
    bars: str,
    episode: str | None,
    as_json: bool,
    episodes: bool,
    out: Path | None,
) -> int:
    """Tables of RUNS, scored runs of one instance set; runs of several games get a table for each game.

    RUNS are run folders, folders of runs, or releases. The default is the board: pairs ranked by their main score, in
    which an episode that was not played counts as 0.
    """
    played = _group_by_game(open_runs(runs), game)
    # After the runs are opened: a folder that is not there is named at once.
    from ircore.results.tables.catalogue import TableQuestion

    if len(played) > 1 and name != "board":
        played = _select_with_table(played, name)
    form = "json" if as_json else form
    # The formats of files hold one table: text alone can show several, one below the other.
    if len(played) > 1 and (form != "text" or out is not None):
        raise InputError(f"runs of several games: {', '.join(played)}", f"Name one of them: --game {min(played)}")
    if episode is not None and name != "facts":
        raise click.UsageError("--episode goes with --table facts")
    if out is not None and bars == "sem":
        raise click.UsageError("--bars sem goes with one --table, not with --out")
    # Flat files have columns for the ends of 95 % intervals, and none to say that they are something else.
    if form == "csv" and bars == "sem":
        raise click.UsageError("--bars sem goes with text, json, markdown and latex, not with csv")
    by_board: Order = "quality" if order == "quality" else "main"
    part = None if order in ORDERS else order
    question = TableQuestion(judge, category, difficulty, by_board, part, episode, lexicon or "built-in")
    asked = _Asked(name, question, form, bars == "sem", episodes, order, lexicon)
    status, shown = 0, 0
    for opened in played.values():
        try:
            text = _build_game_table(opened, asked, out, with_title=len(played) > 1)
        except WorkError as error:
            # A game whose package is broken must not hold up the boards of the others.
            if len(played) == 1:
                raise
            _say_left_out(error)
            status = error.status
            continue
        click.echo("\n" * (shown > 0) + text, nl=False)
        shown += 1
    return status


class _Asked(NamedTuple):
    """What is asked of the runs of each game."""

    name: str
    question: "TableQuestion"
    form: "Format"
    is_sem: bool
    episodes: bool
    order: str | None
    lexicon: "Choice | None"


def _build_game_table(runs: "list[RunFolder]", asked: _Asked, out: Path | None, *, with_title: bool) -> str:
    """Return the table of one game's runs as text, or write all tables and return nothing."""
    from ircore.results.model import Results
    from ircore.results.tables.catalogue import find_table_entry
    from ircore.results.tables.formats import render, use_standard_errors

    results = Results.from_runs(runs)
    entry = find_table_entry(asked.name, "--table", results.game)
    _check_order(asked.name, entry, asked.order)
    if out is not None:
        _write(_build_all_tables(results, asked.question), out)
        return ""
    if asked.lexicon is not None and not entry.by_lexicon:
        raise click.UsageError("--lexicon goes with --table corrections, corrections_by_turn or words")
    with convert_plugin_errors(f"table {asked.name!r}"):
        table = entry.table(results, asked.question)
    if asked.is_sem:
        table = use_standard_errors(table, results)
    listed = results if asked.episodes else None
    title = style_text(make_printable(results.game.title), "bold") + "\n" if with_title else ""
    return title + render(table, asked.form, listed, find_terminal_width())


def _group_by_game(opened: "Sequence[RunFolder]", wanted: str | None) -> "dict[str, list[RunFolder]]":
    """Return runs by game, or the runs of the wanted game, of which there must be at least one."""
    runs: dict[str, list[RunFolder]] = {}
    for folder in opened:
        runs.setdefault(folder.game, []).append(folder)
    if wanted is not None and wanted not in runs:
        raise build_unknown_name_error("game of these runs", wanted, runs, "--game")
    return runs if wanted is None else {wanted: runs[wanted]}


def _select_with_table(played: "dict[str, list[RunFolder]]", name: str) -> "dict[str, list[RunFolder]]":
    """Return the runs of the games that have a table; of all games if none has it, so that the first one refuses it."""
    from ircore.games.registry import load_game
    from ircore.results.tables.catalogue import list_game_table_names

    def has_table(game: str) -> bool:
        with suppress(InputError, WorkError):
            declared = load_game(game)
            return name in list_game_table_names(declared)
        return False

    return {game: opened for game, opened in played.items() if has_table(game)} or played


def _check_order(name: str, entry: "TableEntry", order: str | None) -> None:
    from ircore.core.score_records import PARTS

    if order is None or (order in ORDERS and entry.ordered) or (order in PARTS and entry.by_part):
        return
    if order in ORDERS:
        raise click.UsageError(f"--order {order} sorts boards; the table {name} has no such order")
    if order in PARTS:
        raise click.UsageError(f"--order {order} sorts the table parts; the table {name} has no such order")
    raise click.UsageError(f"--order {order}: no such order; choose one of {', '.join((*ORDERS, *PARTS))}")


def _say_left_out(error: WorkError) -> None:
    # What another package adds must not hold up the tables of this one.
    click.echo(make_printable(f"ircore: left out: {error.problem}"), err=True)


def _build_all_tables(results: "Results", question: "TableQuestion") -> "dict[str, Table]":
    """Return every table by its file's name; tables of ratings once for each judge, unless a judge was named."""
    from ircore.results.tables.catalogue import find_table_entry, list_game_table_names

    judges = (question.the_judge(results),) if question.judge or len(results.judges) < 2 else results.judges
    tables = {}
    for name in list_game_table_names(results.game):
        try:
            entry = find_table_entry(name, "", results.game)
            if not entry.by_condition:
                question = replace(question, category=None, difficulty=None)
            for judge in judges if entry.of_judge else judges[:1]:
                stem = f"{name}-{judge}" if entry.of_judge and len(judges) > 1 else name
                with convert_plugin_errors(f"table {name!r}"):
                    tables[stem] = entry.table(results, replace(question, judge=judge))
        except WorkError as error:
            _say_left_out(error)
    return tables


def _write(tables: "dict[str, Table]", out: Path) -> None:
    from ircore.core.files import write_new_folder, write_text
    from ircore.results.tables.formats import render

    with write_new_folder(out) as folder:
        for name, table in tables.items():
            for form, suffix in SUFFIXES.items():
                write_text(folder / f"{name}.{suffix}", render(table, form))
    click.echo(f"{out}: {', '.join(tables)} as {', '.join(SUFFIXES.values())}", err=True)
