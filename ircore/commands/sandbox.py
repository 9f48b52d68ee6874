"""``ircore sandbox``: whether programs of strangers can be run on this machine."""

from dataclasses import asdict

import click

from ircore.commands.options import echo_json, json_option
from ircore.core.errors import WorkError
from ircore.core.sandbox.probing import probe_sandbox


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Check the sandbox in which programs written by models run."""


@command.command()
@json_option
def check(as_json: bool) -> None:
    """Try every guarantee of the sandbox from inside; one line for each.

    Exits with 2 where no sandbox can be made, and with 1 where a guarantee does not hold.
    """
    guarantees = probe_sandbox()
    if as_json:
        echo_json([{**asdict(guarantee), "held": guarantee.held} for guarantee in guarantees])
    for guarantee in () if as_json else guarantees:
        breaches = f"; possible: {', '.join(guarantee.breaches)}" if guarantee.breaches else ""
        click.echo(f"{'held' if guarantee.held else 'BROKEN':<7}{guarantee.name:<12}{guarantee.promise}{breaches}")
    broken = [guarantee.name for guarantee in guarantees if not guarantee.held]
    if broken:
        raise WorkError(
            f"the sandbox does not hold: {', '.join(broken)}",
            "Update bubblewrap and the kernel, or use another machine.",
        )
