"""Fixtures of games from outside the packages."""

from toy_games import packages, toy

__all__ = ["packages", "toy"]
