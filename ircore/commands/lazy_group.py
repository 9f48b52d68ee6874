"""Groups of commands whose modules are imported when a command is given."""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

import click

from ircore.core.word_files import read_table


class LazyGroup(click.Group):
    """A group that names the place of each command, and lists them in the order of ``menu.toml``.

    Args:
        places: Module and function of each command, such as ``ircore.commands.submission.check:check``.
        about: Name, help and the like, as of any group.
    """

    def __init__(self, places: Mapping[str, str], **about: Any) -> None:
        super().__init__(**about)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, imported now; None for an unknown name."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        command: click.Command = resolve_name(place)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in sections."""
        sections: dict[str, list[str]] = read_table("ircore.commands", "menu")[self.name or ""]
        rest = [name for name in self.list_commands(ctx) if not any(name in names for names in sections.values())]
        for title, names in {**sections, "More": rest}.items():
            commands = [(name, known) for name in names if (known := self.get_command(ctx, name)) is not None]
            if commands:
                with formatter.section(title):
                    formatter.write_dl([(name, known.get_short_help_str(limit=72)) for name, known in commands])
