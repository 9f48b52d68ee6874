"""Status of every episode for one judge, the main score that follows, and whether that is enough for a rank.

Three things that look alike are kept apart: an episode that the pair did not play (it counts as nothing), one that has
no result yet (never begun, or a technical failure), and a rendering that the judge has not rated. ``Coverage`` counts
them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircore.core.plain_words import format_count
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity
from ircore.results.arrays import spread_conditions
from ircore.results.episodes import HIGHEST, Doubt, EpisodeResult
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.statistics.resamples import sum_columns

UNFINISHED, UNPLAYED, RATED, REFUSED, PENDING, OUTSIDE = range(6)
"""No result yet; aborted by the pair's own doing; rated; asked without an answer; not asked yet, or in vain for a
technical reason; nothing that the judge rates."""

_PRECEDENCE = (UNFINISHED, OUTSIDE, PENDING, REFUSED, RATED, UNPLAYED)

MAIN_UNIT = 10.0
"""Points of the main score, 0–100, in a point of similarity."""

Scope = frozenset[str] | None
"""Categories that a judge rates; None for all."""

Floats = NDArray[np.float64]

Unranked = Literal[
    "held", "past_budget", "incomplete", "underrated", "inapplicable", "unread", "too_few", "reference", "recorded"
]
"""Why a run has no rank: it has grave findings that no maintainer cleared; its generator was given messages
over the token budget; it has episodes without a result yet; too
little of what it played is rated; the judge rates nothing here; the judge left labels unread that weigh too much; its
main score rests on fewer than
``MINIMUM_PICTURES``; it is a ceiling or floor beside the others; its headline rests on recorded answers that do not
depend on its players."""

RATED_SHARE = 0.9
"""Share of the renderings that a judge could have rated which it must have rated before there is a rank."""

UNDECIDED_SHARE = 0.05
"""Share of the facts, by weight, that a judge of facts may leave undecided while it reads no labels."""


@dataclass(frozen=True)
class JudgeRatings:
    """One judge's ratings of some runs on some instances.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> results.finals("structural", list(results.episodes), results.instances).shape
        (2, 1)
    """

    states: NDArray[np.int16]
    """Number of an instance's episodes in each of the six states above, shape (instances, runs, 6); an episode that is
    missing is unfinished."""

    final: Floats
    """Similarity of the final rendering, 0–10, the mean over the rated episodes of an instance; NaN without any.
    Shape (instances, runs)."""

    doubt: Floats
    """Lowest and highest similarity, undecided share of the facts, and 1 where labels were left unread; NaN unless a
    judge of facts rated. Shape (instances, runs, 4)."""

    def rows(self, rows: Sequence[int]) -> "JudgeRatings":
        """Return some of the instances."""
        return JudgeRatings(*(getattr(self, field.name)[rows] for field in fields(self)))

    def under(self, inside: NDArray[np.bool_]) -> "JudgeRatings":
        """Return each run under each condition as a column that has no episode of any other instance.

        Args:
            inside: Whether an instance is of a condition, shape (instances, conditions).

        Returns:
            The runs under the first condition, then those under the second.
        """
        return JudgeRatings(
            spread_conditions(self.states, inside, 0),
            spread_conditions(self.final, inside),
            spread_conditions(self.doubt, inside),
        )

    def columns(self, columns: Sequence[int]) -> "JudgeRatings":
        """Return some of the runs."""
        return JudgeRatings(*(getattr(self, field.name)[:, columns] for field in fields(self)))

    @cached_property
    def status(self) -> NDArray[np.int8]:
        """State of each instance, shape (instances, runs): of its episodes' states the one that counts first.

        A result is missing, a rating is missing, one was refused, one is there, none was played. An instance without
        any episode, of another condition, lies outside.
        """
        order = np.array(_PRECEDENCE, np.int8)
        there = self.states[..., order] > 0
        return np.asarray(np.where(there.any(axis=-1), order[there.argmax(axis=-1)], OUTSIDE), np.int8)

    @cached_property
    def played(self) -> Floats:
        """Share of the ended episodes of an instance that were played, 0–1; 0 where none has ended."""
        ended = self.states.sum(axis=-1) - self.states[..., UNFINISHED]
        return np.asarray(self._of_played / np.maximum(ended, 1), np.float64)

    @cached_property
    def rated(self) -> Floats:
        """Share of the played episodes of an instance that are rated, 0–1; 0 where none was played."""
        return np.asarray(self.states[..., RATED] / np.maximum(self._of_played, 1), np.float64)

    @property
    def _of_played(self) -> NDArray[np.intp]:
        return np.asarray(self.states[..., [RATED, REFUSED, PENDING]].sum(axis=-1), np.intp)

    def count(self, *words: int) -> NDArray[np.intp]:
        """Return how many of each run's instances are in any of the given states, shape (runs,)."""
        counts: NDArray[np.intp] = np.isin(self.status, words).sum(axis=0)
        return counts

    def episodes(self, *words: int) -> NDArray[np.intp]:
        """Return how many of each run's episodes are in any of the given states, shape (runs,)."""
        return np.asarray(self.states[..., list(words)].sum(axis=(0, -1)), np.intp)

    def doubts(self) -> list[Doubt | None]:
        """Return the mean interval and undecided share of each run's rated renderings; None where nobody told facts."""
        known = ~np.isnan(self.doubt[..., 0])
        means = np.nansum(self.doubt, axis=0) / np.maximum(known.sum(axis=0), 1)[:, None]
        return [
            Doubt(low, high, undecided, unread > 0) if count else None
            for count, (low, high, undecided, unread) in zip(known.sum(axis=0).tolist(), means.tolist(), strict=True)
        ]

    @property
    def quality(self) -> tuple[Floats, Floats]:
        """Least and greatest similarity that the played episodes of each instance may have, 0–10; NaN without any."""
        least, most = self._bound_similarity(self.rated)
        none = (self.played == 0) | (self.status == OUTSIDE)
        return np.where(none, np.nan, least), np.where(none, np.nan, most)

    @property
    def main(self) -> tuple[Floats, Floats]:
        """Least and greatest part of the main score, 0–100; 0 where the pair did not play; NaN outside the scope."""
        # An episode that the pair aborted is known to be worth nothing, whatever the judge would say.
        least, most = (MAIN_UNIT * self.played * end for end in self._bound_similarity(self.rated))
        unfinished, outside = self.status == UNFINISHED, self.status == OUTSIDE
        least, most = np.where(unfinished, 0.0, least), np.where(unfinished, MAIN_UNIT * HIGHEST, most)
        return np.where(outside, np.nan, least), np.where(outside, np.nan, most)

    @property
    def at_worst(self) -> tuple[Floats, Floats]:
        """Bounds like ``quality``, with each unplayed episode counted as played with any result."""
        least, most = self._bound_similarity(np.where(self.status == UNFINISHED, 0.0, self.played * self.rated))
        outside = self.status == OUTSIDE
        return np.where(outside, np.nan, least), np.where(outside, np.nan, most)

    def main_scores(self) -> Floats:
        """Return each run's main score over ended episodes, 0–100: mean rating × share played; shape (runs,).

        Each instance counts once, whatever the number of its episodes. NaN where nothing has ended, and where nothing
        of what was played is rated.
        """
        ended = ~np.isin(self.status, (UNFINISHED, OUTSIDE))
        played = np.where(ended, self.played, 0.0)
        rated = played * self.rated
        all_rated, all_played, instances = sum_columns(rated), sum_columns(played), ended.sum(axis=0)
        # No divisor is 0; entries without one are NaN in the end.
        quality = sum_columns(rated * np.nan_to_num(self.final)) / np.where(all_rated > 0, all_rated, 1)
        known = (instances > 0) & ((all_rated > 0) | (all_played == 0))
        return np.where(known, MAIN_UNIT * quality * all_played / np.maximum(instances, 1), np.nan)

    def _bound_similarity(self, known: Floats) -> tuple[Floats, Floats]:
        """Return the least and greatest mean similarity of each instance if this share of its episodes is known."""
        seen = known * np.nan_to_num(self.final)
        return seen, seen + (1 - known) * HIGHEST


