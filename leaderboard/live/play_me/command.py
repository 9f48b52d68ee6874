"""``ircore play-me``: take a seat yourself, in a pair whose manifest and targets are written for that seat."""

import json
import subprocess
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import IO, TYPE_CHECKING, Any

import click

from ircore.commands.next_steps import find_program_name
from ircore.core.errors import InputError
from ircore.core.files import write_text

if TYPE_CHECKING:
    from leaderboard.live.play_me.seats import DescriberTable

HUMAN_S = 86_400
"""Seconds that a person has for an answer."""


@dataclass(frozen=True)
class Mode:
    """A seat that a person may take.

    >>> MODES["listen"].game
    'reference'

    Attributes:
        name: As given to ``--mode``.
        game: The game that is played.
        categories: Categories of the targets that are drawn where none are given.
        pair: The built-in submission whose other seat plays, and that is to be beaten.
        rules: Rules other than the game's usual ones.
    """

    name: str
    game: str
    categories: tuple[str, ...]
    pair: str
    rules: tuple[tuple[str, int], ...] = ()


MODES = {
    mode.name: mode
    for mode in (
        Mode("describe", "reconstruction", ("simple_shapes", "pie_graph", "bar_graph", "geometry"), "classical+canvas"),
        Mode("draw", "reconstruction", ("simple_shapes", "pie_graph"), "plain+canvas"),
        Mode("listen", "reference", ("lineup", "tangrams"), "looker", (("repetitions", 2),)),
    )
}
"""Every mode of ``ircore play-me`` by its name."""


@click.command("play-me")
@click.option(
    "--mode",
    "name",
    type=click.Choice(tuple(MODES)),
    default="describe",
    show_default=True,
    help="Your part in the game.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder of your run.  [default: play-me, or play-me-MODE]",
)
@click.option(
    "--instances",
    "targets",
    type=click.Path(path_type=Path),
    help="Instance set with targets of your own; by default targets are drawn.",
)
@click.option(
    "--pair", help="Pair that plays the other seat, and that you try to beat: a built-in pair or a submission."
)
@click.option("--max-turns", type=click.IntRange(1, 100), help="Turns at most, instead of the pair's rules.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page; by default any free port.")
@click.option("--no-browser", is_flag=True, help="Open no browser; the page's address is printed.")
def command(
    name: str, out: Path | None, targets: Path | None, pair: str | None, max_turns: int | None, port: int,
    no_browser: bool,
) -> int:  # fmt: skip
    """Take a seat yourself, in the browser.

    describe: say what a target shows; a generator draws it, and every fact is checked at once. draw: a describer says
    what to draw; draw it, or type it for a generator. listen: find out of several pictures the one that is meant.

    The same command goes on where you stopped. The episodes are a run like any other: ircore show, ircore score.
    """
    from ircore.games.registry import load_game
    from leaderboard.live.play_me.seats import serve_table

    mode = MODES[name]
    out = out or Path("play-me" if name == "describe" else f"play-me-{name}")
    out.mkdir(parents=True, exist_ok=True)
    manifest, table = write_seat_manifest(mode, out, pair or mode.pair)
    with (out / "play-me.log").open("ab") as log:
        _prepare_targets(out, targets, mode, log)
        rules = (
            ["--max-turns", str(max_turns)]
            if max_turns and "max_turns" in load_game(mode.game).rules.model_fields
            else []
        )
        rules += [part for rule, value in mode.rules for part in ("--rule", f"{rule}={value}")]
        mine = start_play_process([str(manifest), "--out", str(out / "run"), "--concurrency", "1", *rules], out, log)
        best = start_play_process([pair or mode.pair, "--out", str(out / "best"), *rules], out, log)
        try:
            with serve_table(table, port) as address:
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
    program, place = find_program_name(), quote(str(run))
    click.echo(f"your run  {run}\n\nnext\n  1  your scores   {program} score {place} && {program} results {place}")
    click.echo(f"  2  a dialogue    {program} show {place} --episode NAME")
    return status


