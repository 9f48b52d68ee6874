"""Every command that a page shows is one that exists, with these options."""

import json
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from command_lines import parsed

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.games.registry import load_installed_games
from ircore.instances.benchmark import RECORDS, read_versions
from ircore.results.tables.catalogue import TABLES, find_tables
from leaderboard.building.site_build import MARKER

ROOT = Path(__file__).resolve().parents[3]
WRITTEN = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "commands.md")  # made from the code
PAGES = [".github/PULL_REQUEST_TEMPLATE.md", "CONTRIBUTING.md", "README.md", *(f"docs/{name}" for name in WRITTEN)]
COMMAND = re.compile(r"^ {4}(?:\.venv/bin/)?ircore (.+)$|`ircore ([^`|…]+)`", re.MULTILINE)


def shown(page: Path) -> list[str]:
    """The commands of a page, in blocks, without what stands apart behind them, and in running text."""
    text = re.sub(r"\\\n\s*", " ", page.read_text("utf-8"))
    return [re.split(" {3,}", block)[0] or inline for block, inline in COMMAND.findall(text)]


def test_every_command_on_a_page_exists() -> None:
    for name, item in [(page, item) for page in PAGES for item in shown(ROOT / page)]:
        try:
            parsed(shlex.split(item, comments=True))
        except (click.MissingParameter, click.exceptions.NoArgsIsHelpError, click.exceptions.Exit):
            pass  # named without what it is given, or asked for its help
        except (click.UsageError, InputError, ValueError) as error:
            raise AssertionError(f"{name}: ircore {item}: {error}") from error


def test_the_page_on_tables_has_a_row_for_every_table() -> None:
    rows = [line for line in (ROOT / "docs" / "results.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall("`([a-z_]+)`", row.split(" | ")[0])]
    assert sorted(names) == sorted(TABLES)


def test_every_table_that_a_page_names_exists() -> None:
    games, _ = load_installed_games()
    known = {*TABLES, *(name for game in games.values() for name in find_tables(game))}
    for name in PAGES:
        named = re.findall(r"--table ([a-z_]+)", (ROOT / name).read_text("utf-8"))
        # The page on plug-ins adds a table of its own.
        added = {"played"} if name == "docs/adding-plug-ins.md" else set()
        assert {*named} <= {*known, *added}, name


def documented(beginning: str) -> list[str]:
    """The commands of all pages that begin so."""
    return [command for name in PAGES for command in shown(ROOT / name) if command.startswith(f"{beginning} ")]


@pytest.mark.parametrize("command", documented("site record"))
def test_a_version_that_a_page_records_is_not_there_yet(command: str, tmp_path: Path) -> None:
    """The command is run upon a copy of the project's own records, for a site of another instance set."""
    words, site, versions = shlex.split(command), tmp_path / "site", tmp_path / RECORDS.name
    site.mkdir()
    (site / MARKER).write_text(json.dumps({"instance_set": "0" * 64, "prompts": "built-in 000000000000"}))
    shutil.copyfile(RECORDS, versions)
    before = read_versions(versions)
    words[words.index("build/site")] = str(site)
    assert ircore([*words, "--versions", str(versions)]) == 0
    assert read_versions(versions)[:-1] == before


def test_commands_are_found_in_blocks_and_in_running_text() -> None:
    commands = [
        *shown(ROOT / "docs" / "submit.md"),
        *shown(ROOT / "docs" / "who-plays.md"),
        *shown(ROOT / "docs" / "after-merge.md"),
    ]
    assert "submission pin submissions/my-pair --repo you/your-transcripts --packed build/packed" in commands
    assert "maintain history submissions/my-pair" in commands
    for wrong in ("submission push x", "submission pin x --nowhere y"):
        with pytest.raises(click.UsageError):
            parsed(shlex.split(wrong))
