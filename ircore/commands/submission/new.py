"""``ircore submission new``: a manifest from a few answers, or from options alone."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import click

from ircore.commands.options import PATH
from ircore.core.errors import InputError
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.submissions import drafts
from ircore.submissions.check.reports import format_error, format_valid_line
from ircore.submissions.check.submission import check_bytes, read_neighbours
from ircore.submissions.drafts import QuestionContext, build_player_specs, complete, parse_parameter, read_players

_SEATS = ("describer", "generator")
"""Seats with options of their own; those of all games are named by ``--player``."""


def _add_seat_options(wrapped: Callable[..., None]) -> Callable[..., None]:
    # Backwards, since click puts the option that is added last first.
    for seat in reversed(_SEATS):
        about = (
            ("parameter", "NAME=VALUE", "A parameter of the player; may be given several times."),
            ("revision", "TEXT", "Version of the player's model: commit, snapshot or date."),
            ("key", "VARIABLE", "Environment variable that holds the key; never the key."),
            ("url", "URL", "Address of the player's service; OpenAI's by default."),
            ("model", "MODEL", "Model of the player, as the service names it."),
        )
        for name, metavar, text in about:
            wrapped = click.option(f"--{seat}-{name}", metavar=metavar, multiple=name == "parameter", help=text)(
                wrapped
            )
        example = "openai" if seat == "describer" else "openai-images"
        wrapped = click.option(f"--{seat}", metavar="PLAYER", help=f"Player of the seat {seat}, such as {example}.")(
            wrapped
        )
    return wrapped


@click.command("new", short_help="Make a manifest: asks for what no option says.")
@click.argument("path", type=PATH)
@_add_seat_options
@click.option(
    "--game", default="reconstruction", show_default=True, metavar="NAME", help="Game that the submission plays."
)
@click.option(
    "--player",
    "players",
    metavar="SEAT[.FIELD]=VALUE",
    multiple=True,
    help="Player of a seat of any game, and its model, revision, url, key, source or parameter.NAME.",
)
@click.option(
    "--rule", "rules", metavar="NAME=VALUE", multiple=True, help="Rule of the game; may be given several times."
)
@click.option("--name", metavar="NAME", help="Name of the pair; its players' names by default.")
@click.option("--author", "authors", metavar="NAME", multiple=True, help="An author; may be given several times.")
@click.option("--submitter", metavar="ACCOUNT", help="Account that opens the pull request: the pair is its own.")
@click.option("--licence", metavar="SPDX", help="Licence of messages and renderings; CC-BY-4.0 by default.")
@click.option("--link", "links", metavar="NAME=URL", multiple=True, help="A link; may be given several times.")
@click.option("--hardware", metavar="TEXT", help="Hardware or service that runs the models.")
@click.option("--token-budget", metavar="N", type=int, help="Tokens a message may have; 200 by default.")
@click.option("--max-turns", metavar="N", type=int, help="Turns at most; 10 by default.")
@click.option(
    "--local", is_flag=True, help="Check a pair that stays with you: servers, people and files of your own are allowed."
)
@click.option("--yes", is_flag=True, help="Ask nothing: take the proposed value wherever no option gives a value.")
@click.option("--site-url", metavar="URL", help="Address of the site: for the schema that editors read.")
def new(path: Path, site_url: str | None, yes: bool, local: bool, game: str, **options: Any) -> None:
    """Make the submission PATH, such as submissions/my-pair: asks for values without an option, writes submission.yaml.

    Where PATH has a manifest already, what it says stands, and only what it lacks is asked for.
    """
    folder = drafts.choose_new_folder(path)
    slug, beside = folder.absolute().name, read_neighbours(folder.absolute().parent)
    draft = drafts.read_draft(folder)
    game = str(draft.get("game", game))
    # What the manifest says already stands, so that the command can be given again after a fault.
    stated = _merge_with_draft(_parse_stated(game, options), draft, folder)
    ask = _ask if sys.stdin.isatty() and not yes else None
    if ask is not None:
        _say("Each answer is checked at once; Ctrl-C leaves nothing behind.")
    document = complete(stated, QuestionContext(slug, beside, ask, _say, local, game))
    purpose = drafts.find_purpose(document, local)
    text = drafts.format_manifest(document, drafts.find_schema_address(folder, site_url))
    # Checked before it is written: no manifest with an error is left behind.
    checked = check_bytes(text.encode(), str(folder / "submission.yaml"), slug, beside, purpose)
    if not checked.valid:
        raise InputError(*format_error(checked.findings))
    if document == draft:
        click.echo(make_printable(f"{folder / 'submission.yaml'}: nothing is missing; left as it is"))
    else:
        click.echo(make_printable(f"{drafts.write_manifest(folder, text)}: written"))
    click.echo(make_printable(format_valid_line(checked)))
    for finding in checked.findings:
        click.echo(make_printable(str(finding)), err=True)
    for line in _describe_next(folder, document, purpose) if not yes else ():  # whoever answers nothing has a plan
        click.echo(make_printable(line), err=True)


def _merge_with_draft(stated: dict[str, Any], draft: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the fields of a manifest so far together with the options; ``InputError`` where the two differ."""
    both = dict(draft)
    for key, value in stated.items():
        if isinstance(value, dict) and isinstance(draft.get(key), dict):
            both[key] = _merge_with_draft(value, draft[key], folder)
        elif draft.get(key, value) != value:
            raise InputError(f"{folder / 'submission.yaml'}: {key}: is {draft[key]!a}, not {value!a}", "Edit the file.")
        else:
            both[key] = value
    return both


