"""Agreement, crossed scores and recalibration of raters, computed once and shared by tables, figures and pages.

What computes is imported where it is asked for, since every board is made with ``Raters`` and needs none of it.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ircore.results.agreement import AgreementResults, CrossedRatings, EpisodesByRun, RatedTask
    from ircore.results.image_metrics import MetricAgreement
    from ircore.results.statistics.calibration_map import Recalibration
    from ircore.results.statistics.recalibration import Refusal


class Raters:
    """Judges and people who rated some runs.

    Args:
        episodes: By run_id, all of one instance set.
        metrics: Image metrics that are held against the judges.
        judges: These judges.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> Raters(Results.from_runs([RunFolder(Path("run"))]).episodes).agreement.annotators
        ()
    """

    def __init__(self, episodes: "EpisodesByRun", metrics: Sequence[str] = (), judges: Sequence[str] = ()) -> None:
        self._episodes = episodes
        self._metrics, self._judges = metrics, judges

    @cached_property
    def similarity(self) -> "RatedTask":
        """Ratings of renderings by every judge and annotator."""
        from ircore.results.agreement import collect_similarity

        return collect_similarity(self._episodes)

    @cached_property
    def agreement(self) -> "AgreementResults":
        """Agreement between every two raters."""
        from ircore.results.agreement import compare_raters

        return compare_raters(self._episodes, self.similarity)

    @cached_property
    def metric_agreements(self) -> "tuple[MetricAgreement, ...]":
        """Agreement of every image metric with every judge and with people."""
        from ircore.results.image_metrics import compare_metrics

        return compare_metrics(self._episodes, self._metrics, self._judges)

    @cached_property
    def crossed(self) -> "tuple[CrossedRatings, ...]":
        """Crossed scores of every two judges."""
        from ircore.results.agreement import cross_tabulate_ratings

        return cross_tabulate_ratings(self.similarity)

    @cached_property
    def maps(self) -> "Mapping[str, Recalibration | Refusal]":
        """Recalibration of each judge's scores to people's scale."""
        from ircore.results.calibration import fit_maps

        return fit_maps(self._episodes)
