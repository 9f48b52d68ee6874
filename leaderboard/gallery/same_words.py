"""Whose fault: several generators' drawings of the same words, and a generator's drawings of several describers' words.

Pairs have the same words on a target where their describers wrote the same first message, or where recorded words were
drawn again. What differs between their first renderings went with the drawing alone; what differs between the first
renderings of one generator went with the words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ircore.core.episode_records import Episode
from leaderboard.gallery.fragments import compact, ranked_pairs
from leaderboard.model.site import Gallery, Pair, Site

FILE = "words.json"
"""Name of an instance's file, in its folder of the gallery's data."""

MOST_PAIRS = 24
"""Pairs shown of a group."""


@dataclass(frozen=True)
class SameWords:
    """Pairs that drew a target from the same words."""

    describer: str
    """Whose words, by the first pair."""

    pairs: tuple[Pair, ...]
    """In the order of the board, with at least two different generators."""

    turns: int
    """Number of turns whose messages are all the same."""


@dataclass(frozen=True)
class Spread:
    """The best and the worst first rendering where one player stayed the same.

    >>> Spread("classical", best=("canvas", 9.5), worst=("sketch", 1.5)).points
    8.0
    """

    kept: str
    """The player that stayed the same."""

    best: tuple[str, float]
    """Player with the best rendering, and its score, 0–10."""

    worst: tuple[str, float]

    @property
    def points(self) -> float:
        """Difference of the two scores."""
        return self.best[1] - self.worst[1]


@dataclass(frozen=True)
class Fault:
    """Differences in score that went with the drawing, and with the words, on a target.

    >>> fault = Fault(Spread("a", ("x", 9.0), ("y", 8.0)), Spread("x", ("a", 9.0), ("b", 2.0)))
    >>> fault.verdict
    'More went with the words.'
    """

    drawing: Spread
    """Same words, several generators."""

    words: Spread | None
    """Same generator, several describers; None if there are none."""

    @property
    def verdict(self) -> str:
        """A sentence on which of the two is larger; empty if only one is known."""
        if self.words is None:
            return ""
        # The page shows one decimal, so spreads that look the same must not be called different.
        if round(self.words.points, 1) == round(self.drawing.points, 1):
            return "As much went with the words as with the drawing."
        return f"More went with the {'words' if self.words.points > self.drawing.points else 'drawing'}."


def same_words(site: Site, gallery: Gallery, pairs: Sequence[Pair]) -> list[SameWords]:
    """Return the groups of pairs that drew a target from the same words, the largest first.

    Args:
        site: What is shown.
        gallery: The target.
        pairs: All pairs in the order of the board.
    """
    by_words: dict[str, list[tuple[Pair, Episode]]] = {}
    for pair in pairs:
        result = site.episode(pair.run_id, gallery.instance.instance_id)
        # Only a rendering of turn 1 is of the first message alone.
        if result and (turns := result.episode.turns) and turns[0].rendering and turns[0].message:
            by_words.setdefault(turns[0].message, []).append((pair, result.episode))
    groups = [
        SameWords(members[0][0].describer, tuple(pair for pair, _ in members)[:MOST_PAIRS], _common(members))
        for members in by_words.values()
        # Runs of the same generator say nothing about differences between generators.
        if len({pair.generator for pair, _ in members}) > 1
    ]
    return sorted(groups, key=lambda group: -len(group.pairs))


def _common(members: Sequence[tuple[Pair, Episode]]) -> int:
    """Return how many messages from the first on are the same for all members."""
    drawn = [episode.rendered_turns for _, episode in members[:MOST_PAIRS]]
    messages = zip(*([turn.message for turn in turns] for turns in drawn), strict=False)
    return sum(1 for _ in takewhile(lambda at_turn: len(set(at_turn)) == 1, messages))


def whose_fault(site: Site, gallery: Gallery, pairs: Sequence[Pair], groups: Sequence[SameWords]) -> Fault | None:
    """Return the differences that went with drawing and words, after the first message; None without words drawn twice.

    Args:
        site: What is shown.
        gallery: The target.
        pairs: All pairs in the order of the board.
        groups: The result of ``same_words``.
    """
    firsts = {pair.run_id: score for pair in pairs if (score := _first(site, gallery, pair)) is not None}
    drawing = [_spread(group.describer, {pair.generator: firsts[pair.run_id]
               for pair in reversed(group.pairs) if pair.run_id in firsts}) for group in groups]  # fmt: skip
    known = [spread for spread in drawing if spread is not None]
    if not known:
        return None
    # Reversed, so that of several runs of the same players the best on the board counts.
    by_generator: dict[str, dict[str, float]] = {}
    for pair in reversed(pairs):
        if pair.run_id in firsts:
            by_generator.setdefault(pair.generator, {})[pair.describer] = firsts[pair.run_id]
    words = [spread for kept, scores in by_generator.items() if (spread := _spread(kept, scores)) is not None]
    largest = max(known, key=lambda spread: (spread.points, spread.kept))
    return Fault(largest, max(words, key=lambda spread: (spread.points, spread.kept), default=None))


def _first(site: Site, gallery: Gallery, pair: Pair) -> float | None:
    judged = site.judged(site.episode(pair.run_id, gallery.instance.instance_id))
    return judged.trajectory.get(1) if judged else None


def _spread(kept: str, scores: Mapping[str, float]) -> Spread | None:
    # A spread needs two players.
    if len(scores) < 2:
        return None
    ordered = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    return Spread(kept, ordered[0], ordered[-1])


def same_words_files(site: Site, folder: str) -> Iterator[tuple[str, str]]:
    """Yield a file for each target that several generators drew from the same words.

    ``[{"turns": 1, "pairs": [{"pair": key, "drawn": [[small, large, width, height, score], …]}, …]}, …]``, a picture
    for each turn whose words are the same.
    """
    pairs = ranked_pairs(site)
    for gallery in site.galleries.values():
        groups = same_words(site, gallery, pairs)
        if groups:
            rows = [
                {
                    "turns": group.turns,
                    "pairs": [{"pair": pair.key, "drawn": _drawn(site, gallery, pair, group)} for pair in group.pairs],
                }
                for group in groups
            ]
            yield f"{folder}/{gallery.instance.instance_id}/{FILE}", compact(rows) + "\n"


def _drawn(site: Site, gallery: Gallery, pair: Pair, group: SameWords) -> list[list[object]]:
    result = site.episode(pair.run_id, gallery.instance.instance_id)
    assert result is not None  # noqa: S101 - a member has played
    judged = site.judged(result)
    drawn: list[list[object]] = []
    for turn in result.episode.rendered_turns[: group.turns]:
        assert turn.rendering is not None  # noqa: S101 - a rendered turn
        shown = site.rendering(pair.run_id, turn.rendering)
        score = judged.trajectory.get(turn.turn) if judged else None
        drawn.append([shown.small, shown.large, shown.width, shown.height, score])
    return drawn
