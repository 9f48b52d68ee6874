"""Joins of the tables of a release: the rows that joining them on their ids returns, counted."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from dataset_card.tables.columns import Config
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import BY_STEP, JOINS, is_transcripts

_Steps = tuple[object, object]
"""Episode and step."""


class JoinCounts:
    """Counts what a reader gets who joins the tables as the card says.

    A table joins with the owner of each of its ids, and tables of steps with transcripts on episode and step. Each row
    must find one row there, or the join would repeat or lose rows. Transcripts are taken before other tables of steps.

    >>> from dataset_card.tables.schema import EPISODES, INSTANCES
    >>> joins = JoinCounts()
    >>> for config in (INSTANCES, INSTANCES, EPISODES):
    ...     joins.take(config, {"instance_id": "rps/1a2b3c4d/one"})
    >>> list(joins.faults())
    [('data/episodes', 'joined with instances on instance_id, its 1 rows become 2')]
    """

    def __init__(self) -> None:
        self._ids: defaultdict[tuple[str, str], Counter[object]] = defaultdict(Counter)
        self._steps: Counter[_Steps] = Counter()
        self._by_step: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    def take(self, config: Config, row: Row) -> None:
        """Take the next row of a table."""
        for name in JOINS.keys() & row.keys():
            self._ids[config.name, name][row[name]] += 1
        if is_transcripts(config.name):
            self._steps[row["episode_id"], row["step"]] += 1
        elif config.name in BY_STEP and row["step"] is not None:
            rows = self._by_step[config.name]
            rows[0] += 1
            rows[1] += self._steps[row["episode_id"], row["step"]]

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield each join that does not give the rows of its table: the table's place, and the fault."""
        for (table, name), ids in self._ids.items():
            owner = JOINS[name]
            known, rows = self._ids[owner, name] if (owner, name) in self._ids else Counter[object](), ids.total()
            joined = sum(count * known[value] for value, count in ids.items())
            if joined != rows and table != owner:
                yield f"data/{table}", f"joined with {owner} on {name}, its {rows:,} rows become {joined:,}"
        for table, (rows, joined) in self._by_step.items():
            if joined != rows:
                yield (
                    f"data/{table}",
                    f"joined with transcripts on episode_id and step, {rows:,} rows become {joined:,}",
                )
