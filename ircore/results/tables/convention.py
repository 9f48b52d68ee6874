"""Whether describers get shorter and keep their words, over turns and over repetitions of a target, as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ircore.games.base import Game, messages_of
from ircore.games.reference.language.messages import listed_content_words, words
from ircore.games.reference.measures import compared_words
from ircore.results.conditions import strata, under
from ircore.results.episodes import EpisodeResult
from ircore.results.hops import SAME_EPISODES, same_episodes
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import AMOUNT, SHARE, Scale
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values

Over = Literal["turn", "repetition"]

COMPARED: Mapping[str, Scale] = {
    "wnr": AMOUNT,
    "wnr_paper": AMOUNT,
    "wnd": AMOUNT,
    "wnd_paper": AMOUNT,
    "overlap": SHARE,
}
"""Measures that compare a message with an earlier one, and their possible values."""


class ConventionPoint(NamedTuple):
    """Messages at one place, such as turn 2 of all episodes.

    Attributes:
        over: Order of the messages.
        place: Turn, or number of the episode about the same target, from 1.
        words: Whitespace words a message.
        compared: Novelty against the message before and content words shared with it, by the keys of ``COMPARED``;
            without a value at place 1.
    """

    over: Over
    place: int
    words: Estimate
    compared: Mapping[str, Estimate]


def convention(
    game: Game[Any], episodes: Sequence[EpisodeResult], targets: Mapping[str, str]
) -> tuple[ConventionPoint, ...]:
    """Return length and novelty of a run's messages by turn, then by repetition of a target where targets recur.

    Args:
        game: Of the run.
        episodes: Of one run, in the order in which targets are counted; those that were not played are left out.
        targets: SHA-256 of each instance's target, by the instance's id.
    """
    played = [result.episode for result in episodes if result.episode.played]
    labels = strata(played)
    spoken = [[message.text for message in messages_of(game, episode)] for episode in played]
    opening: dict[str, list[str]] = {}
    label_of: dict[str, str] = {}
    for episode, messages, label in zip(played, spoken, labels, strict=True):
        if messages:
            opening.setdefault(targets[episode.instance_id], []).append(messages[0])
            label_of.setdefault(targets[episode.instance_id], label)
    # Sets whose targets all differ have no repetition: a point of place 1 alone says nothing.
    repeated = any(len(messages) > 1 for messages in opening.values())
    turns = _points("turn", zip(spoken, labels, strict=True))
    return (*turns, *(_points("repetition", zip(opening.values(), label_of.values(), strict=True)) if repeated else ()))


def _points(over: Over, sequences: Iterable[tuple[Sequence[str], str]]) -> Iterator[ConventionPoint]:
    """Yield a point for each place, over the sequences that reach the last place (``same_episodes``).

    Args:
        over: Turns or repetitions.
        sequences: Messages in order, with the condition of their target.
    """
    lengths: dict[int, list[float]] = {}
    labels: dict[int, list[str]] = {}
    compared: dict[int, dict[str, list[float]]] = {}
    known = list(sequences)
    spoken = [dict(enumerate(messages, start=1)) for messages, _ in known]
    same = same_episodes(spoken)
    for number in same.episodes:
        messages, label = [spoken[number][place] for place in same.places], known[number][1]
        # Each message is compared twice, with the one before and the one after.
        content = [listed_content_words(message) for message in messages]
        for place, message in enumerate(messages, start=1):
            lengths.setdefault(place, []).append(words(message))
            labels.setdefault(place, []).append(label)
            if place > 1:
                for key, value in compared_words(content[place - 2], content[place - 1]):
                    compared.setdefault(place, {}).setdefault(key, []).append(value)
    for place, of_place in sorted(lengths.items()):
        values = compared.get(place, {})
        yield ConventionPoint(
            over,
            place,
            estimate(of_place, AMOUNT, labels[place]),
            # Every message but the first is compared by every measure.
            {
                key: estimate(values[key], scale, labels[place]) if values else estimate([])
                for key, scale in COMPARED.items()
            },
        )


_COMPARED = {
    "wnr": ("novelty rate", "Word novelty rate (WNR) as ICCA's published code computes it."),
    "wnr_paper": ("novelty rate, paper", "WNR as ICCA's paper defines it: dropped words are free."),
    "wnd": ("novelty distance", "Word novelty distance (WND), published code, words."),
    "wnd_paper": ("novelty distance, paper", "WND, paper, words."),
    "overlap": ("words kept", "Content words that both messages have, of those that one has; 1: all kept."),
}


def convention_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return length and novelty of messages by turn, and by repetition of a target; a row for each pair and place."""
    columns = (
        *pair_columns(results),
        Column("over", "over", "Turns of an episode, or repetitions of a target.", digits=None),
        Column("place", "place", "Number of the turn or of the repetition.", digits=0),
        Column("words", "words", "Whitespace words a message.", digits=1, estimated=True),
        *(Column(key, title, about, estimated=True) for key, (title, about) in _COMPARED.items()),
    )
    targets = {instance.instance_id: instance.pictures["target"].sha256 for instance in results.instances}
    rows, repeated = [], False
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        for point in convention(results.game, under(results.episodes[run_id], category, difficulty), targets):
            repeated = repeated or point.over == "repetition"
            values = (Value.of(point.compared[key], behind, "no message before") for key in _COMPARED)
            length = Value.of(point.words, behind)
            rows.append((*who, Value(point.over), Value(point.place), length, *values))
    return Table(
        "convention",
        "Conventions",
        caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (SAME_EPISODES,) if repeated else (SAME_EPISODES, "No target of this set occurs twice: no repetitions."),
        spare=("wnd_paper", "wnr_paper", "wnd", "wnr", "overlap"),
    )
