"""``ircore demo``: the first five minutes."""

import os
import sys
import webbrowser
from pathlib import Path
from shlex import quote
from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from ircore.commands.main import list_extras
from ircore.commands.next_steps import find_program_name
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import require_extras
from ircore.core.terminal import find_terminal_width, make_printable

if TYPE_CHECKING:
    from leaderboard.live.demo.server import State
    from leaderboard.live.demo.stages import Demo, Watch

OUT = Path("ircore-demo")


@click.command("demo")
@click.option(
    "--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="The demo's folder: emptied first."
)
@click.option(
    "--per-condition",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="Targets for each category and difficulty.",
)
@click.option(
    "--category", "-c", "categories", multiple=True, metavar="NAME", help="Only this category; may be repeated."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page; by default any free port.")
@click.option("--no-browser", is_flag=True, help="Open no browser; the page's address is printed.")
@click.option("--no-serve", is_flag=True, help="Show no page; end when everything is written.")
@click.option("--no-site", is_flag=True, help="Leave out the last stage, the site.")
def command(
    out: Path,
    per_condition: int,
    categories: tuple[str, ...],
    port: int,
    no_browser: bool,
    no_serve: bool,
    no_site: bool,
) -> int:
    """Play the built-in players of every game offline, and watch it in the browser.

    A page on this machine shows the episodes turn by turn; when all are scored the finished site takes its place.
    """
    from ircore.core.plugins import build_unknown_name_error
    from ircore.core.records import DEFAULT_GAME
    from ircore.games.registry import load_game
    from leaderboard.live.demo.server import State, serve_demo
    from leaderboard.live.demo.stages import Demo

    known = load_game(DEFAULT_GAME).categories
    for name in categories:
        if name not in known:
            raise build_unknown_name_error("category", name, tuple(known))
    demo = Demo(out, per_condition, categories)
    stages = demo.stages(site=not no_site)
    # Before anything is played: the last stage needs more than the others.
    words = (" ".join(command[:2]) for stage in stages for command in stage.commands)
    require_extras("the demo", dict.fromkeys(extra for command in words for extra in list_extras(command)))
    _empty_folder(demo)
    state = State(out, [stage.label for stage in stages])
    if no_serve:
        _run_stages(demo, state, site=not no_site)
        return 0
    with serve_demo(state, port) as address:
        click.echo(f"watch     {address}")
        if not no_browser:
            webbrowser.open(address)
        _run_stages(demo, state, site=not no_site)
        _say_next(demo, address)
        try:
            while True:
                sleep(3600)
        except KeyboardInterrupt:
            return 0


def _empty_folder(demo: "Demo") -> None:
    """Empty the folder of the files of an earlier demo; nobody else's files are touched."""
    import shutil

    parts = {"instances", "contexts", "dialogues", "tasks", "runs", "dataset", "site", "demo.log"}
    # A folder is emptied only if everything in it has a name that a demo gives.
    for folder, names in ((demo.folder, parts), (demo.folder / "runs", {run.name for run in demo.runs})):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in names and not path.name.startswith("."):
                raise InputError(f"{folder}: holds other things ({path.name})", "Choose another --out.")
    for name in parts:
        path = demo.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    (demo.folder / "runs").mkdir(parents=True)


def _run_stages(demo: "Demo", state: "State", site: bool) -> None:
    from leaderboard.live.demo.stages import run_stage

    stages = demo.stages(site)
    with (demo.folder / "demo.log").open("wb") as log:
        for number, stage in enumerate(stages):
            state.begin(number)
            begun = monotonic()
            head = f"{number + 1}/{len(stages)}  {stage.label:<28} "
            watch = make_watch(head, len(stage.commands), begun)
            try:
                run_stage(stage, log, watch)
            except WorkError as error:
                click.echo()
                state.failed = error.problem
                raise
            rewrite(f"{head}{monotonic() - begun:5.1f} s")
            click.echo()
    state.begin(len(stages))


def make_watch(head: str, commands: int, begun: float) -> "Watch | None":
    """Return what rewrites a stage's line while its commands run; None where the output is a file.

    Args:
        head: Beginning of the line: number and label of the stage.
        commands: Number of the stage's commands.
        begun: When the stage began, by ``monotonic``.
    """
    if not sys.stdout.isatty():
        return None

    def show(ended: int, said: str) -> None:
        count = f", {ended} of {commands} commands done" if commands > 1 else ""
        rewrite(f"{head}{monotonic() - begun:5.0f} s{count}{f', {said}' if said else ''} …")

    show(0, "")
    return show


def rewrite(text: str) -> None:
    """Write a line in place of the line that stands in the terminal; in a file, just write the text."""
    width = find_terminal_width()
    # One column less than there are: a full line would begin another one.
    line = text if width is None else f"\r{make_printable(text)[: width - 1]:<{width - 1}}"
    click.echo(line, nl=False)


SHOWN_CATEGORY = "pie_graph"
"""The category of the episode that the demo offers to show, if it plays it."""


def _say_next(demo: "Demo", address: str) -> None:
    """Print where the results are, and the next commands."""
    program, out = find_program_name(), demo.folder
    category = SHOWN_CATEGORY if SHOWN_CATEGORY in demo.categories or not demo.categories else demo.categories[0]
    run = out / "runs" / "builtin-classical-canvas"
    shell = "set" if sys.platform == "win32" else "export"
    key = "" if os.environ.get("OPENAI_API_KEY") else f"  ({shell} OPENAI_API_KEY=… first)"
    click.echo()
    click.echo(f"site      {address}   (Ctrl-C ends this; later: {program} site serve {quote(str(out / 'site'))})")
    click.echo(f'dataset   load_dataset("{out / "dataset"}", split="test")')
    click.echo("\nnext")
    click.echo(f"  1  see a dialogue        {program} show {quote(str(run))} --episode {category}-easy-01")
    click.echo(f"  2  play your own model   {program} submission new my-pair{key}")
    click.echo(f"  3  add a game            {program} new plugin --help")
