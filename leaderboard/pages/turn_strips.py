"""Animated turn strips: which episodes have one, and where it stands."""

from leaderboard.model.site import Site
from leaderboard.pages.front_episode import choose_front_episode
from leaderboard.pages.selections import Chosen, choose_example_episode, choose_selections

FOLDER = "strips"
"""Folder of the files, relative to the site's root."""

SELECTION = "improved"
"""Selection of the gallery whose episodes have a strip; those of front page and replay have one too."""


def strip_episodes(site: Site) -> list[Chosen]:
    """Return the episodes with a strip, at most six: of front page and replay, and the most improved."""
    pages = [chosen for chosen in (choose_front_episode(site), choose_example_episode(site)) if chosen is not None]
    improved = next((selection.chosen for selection in choose_selections(site) if selection.name == SELECTION), ())
    # An episode may be chosen on several pages, and is drawn once.
    return list({strip_path(chosen): chosen for chosen in (*pages, *improved)}.values())


def strip_page(chosen: Chosen) -> str:
    """Return where the page of an episode with a strip stands, without suffix: it has a card of its own for links."""
    return f"{FOLDER}/{chosen.gallery.instance.instance_id}-{chosen.pair.key}"


def strip_path(chosen: Chosen) -> str:
    """Return where the strip of an episode stands, relative to the site's root."""
    return f"{strip_page(chosen)}.webp"
