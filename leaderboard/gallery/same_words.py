"""Whose fault: several generators' drawings of the same words, and a generator's drawings of several describers' words.

Pairs have the same words on a target where their describers wrote the same first message, or where recorded words were
drawn again. What differs between their first renderings went with the drawing alone; what differs between the first
renderings of one generator went with the words. Which of the two is larger is said of the pair of the episode that a
reader looks at, by one player exchanged for one other at a time, and with an interval over targets.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from math import fsum, isclose

import numpy as np

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.statistics.intervals import DIFFERENCE, Estimate, are_too_few, clear_of, estimate
from leaderboard.gallery.fragments import FIRST, list_ranked_pairs
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.storage.output_folder import dump_compact
from leaderboard.words import describe_interval, format_signed, number

FILE = "words.json"
"""Name of an instance's file, in its folder of the gallery's data."""

FAULTS = "fault.json"
"""Name of the file with sentences on words and drawing, in the same folder."""

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
class PlayerExchange:
    """The difference that one other player in a seat makes to first scores, whichever way, on average over others."""

    points: float
    """Mean absolute difference, 0–10."""

    shift: float
    """Mean difference, −10 to 10; above 0 where the others score higher."""

    others: int
    """Number of other players."""

    @property
    def in_words(self) -> str:
        """The difference, on which side it is where all others are on one, and over how many it is a mean."""
        over = f", as a mean over {self.others} others" if self.others > 1 else ""
        one_sided = isclose(abs(self.shift), self.points, abs_tol=1e-9)
        side = ("higher" if self.shift > 0 else "lower") if one_sided and self.points else "higher or lower"
        return f"{number(self.points, 1)} points {side}{over}"


@dataclass(frozen=True)
class EpisodeBlame:
    """The share of words and of drawing in an episode's first score: one player of its pair exchanged at a time.

    Each exchange is of one player for one other, so that many describers beside few generators weigh no more.
    """

    first: float
    """First score of the episode, 0–10."""

    drawing: PlayerExchange | None
    """Same words, one other generator; None if no other drew them."""

    words: PlayerExchange | None
    """Same generator, one other describer; None if there is none."""

    difference: Estimate
    """Drawing less words, over the targets that all of these pairs drew; one target alone allows no verdict."""

    @property
    def verdict(self) -> str:
        """Whether more hangs on words or on drawing for this pair, over all targets; empty if only one is known."""
        if self.drawing is None or self.words is None:
            return ""
        if are_too_few(self.difference.n):
            return "The pairs share too few targets to say on which of the two more hangs."
        side = clear_of(self.difference, 0)
        more = "the two cannot be told apart" if not side else f"more hangs on the {'drawing' if side > 0 else 'words'}"
        return (
            f"Over the {format_count(self.difference.n, 'target')} that all of these pairs drew, {more} "
            f"(a change of generator less a change of describer: {format_signed(self.difference.mean, 1)} points, "
            f"{describe_interval(self.difference, 1)})."
        )


def group_same_words(site: Site, gallery: Gallery, pairs: Sequence[Pair]) -> list[SameWords]:
    """Return the groups of pairs that drew a target from the same words, the largest first.

    Args:
        site: What is shown.
        gallery: The target.
        pairs: All pairs in the order of the board.
    """
    name = gallery.instance.instance_id
    by_words: dict[str, list[Pair]] = {}
    messages = _find_first_messages(site, name)
    for pair in pairs:
        if said := messages.get(pair.run_id):
            by_words.setdefault(said, []).append(pair)
    groups = [
        SameWords(
            members[0].describer, tuple(members[:MOST_PAIRS]), _count_common_messages(site, members[:MOST_PAIRS], name)
        )
        for members in by_words.values()
        # Runs of the same generator say nothing about differences between generators.
        if len({pair.generator for pair in members}) > 1
    ]
    return sorted(groups, key=lambda group: -len(group.pairs))


@lru_cache(maxsize=1)  # both what is said of words and drawing, and the groups of pairs, ask for it
def _find_first_messages(site: Site, name: str) -> dict[str, str]:
    """Return the first message of each pair that drew a target from it, by run_id."""
    messages = {}
    for run_id in site.pairs:
        result = site.episode(run_id, name)
        said = result and site.results.runs[run_id].first_messages.get(result.episode.episode_id)
        # Only a rendering of turn 1 is of the first message alone.
        if result and said and said.step == 1 and 1 in result.episode.renderings:
            messages[run_id] = said.text
    return messages


def _count_common_messages(site: Site, members: Sequence[Pair], name: str) -> int:
    """Return how many messages on a target, from the first on, are the same for all members."""
    results = ((pair, site.episode(pair.run_id, name)) for pair in members)
    drawn = [pair.rendered(result.episode) for pair, result in results if result]
    messages = zip(*([turn.message for turn in turns] for turns in drawn), strict=False)
    return sum(1 for _ in takewhile(lambda at_turn: len(set(at_turn)) == 1, messages))


Scores = Mapping[str, float]
"""First scores of a run, 0–10, by instance_id."""


class BlameShares:
    """The share of words and of drawing in the episodes of a site, by their first renderings.

    Args:
        site: What is shown.
        pairs: All pairs in the order of the board; of several runs of the same players the first counts.
    """

    def __init__(self, site: Site, pairs: Sequence[Pair]) -> None:
        self._site = site
        self._pairs = pairs
        self._known: dict[str, Estimate] = {}
        rule_sets: list[object] = []
        self._alike: list[list[Pair]] = []
        """The pairs under each set of rules."""
        self._by_rules: dict[str, int] = {}
        """By run_id the number of its rules: pairs under other rules are not compared."""
        for pair in pairs:
            rules = pair.result.run.rules
            if rules not in rule_sets:
                rule_sets.append(rules)
                self._alike.append([])
            number_of_rules = rule_sets.index(rules)
            self._by_rules[pair.run_id] = number_of_rules
            self._alike[number_of_rules].append(pair)
        # Of hundreds of pairs, each would otherwise look through all others on every target.
        self._by_words: dict[str, Mapping[tuple[int, str], Sequence[tuple[Pair, Scores]]]] = {}
        self._describers: dict[str, Sequence[Scores]] = {}

    @cached_property
    def _firsts(self) -> dict[str, Scores]:
        """First scores by run_id."""
        return {
            pair.run_id: {
                result.episode.instance_id: judged.trajectory[1]
                for result in self._site.results.episodes[pair.run_id]
                if (judged := self._site.judged(result)) is not None and 1 in judged.trajectory
            }
            for pair in self._pairs
        }

    def of(self, pair: Pair, gallery: Gallery) -> EpisodeBlame | None:
        """Return the shares for a pair's episode on a target; None if no player could be exchanged."""
        run_id, name = pair.run_id, gallery.instance.instance_id
        first, said = self._firsts[run_id].get(name), _find_first_messages(self._site, name).get(run_id)
        if first is None or said is None:
            return None
        drawing, words = (
            _measure_exchange(first, [scores[name] for scores in others if name in scores])
            for others in (self._find_drawers(pair, name, said), self._find_other_describers(pair))
        )
        if drawing is None and words is None:
            return None
        return EpisodeBlame(first, drawing, words, self._difference(pair))

    def sentence(self, pair: Pair, gallery: Gallery) -> str:
        """Return ``of`` in words, which hold labels of players; empty if there is nothing to say."""
        fault = self.of(pair, gallery)
        if fault is None:
            return ""
        describer, generator = format_one_line(pair.describer, 60), format_one_line(pair.generator, 60)
        parts = [f"After its first message {describer} + {generator} has {number(fault.first, 1)}."]
        if fault.drawing is not None:
            parts.append(f"With another generator the same words score {fault.drawing.in_words}.")
        if fault.words is not None:
            parts.append(f"With another describer’s words {generator} scores {fault.words.in_words}.")
        return " ".join([*parts, fault.verdict]).strip()

    def _difference(self, pair: Pair) -> Estimate:
        """Return drawing less words over the targets that a pair and all pairs with one player exchanged drew."""
        run_id = pair.run_id
        if run_id not in self._known:
            alike = [other for other in self._list_same_rules(pair) if other.describer == pair.describer]
            drawers = self._select_other_generators(pair, [(other, self._firsts[other.run_id]) for other in alike])
            speakers, own = self._find_other_describers(pair), self._firsts[run_id]
            others = [*drawers, *speakers]
            names = list(own.keys() & set.intersection(*map(set, others))) if drawers and speakers else []
            table = np.array([[*map(scores.__getitem__, names)] for scores in (own, *others)])
            differences = [
                fsum(distances[: len(drawers)]) / len(drawers) - fsum(distances[len(drawers) :]) / len(speakers)
                for distances in np.abs(table[1:] - table[0]).T.tolist()
            ]
            # Sorted, so that the sum does not depend on the order of a set.
            self._known[run_id] = estimate(sorted(differences), DIFFERENCE)
        return self._known[run_id]

    def _find_drawers(self, pair: Pair, name: str, said: str) -> Sequence[Scores]:
        """Return the first scores of other generators that drew a target from the same words."""
        alike = self._group_by_words(name)[self._by_rules[pair.run_id], said]
        # The words of the same describer come first, should another have found the same ones.
        own, others = (
            [entry for entry in alike if (entry[0].describer == pair.describer) is same] for same in (True, False)
        )
        return self._select_other_generators(pair, [*own, *others])

    def _select_other_generators(self, pair: Pair, alike: Iterable[tuple[Pair, Scores]]) -> Sequence[Scores]:
        """Return the first scores of the first pair of each other generator."""
        by_generator: dict[str, Scores] = {}
        for other, scores in alike:
            by_generator.setdefault(other.generator, scores)
        by_generator.pop(pair.generator, None)
        return [*by_generator.values()]

    def _find_other_describers(self, pair: Pair) -> Sequence[Scores]:
        """Return the first scores of the first pair of each other describer with the same generator."""
        if pair.run_id not in self._describers:
            others: dict[str, Scores] = {}
            for other in self._list_same_rules(pair):
                if other.generator == pair.generator and other.describer != pair.describer:
                    others.setdefault(other.describer, self._firsts[other.run_id])
            self._describers[pair.run_id] = [*others.values()]
        return self._describers[pair.run_id]

    def _list_same_rules(self, pair: Pair) -> list[Pair]:
        return self._alike[self._by_rules[pair.run_id]]

    def _group_by_words(self, name: str) -> Mapping[tuple[int, str], Sequence[tuple[Pair, Scores]]]:
        """Return the pairs that drew a target, with their first scores, by the number of their rules and the words."""
        if name not in self._by_words:
            groups: dict[tuple[int, str], list[tuple[Pair, Scores]]] = {}
            messages = _find_first_messages(self._site, name)
            for pair in self._pairs:
                run_id = pair.run_id
                if run_id in messages:
                    key = self._by_rules[run_id], messages[run_id]
                    groups.setdefault(key, []).append((pair, self._firsts[run_id]))
            self._by_words[name] = groups
        return self._by_words[name]