class InstanceRating(NamedTuple):
    """What one episode adds to the ratings of its instance."""

    instance_id: str
    status: int
    final: float = np.nan
    doubt: Doubt | None = None
    repeat: int = 1

    @property
    def main(self) -> float | None:
        """The episode's part of the main score, 0–100; None while it is not known."""
        return MAIN_UNIT * self.final if self.status == RATED else 0.0 if self.status == UNPLAYED else None


def group_main_scores(episodes: Iterable[InstanceRating]) -> dict[str, list[float]]:
    """Return the parts of the main score of each instance's episodes, as far as they are known, by instance_id."""
    values: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.main is not None:
            values.setdefault(episode.instance_id, []).append(episode.main)
    return values


def arrange_ratings(instances: Sequence[Instance], runs: Iterable[Iterable[InstanceRating]]) -> JudgeRatings:
    """Arrange the episodes of runs by instance and run, those of one instance together.

    An episode is missing where a run has that repeat of any other instance of the condition: further repeats may be
    played of some conditions alone, but of a whole condition, or a pair could play again what went badly.

    Args:
        instances: The rows.
        runs: The episodes of each column; those of other instances are passed over.
    """
    rows = {instance.instance_id: row for row, instance in enumerate(instances)}
    conditions = [(instance.category, instance.difficulty) for instance in instances]
    columns = [_build_column(rows, conditions, episodes) for episodes in runs]
    empty = _build_column(rows, conditions, ())
    return JudgeRatings(*(np.hstack([part[:, :0], *others]) for part, *others in zip(empty, *columns, strict=True)))


