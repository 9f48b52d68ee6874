"""``ircore results``: the results of some runs as tables."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.completion import names_of, table_names
from ircore.commands.options import PATH, category_option, difficulty_option, open_runs
from ircore.commands.run_paths import results_to_read
from ircore.core.errors import InputError, WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import unknown
from ircore.core.terminal import printable, styled, terminal_width

if TYPE_CHECKING:
    from ircore.games.reconstruction.language.lexicon import Choice
    from ircore.results.model import Order, Results
    from ircore.results.tables.catalogue import Entry, Question
    from ircore.results.tables.formats import Format
    from ircore.results.tables.model import Table
    from ircore.runs.folder import RunFolder

ORDERS = ("main", "quality")
"""Orders of boards."""

FORMATS: "tuple[Format, ...]" = ("text", "json", "csv", "markdown", "latex")
BARS = ("interval", "sem")
"""What tables can show beside means."""

LEXICONS = ("built-in", "paper")
"""Patterns of corrections, as ``ircore.games.reconstruction.language.lexicon`` names them."""

SUFFIXES: "dict[Format, str]" = {"json": "json", "csv": "csv", "markdown": "md", "latex": "tex"}
"""Suffixes of the files that ``--out`` writes for each table."""


@click.command("results")
@click.argument("runs", type=PATH, nargs=-1, required=True, callback=results_to_read)
@click.option(
    "--table",
    "name",
    metavar="NAME",
    shell_complete=table_names,
    default="board",
    show_default=True,
    help="Name of the table, see docs/results.md.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option(
    "--judge",
    metavar="NAME",
    shell_complete=names_of("judges"),
    help="Judge whose scores are shown.  [default: verified where it rated]",
)
@click.option("--game", metavar="NAME", shell_complete=names_of("games"), help="Only runs of this game.")
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
    # Inside, so that help and completion need not load results and their libraries.
    from ircore.core.records import RECONSTRUCTION

    played = _by_game(open_runs(runs), game)
    # After the runs are opened: a folder that is not there is named at once.
    from ircore.results.model import Results
    from ircore.results.tables.catalogue import Question, table_entry
    from ircore.results.tables.formats import render
    from ircore.results.tables.intervals import with_standard_errors

    played = _with_table(played, name)
    form, several = "json" if as_json else form, len(played) > 1
    # The formats of files hold one table: text alone can show several, one below the other.
    if several and (form != "text" or out is not None):
        raise InputError(f"runs of several games: {', '.join(played)}", f"Name one of them: --game {min(played)}")
    for other in (other for other in played if other != RECONSTRUCTION):
        _refuse_options(
            other, judge=judge, order=order, lexicon=lexicon, bars=bars == "sem", episode=episode, episodes=episodes
        )
    pairs = played.pop(RECONSTRUCTION, [])
    status = _show_games(played, None if out else name, (category, difficulty), form, out, last=not pairs)
    if several and pairs:
        _show_title(RECONSTRUCTION)
    if not pairs:
        return status
    entry = table_entry(name, "--table")
    _check_order(name, entry, order)
    if episode is not None and name != "facts":
        raise click.UsageError("--episode goes with --table facts")
    if lexicon is not None and out is None and not entry.by_lexicon:
        raise click.UsageError("--lexicon goes with --table corrections, corrections_by_turn or words")
    results = Results.from_runs(pairs)
    by_board: Order = "quality" if order == "quality" else "main"
    part = None if order in ORDERS else order
    question = Question(judge, category, difficulty, by_board, part, episode, lexicon or "built-in")
    if out is not None and bars == "sem":
        raise click.UsageError("--bars sem goes with one --table, not with --out")
    # Flat files have columns for the ends of 95 % intervals, and none to say that they are something else.
    if form == "csv" and bars == "sem":
        raise click.UsageError("--bars sem goes with text, json, markdown and latex, not with csv")
    if out is not None:
        _write(_all_tables(results, question), out)
    else:
        with plugin_work(f"table {name!r}"):
            table = entry.table(results, question)
        if bars == "sem":
            table = with_standard_errors(table, results)
        click.echo(render(table, form, results if episodes else None, terminal_width()), nl=False)
    return status


def _by_game(opened: "Sequence[RunFolder]", wanted: str | None) -> "dict[str, list[RunFolder]]":
    """Return runs by game, or the runs of the wanted game, of which there must be at least one."""
    runs: dict[str, list[RunFolder]] = {}
    for folder in opened:
        runs.setdefault(folder.game, []).append(folder)
    if wanted is not None and wanted not in runs:
        raise unknown("game of these runs", wanted, runs, "--game")
    return runs if wanted is None else {wanted: runs[wanted]}


def _show_games(
    played: "dict[str, list[RunFolder]]",
    name: str | None,
    condition: tuple[str | None, str | None],
    form: "Format",
    out: Path | None,
    last: bool,
) -> int:
    """Show or write the tables of games other than reconstruction, and return the exit status.

    Args:
        played: Runs by game.
        name: Table that is shown; None to write all tables.
        condition: Category and difficulty; None for all.
        form: Format of what is shown.
        out: Folder that is written; None to show.
        last: Whether nothing is shown after these games.
    """
    from ircore.results.tables.formats import render

    status, rest = 0, len(played)
    several = len(played) > 1 or not last
    for game, opened in played.items():
        rest -= 1
        try:
            tables = _game_tables(opened, name, *condition)
        except WorkError as error:
            # A game whose package is broken must not hold up the boards of the others.
            if last and len(played) == 1:
                raise
            _say_left_out(error)
            status = error.status
            continue
        if name is None and out is not None:
            _write(tables, out)
        elif name is not None:
            if several:
                _show_title(game)
            click.echo(render(tables[name], form, columns=terminal_width()), nl=rest > 0 or not last)
    return status


def _with_table(played: "dict[str, list[RunFolder]]", name: str) -> "dict[str, list[RunFolder]]":
    """Return the runs of the games that have a table; of all games if none has it, so that the first one refuses it."""
    if len(played) < 2:
        return played
    from ircore.results.tables.game_catalogue import games_with_table

    games = games_with_table(name, [*played])
    return {game: played[game] for game in games} or played


def _show_title(game: str) -> None:
    """Show a game's title, above its table where tables of several games are shown."""
    from ircore.games.registry import load_game

    click.echo(styled(printable(load_game(game).title), "bold"))


