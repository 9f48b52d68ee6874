"""Animated turn strips: which episodes have one, and where it stands."""

from leaderboard.model.site import Site
from leaderboard.pages.selections import Chosen, selections, telling_episode

FOLDER = "strips"
"""Folder of the files, relative to the site's root."""

SELECTION = "improved"
"""Selection of the gallery whose episodes have a strip; the episode of the replay has one too."""


def strip_episodes(site: Site) -> list[Chosen]:
    """Return the episodes with a strip, at most five: that of the replay, then those that refinement improved most."""
    telling = telling_episode(site)
    improved = next((selection.chosen for selection in selections(site) if selection.name == SELECTION), ())
    by_path = {strip_path(chosen): chosen for chosen in (*([telling] if telling else ()), *improved)}
    return list(by_path.values())


def strip_path(chosen: Chosen) -> str:
    """Return where the strip of an episode stands, relative to the site's root."""
    return f"{FOLDER}/{chosen.gallery.instance.instance_id}-{chosen.pair.key}.webp"
