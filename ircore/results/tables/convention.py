"""Whether describers get shorter and keep their words, over turns and over repetitions of a target, as a table."""

from ircore.results.conditions import under
from ircore.results.convention import convention
from ircore.results.hops import SAME_EPISODES
from ircore.results.model import Results
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values

_COMPARED = {
    "wnr": ("novelty rate", "Word novelty rate (WNR) as ICCA's published code computes it."),
    "wnr_paper": ("novelty rate, paper", "WNR as ICCA's paper defines it: dropped words are free."),
    "wnd": ("novelty distance", "Word novelty distance (WND), published code, words."),
    "wnd_paper": ("novelty distance, paper", "WND, paper, words."),
    "overlap": ("words kept", "Content words that both messages have, of those that one has; 1: all kept."),
}


def convention_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return length and novelty of messages by turn, and by repetition of a target; a row for each pair and place."""
    columns = (
        *pair_columns(results),
        Column("over", "over", "Turns of an episode, or repetitions of a target.", digits=None),
        Column("place", "place", "Number of the turn or of the repetition.", digits=0),
        Column("words", "words", "Whitespace words a message.", digits=1, estimated=True),
        *(Column(key, title, about, estimated=True) for key, (title, about) in _COMPARED.items()),
    )
    targets = {instance.instance_id: instance.pictures["target"].sha256 for instance in results.instances}
    rows, repeated = [], False
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        for point in convention(results.game, under(results.episodes[run_id], category, difficulty), targets):
            repeated = repeated or point.over == "repetition"
            values = (Value.of(point.compared[key], behind, "no message before") for key in _COMPARED)
            length = Value.of(point.words, behind)
            rows.append((*who, Value(point.over), Value(point.place), length, *values))
    return Table(
        "convention",
        "Conventions",
        caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (SAME_EPISODES,) if repeated else (SAME_EPISODES, "No target of this set occurs twice: no repetitions."),
        spare=("wnd_paper", "wnr_paper", "wnd", "wnr", "overlap"),
    )
