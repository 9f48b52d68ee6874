"""Language of a pair's describer: its corrections, the length of its messages, and the share of new words.

Only played episodes count, as everywhere. A correction message is a message of turn 2 or later.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from ircore.games.base import Game, list_messages
from ircore.results.arrays import select_condition, strata
from ircore.results.corrections import (
    BUILT_IN,
    CORRECTIONS,
    Choice,
    Correction,
    CorrectionMark,
    find_corrections,
    load_lexicon,
)
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.complete_cases import select_same_episodes
from ircore.results.statistics.intervals import AMOUNT, SHARE, Estimate, estimate_all, estimate_clustered_shares

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, in lower case."""
    return [word.removesuffix("'s") for word in _WORD.findall(text.lower().replace("’", "'"))]


@cache
def load_stop_words() -> frozenset[str]:
    """Return the words that carry no content of their own."""
    text = (files(__package__) / "word_lists" / "stop_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def compute_novelty(message: frozenset[str], earlier: Iterable[frozenset[str]]) -> float | None:
    """Return the share of a message's distinct content words that no earlier message of the episode used.

    Args:
        message: Content words of the message.
        earlier: Content words of each message before it.

    Returns:
        0 (nothing new) to 1 (all new); None for a message without content words.
    """
    return len(message.difference(*earlier)) / len(message) if message else None


def compute_similarity(message: frozenset[str], previous: frozenset[str]) -> float | None:
    """Return how much two messages share: |A ∩ B| / |A ∪ B| of their content words (Jaccard 1901).

    Returns:
        0 (no word in common) to 1 (the same words); None if neither has content words.
    """
    union = message | previous
    return len(message & previous) / len(union) if union else None


TOP = 10
"""Tokens listed for each category of correction, as in the paper's Figure 14."""


@dataclass(frozen=True)
class MessageResult:
    """One message of a played episode.

    Example:
        >>> message = MessageResult(
        ...     "pie_graph-easy-01", "pie_graph", "easy", 2, tokens=21, words=16, marks=(), novelty=0.4, similarity=0.5
        ... )
        >>> message.turn
        2
    """

    episode_id: str
    """The episode."""

    category: str
    """Category of the target."""

    difficulty: str
    """Difficulty of the target."""

    turn: int
    """1-based."""

    tokens: int | None
    """Tokens of the message as it was written; None where its game counts none."""

    words: int
    """Words; ``ircore.results.language`` says what a word is."""

    marks: tuple[CorrectionMark, ...]
    """Words that correct the rendering, with their places; empty for turn 1, which describes."""

    novelty: float | None
    """Share of its content words that no earlier message of the episode used, 0–1; None on turn 1 and without any."""

    similarity: float | None
    """Jaccard similarity of its content words to the previous message's, 0–1; None on turn 1 and without any."""


@dataclass(frozen=True)
class CorrectionProfile:
    """Corrections in a group of correction messages.

    Example:
        >>> profile = count_corrections([])
        >>> profile.messages, profile.usage["colour"].n
        (0, 0)
    """

    lexicon: str
    """Version of the patterns that were used."""

    messages: int
    """Messages of turn ≥ 2; with none, every estimate below has neither mean nor interval."""

    episodes: int
    """Episodes that have such a message: what the intervals rest on."""

    usage: Mapping[Correction, Estimate]
    """Share of the messages in which a category fires, 0–1; ``n`` counts episodes.

    By turn: over the episodes that reach the last turn of the curve (``select_same_episodes``)."""

    top_tokens: Mapping[Correction, tuple[tuple[str, int], ...]]
    """The ``TOP`` commonest tokens that fired, with their counts: by count, then by alphabet."""


@dataclass(frozen=True)
class _TurnLanguage:
    """The messages of one turn: estimates over the episodes that reach the last turn (``select_same_episodes``)."""

    turn: int
    """1-based."""

    messages: int
    """Number of episodes with a message at this turn, whether or not they go on to the last one."""

    tokens: Estimate
    """Tokens a message."""

    words: Estimate
    """Words a message."""

    novelty: Estimate
    """Share of content words that the episode has not used before, 0–1; none on turn 1."""

    similarity: Estimate
    """Jaccard similarity to the message before, 0–1; none on turn 1."""


@dataclass(frozen=True)
class RunLanguage:
    """The messages of one run, or of a part of its episodes.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> sorted(results.runs[results.submissions[0].run_id].language.by_turn)[:2]
        [2, 3]
    """

    profile: CorrectionProfile
    """Corrections in the messages."""

    by_turn: Mapping[int, CorrectionProfile]
    """The same for every turn ≥ 2 that has a message."""

    turns: tuple[_TurnLanguage, ...]
    """Length and novelty of the messages, turn by turn."""


def analyse_messages(
    game: Game[Any], episodes: Iterable[EpisodeResult], lexicon: Choice = BUILT_IN
) -> tuple[MessageResult, ...]:
    """Read every message of played episodes, in order.

    Args:
        game: Of the run.
        episodes: Of one run.
        lexicon: Patterns by which corrections are told.
    """
    return tuple(
        message for result in episodes if result.episode.played for message in _analyse_episode(game, result, lexicon)
    )


def select_messages(
    messages: Iterable[MessageResult],
    category: str | None = None,
    difficulty: str | None = None,
    turn: int | None = None,
) -> tuple[MessageResult, ...]:
    """Return the messages about a category or difficulty of pictures, or of one turn; None takes all."""
    return tuple(
        message for message in select_condition(messages, category, difficulty) if turn in (None, message.turn)
    )


def run_language(messages: Sequence[MessageResult], lexicon: Choice = BUILT_IN) -> RunLanguage:
    """Return the topics of corrections, message lengths and shares of new words.

    Args:
        messages: Of one run, narrowed by ``chosen`` where only a category is wanted.
        lexicon: Patterns by which ``analyse_messages`` told their corrections.
    """
    later = sorted({message.turn for message in messages if message.turn > 1})
    same = _select_same_messages(messages)
    return RunLanguage(
        profile=count_corrections(messages, lexicon),
        by_turn={
            turn: replace(
                count_corrections(select_messages(same, turn=turn), lexicon),
                messages=len(select_messages(messages, turn=turn)),
            )
            for turn in later
        },
        turns=turn_language(messages),
    )


def list_corrections(
    game: Game[Any], episodes: Iterable[EpisodeResult], lexicon: Choice = BUILT_IN
) -> dict[str, tuple[tuple[Correction, ...], ...]]:
    """Return the topics of each correction message of played episodes, by episode.

    Args:
        game: Of the run.
        episodes: Of one run.
        lexicon: Patterns by which corrections are told.
    """
    return {
        result.episode.episode_id: tuple(
            tuple(dict.fromkeys(mark.correction for mark in find_corrections(message.text, lexicon)))
            for message in list_messages(game, result.episode)
            if message.step >= 2
        )
        for result in episodes
        if result.episode.played
    }


def estimate_usage(messages: Iterable[Sequence[Collection[Correction]]]) -> dict[Correction, Estimate]:
    """Estimate in which share of correction messages a topic stands, 0–1.

    Args:
        messages: Topics of each message, by episode.
    """
    by_episode = list(messages)
    hits = [[sum(correction in fired for fired in episode) for episode in by_episode] for correction in CORRECTIONS]
    return dict(zip(CORRECTIONS, estimate_clustered_shares(hits, list(map(len, by_episode))), strict=True))


def count_corrections(messages: Iterable[MessageResult], lexicon: Choice = BUILT_IN) -> CorrectionProfile:
    """Count the topics of corrections; messages of turn 1, which correct nothing, are left out.

    Args:
        messages: Of one run, narrowed by ``chosen`` where only a turn or a category is wanted.
        lexicon: Patterns by which ``analyse_messages`` told their corrections.
    """
    corrections = [message for message in messages if message.turn >= 2]
    by_episode: dict[str, list[frozenset[Correction]]] = {}
    for message in corrections:
        by_episode.setdefault(message.episode_id, []).append(frozenset(mark.correction for mark in message.marks))
    return CorrectionProfile(
        lexicon=load_lexicon(lexicon).version,
        messages=len(corrections),
        episodes=len(by_episode),
        usage=estimate_usage(by_episode.values()),
        top_tokens=_find_top_tokens(corrections),
    )


def turn_language(messages: Iterable[MessageResult]) -> tuple[_TurnLanguage, ...]:
    """Say how long and how new messages are, turn by turn.

    Args:
        messages: Of one run, narrowed by ``chosen`` where only a category is wanted.

    Returns:
        One entry for every turn that has a message; without values after the last turn that enough episodes reach.
    """
    messages = tuple(messages)
    counts = Counter(message.turn for message in messages)
    same = _select_same_messages(messages)
    return tuple(_measure_turn(turn, counts[turn], select_messages(same, turn=turn)) for turn in sorted(counts))


def _select_same_messages(messages: Iterable[MessageResult]) -> tuple[MessageResult, ...]:
    """Return the messages of the episodes that reach the last turn, up to that turn."""
    by_episode: dict[str, dict[int, MessageResult]] = {}
    for message in messages:
        by_episode.setdefault(message.episode_id, {})[message.turn] = message
    episodes = list(by_episode.values())
    same = select_same_episodes(episodes)
    return tuple(episodes[number][turn] for number in same.episodes for turn in same.places)


def _analyse_episode(game: Game[Any], result: EpisodeResult, lexicon: Choice) -> Iterable[MessageResult]:
    episode = result.episode
    earlier: list[frozenset[str]] = []
    for message in list_messages(game, episode):
        spoken = split_words(message.text)
        content = frozenset(spoken) - load_stop_words()
        yield MessageResult(
            episode_id=episode.episode_id,
            category=episode.category,
            difficulty=episode.difficulty,
            turn=message.step,
            tokens=message.tokens,
            words=len(spoken),
            marks=find_corrections(message.text, lexicon) if message.step >= 2 else (),
            # The first message has nothing before it, so that its share of new words would always be 1.
            novelty=compute_novelty(content, earlier) if earlier else None,
            similarity=compute_similarity(content, earlier[-1]) if earlier else None,
        )
        earlier.append(content)


def _find_top_tokens(messages: Iterable[MessageResult]) -> dict[Correction, tuple[tuple[str, int], ...]]:
    counts: dict[Correction, Counter[str]] = {correction: Counter() for correction in CORRECTIONS}
    for message in messages:
        for mark in message.marks:
            counts[mark.correction][mark.token] += 1
    return {
        correction: tuple(sorted(count.items(), key=lambda item: (-item[1], item[0]))[:TOP])
        for correction, count in counts.items()
    }


def _measure_turn(turn: int, count: int, messages: Sequence[MessageResult]) -> _TurnLanguage:
    labels = strata(messages)
    tokens, words = estimate_all(
        [[message.tokens for message in messages], [message.words for message in messages]], AMOUNT, labels
    )
    novelty, similarity = estimate_all(
        [[message.novelty for message in messages], [message.similarity for message in messages]], SHARE, labels
    )
    return _TurnLanguage(
        turn=turn,
        messages=count,
        tokens=tokens,
        words=words,
        novelty=novelty,
        similarity=similarity,
    )
