"""Fixtures of games from outside the packages."""

from toy_games import packages, signs, toy

__all__ = ["packages", "signs", "toy"]
