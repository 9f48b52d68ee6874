"""A finished run of a game other than reconstruction, with the values of the game's measures."""

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from math import fsum

from ircore.core.score_records import Score
from ircore.games.base import Measure
from ircore.results.judged_measures import JudgedMeasures
from ircore.results.played_run import RunSource, RunView


class PlayedGameRun(RunView):
    """A run of a game other than reconstruction with the values of its game's measures.

    Example:
        >>> from types import SimpleNamespace
        >>> stored = SimpleNamespace(scores=lambda: [], path=None, run=None, instances=None)
        >>> PlayedGameRun(stored).every_score
        ()
    """

    def __init__(self, source: RunSource) -> None:
        super().__init__(source)
        self._judged: JudgedMeasures | None = None
        self._meaningless: Mapping[str, str] = {}

    def with_measures(self, judged: JudgedMeasures) -> "PlayedGameRun":
        """Return the run with values of the measures that judges and people give, too."""
        view = copy(self)  # with everything that was read already
        view._judged = judged
        view._meaningless = judged.game.meaningless(self.run.submission.players)
        return view

    @property
    def meaningless(self) -> Mapping[str, str]:
        """Measures that say nothing of this run, with the reason, see ``Game.meaningless``."""
        return self._meaningless

    @cached_property
    def measured(self) -> tuple[Score, ...]:
        """Values that the game measured."""
        return tuple(score for score in self.scores if score.task == "game")

    @cached_property
    def ratings(self) -> tuple[Score, ...]:
        """Scores that judges and people gave; some may be of pictures that were drawn anew since."""
        return tuple(score for score in self.scores if score.task != "game")

    @cached_property
    def every_score(self) -> tuple[Score, ...]:
        """Values of all measures, those that judges and people give included."""
        judged = self._judged.values(self.instances, self.episodes, self.ratings) if self._judged else ()
        # Runs that were scored before there was such a rule hold values of these measures, too.
        measured = (self._without_meaning(score) for score in self.measured)
        return (*measured, *judged)

    def _without_meaning(self, score: Score) -> Score:
        reason = self._meaningless.get(score.measure)
        if reason is None or score.value is None:
            return score
        return score.model_copy(update={"value": None, "reason": reason, "note": None})

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the value of a measure by episode; of a measure per step the mean over the episode's steps."""
        by_episode: dict[str, list[float]] = {}
        for score in self.every_score:
            if score.measure == measure.key and score.value is not None:
                by_episode.setdefault(score.episode_id, []).append(score.value)
        return {name: fsum(values) / len(values) for name, values in by_episode.items()}
