"""Every command that a page shows is one that exists, with these options."""

import re
import shlex
from pathlib import Path

import click
import pytest
from command_lines import parsed

from ircore.core.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["CONTRIBUTING.md", "README.md", *sorted(f"docs/{one.name}" for one in (ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^ {4}(?:\.venv/bin/)?ircore (.+)$|`ircore ([^`|…]+)`", re.MULTILINE)


def shown(page: Path) -> list[str]:
    """The commands of a page, in blocks, without what stands apart behind them, and in running text."""
    text = re.sub(r"\\\n\s*", " ", page.read_text("utf-8"))
    return [re.split(" {3,}", block)[0] or inline for block, inline in COMMAND.findall(text)]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_on_a_page_exists(name: str) -> None:
    for one in shown(ROOT / name):
        try:
            parsed(shlex.split(one, comments=True))
        except (click.MissingParameter, click.exceptions.NoArgsIsHelpError, click.exceptions.Exit):
            pass  # named without what it is given, or asked for its help
        except (click.UsageError, InputError, ValueError) as error:
            raise AssertionError(f"{name}: ircore {one}: {error}") from error


def test_commands_are_found_in_blocks_and_in_running_text() -> None:
    commands = shown(ROOT / "docs" / "submit.md")
    assert "submission pin submissions/my-pair --repo you/your-transcripts" in commands
    assert "submission history submissions/my-pair" in commands
    for wrong in ("submission push x", "submission pin x --nowhere y"):
        with pytest.raises(click.UsageError):
            parsed(shlex.split(wrong))
