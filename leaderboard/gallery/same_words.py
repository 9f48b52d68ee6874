"""Whose fault: several generators' drawings of the same words, and a generator's drawings of several describers' words.

Pairs have the same words on a target where their describers wrote the same first message, or where recorded words were
drawn again. What differs between their first renderings went with the drawing alone; what differs between the first
renderings of one generator went with the words. Which of the two is larger is said of the pair of the episode that a
reader looks at, by one player exchanged for one other at a time, and with an interval over targets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import fsum

from ircore.core.episode_records import Episode
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

    others: int
    """Number of other players."""


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
            f"Over the {format_count(self.difference.n, 'target')} that all of these pairs drew, {more}: "
            f"drawing less words "
            f"{format_signed(self.difference.mean, 1)} ({describe_interval(self.difference, 1)})."
        )


def group_same_words(site: Site, gallery: Gallery, pairs: Sequence[Pair]) -> list[SameWords]:
    """Return the groups of pairs that drew a target from the same words, the largest first.

    Args:
        site: What is shown.
        gallery: The target.
        pairs: All pairs in the order of the board.
    """
    by_words: dict[str, list[tuple[Pair, Episode]]] = {}
    for pair in pairs:
        result = site.episode(pair.run_id, gallery.instance.instance_id)
        if result and (said := site.find_first_message(result)):
            by_words.setdefault(said, []).append((pair, result.episode))
    groups = [
        SameWords(
            members[0][0].describer, tuple(pair for pair, _ in members)[:MOST_PAIRS], _count_common_messages(members)
        )
        for members in by_words.values()
        # Runs of the same generator say nothing about differences between generators.
        if len({pair.generator for pair, _ in members}) > 1
    ]
    return sorted(groups, key=lambda group: -len(group.pairs))


def _count_common_messages(members: Sequence[tuple[Pair, Episode]]) -> int:
    """Return how many messages from the first on are the same for all members."""
    drawn = [pair.rendered(episode) for pair, episode in members[:MOST_PAIRS]]
    messages = zip(*([turn.message for turn in turns] for turns in drawn), strict=False)
    return sum(1 for _ in takewhile(lambda at_turn: len(set(at_turn)) == 1, messages))


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
        self._by_rules: dict[str, int] = {}
        """By run_id the number of its rules: pairs under other rules are not compared."""
        for pair in pairs:
            rules = pair.result.run.rules
            if rules not in rule_sets:
                rule_sets.append(rules)
            self._by_rules[pair.run_id] = rule_sets.index(rules)
        # Of hundreds of pairs, each would otherwise look through all others on every target.
        self._describers: dict[str, dict[str, Pair]] = {}
        self._by_words: dict[str, dict[tuple[int, str], list[Pair]]] = {}

    @cached_property
    def _firsts(self) -> dict[str, dict[str, float]]:
        """First scores, 0–10, by run_id and instance_id."""
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
        name = gallery.instance.instance_id
        firsts = self._firsts
        first, said = firsts[pair.run_id].get(name), self._find_first_message(pair, name)
        if first is None or said is None:
            return None
        drawn, spoken = (
            {label: other for label, other in others.items() if name in firsts[other.run_id]}
            for others in (self._find_other_generators(pair, name, said), self._find_other_describers(pair))
        )
        drawing, words = (
            _measure_exchange(first, [firsts[other.run_id][name] for other in others.values()])
            for others in (drawn, spoken)
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
            parts.append(
                f"Drawn by one other generator, the same words differ from that by {number(fault.drawing.points, 1)}"
                f" (mean of {fault.drawing.others})."
            )
        if fault.words is not None:
            parts.append(
                f"From the words of one other describer, {generator} differs by {number(fault.words.points, 1)}"
                f" (mean of {fault.words.others})."
            )
        return " ".join([*parts, fault.verdict]).strip()

    def _difference(self, pair: Pair) -> Estimate:
        """Return drawing less words over the targets that a pair and all pairs with one player exchanged drew."""
        if pair.run_id not in self._known:
            drawers, speakers = self._find_other_generators(pair), self._find_other_describers(pair)
            own, *others = (self._firsts[other.run_id] for other in (pair, *drawers.values(), *speakers.values()))
            differences = []
            for name in own.keys() & set.intersection(*map(set, others)) if drawers and speakers else ():
                distances = [abs(scores[name] - own[name]) for scores in others]
                drawn, spoken = distances[: len(drawers)], distances[len(drawers) :]
                differences.append(fsum(drawn) / len(drawn) - fsum(spoken) / len(spoken))
            # Sorted, so that the sum does not depend on the order of a set.
            self._known[pair.run_id] = estimate(sorted(differences), DIFFERENCE)
        return self._known[pair.run_id]

    def _find_other_generators(self, pair: Pair, name: str = "", said: str = "") -> dict[str, Pair]:
        """Return pairs of the same describer, or of a target of the same words, with other generators, by generator."""
        alike = (
            self._group_by_words(name).get((self._by_rules[pair.run_id], said), [])
            if name
            else [other for other in self._list_same_rules(pair) if other.describer == pair.describer]
        )
        others: dict[str, Pair] = {}
        # The words of the same describer come first, should another have found the same ones.
        for other in sorted(alike, key=lambda other: other.describer != pair.describer):
            if other.generator != pair.generator:
                others.setdefault(other.generator, other)
        return others

    def _find_other_describers(self, pair: Pair) -> dict[str, Pair]:
        """Return pairs of the same generator with other describers, by describer."""
        if pair.run_id in self._describers:
            return self._describers[pair.run_id]
        others = self._describers[pair.run_id] = {}
        for other in self._list_same_rules(pair):
            if other.generator == pair.generator and other.describer != pair.describer:
                others.setdefault(other.describer, other)
        return others

    def _list_same_rules(self, pair: Pair) -> list[Pair]:
        return [other for other in self._pairs if self._by_rules[other.run_id] == self._by_rules[pair.run_id]]

    def _group_by_words(self, name: str) -> dict[tuple[int, str], list[Pair]]:
        """Return the pairs that drew a target by the number of their rules and their first message."""
        if name in self._by_words:
            return self._by_words[name]
        groups = self._by_words[name] = {}
        for pair in self._pairs:
            said = self._find_first_message(pair, name)
            if said is not None:
                groups.setdefault((self._by_rules[pair.run_id], said), []).append(pair)
        return groups

    def _find_first_message(self, pair: Pair, name: str) -> str | None:
        result = self._site.episode(pair.run_id, name)
        return self._site.find_first_message(result) if result else None


def _measure_exchange(first: float, others: Sequence[float]) -> PlayerExchange | None:
    return PlayerExchange(fsum(abs(other - first) for other in others) / len(others), len(others)) if others else None


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
        if sentences:
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
