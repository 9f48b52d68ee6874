"""Said, drawn, corrected: what the describer says, what the generator draws of it, and what corrections mend."""

from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.said import said_points
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import PAIR_COLUMNS, caption, pair_values
from ircore.runs.folder import RunFolder
from ircore.scorers.said.records import SaidTurn, latest, read_said

NOT_MEASURED = "not measured: ircore score RUN --facts"


def said_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the shares said, drawn and corrected of each pair, over all turns and turn by turn."""
    columns = (
        *PAIR_COLUMNS,
        Column("turn", "turn", "1-based; last is each episode's last one.", digits=None),
        Column("said", "said", "Facts of the target that the messages state.", "0–1", "higher", estimated=True),
        Column("drawn", "drawn", "Facts stated that the rendering shows.", "0–1", "higher", estimated=True),
        Column("corrected", "corrected", "Facts wrong, then named, that are right after it.", "0–1", "higher",
               estimated=True),
    )  # fmt: skip
    rows = []
    for run_id, who in pair_values(results).items():
        episodes = [
            result.episode
            for result in results.episodes[run_id]
            if result.episode.played
            and category in (None, result.episode.category)
            and difficulty in (None, result.episode.difficulty)
        ]
        behind = Selection((run_id,), "played", category, difficulty)
        for point in said_points(_turns(results.runs[run_id]), episodes, results.instances):
            shares = [Value.of(share, behind, NOT_MEASURED) for share in (point.said, point.drawn)]
            corrected = Value.of(point.corrected, behind, "nothing wrong was named")
            rows.append((*who, Value("last" if point.turn is None else str(point.turn)), *shares, corrected))
    notes = (
        "Targets that were drawn; facts by weight, as in the verification. Messages are read by the grammar of the "
        "built-in players: what it cannot read counts as not said.",
    )
    words = caption(results, None, category, difficulty)
    return Table("said", "Said, drawn, corrected", words, columns, tuple(rows), notes, primary="said")


def _turns(run: PlayedRun) -> tuple[SaidTurn, ...]:
    """Return what was measured of a run; nothing of one that was read back from a release."""
    return latest(read_said(run.source)) if isinstance(run.source, RunFolder) else ()
