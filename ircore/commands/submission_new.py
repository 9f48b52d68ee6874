"""``ircore submission new``: a manifest from a few answers, or from options alone."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ircore.core.errors import InputError
from ircore.core.terminal import printable

_SEATS = ("describer", "generator")


def _seat_options(wrapped: Callable[..., None]) -> Callable[..., None]:
    """Add the options that describe the two players."""
    for seat in reversed(_SEATS):
        about = (
            ("parameter", "NAME=VALUE", "A parameter of the player; may be given several times."),
            ("revision", "TEXT", "Version of its model: commit, snapshot or date."),
            ("key", "VARIABLE", "Environment variable that holds the key; never the key."),
            ("url", "URL", "Address of its service; OpenAI's by default."),
            ("model", "MODEL", "Its model, as the service names it."),
        )
        for name, metavar, text in about:
            wrapped = click.option(f"--{seat}-{name}", metavar=metavar, multiple=name == "parameter", help=text)(
                wrapped
            )
        such = "openai" if seat == "describer" else "openai-images"
        wrapped = click.option(f"--{seat}", metavar="PLAYER", help=f"Who is the {seat}, such as {such}.")(wrapped)
    return wrapped


@click.command("new", short_help="Make one: asks what no option says.")
@click.argument("path", type=click.Path(path_type=Path))
@_seat_options
@click.option("--game", metavar="NAME", help="Another game than reconstruction; nothing is asked then.")
@click.option(
    "--player",
    "players",
    metavar="SEAT[.FIELD]=VALUE",
    multiple=True,
    help="Of another game: who takes a seat, and its model, revision, url, key, source or parameter.NAME.",
)
@click.option(
    "--rule", "rules", metavar="NAME=VALUE", multiple=True, help="Of another game; may be given several times."
)
@click.option("--name", metavar="NAME", help="Of the pair; its two players by default.")
@click.option("--author", "authors", metavar="NAME", multiple=True, help="May be given several times.")
@click.option("--licence", metavar="SPDX", help="Of messages and renderings; CC-BY-4.0 by default.")
@click.option("--link", "links", metavar="NAME=URL", multiple=True, help="May be given several times.")
@click.option("--hardware", metavar="TEXT", help="What the models run on.")
@click.option("--token-budget", metavar="N", type=int, help="Tokens a message may have; 200 by default.")
@click.option("--max-turns", metavar="N", type=int, help="10 by default.")
@click.option("--local", is_flag=True, help="It stays with you: servers, people and files of your own.")
@click.option("--site-url", metavar="URL", help="Where the site stands: for the schema that editors read.")
def command(
    path: Path,
    site_url: str | None,
    local: bool,
    game: str | None,
    players: tuple[str, ...],
    rules: tuple[str, ...],
    **given: Any,
) -> None:
    """Make the submission PATH, such as submissions/my-pair: asks what no option says, and writes submission.yaml."""
    import sys

    from ircore.submissions.check.reports import as_error, valid_line
    from ircore.submissions.check.submission import check_submission, neighbours_in
    from ircore.submissions.drafts import manifest_text, new_folder_of, purpose_of, schema_address, write_manifest
    from ircore.submissions.questions import Context, complete

    folder = new_folder_of(path)
    if game is not None:
        _of_game(folder, local, game, players, rules, given)
        return
    if players or rules:
        raise click.UsageError("--player and --rule go with --game")
    ask = _ask if sys.stdin.isatty() else None
    context = Context(folder.absolute().name, neighbours_in(folder.absolute().parent), ask, _say, local)
    if ask is not None:
        _say("Each answer is checked at once; Ctrl-C leaves nothing behind.")
    document = complete(_given(given), context)
    manifest = write_manifest(folder, manifest_text(document, schema_address(folder, site_url)))
    click.echo(printable(f"{manifest}: written"))
    purpose = purpose_of(document, local)
    checked = check_submission(manifest, purpose)
    if not checked.valid:
        raise InputError(*as_error(checked.findings))
    click.echo(printable(valid_line(checked)))
    for one in checked.findings:
        click.echo(printable(str(one)), err=True)
    for line in _next(folder, document, purpose):
        click.echo(printable(line), err=True)


def _of_game(
    folder: Path, local: bool, game: str, players: tuple[str, ...], rules: tuple[str, ...], given: dict[str, Any]
) -> None:
    """Write a manifest of a game other than reconstruction, once it is seen to be sound."""
    from ircore.core.records import RECONSTRUCTION
    from ircore.submissions.check.reports import as_error, valid_line
    from ircore.submissions.check.submission import Purpose, check_bytes, neighbours_in
    from ircore.submissions.drafts import manifest_text, parameter, write_manifest
    from ircore.submissions.game_drafts import game_document

    parts = {key: value for key, value in _given(given).items() if value}
    if game == RECONSTRUCTION or parts.keys() & {*_SEATS, "rules"}:
        raise click.UsageError("--game is for other games, whose seats are named by --player and rules by --rule")
    if rules:
        parts["rules"] = dict(parameter(rule, "--rule") for rule in rules)
    text = manifest_text(game_document(game, players, parts), None)
    slug, beside = folder.absolute().name, neighbours_in(folder.absolute().parent)
    checked = check_bytes(text.encode(), str(folder / "submission.yaml"), slug, beside, Purpose(local))
    if not checked.valid:
        raise InputError(*as_error(checked.findings))
    click.echo(printable(f"{write_manifest(folder, text)}: written"))
    click.echo(printable(valid_line(checked)))


def _next(folder: Path, document: dict[str, Any], purpose: Any) -> Iterator[str]:
    """Yield what to do with a new submission."""
    from shlex import quote

    from ircore.submissions.check.seats import SERVICES

    path, run = quote(str(folder)), quote(f"build/runs/{folder.absolute().name}")
    yield "\nNext:\n"
    if any(document[seat]["player"] in SERVICES for seat in _SEATS):
        yield f"  ircore doctor {path}        # a few tiny questions"
    yield "  ircore instances build --out build/instances"
    yield f"  ircore play {path} \\\n    --instances build/instances --out {run} --limit 5"
    yield f"  ircore score {run}\n"
    if purpose.unplayed and not purpose.local:
        yield "Maintainers cannot play it. Play all of it yourself, without --limit; then"
        yield "ircore submission pack prepares what you publish, and pin names it here.\n"
    if folder.absolute().parent.name != "submissions" and not purpose.local:
        yield "To hand it in, it has to stand in the folder submissions/ of your clone."
    yield "How it goes on, and how it is handed in: docs/submit.md"


def _given(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a manifest that options gave."""
    from ircore.submissions.drafts import parameter

    parts: dict[str, Any] = {}
    for seat in _SEATS:
        keys = {"player": "", "model": "_model", "revision": "_revision", "base_url": "_url", "api_key_env": "_key"}
        spec = {key: given[f"{seat}{ending}"] for key, ending in keys.items() if given[f"{seat}{ending}"] is not None}
        named = dict(parameter(one, f"--{seat}-parameter") for one in given[f"{seat}_parameter"])
        parts[seat] = {**spec, **({"parameters": named} if named else {})}
    for key in ("name", "licence", "hardware"):
        if given[key] is not None:
            parts[key] = given[key]
    if given["authors"]:
        parts["authors"] = list(given["authors"])
    if given["links"]:
        parts["links"] = dict(_link(one) for one in given["links"])
    rules = {key: given[key] for key in ("token_budget", "max_turns") if given[key] is not None}
    if rules:
        parts["rules"] = {"token_budget": 200, "max_turns": 10, **rules}
    return parts


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
    """Show a line, broken between words where people read it."""
    import sys
    from shutil import get_terminal_size
    from textwrap import fill

    text = printable(line)
    if sys.stderr.isatty():
        body = text.lstrip("\n")
        indent = body[: len(body) - len(body.lstrip())]
        width = min(get_terminal_size().columns, 100) - 1
        wrapped = fill(body, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        text = f"{text[: len(text) - len(body)]}{wrapped}"
    click.echo(text, err=True)
