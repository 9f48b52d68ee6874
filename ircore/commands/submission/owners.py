"""Whose entry a submission is, and to which run it is committed: what jobs record of pull requests, and by hand."""

from datetime import UTC, datetime
from pathlib import Path

import click

from ircore.commands.options import PATH, echo_either, json_option, path_option
from ircore.core.files import write_bytes
from ircore.core.terminal import printable
from ircore.core.validation import validating
from ircore.players.submission import folder_of
from ircore.submissions.branches import Clone
from ircore.submissions.check.reports import add_step_summary
from ircore.submissions.committing import commit_to
from ircore.submissions.gate import record_owners as recorded
from ircore.submissions.gate import register_commitments, set_statuses
from ircore.submissions.github import GitHub
from ircore.submissions.inbox import shown
from ircore.submissions.owners import OWNERS, Owner, parse_owners, with_lines

_folder = click.argument("folder", default="submissions", type=PATH)


@click.command("gate", short_help="Check every open pull request from outside of it: in a job alone.")
@click.option("--repo", default=".", type=PATH, help="Clone of the branch main, with its history.")
def gate(repo: Path) -> None:
    """Check accounts, changes and commit messages of all open pull requests, and set a status on each."""
    lines = list(set_statuses(repo, GitHub.of_job()))
    add_step_summary("### Gate\n\n" + "".join(f"* {shown(line)}\n" for line in lines))
    for line in lines or ["no open pull request"]:
        click.echo(printable(line))


@click.command("record-owners", short_help="Record whose merged submissions are: in a job alone.")
@_folder
def record_owners(folder: Path) -> None:
    """Record the account that handed in each submission in FOLDER that has no owner yet, as GitHub tells it."""
    lines = list(recorded(folder, GitHub.of_job()))
    for line in lines or ["every submission has its owner"]:
        click.echo(printable(line))


@click.command("own", short_help="Record by hand to whom a submission belongs.")
@click.argument("path", type=PATH)
@click.option("--account", required=True, metavar="NAME", help="Name of the account.")
@click.option("--account-id", required=True, type=click.IntRange(min=1), metavar="ID", help="Number of the account.")
def own(path: Path, account: str, account_id: int) -> None:
    """Record the account that the submission at PATH belongs to from now on, in owners.jsonl of the clone."""
    folder = folder_of(path)
    file = Clone(folder).root / OWNERS
    data = file.read_bytes() if file.is_file() else b""
    # A damaged file is refused before a line is added to it.
    parse_owners(data, str(file))
    today = datetime.now(UTC).date().isoformat()
    with validating("--account", "Give the name and the number that https://api.github.com/users/NAME tells."):
        owner = Owner(slug=folder.absolute().name, account=account, account_id=account_id, date=today)
    write_bytes(file, with_lines(data, [owner]))
    click.echo(f"{owner.slug}: belongs to {account}; commit {OWNERS}, and hand it in by a branch of the repository")


@click.command("commit", short_help="Commit to one run before it is played.")
@click.argument("path", type=PATH)
@path_option("--salt", "File of the secret number; SLUG.salt if not given.")
@click.option("--new", "renew", is_flag=True, help="Replace a commitment that stands there; everybody will see it.")
@json_option
def commit(path: Path, salt: Path | None, renew: bool, as_json: bool) -> None:
    """Write a commitment to one run into the manifest at PATH, before it is played.

    Seed and order of the run follow from a secret number in the file --salt, and from a number that is drawn when the
    pull request registers the commitment.
    """
    folder = folder_of(path)
    file = salt or Path(f"{folder.absolute().name}.salt")
    made = commit_to(folder, file, renew)
    text = printable(f"{folder}: commitment {made[:12]}; keep {file} secret until the run is published")
    echo_either(as_json, {"submission": folder, "commitment": made, "salt": file}, text)


@click.command("register-commitments", short_help="Register announced commitments: in a job alone.")
@click.option("--repo", default=".", type=PATH, help="Clone of the branch main, with its history.")
def register(repo: Path) -> None:
    """Register the commitments in the manifests of all open pull requests, and draw a number for each."""
    lines = list(register_commitments(repo, GitHub.of_job()))
    for line in lines or ["no new commitment"]:
        click.echo(printable(line))
