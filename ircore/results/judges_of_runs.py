"""Judges of several runs side by side: who they are, and the cells of each run by them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity
from ircore.players.traits import find_model_family
from ircore.results.cells import BoardKey, Cell, CellKey
from ircore.results.judge_ratings import Scope
from ircore.results.played_run import PlayedRun


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


def _mark_cell(run: PlayedRun, cell: Cell, same_family: bool) -> Cell:
    """Return a cell with what is known of its run."""
    marks: dict[str, Any] = {"same_family": True} if same_family else {}
    if run.run.reference:
        marks["reference"] = True
    if not run.game.is_judged:
        marks |= {"rated_words": "played episodes have a value", "meaningless": run.meaningless.get(cell.judge, "")}
    # Cells are copied only where marks change: a large site has tens of thousands of them.
    return replace(cell, **marks) if marks else cell


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