def judge_ratings(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judge: str, scope: Scope = None
) -> JudgeRatings:
    """Arrange one judge's ratings by instance and run.

    Args:
        instances: Some of the set; the rows.
        episodes: By run_id; the columns.
        judge: Whose ratings.
        scope: Categories that the judge rates. One that has only preferences of a run rates nothing of it.
    """
    return arrange_ratings(instances, (list_rated_episodes(results, judge, scope) for results in episodes.values()))


def list_rated_episodes(results: Sequence[EpisodeResult], judge: str, scope: Scope = None) -> Iterator[InstanceRating]:
    """Yield what each episode of a run adds to a judge's ratings; arguments as of ``judge_ratings``."""
    only_prefers = _is_comparison_only(results, judge)
    for result in results:
        status, final = _classify_episode(result, judge)
        judged = result.judged.get(judge)
        # An episode without a result may still turn out either way, so only ended ones lie outside of the scope.
        outside = only_prefers or (scope is not None and result.category not in scope)
        outside = outside or (judged is not None and not judged.is_applicable)
        if outside and status != UNFINISHED:
            status, final = OUTSIDE, np.nan
        doubt = judged.doubt if judged else None
        yield InstanceRating(result.episode.instance_id, status, final, doubt, result.episode.repeat)


def arrange_by_judge(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], scopes: Mapping[str, Scope]
) -> dict[str, JudgeRatings]:
    """Return the ratings by each judge of ``scopes``."""
    return {judge: judge_ratings(instances, episodes, judge, scope) for judge, scope in scopes.items()}


def find_scopes(judges: Sequence[str], identities: Mapping[str, JudgeIdentity]) -> dict[str, Scope]:
    """Return the categories that each judge rates, from the judge's identity; all if the identity names none."""
    declared = {judge: identities[judge].categories if judge in identities else None for judge in judges}
    return {judge: None if names is None else frozenset(names) for judge, names in declared.items()}


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Number of a run's episodes in each state, under a condition and for a judge or a measure.

    Example:
        >>> coverage = Coverage(episodes=42, unfinished=3, applicable=39, rated=39, refused=0, pending=0, counted=39)
        >>> coverage.unranked, coverage.unranked_words
        ('incomplete', 'incomplete: 3 of 42 episodes have no result yet')
    """

    episodes: int
    """Episodes of the whole instance set under this condition, whether played or not."""

    unfinished: int
    """Number of episodes without a result yet: never begun, or failed for a technical reason and not declared final."""

    applicable: int
    """Played episodes that the judge's task applies to: all, unless it rates some categories only."""

    rated: int
    """Number of applicable episodes that the judge rated."""

    refused: int
    """Number of applicable episodes that the judge was asked about and did not rate."""

    pending: int
    """Number of applicable episodes that the judge has not been asked about, or in vain for a technical reason."""

    counted: int
    """Number of instances that the main score rests on: rated, or not played by the pair's own doing."""

    doubt: Doubt | None = None
    """Of a judge of facts: mean interval of the rated scores, and the share of the facts that it could not tell."""

    held: bool = False
    """Whether the run has grave findings that no maintainer has cleared."""

    past_budget: bool = False
    """Whether the generator was given a message over the token budget."""

    rated_words: str = "renderings are rated"
    """What is said of ``rated`` in messages."""

    reference: bool = False
    """Whether a player of the run is a reference (``Traits.reference``): a ceiling or floor, which has no rank."""

    meaningless: str = ""
    """Why the headline says nothing of the run, which then has no rank; empty if it says something."""

    @property
    def unranked(self) -> Unranked | None:
        """Reason why the run has no rank under this condition; None if the run has a rank."""
        if self.reference:
            return "reference"
        if self.meaningless:
            return "recorded"
        # What a maintainer or the player must mend comes first: playing and scoring on would not give a rank.
        if self.held:
            return "held"
        if self.past_budget:
            return "past_budget"
        if self.unfinished:
            return "incomplete"
        # Where nothing is applicable, 0 is not below 0: whether anything counts decides below.
        if self.rated < RATED_SHARE * self.applicable:
            return "underrated"
        # Only after the shares above: nothing is counted either where playing or rating has not begun.
        if not self.counted:
            return "inapplicable"
        if self.doubt is not None and self.doubt.unread and self.doubt.undecided > UNDECIDED_SHARE:
            return "unread"
        return "too_few" if self.counted < MINIMUM_PICTURES else None

    @property
    def unranked_words(self) -> str | None:
        """The same for people."""
        open_share = 0.0 if self.doubt is None else self.doubt.undecided
        needed = f"{100 * RATED_SHARE:.0f} % are needed"
        words: dict[Unranked | None, str] = {
            "reference": "a reference, shown as a ceiling or floor",
            "recorded": self.meaningless,
            "held": "held: its findings wait for a maintainer",
            "past_budget": "messages over the token budget reached the generator",
            "incomplete": f"incomplete: {self.unfinished} of {format_count(self.episodes, 'episode')} "
            "have no result yet",
            "underrated": f"only {self.rated} of {self.applicable} {self.rated_words}, {needed}",
            "inapplicable": "the judge rates nothing here",
            "unread": (
                f"labels were not read, so {100 * open_share:.0f} % of the facts are open, "
                f"{100 * UNDECIDED_SHARE:.0f} % may be"
            ),
            "too_few": f"fewer than {MINIMUM_PICTURES} pictures",
        }
        return words.get(self.unranked)


