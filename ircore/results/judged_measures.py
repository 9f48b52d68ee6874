"""Measures that judges and people give: one for each judge that rated pictures of a game's runs, and one for people."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from math import fsum
from typing import Any

from ircore.core.episode_records import Episode
from ircore.core.score_records import HUMAN, Score
from ircore.games.base import Game, Measure
from ircore.instances.store import InstanceSet
from ircore.scorers.rated_episodes import RatedEpisode, iterate_rated_episodes

LONGEST_KEY = 64
"""Characters of a measure's key, as of those that games declare."""


class JudgedMeasures:
    """The measures of a game that judges and people give, by who rated.

    >>> from ircore.games.registry import load_game
    >>> judged = JudgedMeasures(load_game("conversation"), {"gpt-5.1": "GPT-5.1"})
    >>> [(measure.key, measure.title) for measure in judged.game.measures if measure.needs == "judge"][1]
    ('final_judged_gpt_5_1_e7ee', 'Judged similarity, last hop: GPT-5.1')

    Args:
        game: As declared.
        raters: Labels of those who rated pictures of the game's runs, by their names.

    Attributes:
        game: The game with a measure for each judge in place of the declared one, on its pages too. Measures that
            nobody gave are left out.
    """

    def __init__(self, game: Game[Any], raters: Mapping[str, str]) -> None:
        self._declared = game
        self._measures: dict[str, dict[str, Measure]] = {}
        taken = {measure.key for measure in game.measures}
        for measure in game.measures:
            if measure.needs == "person":
                self._measures[measure.key] = {HUMAN: measure} if HUMAN in raters else {}
            elif measure.needs == "judge":
                self._measures[measure.key] = {
                    name: _build_judge_measure(measure, name, label, taken)
                    for name, label in raters.items()
                    if name != HUMAN
                }
        self.game = self._add_judge_measures() if self._measures else game

    def _add_judge_measures(self) -> Game[Any]:
        game, pages = copy(self._declared), self._declared.pages
        measures = [
            shown for declared in game.measures for shown in self._measures.get(declared.key, {"": declared}).values()
        ]
        shown_pages = replace(
            pages,
            columns=self._expand_keys(pages.columns),
            figures=self._expand_keys(pages.figures),
            curves=tuple(
                replace(curve, measure=key) for curve in pages.curves for key in self._expand_keys([curve.measure])
            ),
        )
        # On the object: the declarations of the class are those of every run of the game.
        vars(game).update(measures=tuple(measures), pages=shown_pages)
        return game

    def _expand_keys(self, keys: Iterable[str]) -> tuple[str, ...]:
        expanded = (
            [shown.key for shown in self._measures[key].values()] if key in self._measures else [key] for key in keys
        )
        return tuple(key for of_key in expanded for key in of_key)

    def values(self, instances: InstanceSet, episodes: Iterable[Episode], ratings: Sequence[Score]) -> Iterator[Score]:
        """Yield the values of these measures in a run.

        A picture has the mean of its annotators. A measure per step has values in episodes of which every picture was
        rated, so that no mean is of the first and the final picture alone.

        Args:
            instances: Of the run.
            episodes: Of the run.
            ratings: What judges and people gave, in the order of time.

        Raises:
            InputError: An episode does not fit the game that is installed.
            WorkError: The game is broken.
        """
        if not self._measures:
            return
        given: dict[str, dict[str, list[Score]]] = {}
        for score in ratings:
            if score.task == "similarity":
                given.setdefault(score.episode_id, {}).setdefault(score.by, []).append(score)
        rated = [episode for episode in episodes if episode.episode_id in given]
        for episode in iterate_rated_episodes(self._declared, instances, rated):
            for rater, scores in sorted(given[episode.episode_id].items()):
                yield from self._list_rater_scores(episode, rater, scores)

    def _list_rater_scores(self, episode: RatedEpisode, rater: str, scores: Sequence[Score]) -> Iterator[Score]:
        means, final = _average_ratings(episode, scores), max(episode.renderings, default=None)
        for measure in (of_raters[rater] for of_raters in self._measures.values() if rater in of_raters):
            if measure.per == "episode":
                steps = [final] if final in means else []
            else:
                steps = list(means) if means.keys() == episode.renderings.keys() else []
            for step in steps:
                value, reason = means[step]
                own = None if measure.per == "episode" else step
                yield Score(
                    episode_id=episode.episode_id,
                    measure=measure.key,
                    by=self._declared.name,
                    step=own,
                    value=value,
                    reason=reason,
                )


def _average_ratings(episode: RatedEpisode, scores: Sequence[Score]) -> dict[int, tuple[float | None, str | None]]:
    """Return the mean rating of each picture over annotators by step, or the reason why there is none."""
    means: dict[int, tuple[float | None, str | None]] = {}
    for step in episode.renderings:
        of_step = [score for score in scores if score.picture == (step, episode.renderings[step].sha256)]
        values = [score.value for score in of_step if score.value is not None]
        if values:
            means[step] = fsum(values) / len(values), None
        elif of_step:
            means[step] = None, of_step[0].reason
    return means


def _build_judge_measure(declared: Measure, judge: str, label: str, taken: Collection[str]) -> Measure:
    # Labels may explain themselves in brackets, for which the head of a column has no room.
    title = f"{declared.title}: {label.partition(' (')[0]}"
    return replace(
        declared,
        key=_build_key(declared.key, judge, taken),
        title=title,
        about=f"{declared.about} Judge: {label}.".strip(),
    )


def _build_key(declared: str, judge: str, taken: Collection[str]) -> str:
    """Return the key of a measure by one judge: valid as a key, whoever else rates, and no declared measure's."""
    named = f"{declared}_{judge}"
    plain = re.sub("[^a-z0-9_]", "_", named)
    if plain == named and len(plain) <= LONGEST_KEY and plain not in taken:
        return plain
    # By the judge's own name alone, so that a column stays that of its judge when a judge of a like name comes.
    mark = hashlib.sha256(judge.encode()).hexdigest()[:4]
    return f"{plain[: LONGEST_KEY - len(mark) - 1]}_{mark}"
