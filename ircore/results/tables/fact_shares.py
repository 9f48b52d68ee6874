"""Said, drawn, corrected: shares of facts that describers say, that generators draw, and that corrections mend."""

from ircore.results.conditions import under
from ircore.results.fact_shares import reader_agreement, said_points
from ircore.results.model import Results
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values
from ircore.scorers.stated_facts.records import GRAMMAR, latest

NOT_MEASURED = "not measured: ircore score RUN --facts"


def said_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the shares said, drawn and corrected of each pair, over all turns and turn by turn."""
    columns = (
        *pair_columns(results),
        Column("turn", "turn", "1-based; last is each episode's last one.", digits=None),
        Column("said", "said", "Facts of the target that the messages state.", "0–1", "higher", estimated=True),
        Column("drawn", "drawn", "Facts stated that the rendering shows.", "0–1", "higher", estimated=True),
        Column("corrected", "corrected", "Facts wrong, then named, that are right after it, of n.", "0–1", "higher",
               estimated=True),
    )  # fmt: skip
    rows = []
    for run_id, who in pair_values(results).items():
        played = [result.episode for result in results.episodes[run_id] if result.episode.played]
        episodes = under(played, category, difficulty)
        behind = Selection((run_id,), "played", category, difficulty)
        for point in said_points(latest(results.said[run_id]), episodes, results.instances):
            shares = [Value.of(share, behind, NOT_MEASURED) for share in (point.said, point.drawn)]
            corrected = Value.of(point.corrected, behind, "nothing wrong was named")
            rows.append((*who, Value("last" if point.turn is None else str(point.turn)), *shares, corrected))
    notes = (
        "Targets that were drawn; facts by weight, as in the verification. Messages are read by the grammar of the "
        "built-in players: what it cannot read counts as not said.",
    )
    words = caption(results, None, category, difficulty)
    return Table("said", "Said, drawn, corrected", words, columns, tuple(rows), notes, primary="said")


def readers_table(results: Results) -> Table:
    """Return how far judges that read messages agree with the grammar of the built-in players, pair by pair."""
    columns = (
        *pair_columns(results),
        Column("reader", "reader", "The judge that read the messages.", digits=None),
        Column("agreement", "agreement", "Facts that both take as stated, or both as not.", "0–1", "higher",
               estimated=True),
        Column("kappa", "Cohen's κ", "The same beyond chance.", "−1–1", "higher", nullable=True),
        Column("facts", "facts", "Facts compared, each once a turn.", digits=0),
    )  # fmt: skip
    rows = []
    for run_id, who in pair_values(results).items():
        turns, behind = results.said[run_id], Selection((run_id,), "played")
        for reader in sorted({turn.reader for turn in turns} - {GRAMMAR}):
            compared = reader_agreement(latest(turns), latest(turns, reader))
            share = Value.of(compared.agreement, behind, "no turn that both read")
            kappa = Value.or_missing(compared.kappa, "no variation")
            rows.append((*who, Value(reader), share, kappa, Value(compared.facts)))
    notes = () if rows else ("No judge has read these runs: ircore score RUN --facts --judge FILE",)
    return Table("readers", "Readers of messages", caption(results), columns, tuple(rows), notes, primary="agreement")
