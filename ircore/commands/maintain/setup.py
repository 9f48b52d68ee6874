"""``ircore maintain setup``: the settings of the repository on GitHub, and which of them are missing."""

import os
from pathlib import Path

import click

from ircore.commands.options import echo_json, json_option
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.submissions.branches import find_clone_root
from ircore.submissions.github import GitHub, repository_settings

API = "https://api.github.com"


@click.command("setup", short_help="Check the settings of the repository on GitHub.")
@click.option("--check", "checking", is_flag=True, help="Read the settings through GitHub's API.")
@click.option("--repo", metavar="ORG/NAME", help="The repository; GITHUB_REPOSITORY if not given.")
@json_option
def setup(checking: bool, repo: str | None, as_json: bool) -> None:
    """Say which settings of the repository are missing that the workflows rely on; docs/maintain.md has the order.

    --check needs the token of an administrator, for reading alone, in GITHUB_TOKEN.
    """
    if not checking:
        raise InputError("nothing is changed by this command", "Give --check; docs/maintain.md says how to set up.")
    name, token = repo or os.environ.get("GITHUB_REPOSITORY", ""), os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise InputError("GITHUB_TOKEN is not set", "Set it to a token of an administrator: gh auth token prints one.")
    service = GitHub(os.environ.get("GITHUB_API_URL", API), name, token)
    settings = list(repository_settings(service, find_clone_root(Path.cwd())))
    missing = [setting for setting in settings if not setting.is_met]
    if as_json:
        echo_json({"settings": [setting._asdict() for setting in settings], "missing": len(missing)})
    for setting in () if as_json else settings:
        mark = "ok      " if setting.is_met else "missing "
        click.echo(make_printable(f"{mark} {setting.name}{'' if setting.is_met else f'  ({setting.place})'}"))
    if missing:
        raise WorkError(f"{format_count(len(missing), 'setting')} missing", "docs/maintain.md, Set up a repository.")
    if not as_json:
        click.echo("trusted publishing on the Hub cannot be read: see docs/maintain.md, step 9", err=True)