def write_seat_manifest(mode: "Mode", out: Path, pair: str) -> "tuple[Path, DescriberTable]":
    """Write the manifest of the pair with a person in it; return its path and the settings of the page.

    Raises:
        InputError: The pair plays another game.
    """
    from ircore.players.builtin_pairs import find_submission_place
    from ircore.players.submission import build_player, read_manifest
    from leaderboard.live.play_me.seats import DescriberTable, DrawingTable, ListeningTable

    loaded = read_manifest(find_submission_place(Path(pair)))
    players = loaded.submission.players
    if loaded.submission.game != mode.game:
        raise InputError(f"--pair {pair}: plays {loaded.submission.game}", f"Name players of {mode.game}.")
    if "speaker" in players:
        return write_listener(out, _dump_settings(players["speaker"])), ListeningTable(out)
    if mode.name == "describe":
        return write_pair(out, "describer", _dump_settings(players["generator"])), DescriberTable(out)
    drawer = build_player(players["generator"])
    return write_pair(out, "generator", _dump_settings(players["describer"])), DrawingTable(out, generator=drawer)


def _dump_settings(spec: Any) -> dict[str, Any]:
    settings: dict[str, Any] = spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return settings


def _prepare_targets(out: Path, instances: Path | None, mode: "Mode", log: IO[bytes]) -> None:
    from ircore.instances.store import read_instances

    if instances is not None and read_instances(instances).game != mode.game:
        raise InputError(f"--instances {instances}: are not for {mode.game}", "Name a set of that game.")
    if (out / "instances").exists():
        return
    if instances is not None:
        # Resolved, since a relative link would be read from the folder that holds the link.
        (out / "instances").symlink_to(instances.resolve())
        return
    chosen = [part for name in mode.categories for part in ("--category", name)]
    build = [
        "instances",
        "build",
        "--game",
        mode.game,
        "--out",
        str(out / "instances"),
        "--per-condition",
        "1",
        *chosen,
    ]
    # The arguments are this module's own.
    subprocess.run([sys.executable, "-m", "ircore", *build], stdout=log, stderr=log, check=True)  # noqa: S603


def start_play_process(
    arguments: list[str], out: Path, log: IO[bytes], inside: Path | None = None
) -> "subprocess.Popen[bytes]":
    """Begin ``ircore play`` on the targets of a folder, by default in the working folder."""
    command = [sys.executable, "-m", "ircore", "play", *arguments, "--instances", str(out / "instances")]
    return subprocess.Popen(command, stdout=log, stderr=log, cwd=inside)  # noqa: S603 - our own commands


def make_person(desk: str) -> dict[str, Any]:
    """Return a player ``human`` who answers through a folder."""
    return {"player": "human", "parameters": {"folder": desk, "poll_s": 0.1, "timeout_s": HUMAN_S}}


def write_pair(folder: Path, seat: str, other: dict[str, Any], slug: str = "pair", desk: str = "") -> Path:
    """Write the manifest of a pair of a person and a player of the reconstruction game, and return its path.

    Args:
        folder: Where the manifest's folder is made.
        seat: The person's seat, ``describer`` or ``generator``.
        other: Settings of the player in the other seat.
        slug: Name of the manifest's folder.
        desk: Folder through which the person answers; by default ``desk`` in ``folder``.
    """
    human = make_person(desk or str(folder / "desk"))
    label = other.get("model") or other["player"]
    seats = {"describer": human, "generator": other}
    name = f"human + {label}"
    if seat == "generator":
        seats, name = {"describer": other, "generator": human}, f"{label} + human"
    return _write_manifest(folder / slug, {"schema": 1, "name": name, "licence": "CC0-1.0", **seats})


def write_listener(folder: Path, speaker: dict[str, Any]) -> Path:
    """Write the manifest of a speaker and a person who listens, and return its path."""
    label = speaker.get("model") or speaker["player"]
    players = {"speaker": speaker, "listener": make_person(str(folder / "desk"))}
    manifest = {"schema": 1, "game": "reference", "name": f"{label} + human", "licence": "CC0-1.0", **players}
    return _write_manifest(folder / "pair", manifest)


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> Path:
    path = folder / "submission.yaml"
    write_text(path, json.dumps(manifest, indent=2) + "\n")
    return path
