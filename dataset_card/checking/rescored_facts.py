"""Facts of a release compared with facts that are computed again from the release's pictures."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from dataset_card.tables.fact_table import FACT_COLUMNS, build_rendering_rows, group_by_turn
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.released_run import ReleasedRun
from dataset_card.tables.rows import Row, parse_public_id
from dataset_card.tables.schema import FACTS
from ircore.core.records import Scene
from ircore.core.score_records import VERIFIED, RenderingFacts

_COMPARED = tuple(name for name in FACT_COLUMNS if name not in ("episode_id", "step", "rendering_sha256", "judge"))

Place = tuple[str, str]
"""Episode and rendering."""


class StatedFacts:
    """The facts that a run of a release states; of each turn only a hash of the facts is held.

    Args:
        run: The run, as read back.
        episodes: Ids of the episodes that are computed again.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> list(StatedFacts(run, episodes=()).differences(scenes={}, computed=()))
    []
    """

    def __init__(self, run: ReleasedRun, episodes: Iterable[str]) -> None:
        self._run = run
        drawn = set(episodes)
        self._keys: dict[Place, dict[int, str]] = {}
        for place, turn, rows in self._group_by_turn():
            if place[0] in drawn:
                self._keys.setdefault(place, {})[turn] = _compute_key(rows)

    def differences(self, scenes: Mapping[str, Scene], computed: Iterable[RenderingFacts]) -> Iterator[str]:
        """Yield a line for each turn whose facts differ from the computed facts.

        Args:
            scenes: What the targets show, by episode.
            computed: Of the renderings of one episode.
        """
        if not self._keys:  # the release, or this run in it, was built before facts were kept
            return
        for line in computed:
            rows = list(build_rendering_rows(scenes[line.episode_id], line))
            place, key = (line.episode_id, line.rendering), _compute_key(rows)
            where = f"run {self._run.run.run_id}, episode {line.episode_id}"
            stated = self._keys.get(place)
            if stated is None:
                yield f"{where}: rendering {line.rendering[:12]}… has no facts, though others of this run have"
            for turn in (turn for turn, known in (stated or {}).items() if known != key):
                yield f"{where}, turn {turn}: {self._describe_difference(place, turn, rows)}"

    def _describe_difference(self, place: Place, turn: int, computed: list[Row]) -> str:
        ours = {str(row["fact"]): row for row in computed}
        # The table is read again, since only hashes of the stated facts are held.
        rows = next(rows for other, number, rows in self._group_by_turn() if (other, number) == (place, turn))
        stated = {str(row["fact"]): row for row in rows}
        for fact in dict.fromkeys((*stated, *ours)):
            of_table, own = stated.get(fact), ours.get(fact)
            if of_table is None or own is None:
                return f"fact {fact} is {'missing' if of_table is None else 'not there when computed again'}"
            for name in _COMPARED:
                if of_table[name] != own[name]:
                    return (
                        f"fact {fact}: {name} is {_shorten_value(of_table[name])}, computed again "
                        f"{_shorten_value(own[name])}"
                    )
        return "its facts are in another order"

    def _group_by_turn(self) -> Iterator[tuple[Place, int, list[Row]]]:
        rows = read_plain(self._run.fact_files, FACTS, FACT_COLUMNS)
        for (episode, turn, rendering, judge), own in group_by_turn(rows):
            # What a model said cannot be computed again.
            if judge == VERIFIED:
                yield (parse_public_id(episode), str(rendering)), int(str(turn)), own


def _compute_key(rows: Iterable[Row]) -> str:
    values = [[row[name] for name in _COMPARED] for row in rows]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _shorten_value(value: object) -> str:
    return repr(value)[:80]
