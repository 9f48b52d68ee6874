"""``ircore submission``: make, check and prepare a submission; a command is imported when it is given."""

from pkgutil import resolve_name

import click

from ircore.core.tables import read_table

PARTS: dict[str, list[str]] = read_table("ircore.commands", "menu")["submission"]
"""The commands in the order in which people come to need them."""

_STEPS = read_table("ircore.commands", "menu")["steps"]

PLACES = {
    "channel-test": "channel:command",
    "check": "check:check",
    "check-change": "check:check_change",
    "commit": "owners:commit",
    "evaluate": "upkeep:evaluate",
    "evaluate-pending": "batch:evaluate_pending",
    "gate": "owners:gate",
    "hand-in": "hand_in:command",
    "history": "lifecycle:history",
    "inbox": "inbox:inbox",
    "inbox-act": "inbox:inbox_act",
    "links": "upkeep:links",
    "new": "new:command",
    "own": "owners:own",
    "pack": "transcripts:pack",
    "paid": "batch:paid",
    "pending": "upkeep:pending",
    "pin": "transcripts:pin",
    "preview": "preview:command",
    "record-owners": "owners:record_owners",
    "register-commitments": "owners:register",
    "reproduce": "upkeep:reproduce",
    "rescore": "transcripts:rescore",
    "season": "season:command",
    "spot-replay": "spot_replay:command",
    "update": "lifecycle:update",
    "withdrawals": "lifecycle:withdrawals",
}
"""Module and function of each command, but those that add a step to a history."""


class _Parts(click.Group):
    """A group whose help lists the commands by the people who need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted([*PLACES, *_STEPS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        place = "lifecycle:step_command" if cmd_name in _STEPS else PLACES.get(cmd_name)
        if place is None:
            return None
        named = resolve_name(f"ircore.commands.submission.{place}")
        found: click.Command = named(cmd_name) if cmd_name in _STEPS else named
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rest = [name for name in self.list_commands(ctx) if not any(name in names for names in PARTS.values())]
        for title, names in {**PARTS, "More": rest}.items():
            commands = [(name, known) for name in names if (known := self.get_command(ctx, name)) is not None]
            if commands:
                with formatter.section(title):
                    formatter.write_dl([(name, known.get_short_help_str(limit=72)) for name, known in commands])


@click.group("submission", cls=_Parts)
def command() -> None:
    """Make, check and hand in a submission, and look after merged submissions."""


channel_option = click.option(
    "--channel-test", "channel", is_flag=True, help="Give the words to the built-in canvas: a collapse holds."
)
spot_option = click.option(
    "--spot-replay", "spot", is_flag=True, help="Play some re-scored episodes again, if the keys are here."
)