def count_coverage(ratings: JudgeRatings) -> list[Coverage]:
    """Count the episodes of each run, in the order of the columns."""
    counts = [ratings.episodes(status).tolist() for status in (UNFINISHED, RATED, REFUSED, PENDING)]
    sizes, instances = ratings.states.sum(axis=(0, -1)).tolist(), ratings.count(RATED, UNPLAYED).tolist()
    return [
        Coverage(
            episodes=episodes,
            unfinished=unfinished,
            applicable=rated + refused + pending,
            rated=rated,
            refused=refused,
            pending=pending,
            counted=on_instances,
            doubt=doubt,
        )
        for episodes, unfinished, rated, refused, pending, on_instances, doubt in zip(
            sizes, *counts, instances, ratings.doubts(), strict=True
        )
    ]


def _build_column(
    rows: Mapping[str, int], conditions: Sequence[tuple[str, str]], episodes: Iterable[InstanceRating]
) -> tuple[NDArray[Any], ...]:
    """Return the arrays of ``JudgeRatings`` for one run, given the number and the condition of each row."""
    due = {condition: {1} for condition in set(conditions)}
    states = [[0] * len(_PRECEDENCE) for _ in conditions]
    finals: dict[int, list[float]] = {}
    doubts: dict[int, list[Doubt]] = {}
    for instance_id, status, value, open_part, repeat in episodes:
        row = rows.get(instance_id)
        if row is None:
            continue
        states[row][status] += 1
        due[conditions[row]].add(repeat)
        if status == RATED:
            finals.setdefault(row, []).append(value)
            if open_part is not None:
                doubts.setdefault(row, []).append(open_part)
    for condition, counts in zip(conditions, states, strict=True):
        counts[UNFINISHED] += max(len(due[condition]) - sum(counts), 0)
    final, doubt = np.full((len(conditions), 1), np.nan), np.full((len(conditions), 1, 4), np.nan)
    for row, values in finals.items():
        final[row] = fsum(values) / len(values)
    for row, parts in doubts.items():
        doubt[row] = np.mean(parts, axis=0)
    return np.array(states, np.int16).reshape(-1, 1, len(_PRECEDENCE)), final, doubt


def _classify_episode(result: EpisodeResult, judge: str) -> tuple[int, float]:
    if not result.played:
        # A technical failure is no doing of the pair's, and will be played again.
        return UNPLAYED if result.episode.finished else UNFINISHED, np.nan
    judged = result.judged.get(judge)
    if judged is None:
        return PENDING, np.nan
    if judged.final is not None:
        return RATED, judged.final
    return PENDING if judged.refusal is None else REFUSED, np.nan


def _is_comparison_only(results: Sequence[EpisodeResult], judge: str) -> bool:
    """Return whether a judge compared renderings of a run without ever being asked to rate one, as ``lipsim`` does."""
    judged = [result.judged[judge] for result in results if judge in result.judged]
    prefers = any(scores.preference is not None for scores in judged)
    return prefers and not any(scores.trajectory or scores.refusal for scores in judged)