def _measure_exchange(first: float, others: Sequence[float]) -> PlayerExchange | None:
    if not others:
        return None
    differences = [other - first for other in others]
    return PlayerExchange(fsum(map(abs, differences)) / len(others), fsum(differences) / len(others), len(others))


def build_same_words_files(site: Site, folder: str) -> Iterator[tuple[str, str]]:
    """Yield a file for each target that several generators drew from the same words.

    ``[{"turns": 1, "pairs": [{"pair": key, "drawn": [[small, large, width, height, score], …]}, …]}, …]``, a picture
    for each turn whose words are the same. Beside it, ``fault.json`` has the sentence of ``Faults`` for each pair that
    does not stand in the target's page itself, by its key.
    """
    pairs = list_ranked_pairs(site)
    faults = BlameShares(site, pairs)
    for gallery in site.galleries.values():
        sentences = {pair.key: said for pair in pairs[FIRST:] if (said := faults.sentence(pair, gallery))}
        if len(pairs) > FIRST:
            yield f"{folder}/{gallery.instance.instance_id}/{FAULTS}", dump_compact(sentences) + "\n"
        groups = group_same_words(site, gallery, pairs)
        if groups:
            rows = [
                {
                    "turns": group.turns,
                    "pairs": [
                        {"pair": pair.key, "drawn": _list_drawing_fields(site, gallery, pair, group)}
                        for pair in group.pairs
                    ],
                }
                for group in groups
            ]
            yield f"{folder}/{gallery.instance.instance_id}/{FILE}", dump_compact(rows) + "\n"


def _list_drawing_fields(site: Site, gallery: Gallery, pair: Pair, group: SameWords) -> list[list[object]]:
    result = site.episode(pair.run_id, gallery.instance.instance_id)
    assert result is not None  # noqa: S101 - a member has played
    judged = site.judged(result)
    drawn: list[list[object]] = []
    for turn in pair.rendered(result.episode)[: group.turns]:
        shown = site.rendering(pair.run_id, turn.rendering)
        score = judged.trajectory.get(turn.turn) if judged else None
        drawn.append([shown.small, shown.large, shown.width, shown.height, score])
    return drawn
