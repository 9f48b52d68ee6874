"""Facts that messages state and renderings show, and judges of facts held against the program's eye."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from ircore.results.conditions import under
from ircore.results.fact_shares import reader_agreement, said_points
from ircore.results.model import Results
from ircore.results.tables.agreement import agreement_value
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import ALL, caption, pair_columns, pair_values
from ircore.results.witnesses import (
    MOST_DISAGREEMENTS,
    CheckedTwice,
    checked_twice,
    disagreements,
    judges_of_facts,
    witness_of,
)
from ircore.scorers.stated_facts.records import GRAMMAR, latest

NOBODY = "No judge of facts has checked these runs beside verified: ircore score RUN --judge FILE, with asks: facts"
NOTES = (
    "Facts of renderings that both checked. False yes: planted sentences that it calls true although the eye saw the "
    "opposite; false no: facts that it calls false although the eye saw them. Both count the eye's own errors as the "
    "judge's (docs/verification-accuracy.md). Intervals are clustered on instances.",
)

_SHARES = (
    Column("false_yes", "false yes", "Planted sentences that it calls true.", "0–1", "lower", estimated=True),
    Column("false_no", "false no", "Facts that it calls false although the eye saw them.", "0–1", "lower",
           estimated=True),
    Column("wrong_yes", "yes to what fails", "Facts that it calls true although the eye saw them fail.", "0–1", "lower",
           estimated=True, audience="pages"),
    Column("undecided", "cannot tell", "Sentences without yes or no.", "0–1", "lower", estimated=True),
    Column("settled", "told beyond the eye", "Facts that the eye could not tell and it decided.", "0–1", "higher",
           estimated=True, audience="pages"),
    Column("all_right", "all right", "Renderings of which it calls every fact true.", "0–1", "higher", estimated=True),
)  # fmt: skip


def witnesses_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how far each judge of facts agrees with the eye, by category and by kind of fact."""
    columns = (
        Column("judge", "judge", "A model that was asked facts in sentences.", digits=None),
        Column("category", "category", f"A category, or {ALL}.", digits=None),
        Column("kind", "kind of fact", f"What the fact is about, or {ALL}.", digits=None),
        Column("facts", "facts", "Facts that both decided, over all renderings.", digits=0),
        Column("agreement", "agreement", "Share of these on which both say the same.", "0–1", "higher", estimated=True),
        Column("kappa", "Cohen's κ", "The same beyond chance.", "", "higher", estimated=True, implied="−1–1"),
        *_SHARES,
    )
    rows = []
    for judge in judges_of_facts(results):
        checked = list(checked_twice(results, judge, category, difficulty))
        groups = {
            (ALL, ALL): checked,
            **_grouped(checked, lambda fact: (fact.category, ALL)),
            **_grouped(checked, lambda fact: (ALL, fact.attribute)),
            **_grouped(checked, lambda fact: (fact.category, fact.attribute)),
        }
        for (kind_of_target, kind_of_fact), facts in groups.items():
            if not facts:
                continue
            witness = witness_of(judge, facts)
            rows.append(
                (
                    Value(judge), Value(kind_of_target), Value(kind_of_fact), Value(witness.facts),
                    agreement_value(witness.agreement), agreement_value(witness.kappa),
                    *(Value.of(getattr(witness, share.key), missing="no such sentence") for share in _SHARES),
                )
            )  # fmt: skip
    words = caption(results, None, category, difficulty)
    notes = NOTES if rows else (NOBODY,)
    spare = ("settled", "wrong_yes", "undecided")
    return Table("witnesses", "Two witnesses", words, columns, tuple(rows), notes, primary="kappa", spare=spare)


def _grouped(
    checked: Iterable[CheckedTwice], key: Callable[[CheckedTwice], tuple[str, str]]
) -> dict[tuple[str, str], list[CheckedTwice]]:
    groups: dict[tuple[str, str], list[CheckedTwice]] = defaultdict(list)
    for fact in checked:
        groups[key(fact)].append(fact)
    return dict(sorted(groups.items()))


def disagreements_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return facts on which a judge of facts and the eye contradict each other, for people to decide."""
    columns = (
        Column("run_id", "Run", "The run.", digits=None, audience="programs"),
        Column("pair", "pair", "Describer + generator.", digits=None, audience="readers"),
        Column("judge", "judge", "A model that was asked facts in sentences.", digits=None),
        Column("episode", "episode", "The episode.", digits=None),
        Column("turn", "turn", "1-based.", digits=0),
        Column("rendering", "Rendering", "SHA-256: the picture is renderings/….png of the run.", digits=None,
               audience="programs"),
        Column("sentence", "fact", "What is true of the target.", digits=None),
        Column("eye", "verified", "What the program says.", digits=None),
        Column("said", "judge says", "What the model says.", digits=None),
    )  # fmt: skip
    pairs = {run_id: who[-1] for run_id, who in pair_values(results).items()}
    words = {"1": "holds", "0": "fails"}
    rows = []
    count = 0
    for judge in judges_of_facts(results):
        checked = [
            fact
            for fact in checked_twice(results, judge, category, difficulty)
            if not fact.is_planted and {fact.eye, fact.judge} == {"0", "1"}
        ]
        count += len(checked)
        rows += [
            (
                Value(fact.run_id), pairs[fact.run_id], Value(judge), Value(fact.episode_id), Value(fact.turn),
                Value(fact.rendering), Value(fact.sentence), Value(words[fact.eye]), Value(words[fact.judge]),
            )
            for fact in disagreements(checked)
        ]  # fmt: skip
    notes = (
        (f"{len(rows):,} of {count:,} disagreements, drawn evenly over categories and kinds of fact, at most "
         f"{MOST_DISAGREEMENTS} a judge. People decide them: ircore show RUN --episode ID names the picture's file.",)
        if rows
        else ("The two witnesses contradict each other on no fact." if judges_of_facts(results) else NOBODY,)
    )  # fmt: skip
    title = "Facts on which the two witnesses differ"
    return Table("disagreements", title, caption(results, None, category, difficulty), columns, tuple(rows), notes)


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
