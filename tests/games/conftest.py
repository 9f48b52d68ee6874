"""Fixtures of games from outside the packages."""

from short_pages import _sites_with_short_pages
from toy_games import packages, signs, toy

__all__ = ["_sites_with_short_pages", "packages", "signs", "toy"]
