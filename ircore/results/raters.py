"""What is known of those who rate, worked out once: tables, figures and pages ask for the same again and again."""

from collections.abc import Mapping
from functools import cached_property

from ircore.results.agreement import AgreementResults, EpisodesByRun, agreement_results
from ircore.results.calibration import fit_maps
from ircore.results.crossed_ratings import CrossedRatings, crossed_ratings
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.recalibration import Refusal


class Raters:
    """Judges and people who rated some runs.

    Args:
        episodes: By run_id, all of one instance set.
    """

    def __init__(self, episodes: EpisodesByRun) -> None:
        self._episodes = episodes

    @cached_property
    def agreement(self) -> AgreementResults:
        """How far every two of them agree."""
        return agreement_results(self._episodes)

    @cached_property
    def crossed(self) -> tuple[CrossedRatings, ...]:
        """What every two judges gave the same renderings."""
        return crossed_ratings(self._episodes)

    @cached_property
    def maps(self) -> Mapping[str, Recalibration | Refusal]:
        """How each judge's scores read on people's scale."""
        return fit_maps(self._episodes)
