"""``ircore submission commit`` and ``register-commitments``: runs whose seed nobody can choose."""

from pathlib import Path

import click

from ircore.commands.options import PATH, echo_either, json_option, path_option
from ircore.core.terminal import printable
from ircore.players.submission import folder_of
from ircore.submissions.committing import commit_to
from ircore.submissions.gate import register_commitments
from ircore.submissions.github import GitHub


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
