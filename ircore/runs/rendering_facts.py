"""The facts of a run's renderings: file ``facts.jsonl``, append only, read line by line."""

from collections.abc import Iterable, Iterator

from pydantic import TypeAdapter

from ircore.core.fact_records import RenderingFacts
from ircore.core.journal import JournalWriter, read_records
from ircore.runs.folder import RunFolder

FACTS = "facts.jsonl"

_FACTS = TypeAdapter(RenderingFacts)


def read_facts(run: RunFolder) -> Iterator[RenderingFacts]:
    """Yield the facts of a run's renderings in the order of the file; nothing if the file is missing.

    Of two lines on one episode and rendering the later counts.

    Raises:
        InputError: A line is damaged.
    """
    return read_records(run.path / FACTS, _FACTS)


def add_facts(run: RunFolder, facts: Iterable[RenderingFacts]) -> None:
    """Append facts; the caller holds the run's lock.

    Raises:
        WorkError: They cannot be written; none of them is there then.
    """
    with JournalWriter(run.path / FACTS) as journal:
        journal.append(line.model_dump_json(exclude_defaults=True).encode() for line in facts)
