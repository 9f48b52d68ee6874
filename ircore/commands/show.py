"""``ircore show``: the contents of a run."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from ircore.commands.options import PATH
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.episode_records import list_renderings
from ircore.core.errors import InputError
from ircore.core.images import read_picture
from ircore.core.plain_words import format_count
from ircore.core.submission_records import Run, Submission, build_game_field
from ircore.core.terminal import find_terminal_width, make_printable
from ircore.core.terminal_pictures import can_show_pictures, show_pictures
from ircore.games.registry import find_step_word, load_game, require_support
from ircore.runs.animation import animate
from ircore.runs.costs.prices import load_run_prices
from ircore.runs.folder import RunFolder
from ircore.runs.summary import EpisodeDialogue, convert_to_dict, format_dialogue, read_dialogue, summarise


@click.command("show")
@click.argument("runs", type=PATH, nargs=-1, required=True, callback=find_runs_to_read)
@click.option("--episode", "episode_id", metavar="ID", help="The dialogue of this episode, turn by turn.")
@click.option("--animate", "animation", type=PATH, metavar="FILE", help="Write --episode as APNG (.png) or WebP.")
@click.option("--prices", "prices_file", type=PATH, help="File of prices that are added to the run's own prices.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    runs: tuple[Path, ...], episode_id: str | None, animation: Path | None, prices_file: Path | None, as_json: bool
) -> None:
    """Show the contents of RUNS: outcomes, turns, requests, tokens, images, seconds, cost.

    RUNS are run folders, folders of runs, or releases. With --json several runs give a list.
    """
    folders = [RunFolder(run) for run in runs]
    if animation is not None:
        _animate(folders, episode_id, animation)
        return
    if episode_id is not None:
        folder = _run_of(episode_id, folders)
        prices = load_run_prices(folder, prices_file)
        dialogue = read_dialogue(folder, episode_id)
        if as_json:
            click.echo(json.dumps(convert_to_dict(dialogue, prices), indent=2))
        else:
            click.echo(format_dialogue(dialogue, prices))
            _show_pictures(folder, dialogue)
        return
    summaries = [summarise(folder, load_run_prices(folder, prices_file)) for folder in folders]
    if as_json:
        click.echo(json.dumps(summaries[0] if len(summaries) == 1 else summaries, indent=2))
    else:
        click.echo(make_printable("\n\n".join(_format_page(summary) for summary in summaries)))


def _animate(folders: Sequence[RunFolder], episode_id: str | None, file: Path) -> None:
    if episode_id is None:
        raise InputError("--animate needs an episode", "Name it: --episode bar_graph-easy-01")
    folder = _run_of(episode_id, folders)
    require_support("animation", folder.game, str(folder.path))
    count = animate(folder, episode_id, file)
    click.echo(f"{file}: {format_count(count, 'frame')}, {file.stat().st_size / 1024:.0f} KiB")


def _run_of(episode_id: str, folders: Sequence[RunFolder]) -> RunFolder:
    """Return the only run, or the only run that has an episode.

    Raises:
        InputError: Several runs have the episode.
    """
    # A single run is shown in any case: reading its dialogue then says which episodes it has.
    played = [folder for folder in folders if episode_id in folder.episode_ids] or list(folders[:1])
    if len(played) > 1:
        raise InputError(f"--episode {episode_id}: {len(played)} runs have it", f"Name one run: {played[0].path}")
    return played[0]


def _show_pictures(folder: RunFolder, dialogue: EpisodeDialogue) -> None:
    """Show the pictures of an instance, its first and its last rendering, at a terminal that shows pictures."""
    if not can_show_pictures(sys.stdout):
        return
    files = list(dialogue.instance.pictures.items())[:2]
    pictures = {name: read_picture(folder.path / "instances" / file.image) for name, file in files}
    drawn = [rendering for _, rendering in list_renderings(dialogue.episode)] if dialogue.episode else []
    if drawn:
        pictures |= {"first rendering": folder.rendering(drawn[0]), "final rendering": folder.rendering(drawn[-1])}
    click.echo()
    show_pictures(pictures, sys.stdout)


def _format_page(summary: dict[str, Any]) -> str:
    run = summary["run"]
    judging = summary["judging"]
    rows = [
        *_format_players(run),
        ("run", f"{run['run_id']}, begun {run['started']}"),
        ("rules", load_game(run["game"]).read_rules(Run.model_validate(run)).words),
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("outcomes", _format_counts(summary["outcomes"])),
        ("aborted", _format_counts(summary["abort_reasons"])),
        ("lacking", _describe_missing(summary)),
        (steps := f"{find_step_word(run['game'])}s", str(summary[steps])),
        *_format_requests(summary),
        ("images", _format_images(summary)),
        ("waited", "" if summary["seconds"] is None else f"{summary['seconds']:.1f} s"),
        ("cost", _format_cost(summary)),
        ("each", _format_mean(summary)),
        *(("judge", f"{name}: {_format_judging(sums)}") for name, sums in judging["per_judge"].items()),
    ]
    columns = find_terminal_width() or sys.maxsize
    lines = [f"{title:<9} {value}" for title, value in rows if value]
    return "\n".join(part for line in lines for part in wrap(line, columns, subsequent_indent=" " * 10))


def _format_players(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines with the players, and with the game where a manifest has to name it."""
    submission = Submission.model_validate(run["submission"])
    labels = {seat: player.label for seat, player in submission.players.items()}
    if named := build_game_field(run["game"]):
        return [*named.items(), ("players", ", ".join(f"{seat}: {label}" for seat, label in labels.items()))]
    pair, name = " + ".join(labels.values()), submission.name
    return [("pair", name if name == pair else f"{name}  ({pair})")]


