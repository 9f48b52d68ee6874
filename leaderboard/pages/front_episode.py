"""The episode with which the front page opens, and the episodes that have an animated turn strip.

The front page opens with an episode that is close at the end, much improved, and told in words that people read.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter

from leaderboard.model.site import Site
from leaderboard.pages.selections import GOOD, Chosen, choose_example_episode, choose_selections, list_judged_episodes

_EASY_WORDS = 60
"""Words and numbers of a message that people read without effort."""

_Worth = tuple[bool, bool, float, str]
"""Whether an episode ends well, whether it improves over turns, its gain in legible words, and its id."""

FOLDER = "strips"
"""Folder of the files, relative to the site's root."""

SELECTION = "improved"
"""Selection of the gallery whose episodes have a strip; those of front page and replay have one too."""


@lru_cache(maxsize=1)  # asked for by the front page and by its turn strip
def choose_front_episode(site: Site) -> Chosen | None:
    """Return a close reconstruction that improved much and is told in words that people read easily; None without any.

    A held run is no example: its pictures may be copies.
    """
    return _find_best(chosen for chosen in list_judged_episodes(site) if chosen.pair.run_id not in site.results.held)


def measure_legibility(messages: Sequence[str]) -> float:
    """Return how easily messages read, 0–1: the share of words among words and numbers, less for long messages.

    >>> measure_legibility(["A red circle in the middle"]) > measure_legibility(["A #ff0000 circle at (256, 256)"])
    True

    Args:
        messages: Of an episode.
    """
    tokens: list[str] = [token for message in messages for token in re.findall(r"#?\w[\w.'-]*", message)]
    words = sum(token.isalpha() for token in tokens)
    easy = _EASY_WORDS * len(messages)
    return words * min(1.0, easy / max(1, len(tokens))) / max(1, len(tokens))


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


def _find_best(episodes: Iterable[Chosen]) -> Chosen | None:
    """Return the episode of the greatest worth; messages are read only of episodes that may be the best."""
    best: tuple[_Worth, Chosen] | None = None
    for most, chosen in sorted(
        ((_compute_upper_worth(chosen), chosen) for chosen in episodes), key=itemgetter(0), reverse=True
    ):
        # The upper bounds fall from here on, so no later episode can be better.
        if best is not None and best[0] > most:
            break
        if best is None or _compute_worth(chosen) > best[0]:
            best = _compute_worth(chosen), chosen
    return best[1] if best else None


def _compute_upper_worth(chosen: Chosen) -> _Worth:
    """Return the worth that an episode would have if its messages were all words."""
    good, tells, value, episode_id = _compute_worth(chosen, legible=1.0)
    return good, tells, max(value, 0.0), episode_id


def _compute_worth(chosen: Chosen, legible: float | None = None) -> _Worth:
    """Return the sort key of episodes: a shorter or a worse episode is shown only if there is no better.

    Of good episodes that improve, the gain counts by how much of their messages are words.

    Args:
        chosen: The episode.
        legible: How easily its messages read, 0-1; None to read them.
    """
    final, delta = chosen.judged.final or 0.0, chosen.judged.delta or 0.0
    good, episode = final >= GOOD, chosen.result.episode
    tells = good and delta > 0 and len(episode.renderings) > 1
    if good and legible is None:
        legible = measure_legibility([turn.message or "" for turn in chosen.pair.rendered(episode)])
    return good, tells, delta * (legible or 0.0) if good else final, episode.episode_id
