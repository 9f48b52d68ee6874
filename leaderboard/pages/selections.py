"""Episodes worth opening first, for the front page, for pairs, for targets and for animated turn strips.

Chosen are the best, the worst, the most improved and the most regressed episodes, as the site's judge saw them, and the
target whose renderings tell most about a matrix. The front page opens with an episode that is close at the end, much
improved, and told in words that people read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop
from operator import itemgetter
from typing import Any

import numpy as np

from ircore.results.episodes import EpisodeResult, JudgedEpisode
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.pages.board_views import BoardView, select_view_results

TELLING = 3
"""Renderings from which a dialogue is seen to go somewhere."""

GOOD = 6.0
"""Final similarity from which an episode shows how the game is meant."""

_EASY_WORDS = 60
"""Words and numbers of a message that people read without effort."""

_Worth = tuple[bool, bool, float, str]
"""Whether an episode ends well, whether it improves over turns, its gain in legible words, and its id."""

STRIP_FOLDER = "strips"
"""Folder of the files, relative to the site's root."""

STRIP_SELECTION = "improved"
"""Selection of the gallery whose episodes have a strip; those of front page and replay have one too."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A judged episode with its pair and target.

    Example:
        >>> chosen = Chosen(pair=None, gallery=None, result="an episode", judged=None)
        >>> chosen.result
        'an episode'
    """

    pair: Pair
    """Pair that played the episode."""

    gallery: Gallery
    """Instance that was played."""

    result: EpisodeResult
    """The episode."""

    judged: JudgedEpisode
    """Scores of the episode by the site's judge."""

    @property
    def first(self) -> Any:
        """The turn of the first rendering."""
        return self.pair.rendered(self.result.episode)[0]

    @property
    def final(self) -> Any:
        """The turn of the last rendering."""
        return self.pair.rendered(self.result.episode)[-1]

    @property
    def moved(self) -> float:
        """Points from first to final score as pages show them, with one decimal; 0 if a score is missing."""
        first, final = self.judged.first, self.judged.final
        return 0.0 if first is None or final is None else round(round(final, 1) - round(first, 1), 1)


@dataclass(frozen=True)
class EpisodeSelection:
    """Some episodes under a heading."""

    name: str
    """Name in addresses: ``best``, ``worst``, ``improved`` or ``regressed``."""

    title: str
    """Title on the page."""

    rule: str
    """Rule by which the episodes were chosen, in words."""

    chosen: tuple[Chosen, ...]
    """The most telling first."""


def list_judged_episodes(site: Site, pairs: Iterable[Pair] | None = None) -> Iterator[Chosen]:
    """Yield every episode whose final rendering the site's judge has rated, pair by pair.

    Args:
        site: What is shown.
        pairs: Pairs whose episodes are yielded; None for all pairs.
    """
    yield from _list_all_judged(site) if pairs is None else _list_judged(site, pairs)


@lru_cache(maxsize=1)
def choose_selections(site: Site, each: int = 4) -> tuple[EpisodeSelection, ...]:
    """Choose the episodes of the four selections, failures first; empty selections are left out.

    Args:
        site: What is shown.
        each: Episodes in a selection, at most; of one target only the most telling is taken.
    """
    judged = tuple(list_judged_episodes(site))
    moved = [(chosen, chosen.judged.delta) for chosen in judged if chosen.judged.delta is not None]
    finals = [(chosen, chosen.judged.final or 0.0) for chosen in judged]
    made = (
        ("worst", "Worst", "Lowest final score of an episode that was played to its end.", finals, 1),
        ("regressed", "Most regressed", "Largest loss from first to final rendering.", moved, 1),
        ("improved", "Most improved", "Largest gain from first to final rendering.", moved, -1),
        ("best", "Best", "Highest final score.", finals, -1),
    )
    chosen = [
        (name, title, rule, _select_extreme(among, sign, each, among is moved))
        for name, title, rule, among, sign in made
    ]
    return tuple(EpisodeSelection(name, title, rule, episodes) for name, title, rule, episodes in chosen if episodes)


@lru_cache(maxsize=1)
def choose_example_episode(site: Site) -> Chosen | None:
    """Choose an illustrative episode: close at the end, much improved, several turns; None if no episode is rated.

    Among equals the one with the first name stands, so that the choice does not move between builds.
    """

    def order(chosen: Chosen) -> tuple[bool, bool, float, float, tuple[str, str]]:
        delta, final = chosen.judged.delta or 0.0, chosen.judged.final or 0.0
        tells = len(chosen.judged.trajectory) >= TELLING and delta > 0
        return final < GOOD, not tells, -delta, -final, _make_key(chosen)

    return min(_list_exemplary(site), key=order, default=None)


