"""``ircore submission``: make, check and prepare a submission."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ircore.commands import (
    submission_evaluate,
    submission_lifecycle,
    submission_links,
    submission_pack,
    submission_preview,
    submission_reproduce,
    submission_rescore,
    submission_season,
)
from ircore.commands.paths import SeveralPathsCommand
from ircore.errors import InputError
from ircore.terminal import printable

_SEATS = ("describer", "generator")


@click.group("submission")
def command() -> None:
    """Make and check a submission."""


for part in (
    submission_evaluate.command,
    submission_lifecycle.correct,
    submission_lifecycle.dispute,
    submission_lifecycle.history,
    submission_lifecycle.settle,
    submission_lifecycle.update,
    submission_lifecycle.withdraw,
    submission_lifecycle.withdrawals,
    submission_links.command,
    submission_pack.command,
    submission_preview.command,
    submission_reproduce.command,
    submission_rescore.command,
    submission_season.command,
):
    command.add_command(part)


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
        wrapped = click.option(f"--{seat}", metavar="PLAYER", help=f"Who is the {seat}, such as openai.")(wrapped)
    return wrapped


@command.command("new")
@click.argument("path", type=click.Path(path_type=Path))
@_seat_options
@click.option("--name", metavar="NAME", help="Of the pair; its two players by default.")
@click.option("--author", "authors", metavar="NAME", multiple=True, help="May be given several times.")
@click.option("--licence", metavar="SPDX", help="Of messages and renderings; CC-BY-4.0 by default.")
@click.option("--link", "links", metavar="NAME=URL", multiple=True, help="May be given several times.")
@click.option("--hardware", metavar="TEXT", help="What the models run on.")
@click.option("--token-budget", metavar="N", type=int, help="Tokens a message may have; 200 by default.")
@click.option("--max-turns", metavar="N", type=int, help="10 by default.")
@click.option("--site-url", metavar="URL", help="Where the site stands: for the schema that editors read.")
def new(path: Path, site_url: str | None, **given: Any) -> None:
    """Make the submission PATH, such as submissions/my-pair: asks what no option says, and writes submission.yaml."""
    import sys

    from ircore.submissions.check import check_submission, neighbours_in
    from ircore.submissions.drafts import manifest_text, new_folder_of, schema_address, write_manifest
    from ircore.submissions.questions import Context, complete

    folder = new_folder_of(path)
    ask = _ask if sys.stdin.isatty() else None
    context = Context(folder.absolute().name, neighbours_in(folder.absolute().parent), ask, _say)
    document = complete(_given(given), context)
    manifest = write_manifest(folder, manifest_text(document, schema_address(folder, site_url)))
    click.echo(printable(f"{manifest}: written"))
    _report([check_submission(manifest)])
    click.echo(f"Next: ircore doctor {folder} (a few tiny questions), then play it (docs/submit.md).", err=True)


@command.command("check", cls=SeveralPathsCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Every submission in the folder PATH (submissions by default).")
@click.option("--local", is_flag=True, help="For a pair that stays with you: servers, people and files of your own.")
@click.option("--resolve", is_flag=True, help="Look hosts up too: for the moment before strangers' pairs are played.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--github", is_flag=True, help="Annotations for GitHub, and a summary where GITHUB_STEP_SUMMARY says.")
@click.option(
    "--preview", type=click.Path(path_type=Path), metavar="DIR", help="Also make a site that shows the entry."
)
@click.option(
    "--runs",
    "runs",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="RUN...",
    help="Scored runs for the preview.",
)
def check(
    paths: tuple[Path, ...],
    everything: bool,
    local: bool,
    resolve: bool,
    as_json: bool,
    github: bool,
    preview: Path | None,
    runs: tuple[Path, ...],
) -> None:
    """Check the manifest at PATH (a folder or its submission.yaml), as it is checked when you hand it in.

    Needs no keys and, without --resolve, no network.
    """
    from ircore.submissions.check import Purpose, check_submission
    from ircore.submissions.findings import ordered
    from ircore.submissions.tree import check_tree

    purpose = Purpose(local, resolve)
    if everything:
        tree = check_tree(_only(paths or (Path("submissions"),)), purpose)
        checked, found = tree.checked, tree.findings
    else:
        if not paths:
            raise InputError("no submission is named", "Name one: ircore submission check submissions/my-pair.")
        checked = tuple(check_submission(path, purpose) for path in paths)
        found = ordered(one for each in checked for one in each.findings)
    _report(list(checked), found, as_json, github, counted=everything)
    if preview is not None:
        from ircore.plugins import load
        from ircore.submissions.reading import read_manifest

        show = load("previews", "site")
        for line in show(read_manifest(_only(paths)), runs, preview):
            click.echo(printable(line), err=as_json)


@command.command("check-change")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=click.Path(path_type=Path), help="Clone that has both, with their history.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--github", is_flag=True, help="Annotations for GitHub, and a summary where GITHUB_STEP_SUMMARY says.")
def check_change(base: str, head: str, repo: Path, as_json: bool, github: bool) -> None:
    """Check what commit HEAD changes since it left BASE: one valid submission, and nothing else.

    Files are read as data from git's objects: nothing of the change is checked out or run.
    """
    from ircore.submissions.change import check_change as check_commits

    one = check_commits(repo, base, head)
    _report(list(one.checked), one.findings, as_json, github, more=one.as_dict())


def _report(
    checked: list[Any],
    found: Any = None,
    as_json: bool = False,
    github: bool = False,
    counted: bool = False,
    more: dict[str, Any] | None = None,
) -> None:
    """Tell a verdict.

    Raises:
        InputError: There are errors.
    """
    from ircore.submissions import reports
    from ircore.submissions.findings import errors, ordered

    found = ordered(one for each in checked for one in each.findings) if found is None else found
    if as_json:
        import json

        click.echo(json.dumps(reports.as_json(checked, found, **(more or {})), indent=2))
    else:
        valid = [one for one in checked if one.valid]
        for one in valid if not counted else []:
            click.echo(printable(reports.valid_line(one)))
        if counted:
            click.echo(f"{len(valid)} of {len(checked)} submissions valid")
    if github:
        _tell_github(reports.annotations(found), reports.summary(checked, found), as_json)
    wrong = errors(found)
    for one in found if not (wrong or as_json) else ():
        click.echo(printable(str(one)), err=True)
    if wrong:
        raise _refusal(found, wrong, as_json)


def _refusal(found: Any, wrong: list[Any], as_json: bool) -> InputError:
    """Return the error that ends a check: the first finding in its line, all of them below unless they are in JSON."""
    from ircore.submissions.reports import told

    line, detail = told(found)
    return InputError(line, wrong[0].remedy if as_json else detail.removeprefix("  "))


def _tell_github(lines: list[str], summary: str, as_json: bool) -> None:
    import os

    for line in lines:
        click.echo(line, err=as_json)
    if place := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(summary)


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
    answer: str = click.prompt(question, default=proposal, show_default=bool(proposal), err=True)
    return answer


def _say(line: str) -> None:
    click.echo(printable(line), err=True)


def _only(paths: tuple[Path, ...]) -> Path:
    if len(paths) != 1:
        raise InputError("more than one PATH", "Name one.")
    return paths[0]
