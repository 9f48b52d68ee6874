"""The channel test as a table."""

from collections.abc import Mapping, Sequence

from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.model import Column, Table, Value
from ircore.runs.folder import RunFolder
from ircore.submissions.channel.channel_test import ChannelResult

NOT_ASKED = "the pair's own generator cannot be asked here"

_SCORES: Mapping[str, tuple[str, str]] = {
    "own": ("own", "Mean score of the pair's own final pictures."),
    "same": ("same words", "Mean score of the neutral generator, given the same messages."),
    "paraphrase": ("paraphrased", "Mean score of the neutral generator, given paraphrases of the messages."),
    "other": ("other words", "Mean score of the neutral generator, given the messages about other targets."),
    "own_paraphrase": ("own, paraphrased", "Mean score of the pair's own generator, given the paraphrases."),
}
_SHARES: Mapping[str, tuple[str, str]] = {
    "same": ("kept, same words", "Share of the pair's gain over other words that the same messages keep."),
    "paraphrase": ("kept, paraphrased", "Share that paraphrases keep with the neutral generator."),
    "own_paraphrase": ("kept by own", "Share that paraphrases keep with the pair's own generator."),
}

COLUMNS = (
    Column("run_id", "Run", "The run.", digits=None, audience="programs"),
    Column("pair", "pair", "Describer + generator.", digits=None),
    Column("verdict", "verdict", "carried, collapsed, or too little to tell.", digits=None),
    *(Column(key, title, text, "0–10", "higher", 1, estimated=True) for key, (title, text) in _SCORES.items()),
    *(Column(f"kept_{key}", title, text, "", "higher", 2, estimated=True) for key, (title, text) in _SHARES.items()),
)


def channel_table(runs: Sequence[RunFolder], results: Sequence[ChannelResult], judge: str, neutral: str) -> Table:
    """Return the results of channel tests, a row a run.

    Args:
        runs: The runs.
        results: Of each run, in the same order.
        judge: Whose scores.
        neutral: Label of the neutral generator.
    """
    rows = tuple(
        (
            Value(run.run.run_id),
            Value(" + ".join(spec.label for spec in run.run.submission.players.values())),
            Value(result.verdict),
            *(_value(result.scores.get(key)) for key in _SCORES),
            *(_value(result.shares.get(key)) for key in _SHARES),
        )
        for run, result in zip(runs, results, strict=True)
    )
    words = f"Final pictures judged by {judge}; the neutral generator is {neutral}."
    return Table("channel-test", "Channel test", words, COLUMNS, rows)


def _value(estimate: Estimate | None) -> Value:
    return Value(None, missing=NOT_ASKED) if estimate is None else Value.of(estimate)
