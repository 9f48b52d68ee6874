"""``ircore show``: what was played."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.runs.costs.prices import RunPrices
    from ircore.runs.folder import GameRunFolder


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--episode", "episode_id", metavar="ID", help="The dialogue of this episode, turn by turn.")
@click.option("--prices", "prices_file", type=click.Path(path_type=Path), help="Prices on top of the run's own.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(run: Path, episode_id: str | None, prices_file: Path | None, as_json: bool) -> None:
    """Say what was played in the run folder RUN: outcomes, turns, requests, tokens, images, seconds, cost."""
    from ircore.runs import transcript
    from ircore.runs.costs.prices import prices_of_run
    from ircore.runs.folder import GameRunFolder, open_any_run
    from ircore.runs.summary import summarise

    folder = open_any_run(run)
    prices = prices_of_run(folder, prices_file)
    if isinstance(folder, GameRunFolder):
        _show_game_run(folder, prices, episode_id, as_json)
        return
    if episode_id is not None:
        dialogue = transcript.read_dialogue(folder, episode_id)
        click.echo(_json(transcript.as_dict(dialogue, prices)) if as_json else transcript.as_text(dialogue, prices))
        return
    summary = summarise(folder, prices)
    click.echo(_json(summary) if as_json else printable(_page(summary)))


def _show_game_run(folder: "GameRunFolder", prices: "RunPrices", episode_id: str | None, as_json: bool) -> None:
    from ircore.runs.game_summary import episode_answers, summarise_game_run, summary_page

    if episode_id is not None:
        answers = episode_answers(folder, episode_id)
        lines = [f"{one['step']:>3}  {one['seat']}: {one['answer']}" for one in answers]
        click.echo(json.dumps(answers, indent=2) if as_json else printable("\n".join(lines)))
        return
    summary = summarise_game_run(folder, prices)
    click.echo(_json(summary) if as_json else summary_page(summary))


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2)


def _rules(rules: dict[str, Any]) -> str:
    from ircore.core.records import Rules

    key = Rules.model_validate(rules).key
    return f"{key}: {rules['token_budget']} tokens a message, {rules['max_turns']} turns"


def _page(summary: dict[str, Any]) -> str:
    run = summary["run"]
    seats = " + ".join(
        run["submission"][seat]["model"] or run["submission"][seat]["player"] for seat in ("describer", "generator")
    )
    name = run["submission"]["name"]
    rows = [
        ("pair", name if name == seats else f"{name}  ({seats})"),
        ("run", f"{run['run_id']}, begun {run['started']}"),
        ("rules", _rules(run["rules"])),
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("outcomes", _counts(summary["outcomes"])),
        ("aborted", _counts(summary["abort_reasons"])),
        ("lacking", _lacking(summary)),
        ("turns", str(summary["turns"])),
        *_asked(summary),
        ("images", _images(summary)),
        ("waited", f"{summary['seconds']:.1f} s"),
        ("cost", _cost(summary)),
        ("each", _mean(summary)),
        *(("judge", f"{name}: {_judged(sums)}") for name, sums in summary["judging"]["per_judge"].items()),
    ]
    return "\n".join(f"{title:<9} {value}" for title, value in rows if value)


def _lacking(summary: dict[str, Any]) -> str:
    """Say that a run is incomplete, and what to do about it."""
    if not summary["unfinished"]:
        return ""
    return (
        f"{summary['unfinished']} of {summary['planned']} episodes have no result yet, so the run is incomplete and "
        "has no rank; the same ircore play command plays them, with --final it counts them as not played"
    )


def _asked(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was sent and counted, or that it is not known of a run that was pulled from a release."""
    tokens = summary["tokens"]
    messages = f"{tokens['messages']:,} in messages"
    if summary["requests"]["describer"] is None:
        return [("requests", "not recorded, since the run was pulled from a release"), ("tokens", messages)]
    provider = f"{tokens['prompt_tokens']:,} read, {tokens['completion_tokens']:,} written"
    return [
        ("requests", _counts(summary["requests"])),
        ("failed", _counts(summary["failed_requests"])),
        ("tokens", f"{messages}; {provider}, {tokens['reasoning_tokens']:,} of them reasoning (provider's count)"),
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _images(summary: dict[str, Any]) -> str:
    perhaps = summary["images_perhaps_billed"]
    return f"{summary['images']}{f'; {perhaps} more may have been billed, their requests failed' if perhaps else ''}"


def _judged(sums: dict[str, Any]) -> str:
    """Say what a judge took; it is no part of the pair's own tokens and cost."""
    tokens = sums["tokens"]
    counts = f"{tokens['prompt_tokens']:,} tokens read, {tokens['completion_tokens']:,} written"
    return f"{sums['requests']} requests, {counts}, {sums['seconds']:.1f} s, {_cost(sums)}"


def _cost(summary: dict[str, Any]) -> str:
    if summary["cost_usd"] is None:
        return "–  (no provider reported it and no price is known; --prices FILE)"
    return f"{summary['cost_usd']:.4f} US${'' if summary['cost_known'] else ', not counting answers of unknown cost'}"


def _mean(summary: dict[str, Any]) -> str:
    """Return what one of the ended episodes took on average; empty if none has ended."""
    ended = [one for one in summary["per_episode"] if one["outcome"]]
    if not ended:
        return ""
    number = len(ended)
    counted = [one["tokens"] for one in ended if one["tokens"]["prompt_tokens"] is not None]
    tokens = sum(one["prompt_tokens"] + one["completion_tokens"] for one in counted) / number
    costs = [one["cost_usd"] for one in ended if one["cost_known"]]
    cost = f", {sum(costs) / number:.4f} US$" if len(costs) == number else ""
    images, seconds = (sum(one[key] for one in ended) / number for key in ("images", "seconds"))
    read = f"{tokens:,.0f} tokens, " if counted else ""
    return f"{read}{images:.1f} images, {seconds:.1f} s{cost} an episode"