def choose_example_target(site: Site, view: BoardView) -> Gallery | None:
    """Return the target drawn by most pairs under a condition; ties go to the widest spread of scores."""
    results = select_view_results(site, view)
    among = [
        gallery
        for gallery in site.galleries.values()
        if view.category in (None, gallery.instance.category) and view.difficulty in (None, gallery.instance.difficulty)
    ]
    run_ids = [submission.run_id for submission in results.submissions]
    finals = results.finals(view.judge, run_ids, [gallery.instance for gallery in among])
    known = ~np.isnan(finals)
    counts = known.sum(axis=1).tolist()
    highest = np.where(known, finals, -np.inf).max(axis=1, initial=-np.inf)
    widths = highest - np.where(known, finals, np.inf).min(axis=1, initial=np.inf)
    names = [gallery.instance.instance_id for gallery in among]
    most = max(zip(counts, widths.tolist(), names, among, strict=True), key=itemgetter(0, 1, 2), default=None)
    return most[3] if most and most[0] else None


def find_best_episode(site: Site, gallery: Gallery) -> Chosen | None:
    """Return the episode on a target with the highest final score by the site's judge; None if none is rated.

    Among equals the pair with the first key stands, so that the choice does not move between builds.
    """
    return _find_best_by_target(site).get(gallery.instance.instance_id)


@lru_cache(maxsize=1)  # asked for by the front page and by its turn strip
def choose_front_episode(site: Site) -> Chosen | None:
    """Return a close reconstruction that improved much, told in words that people read easily; None without any."""
    return _find_best(_list_exemplary(site))


def _list_exemplary(site: Site) -> list[Chosen]:
    """Return the episodes that may stand for the game: of pairs with a rank, or of all that are not held if none has.

    The pictures of a held run may be copies, and a pair that broke the rules has no rank.
    """
    episodes = [chosen for chosen in list_judged_episodes(site) if chosen.pair.run_id not in site.results.held]
    ranked = {row.submission.run_id for row in site.results.board(site.judge) if row.rank_low is not None}
    return [chosen for chosen in episodes if chosen.pair.run_id in ranked] or episodes


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
    improved = next(
        (selection.chosen for selection in choose_selections(site) if selection.name == STRIP_SELECTION), ()
    )
    # An episode may be chosen on several pages, and is drawn once.
    return list({strip_path(chosen): chosen for chosen in (*pages, *improved)}.values())


def strip_page(chosen: Chosen) -> str:
    """Return where the page of an episode with a strip stands, without suffix: it has a card of its own for links."""
    return f"{STRIP_FOLDER}/{chosen.gallery.instance.instance_id}-{chosen.pair.key}"


def strip_path(chosen: Chosen) -> str:
    """Return where the strip of an episode stands, relative to the site's root."""
    return f"{strip_page(chosen)}.webp"


@lru_cache(maxsize=1)  # several pages of a site ask, and each answer takes a walk over all episodes
def _list_all_judged(site: Site) -> tuple[Chosen, ...]:
    return tuple(_list_judged(site, site.pairs.values()))


def _list_judged(site: Site, pairs: Iterable[Pair]) -> Iterator[Chosen]:
    for pair in pairs:
        for result in site.results.episodes[pair.run_id]:
            judged = site.judged(result)
            if judged is not None and judged.final is not None:
                yield Chosen(pair, site.galleries[result.episode.instance_id], result, judged)


@lru_cache(maxsize=1)
def _find_best_by_target(site: Site) -> dict[str, Chosen]:
    best: dict[str, tuple[float, str, Chosen]] = {}
    for chosen in list_judged_episodes(site):
        place = (-(chosen.judged.final or 0.0), chosen.pair.key)
        name = chosen.gallery.instance.instance_id
        if name not in best or place < best[name][:2]:
            best[name] = (*place, chosen)
    return {name: chosen for name, (_, _, chosen) in best.items()}


def _select_extreme(among: Sequence[tuple[Chosen, float]], sign: int, each: int, changes: bool) -> tuple[Chosen, ...]:
    """Return the episodes with the least ``sign × value``, one per target; of changes, those that pages show."""
    by_instance: dict[str, Chosen] = {}
    # A heap, since the first few of very many are wanted; places tell apart what has the same name.
    waiting = [(sign * value, _make_key(chosen), place) for place, (chosen, value) in enumerate(among)]
    heapify(waiting)
    while waiting and len(by_instance) < each:
        chosen = among[heappop(waiting)[2]][0]
        if changes and chosen.moved * sign >= 0:
            continue
        # One episode a target: otherwise a single easy or hard target would fill a selection.
        by_instance.setdefault(chosen.gallery.instance.instance_id, chosen)
    return tuple(by_instance.values())


def _make_key(chosen: Chosen) -> tuple[str, str]:
    return chosen.gallery.instance.instance_id, chosen.pair.key


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