def _describe_next(folder: Path, document: dict[str, Any], purpose: Any) -> Iterator[str]:
    path, run = quote(str(folder)), quote(f"build/runs/{folder.absolute().name}")
    yield "\nNext:\n"
    if any("model" in spec for spec in build_player_specs(document).values()):
        yield f"  ircore doctor {path}        # a few tiny questions"
    yield f"  ircore play {path} --out {run} --limit 3"
    yield f"  ircore score {run}\n"
    if purpose.unplayed and not purpose.local:
        yield "Maintainers cannot play it. Play all of it yourself, without --limit; then"
        yield "ircore submission pack prepares what you publish, and pin names it here.\n"
    if not purpose.local:
        yield f"All of this, and handing it in, by one command:\n\n  ircore submission hand-in {path}\n"
    if folder.absolute().parent.name != "submissions" and not purpose.local:
        yield "To hand it in, it has to stand in the folder submissions/ of your clone."
    yield "How it goes on, and how it is handed in: docs/submit.md"


def _parse_stated(game: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a manifest that options state; a usage error for an option of another game's seat or rule."""
    parts: dict[str, Any] = {
        key: options[key] for key in ("name", "submitter", "licence", "hardware") if options[key] is not None
    }
    if options["authors"]:
        parts["authors"] = list(options["authors"])
    if options["links"]:
        parts["links"] = dict(_link(link) for link in options["links"])
    known = load_game(game, "--game")
    names = [seat.name for seat in known.seats]
    for seat in _SEATS:
        if spec := _parse_seat(seat, options):
            if seat not in names:
                raise click.UsageError(f"--{seat}: the seats of {game} are named by --player: {', '.join(names)}")
            parts[seat] = spec
    for seat, spec in read_players(names, options["players"]).items():
        parts[seat] = {**parts.get(seat, {}), **spec}
    rules = {key: options[key] for key in ("token_budget", "max_turns") if options[key] is not None}
    for key in rules:
        if key not in known.rules.model_fields:
            raise click.UsageError(f"--{key.replace('_', '-')}: no rule of {game}; its rules are stated by --rule")
    rules |= dict(parse_parameter(rule, "--rule") for rule in options["rules"])
    if rules:
        parts["rules"] = {**known.propose_rules({}), **rules}
    return parts


def _parse_seat(seat: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a seat that has options of its own, as far as they are given."""
    endings = {"player": "", "model": "_model", "revision": "_revision", "base_url": "_url", "api_key_env": "_key"}
    spec = {key: value for key, end in endings.items() if (value := options[f"{seat}{end}"]) is not None}
    named = dict(parse_parameter(text, f"--{seat}-parameter") for text in options[f"{seat}_parameter"])
    return {**spec, **({"parameters": named} if named else {})}


def _link(text: str) -> tuple[str, str]:
    name, equals, url = text.partition("=")
    if not (equals and name):
        raise InputError(f"--link {text}: not NAME=URL", "Write it as code=https://github.com/…")
    return name, url


def _ask(question: str, proposal: str) -> str:
    try:
        answer: str = click.prompt(question, default=proposal, show_default=bool(proposal), err=True)
    except click.Abort:
        click.echo(err=True)  # the cursor stands behind the question
        raise
    return answer


def _say(line: str) -> None:
    """Show a line, broken between words on a terminal."""
    text = make_printable(line)
    if sys.stderr.isatty():
        body = text.lstrip("\n")
        indent = body[: len(body) - len(body.lstrip())]
        width = min(get_terminal_size().columns, 100) - 1
        wrapped = fill(body, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        text = f"{text[: len(text) - len(body)]}{wrapped}"
    click.echo(text, err=True)
