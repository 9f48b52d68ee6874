"""``ircore play-me``: take the describer's seat yourself."""

import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ircore.core.errors import InputError

if TYPE_CHECKING:
    from ircore.players.submission import LoadedSubmission

CATEGORIES = ("simple_shapes", "pie_graph", "bar_graph", "geometry")
"""Categories of the targets that are drawn where no set is given: a person needs a minute for each."""


@click.command("play-me")
@click.option("--out", type=click.Path(path_type=Path), default=Path("play-me"), show_default=True, help="Kept here.")
@click.option("--instances", "given", type=click.Path(path_type=Path), help="Your own targets; else some are drawn.")
@click.option("--pair", default="classical+canvas", show_default=True, help="Whose generator draws, and to beat.")
@click.option("--max-turns", type=click.IntRange(1, 100), help="Turns at most, instead of the pair's rules.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the page; any free one by default.")
@click.option("--no-browser", is_flag=True, help="Open no browser; the page's address is printed.")
def command(out: Path, given: Path | None, pair: str, max_turns: int | None, port: int, no_browser: bool) -> int:
    """Describe targets yourself, in the browser: a generator draws what you say, and every fact is checked at once.

    The same command goes on where you stopped. The episodes are a run like any other: ircore show, ircore score.
    """
    from ircore.players.builtin_pairs import submission_place
    from ircore.players.submission import LoadedSubmission, read_any_manifest
    from leaderboard.live.play_me.server import serving_table
    from leaderboard.live.play_me.table import Table, write_pair

    loaded = read_any_manifest(submission_place(Path(pair)))
    if not isinstance(loaded, LoadedSubmission):
        raise InputError(f"--pair {pair}: plays {loaded.submission.game}", "Name a pair of the reconstruction game.")
    out.mkdir(parents=True, exist_ok=True)
    with (out / "play-me.log").open("ab") as log:
        _targets(out, given, log)
        manifest = write_pair(out, _spec(loaded))
        rules = ["--max-turns", str(max_turns)] if max_turns else []
        mine = _began([str(manifest), "--out", str(out / "run"), "--concurrency", "1", *rules], out, log)
        best = _began([pair, "--out", str(out / "best"), *rules], out, log)
        try:
            with serving_table(Table(out), port) as address:
                click.echo(f"play      {address}   (Ctrl-C ends this; the same command goes on)")
                if not no_browser:
                    webbrowser.open(address)
                status = mine.wait()
        except KeyboardInterrupt:
            status = 0
        finally:
            for process in (mine, best):
                process.kill()  # what was answered is on the disk; nobody is paid for what was not
                process.wait()
    run = out / "run"
    click.echo(f"your run  {run}\n\nnext\n  1  your scores   ircore score {run} && ircore results {run}")
    click.echo(f"  2  a dialogue    ircore show {run} --episode NAME")
    return status


def _targets(out: Path, given: Path | None, log: IO[bytes]) -> None:
    from ircore.instances.store import read_instances

    if given is not None:
        read_instances(given)
    if (out / "instances").exists():
        return
    if given is not None:
        (out / "instances").symlink_to(given.resolve())
        return
    chosen = [part for name in CATEGORIES for part in ("--category", name)]
    build = ["instances", "build", "--out", str(out / "instances"), "--per-condition", "1", *chosen]
    # The arguments are this module's own.
    subprocess.run([sys.executable, "-m", "ircore", *build], stdout=log, stderr=log, check=True)  # noqa: S603


def _spec(loaded: "LoadedSubmission") -> dict[str, Any]:
    spec: dict[str, Any] = loaded.submission.generator.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return spec


def _began(arguments: list[str], out: Path, log: IO[bytes]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "ircore", "play", *arguments, "--instances", str(out / "instances")]
    return subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own commands