def _describe_missing(summary: dict[str, Any]) -> str:
    """Say that a run is incomplete, and how to complete the run."""
    if not summary["unfinished"]:
        return ""
    return (
        f"{summary['unfinished']} of {format_count(summary['planned'], 'episode')} have no result yet, so the run is "
        "incomplete and has no rank; the same ircore play command plays them, with --final it counts them as not played"
    )


def _format_requests(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines on requests and tokens, which are unknown in a run that was pulled from a release."""
    tokens = summary["tokens"]
    messages = f"{tokens['messages']:,} in messages" if "messages" in tokens else ""
    if None in summary["requests"].values():
        return [("requests", "not recorded, since the run was pulled from a release"), ("tokens", messages)]
    provider = f"{tokens['prompt_tokens']:,} read, {tokens['completion_tokens']:,} written"
    counted = f"{provider}, {tokens['reasoning_tokens']:,} of them reasoning (provider's count)"
    return [
        ("requests", _format_counts(summary["requests"])),
        ("failed", _format_counts(summary["failed_requests"])),
        *(("answered by", _format_served(seat, names)) for seat, names in summary["served"].items()),
        ("tokens", "; ".join(filter(None, (messages, counted)))),
    ]


def _format_served(seat: str, names: dict[str, int]) -> str:
    """Return the models that answered in a seat; several are more than the manifest's one."""
    said = ", ".join(f"{name} ({count})" for name, count in names.items())
    return f"{seat}: {said}{': the model changed while it played' if len(names) > 1 else ''}"


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _format_images(summary: dict[str, Any]) -> str:
    perhaps = summary["images_perhaps_billed"]
    return f"{summary['images']}{f'; {perhaps} more may have been billed, their requests failed' if perhaps else ''}"


def _format_judging(sums: dict[str, Any]) -> str:
    """Return tokens, seconds and cost of a judge, which are no part of the pair's own."""
    tokens = sums["tokens"]
    counts = f"{tokens['prompt_tokens']:,} tokens read, {tokens['completion_tokens']:,} written"
    return f"{format_count(sums['requests'], 'request')}, {counts}, {sums['seconds']:.1f} s, {_format_cost(sums)}"


def _format_cost(summary: dict[str, Any]) -> str:
    if summary["cost_usd"] is None:
        return "–  (no provider reported it and no price is known; --prices FILE)"
    return f"{summary['cost_usd']:.4f} US${'' if summary['cost_known'] else ', not counting answers of unknown cost'}"


def _format_mean(summary: dict[str, Any]) -> str:
    """Return the mean tokens, images, seconds and cost of an ended episode; empty if no episode has ended."""
    ended = [episode for episode in summary["per_episode"] if episode["outcome"]]
    if not ended:
        return ""
    number = len(ended)
    measured = [episode["tokens"] for episode in ended if episode["tokens"]["prompt_tokens"] is not None]
    tokens = sum(counts["prompt_tokens"] + counts["completion_tokens"] for counts in measured) / number
    # A mean over the episodes of known cost alone would be too low or too high.
    costs = [episode["cost_usd"] for episode in ended if episode["cost_known"]]
    cost = f", {sum(costs) / number:.4f} US$" if len(costs) == number else ""
    images = sum(episode["images"] for episode in ended) / number
    waited = [episode["seconds"] for episode in ended if episode["seconds"] is not None]
    seconds = f", {sum(waited) / number:.1f} s" if len(waited) == number else ""
    read = f"{tokens:,.0f} tokens, " if measured else ""
    return f"{read}{images:.1f} images{seconds}{cost} an episode"
