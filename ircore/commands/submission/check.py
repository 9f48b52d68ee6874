"""``ircore submission check`` and ``check-change``: one submission, a folder of them, or a pull request."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, SeveralPathsCommand, by_option, published_option
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.players.builtin_pairs import find_submission_place
from ircore.players.submission import find_folder
from ircore.submissions.check import reports
from ircore.submissions.check.change import check_folder_files, check_tree
from ircore.submissions.check.submission import CheckedSubmission, Purpose, check_submission
from ircore.submissions.findings import Finding, select_errors, sort_findings

_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
_github_option = click.option(
    "--github", is_flag=True, help="Annotations for GitHub, and a summary where GITHUB_STEP_SUMMARY says."
)


@click.command("check", cls=SeveralPathsCommand, short_help="Check a manifest as it will be when handed in.")
@click.argument("paths", metavar="PATH...", nargs=-1, type=PATH)
@click.option("--all", "everything", is_flag=True, help="Every submission in the folder PATH (submissions by default).")
@click.option(
    "--local", is_flag=True, help="Check a pair that stays with you: servers, people and files of your own are allowed."
)
@click.option(
    "--unplayed", is_flag=True, help="Check a pair that you will play and whose transcripts you will name later."
)
@click.option("--resolve", is_flag=True, help="Look hosts up too: for the moment before strangers' pairs are played.")
@_json_option
@_github_option
@click.option("--preview", type=PATH, metavar="DIR", help="Also make a site that shows the entry.")
@click.option(
    "--runs",
    "runs",
    type=PATH,
    multiple=True,
    metavar="RUN...",
    callback=find_runs_to_read,
    help="Scored runs for the preview.",
)
@published_option
def check(
    paths: tuple[Path, ...],
    everything: bool,
    local: bool,
    unplayed: bool,
    resolve: bool,
    as_json: bool,
    github: bool,
    preview: Path | None,
    runs: tuple[Path, ...],
    published: str | None,
) -> None:
    """Check the manifest at PATH (a folder or its submission.yaml), as it is checked when you hand it in.

    Needs no keys and, without --resolve, no network. A preview stands beside the published runs, which are fetched.
    """
    purpose = Purpose(local, resolve, unplayed)
    if everything:
        tree = check_tree(_get_only_path(paths or (Path("submissions"),)), purpose)
        _report(tree.checked, tree.findings, as_json, github, numbers_only=True)
        # A whole folder of submissions is evaluated, not played by one command.
        click.get_current_context().meta[NEXT] = "ircore maintain evaluate-pending --help"
    else:
        if not paths:
            raise InputError("no submission is named", "Name one: ircore submission check submissions/my-pair.")
        _report(*_check_paths(paths, purpose), as_json, github)
    if preview is not None:
        # Inside, here and below: what only some checks need would make every check wait.
        from ircore.commands.submission.preview import render_preview

        for line in render_preview(_get_only_path(paths), runs, published, preview):
            click.echo(line, err=as_json)


def _check_paths(paths: tuple[Path, ...], purpose: Purpose) -> tuple[list[CheckedSubmission], tuple[Finding, ...]]:
    """Return the verdicts on submissions with all findings, also about the other files in their folders."""
    paths = tuple(find_submission_place(path) for path in paths)
    checked = [check_submission(path, purpose) for path in paths]
    findings = [finding for submission in checked for finding in submission.findings]
    # Files of a pair that stays here are its owner's business.
    if not purpose.local:
        findings += [finding for path in paths for finding in check_folder_files(find_folder(path))]
    # A set: two names of one folder bring each finding twice.
    return checked, sort_findings(set(findings))


@click.command("check-change", short_help="Check a branch as its pull request will be.")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=PATH, help="Clone that has both commits, with their history.")
@by_option
@click.option("--account", default="", metavar="NAME", help="Account that proposes the change.")
@click.option(
    "--fork", default="", metavar="NAME", help="Owner of the fork that the change comes from, with --account."
)
@_json_option
@_github_option
def check_change(
    base: str, head: str, repo: Path, by: str, account: str, fork: str, as_json: bool, github: bool
) -> None:
    """Check the changes from BASE to commit HEAD: a single valid submission and nothing else, or no submission at all.

    Files are read as data from git's objects: nothing of the change is checked out or run. A merged submission is
    changed by the account that its manifest names; without --account, such a change is a warning.
    """
    from ircore.submissions.check.change import ProposingAccount
    from ircore.submissions.check.change import check_change as check_commits

    proposer = ProposingAccount(account, fork) if account else None
    change = check_commits(repo, base, head, by == "maintainers", proposer)
    if github:
        # Later steps of a workflow preview what was checked.
        reports.add_step_output("submissions", str(len(change.checked)))
    _report(change.checked, change.findings, as_json, github, more={"base": change.base, "head": change.head})


def _report(
    checked: Sequence[CheckedSubmission],
    findings: Sequence[Finding],
    as_json: bool,
    github: bool,
    numbers_only: bool = False,
    more: dict[str, Any] | None = None,
) -> None:
    """Show a verdict, valid submissions listed unless ``numbers_only``, and ``more`` fields in JSON.

    Raises:
        InputError: There are errors; the error says them.
    """
    wrong = select_errors(findings)
    if as_json:
        click.echo(json.dumps(reports.build_report(checked, findings, **(more or {})), indent=2))
    else:
        valid = [submission for submission in checked if submission.valid]
        for submission in valid if not (numbers_only or wrong) else []:
            click.echo(make_printable(reports.format_valid_line(submission)))
        if not (checked or wrong):
            click.echo("no manifest is added or changed; no errors in what is")
        if numbers_only:
            verdict = "have no error" if wrong else "valid"  # "valid" never stands beside the exit status 2
            click.echo(f"{len(valid)} of {format_count(len(checked), 'submission')} {verdict}")
    if github:
        for line in reports.format_annotations(findings):
            click.echo(line, err=as_json)
        reports.add_step_summary(reports.format_summary(checked, findings))
    if wrong:
        # The first finding in its line, all others below unless they are in the JSON document.
        line, detail = reports.format_error(findings)
        raise InputError(line, wrong[0].remedy if as_json else detail)
    for finding in findings if not as_json else ():
        click.echo(make_printable(str(finding)), err=True)


def _get_only_path(paths: tuple[Path, ...]) -> Path:
    if len(paths) != 1:
        raise InputError("more than one PATH", "Name one.")
    return paths[0]
