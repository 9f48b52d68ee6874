"""Judges of several runs side by side: who they are, the cells of each run by them, and how they compare.

``Raters`` holds agreement, crossed scores and recalibration, computed once and shared by tables, figures and pages.
What computes these is imported where it is asked for, since every board is made with ``Raters`` and needs none of it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity
from ircore.players.traits import find_model_family
from ircore.results.cells import BoardKey, Cell, CellKey
from ircore.results.judge_ratings import Scope
from ircore.results.played_run import PlayedRun

if TYPE_CHECKING:
    from ircore.results.agreement import AgreementResults, CrossedRatings, EpisodesByRun, RatedTask
    from ircore.results.image_metrics import MetricAgreement
    from ircore.results.statistics.calibration_map import Recalibration
    from ircore.results.statistics.recalibration import Refusal


class _Judged(Protocol):
    """A run of any game with its judges."""

    @property
    def path(self) -> Path: ...
    @property
    def judges(self) -> Mapping[str, JudgeIdentity]: ...


def merge_identities(runs: Sequence[_Judged]) -> dict[str, JudgeIdentity]:
    """Return the identity of each judge by its name.

    Raises:
        InputError: Two runs have judges of the same name with different identities.
    """
    known_judges: dict[str, tuple[_Judged, JudgeIdentity]] = {}
    for run in runs:
        # As published: a judge on loopback is the same judge in a release and in a run that is added to it.
        for name, identity in ((name, judge.published) for name, judge in run.judges.items()):
            other, known = known_judges.setdefault(name, (run, identity))
            if known != identity:
                # The message names what differs: names of judges are equal by definition here.
                field = next(key for key in JudgeIdentity.model_fields if getattr(known, key) != getattr(identity, key))
                raise InputError(
                    f"{other.path} and {run.path}: judge {name} is not the same ({field} differs)",
                    "Score both runs with the same judge, or give the second judge a name of its own.",
                )
    return {name: identity for name, (_, identity) in sorted(known_judges.items())}


def refuse_mixed_metrics(runs: Sequence[PlayedRun]) -> None:
    """Refuse runs whose values of a metric were computed by several versions of its definition.

    Raises:
        InputError: Within a run or between two, a metric has values of two versions.
    """
    seen: dict[str, tuple[PlayedRun, str]] = {}
    for run in runs:
        versions: dict[str, set[str]] = {}
        for result in run.results:
            for metric, own in result.metric_versions.items():
                versions.setdefault(metric, set()).update(own)
        for metric, stated in sorted(versions.items()):
            for version in sorted(stated):
                other, known = seen.setdefault(metric, (run, version))
                if known != version:
                    where = f"{run.path}" if other is run else f"{other.path} and {run.path}"
                    raise InputError(
                        f"{where}: metric {metric} was computed by two versions of its definition "
                        f"({known or 'not stated'}; {version or 'not stated'})",
                        f"Compute it again by one: ircore score {run.path} --metric {metric}, with --every-turn if "
                        "every turn has a value.",
                    )


def compute_run_cells(
    run: PlayedRun, scopes: Mapping[str, Scope], families: Mapping[str, str | None]
) -> dict[BoardKey, Cell]:
    """Return the cells of a run, marked where judge and describer belong to the same family of models.

    Args:
        run: The run.
        scopes: Categories that each judge rates, by the judge's name.
        families: Family of the model that each judge asks, by the judge's name; None for a judge without one.
    """
    # A run may not know by itself what a judge rates: then its own cells by this judge are of another scope.
    own = {judge for judge, scope in scopes.items() if run.scopes.get(judge, scope) == scope}
    cells = {key: cell for key, cell in run.cells.items() if cell.judge in own}
    # Judges that rated other runs alone, or another scope of this one: every run has a cell by every judge.
    others = {judge: scope for judge, scope in scopes.items() if (None, None, judge) not in cells}
    cells |= run.cells_by(others) if others else {}
    of_models = {judge: family for judge, family in families.items() if family is not None}
    # Looked up only where a model judges: the table of families is a YAML file.
    describer = find_model_family(run.run.submission.players["describer"].label) if of_models else None
    same = {judge for judge, family in of_models.items() if family == describer}
    return {key: _mark_cell(run, cell, cell.judge in same) for key, cell in cells.items()}


def compute_cells(
    runs: Mapping[str, PlayedRun],
    scopes: Mapping[str, Scope],
    families: Mapping[str, str | None],
    barred: tuple[Collection[str], Collection[str]],
) -> dict[CellKey, Cell]:
    """Return the cells of all runs, marked where a run has no rank.

    Args:
        runs: Runs by their ids.
        scopes: As for :func:`compute_run_cells`.
        families: As for :func:`compute_run_cells`.
        barred: Ids of runs that are held, and of runs over the token budget.
    """
    held_run_ids, past_budget = barred
    return {
        (run_id, *key): replace(cell, held=run_id in held_run_ids, past_budget=run_id in past_budget)
        if run_id in held_run_ids or run_id in past_budget
        else cell
        for run_id, run in runs.items()
        for key, cell in compute_run_cells(run, scopes, families).items()
    }


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


def _mark_cell(run: PlayedRun, cell: Cell, same_family: bool) -> Cell:
    """Return a cell with what is known of its run."""
    marks: dict[str, Any] = {"same_family": True} if same_family else {}
    if run.run.reference:
        marks["reference"] = True
    if not run.game.is_judged:
        marks |= {"rated_words": "played episodes have a value", "meaningless": run.meaningless.get(cell.judge, "")}
    # Cells are copied only where marks change: a large site has tens of thousands of them.
    return replace(cell, **marks) if marks else cell
