"""``ircore submission``: a module for each group of its commands."""

from ircore.commands.submission.group import command

__all__ = ["command"]