def _check_order(name: str, entry: "Entry", order: str | None) -> None:
    from ircore.core.fact_records import PARTS

    if order is None or (order in ORDERS and entry.ordered) or (order in PARTS and entry.by_part):
        return
    if order in ORDERS:
        raise click.UsageError(f"--order {order} sorts boards; the table {name} has no such order")
    if order in PARTS:
        raise click.UsageError(f"--order {order} sorts the table parts; the table {name} has no such order")
    raise click.UsageError(f"--order {order}: no such order; choose one of {', '.join((*ORDERS, *PARTS))}")


def _refuse_options(game: str, **options: object) -> None:
    stated = [f"--{name}" for name, value in options.items() if value]
    if stated:
        raise InputError(
            f"{stated[0]}: does not apply to runs of the game {game}", f"Leave out {' and '.join(stated)}."
        )


def _game_tables(
    runs: "list[RunFolder]", name: str | None, category: str | None, difficulty: str | None
) -> "dict[str, Table]":
    """Return a table of another game than reconstruction by its name; all of them if ``name`` is None."""
    from ircore.results.games import read_game_results
    from ircore.results.tables.game_catalogue import tables_of_game

    return tables_of_game(read_game_results(runs), name, category, difficulty, None if name else _say_left_out)


def _say_left_out(error: WorkError) -> None:
    # What another package adds must not hold up the tables of this one.
    click.echo(printable(f"ircore: left out: {error.problem}"), err=True)


def _all_tables(results: "Results", question: "Question") -> "dict[str, Table]":
    """Return every table by its file's name; tables of ratings once for each judge, unless a judge was named."""
    from ircore.results.tables.catalogue import table_entry, table_names

    judges = (question.the_judge(results),) if question.judge or len(results.judges) < 2 else results.judges
    tables = {}
    for name in table_names():
        try:
            entry = table_entry(name)
            for judge in judges if entry.of_judge else judges[:1]:
                stem = f"{name}-{judge}" if entry.of_judge and len(judges) > 1 else name
                with plugin_work(f"table {name!r}"):
                    tables[stem] = entry.table(results, replace(question, judge=judge))
        except WorkError as error:
            _say_left_out(error)
    return tables


def _write(tables: "dict[str, Table]", out: Path) -> None:
    from ircore.core.files import new_folder, write_text
    from ircore.results.tables.formats import render

    with new_folder(out) as folder:
        for name, table in tables.items():
            for form, suffix in SUFFIXES.items():
                write_text(folder / f"{name}.{suffix}", render(table, form))
    click.echo(f"{out}: {', '.join(tables)} as {', '.join(SUFFIXES.values())}", err=True)
