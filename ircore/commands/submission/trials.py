"""Options of the commands that evaluate submissions: the further trials of a run."""

import click

channel_option = click.option(
    "--channel-test", "channel", is_flag=True, help="Give the words to the built-in canvas: a collapse holds."
)
spot_option = click.option(
    "--spot-replay", "spot", is_flag=True, help="Play some re-scored episodes again, if the keys are here."
)
