"""Naming a release, and saying what it brings against the previous one."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from dataset_card.releases.program import program_key
from dataset_card.releases.record import (
    Entry,
    ReleaseRecord,
    RunChange,
    RunNote,
    content_hash,
    release_name,
)
from dataset_card.releases.renderer import renderer
from dataset_card.releases.stored import StoredRelease
from dataset_card.tables.parts import Part, layout_key
from dataset_card.tables.rows import ReleaseSource
from dataset_card.tables.schema import CONFIGS
from ircore.core.errors import InputError
from ircore.core.lifecycle import Withdrawal, parse_day
from ircore.results.benchmark_version import version_of


def describe_release(
    source: ReleaseSource,
    parts: tuple[Part, ...],
    texts: dict[str, str],
    previous: StoredRelease | None,
    tombstones: Sequence[Withdrawal],
    date: str | None,
) -> ReleaseRecord:
    """Return what a release says of itself; one that holds what the previous one holds is that release.

    Args:
        source: What it is made of.
        parts: What each run adds to each table.
        texts: The content of its files of records, by name.
        previous: The release before.
        tombstones: Of all runs that were withdrawn, corrected or are disputed.
        date: Of the release, YYYY-MM-DD; None for that of the newest thing in it.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    version = version_of(source.results)
    layout = layout_key(CONFIGS)
    content = content_hash(parts, texts, layout)
    if previous is not None and previous.record.content == content and date in (None, previous.record.date):
        changed = {"parts": parts, "program": program_key(), "renderer": renderer()}
        return previous.record.model_copy(update=changed)
    day = date or _newest(source, tombstones)
    name = release_name(version.name, day, content)
    entry = Entry(
        name=name,
        date=day,
        added=tuple(_added(source, previous)),
        changed=tuple(_changed(source, parts, previous)),
        withdrawals=tuple(one for one in tombstones if previous is None or one not in previous.tombstones),
        notes=tuple(_notes(source, previous, version.words)),
    )
    return ReleaseRecord(
        name=name,
        benchmark=version.name,
        instance_set=version.instance_set,
        prompts=version.prompts,
        date=day,
        content=content,
        layout=layout,
        program=program_key(),
        renderer=renderer(),
        judges=source.results.judges,
        parts=parts,
        parent=previous.as_parent() if previous is not None else None,
        history=(entry, *(previous.record.history if previous is not None else ())),
    )


def _newest(source: ReleaseSource, tombstones: Sequence[Withdrawal]) -> str:
    """Return the day of the newest run or withdrawal: no clock, so that the same input gives the same release."""
    days = []
    for text in (*(run.run.started[:10] for run in source.runs), *(one.date for one in tombstones)):
        with suppress(InputError):
            days.append(parse_day(text, "started"))
    return max(days, default="1970-01-01")


def _added(source: ReleaseSource, previous: StoredRelease | None) -> Iterator[RunNote]:
    known = previous.runs if previous is not None else {}
    return (RunNote.of(run.run) for run in source.runs if run.run.run_id not in known)


def _changed(source: ReleaseSource, parts: tuple[Part, ...], previous: StoredRelease | None) -> Iterator[RunChange]:
    if previous is None:
        return
    for run in source.runs:
        run_id = run.run.run_id
        own = [one for one in parts if one.run_id == run_id]
        tables = tuple(
            one.config for one in own if (old := previous.parts.get((one.config, run_id))) and old.key != one.key
        )
        if run_id in previous.runs and tables:
            yield RunChange(run=RunNote.of(run.run), tables=tables)


def _notes(source: ReleaseSource, previous: StoredRelease | None, benchmark: str) -> Iterator[str]:
    if previous is None:
        return
    if previous.record.instance_set != source.instances.identity:
        yield f"Other targets: {benchmark}. Runs on the previous ones stay in the releases before this one."
    now, before = set(source.results.judges), set(previous.record.judges)
    for word, names in (("New judges", now - before), ("Judges no longer there", before - now)):
        if names:
            yield f"{word}: {', '.join(sorted(names))}."
