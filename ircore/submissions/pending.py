"""Which merged submissions maintainers have still to play, or to re-score."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ircore.core.records import Run
from ircore.games.reconstruction.prompts import load_prompts
from ircore.players.submission import LoadedSubmission, manifests_in, read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import read_provenance
from ircore.submissions.history import Step, is_gone, read_history, status_of


class Awaited(NamedTuple):
    """A submission that is waiting."""

    slug: str
    """Its folder's name."""

    what: str
    """What is to be done, and why."""


def awaited(folder: Path, runs: Sequence[Path], instance_set: str | None = None) -> list[Awaited]:
    """Return the submissions of a folder that no published run shows as they are now; withdrawn ones are left out.

    Args:
        folder: The submissions.
        runs: Published runs.
        instance_set: Identity of the set that counts; that of the published runs if None. Their prompts must be those
            of this version of the package in any case.

    Raises:
        InputError: There is no submission in it, or a manifest, a history or a run in it is damaged.
    """
    published: dict[str, list[RunFolder]] = {}
    for path in runs:
        one = RunFolder.open(path)
        published.setdefault(one.run.slug, []).append(one)
    return list(_awaited(folder, published, instance_set))


def _awaited(folder: Path, published: Mapping[str, Sequence[RunFolder]], instance_set: str | None) -> Iterator[Awaited]:
    for file in manifests_in(folder):
        steps = read_history(file.parent)
        if status_of(steps) == "withdrawn":
            continue
        loaded = read_manifest(file)
        verb = "to be played" if loaded.submission.transcripts is None else "to be re-scored"
        known = published.get(loaded.slug, ())
        runs = [one for one in known if _counts(one.run, instance_set)]
        if known and not runs:
            yield Awaited(loaded.slug, f"{verb}: its published run is of another version of the benchmark")
        elif why := _why(loaded, runs):
            yield Awaited(loaded.slug, f"{verb}: {why}{_first(loaded, runs, steps)}")


def _counts(run: Run, instance_set: str | None) -> bool:
    """Say whether a run is of the version of the benchmark that is played now."""
    return instance_set in (None, run.instance_set) and load_prompts(run.game).version == run.prompts


def _first(loaded: LoadedSubmission, runs: list[RunFolder], steps: Sequence[Step]) -> str:
    """Say which published run has to go before another one of the same rules can be released; empty if none has."""
    stays = [
        one.run.run_id
        for one in runs
        if one.run.rules == loaded.submission.rules
        and not is_gone(steps, one.run.run_id)
        and one.run.submission != loaded.submission
    ]
    return f"; before that, ircore submission correct --run {stays[0]}" if stays else ""


def _why(loaded: LoadedSubmission, runs: list[RunFolder]) -> str:
    """Say why no run shows a submission as it is; empty if one does."""
    merged = loaded.submission
    same = [
        one
        for one in runs
        if one.run.rules == merged.rules
        and (one.run.submission.describer, one.run.submission.generator) == (merged.describer, merged.generator)
    ]
    if not same:
        return "its players or rules changed since" if runs else "no run of it is published"
    known = [one for one in (read_provenance(run.path) for run in same) if one is not None]
    if not known:
        return "nobody vouches for its published run"
    if not any(one.source == merged.transcripts for one in known):
        return "its transcripts are others than those of the published run"
    return ""
