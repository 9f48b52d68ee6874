"""``ircore games``: the installed games and their declarations."""

from dataclasses import asdict
from typing import Any

import click

from ircore.commands.completion import complete_plugins
from ircore.commands.options import echo_either, echo_json
from ircore.core.records import format_rule_value
from ircore.core.submission_records import build_game_field
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent
from ircore.games.base import Game, Measure
from ircore.games.registry import load_game, load_installed_games


@click.group("games", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the installed games; a game that cannot be loaded is listed with the reason."""
    # click calls the group before each of its commands, too.
    if context.invoked_subcommand is not None:
        return
    games, broken = load_installed_games()
    if as_json:
        listed = [{"name": game.name, "title": game.title, "seats": _list_seats(game)} for game in games.values()]
        faulty = [{"name": name, "broken": reason} for name, reason in broken.items()]
        echo_json({"games": listed, "broken": faulty})
        return
    width = max(map(len, [*games, *broken]), default=0)
    for game in games.values():
        line = f"{game.name:<{width}}  {game.title} ({', '.join(_list_seats(game))})"
        click.echo(wrap_with_indent(make_printable(line), find_terminal_width()))
    for name, reason in broken.items():
        click.echo(make_printable(f"{name:<{width}}  broken: {reason}"))


@command.command()
@click.argument("name", shell_complete=complete_plugins("games"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show(name: str, as_json: bool) -> None:
    """Show the declarations of the game NAME: seats, rules, outcomes, measures and the fields of its instances."""
    game = load_game(name)
    echo_either(
        as_json, _build_document(game), wrap_with_indent(make_printable(_format_page(game)), find_terminal_width())
    )


def _list_seats(game: Game[Any]) -> list[str]:
    return [seat.name for seat in game.seats]


def _format_page(game: Game[Any]) -> str:
    fields = game.payload.model_fields.items()
    sections = {
        "seats": [
            (
                seat.name,
                f"{seat.answers}; sees {seat.sees}{'; may be recorded' if seat.recorded else ''}"
                f"{f'; only with the rule {seat.when}' if seat.when else ''}",
            )
            for seat in game.seats
        ],
        "rules": [
            (name, f"{format_rule_value(info.default)}{f'  {info.description}' if info.description else ''}")
            for name, info in game.rules.model_fields.items()
        ],
        "outcomes": [
            (outcome.name, "played" if outcome.played else "does not count as played") for outcome in game.outcomes
        ],
        "measures": [
            (measure.key, f"{_scale(game, measure)}{', headline' if measure is game.headline else ''}")
            for measure in game.measures
        ],
        "instances": [(name, info.description or "") for name, info in fields],
    }
    lines = [f"{game.title} ({game.name})", *([game.paper] if game.paper else [])]
    for title, rows in sections.items():
        width = max((len(name) for name, _ in rows), default=0)
        lines += ["", title, *(f"  {name:<{width}}  {text}".rstrip() for name, text in rows)]
    manifest = ", ".join(f"{key}: {value}" for key, value in {"schema": 1, **build_game_field(game.name)}.items())
    return "\n".join([*lines, "", f"A manifest: {manifest}; ircore submission new DIR --game {game.name} writes it."])


def _scale(game: Game[Any], measure: Measure) -> str:
    to = " to " if measure.bounds and measure.bounds[0] < 0 else "–"
    bounds = to.join(f"{end:g}" for end in measure.bounds) if measure.bounds else ""
    scale = " ".join(filter(None, [bounds, measure.unit]))
    titled = f"{measure.title}: {scale}" if scale else measure.title
    return f"{titled}, {measure.direction} is better, per {game.per_word(measure)}, from {measure.needs}"


def _build_document(game: Game[Any]) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "paper": game.paper,
        "seats": [asdict(seat) for seat in game.seats],
        "rules": game.rules.model_json_schema(),
        "payload": game.payload.model_json_schema(),
        "step": game.step.model_json_schema(),
        "outcomes": [asdict(outcome) for outcome in game.outcomes],
        "measures": [asdict(measure) for measure in game.measures],
        "published": [asdict(figure) for figure in game.published],
    }
