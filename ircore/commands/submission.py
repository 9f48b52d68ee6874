"""``ircore submission``: make, check and prepare a submission."""

from pathlib import Path
from typing import Any

import click

from ircore.commands import (
    submission_evaluate,
    submission_lifecycle,
    submission_links,
    submission_new,
    submission_pack,
    submission_pin,
    submission_preview,
    submission_reproduce,
    submission_rescore,
    submission_season,
    submission_waiting,
)
from ircore.commands.paths import SeveralPathsCommand
from ircore.core.errors import InputError
from ircore.core.terminal import printable

PARTS = {
    "Hand in a pair": ("new", "check", "pack", "pin", "check-change"),
    "Afterwards": ("update", "withdraw", "reinstate", "correct", "history"),
    "For maintainers": (
        *("preview", "waiting", "evaluate", "rescore", "dispute", "settle"),
        *("withdrawals", "season", "links", "reproduce"),
    ),
}
"""The commands in the order in which people come to need them."""


class _Parts(click.Group):
    """A group whose help lists its commands by who needs them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rest = tuple(name for name in self.list_commands(ctx) if not any(name in names for names in PARTS.values()))
        for title, names in {**PARTS, "More": rest}.items():
            found = [(name, one) for name in names if (one := self.get_command(ctx, name)) is not None]
            if found:
                with formatter.section(title):
                    formatter.write_dl([(name, one.get_short_help_str(limit=72)) for name, one in found])


@click.group("submission", cls=_Parts)
def command() -> None:
    """Make, check and hand in a submission, and look after those that are merged."""


for part in (
    submission_evaluate.command,
    submission_lifecycle.correct,
    submission_lifecycle.dispute,
    submission_lifecycle.history,
    submission_lifecycle.reinstate,
    submission_lifecycle.settle,
    submission_lifecycle.update,
    submission_lifecycle.withdraw,
    submission_lifecycle.withdrawals,
    submission_links.command,
    submission_new.command,
    submission_pack.command,
    submission_pin.command,
    submission_preview.command,
    submission_reproduce.command,
    submission_rescore.command,
    submission_season.command,
    submission_waiting.command,
):
    command.add_command(part)


@command.command("check", cls=SeveralPathsCommand, short_help="Check a manifest as it will be when handed in.")
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
    from ircore.submissions.check.findings import ordered
    from ircore.submissions.check.submission import Purpose, check_submission
    from ircore.submissions.check.tree import check_tree

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
        from ircore.core.plugins import load
        from ircore.players.submission import read_manifest

        show = load("previews", "site")
        for line in show(read_manifest(_only(paths)), runs, preview):
            click.echo(printable(line), err=as_json)


@command.command("check-change", short_help="Check a branch as its pull request will be.")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=click.Path(path_type=Path), help="Clone that has both, with their history.")
@submission_preview.by_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--github", is_flag=True, help="Annotations for GitHub, and a summary where GITHUB_STEP_SUMMARY says.")
def check_change(base: str, head: str, repo: Path, by: str, as_json: bool, github: bool) -> None:
    """Check what commit HEAD changes since it left BASE: one valid submission, and nothing else.

    Files are read as data from git's objects: nothing of the change is checked out or run.
    """
    from ircore.submissions.check.change import check_change as check_commits

    one = check_commits(repo, base, head, by == "maintainers")
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
    from ircore.submissions.check import reports
    from ircore.submissions.check.findings import errors, ordered

    found = ordered(one for each in checked for one in each.findings) if found is None else found
    if as_json:
        import json

        click.echo(json.dumps(reports.as_json(checked, found, **(more or {})), indent=2))
    else:
        valid = [one for one in checked if one.valid]
        for one in valid if not counted else []:
            click.echo(printable(reports.valid_line(one)))
        if not (checked or errors(found)):
            click.echo("no manifest is added or changed; no errors in what is")
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
    from ircore.submissions.check.reports import told

    line, detail = told(found)
    return InputError(line, wrong[0].remedy if as_json else detail)


def _tell_github(lines: list[str], summary: str, as_json: bool) -> None:
    import os

    for line in lines:
        click.echo(line, err=as_json)
    if place := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(summary)


def _only(paths: tuple[Path, ...]) -> Path:
    if len(paths) != 1:
        raise InputError("more than one PATH", "Name one.")
    return paths[0]
