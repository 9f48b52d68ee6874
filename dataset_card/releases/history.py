"""Naming a release, and saying what it brings against the former one."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from dataset_card.releases.former import FormerRelease
from dataset_card.releases.program import program_key
from dataset_card.releases.record import (
    Entry,
    ReleaseRecord,
    RunChange,
    RunNote,
    content_hash,
    release_name,
)
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
    former: FormerRelease | None,
    tombstones: Sequence[Withdrawal],
    date: str | None,
) -> ReleaseRecord:
    """Return what a release says of itself; one that holds what the former one holds is that release.

    Args:
        source: What it is made of.
        parts: What each run adds to each table.
        texts: The content of its files of records, by name.
        former: The release before.
        tombstones: Of all runs that were withdrawn, corrected or are disputed.
        date: Of the release, YYYY-MM-DD; None for that of the newest thing in it.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    version = version_of(source.results)
    layout = layout_key(CONFIGS)
    content = content_hash(parts, texts, layout)
    if former is not None and former.record.content == content and date in (None, former.record.date):
        return former.record.model_copy(update={"parts": parts, "program": program_key()})
    day = date or _newest(source, tombstones)
    name = release_name(version.name, day, content)
    entry = Entry(
        name=name,
        date=day,
        added=tuple(_added(source, former)),
        changed=tuple(_changed(source, parts, former)),
        withdrawals=tuple(one for one in tombstones if former is None or one not in former.tombstones),
        notes=tuple(_notes(source, former, version.words)),
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
        judges=source.results.judges,
        parts=parts,
        history=(entry, *(former.record.history if former is not None else ())),
    )


def _newest(source: ReleaseSource, tombstones: Sequence[Withdrawal]) -> str:
    """Return the day of the newest run or withdrawal: no clock, so that the same input gives the same release."""
    days = []
    for text in (*(run.run.started[:10] for run in source.runs), *(one.date for one in tombstones)):
        with suppress(InputError):
            days.append(parse_day(text, "started"))
    return max(days, default="1970-01-01")


def _added(source: ReleaseSource, former: FormerRelease | None) -> Iterator[RunNote]:
    known = former.runs if former is not None else {}
    return (RunNote.of(run.run) for run in source.runs if run.run.run_id not in known)


def _changed(source: ReleaseSource, parts: tuple[Part, ...], former: FormerRelease | None) -> Iterator[RunChange]:
    if former is None:
        return
    for run in source.runs:
        run_id = run.run.run_id
        own = [one for one in parts if one.run_id == run_id]
        tables = tuple(
            one.config for one in own if (old := former.parts.get((one.config, run_id))) and old.key != one.key
        )
        if run_id in former.runs and tables:
            yield RunChange(run=RunNote.of(run.run), tables=tables)


def _notes(source: ReleaseSource, former: FormerRelease | None, benchmark: str) -> Iterator[str]:
    if former is None:
        return
    if former.record.instance_set != source.instances.identity:
        yield f"Other targets: {benchmark}. Runs on the former ones stay in the releases before this one."
    now, before = set(source.results.judges), set(former.record.judges)
    for word, names in (("New judges", now - before), ("Judges no longer there", before - now)):
        if names:
            yield f"{word}: {', '.join(sorted(names))}."
