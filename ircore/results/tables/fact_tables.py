"""Tables of facts: the parts that pairs get right, the facts that messages state, and witnesses held against the eye.

What pairs get right are the parts of judge ``verified`` side by side, in full, and fact by fact. Judges of facts, which
look at renderings, and readers of messages are held against the program's eye and against the grammar of the built-in
players.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

from ircore.core.errors import InputError
from ircore.core.score_records import PARTS, ExtraBox, Part, RenderingFacts
from ircore.results.arrays import select_condition
from ircore.results.episodes import EpisodeResult
from ircore.results.fact_shares import PartResult, compare_readers, compute_said_points, estimate_parts
from ircore.results.headline import VERIFIED
from ircore.results.model import Results
from ircore.results.statistics.intervals import estimate
from ircore.results.tables.judges import build_agreement_value
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import ALL, format_caption, pair_columns, pair_values
from ircore.results.witnesses import (
    MOST_DISAGREEMENTS,
    CheckedTwice,
    compare_witness,
    list_fact_judges,
    match_checks,
    select_disagreements,
)
from ircore.runs.folder import GRAMMAR, select_latest_turns

if TYPE_CHECKING:
    from ircore.scorers.verification.verdicts import CheckedFact

NOT_KNOWN = "not verified: ircore score RUN"

ABOUT: dict[Part, str] = {
    "presence": "Things of the target that are there.",
    "text": "Labels that say what they should.",
    "colour": "Colours that are right.",
    "value": "Heights, shares, values, sizes and angles.",
    "place": "Where things are, and which is beside which.",
    "count": "How many there are of each kind.",
    "extra": "Precision: 1 if nothing is drawn that the target does not show.",
}
"""Description of each part."""

PARTS_NOTE = "Final renderings of drawn targets: share of the facts by weight that can be told, mean over episodes."

NO_WITNESS = "No judge of facts has checked these runs beside verified: ircore score RUN --judge FILE, with asks: facts"
WITNESS_NOTES = (
    "Facts of renderings that both checked. False yes: planted sentences that it calls true although the eye saw the "
    "opposite; false no: facts that it calls false although the eye saw them. Both count the eye's own errors as the "
    "judge's (docs/verification-accuracy.md). Intervals are clustered on instances.",
)

_WITNESS_COLUMNS = (
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

NOT_MEASURED = "not measured: ircore score RUN --facts"


def parts_table(
    results: Results, category: str | None = None, difficulty: str | None = None, order: str | None = None
) -> Table:
    """Return the parts of each pair side by side, best first.

    Args:
        results: Of any runs.
        category: Only this category; all if None.
        difficulty: Only this difficulty; both if None.
        order: The part that rows are ordered by; None for the score by verified.

    Raises:
        InputError: There is no such part.
    """
    if order is not None and order not in PARTS:
        raise InputError(f"no part is called {order!r}", f"Choose one of: {', '.join(PARTS)}.")
    columns = (
        *pair_columns(results),
        Column("score", "score", "Score by verified.", "0–10", "higher", estimated=True),
        *(Column(part, part, ABOUT[part], "0–1", "higher", estimated=True) for part in PARTS),
    )
    rows = []
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        key = (run_id, category, difficulty, VERIFIED)
        score = results.cells[key].score if key in results.cells else estimate([])
        parts = estimate_condition_parts(results, run_id, category, difficulty)
        shares = (Value.of(parts[part].share, behind, NOT_KNOWN) for part in PARTS)
        rows.append((*who, Value.of(score, behind, NOT_KNOWN), *shares))
    place = [column.key for column in columns].index(order or "score")
    # Shares and scores are never below 0, so that 1 stands after all of them: pairs without a value come last.
    rows.sort(key=lambda row: -value if isinstance(value := row[place].value, float) else 1.0)
    words = format_caption(results, VERIFIED, category, difficulty) + f" Ordered by {order or 'score'}."
    spare = tuple(part for part in reversed(PARTS) if part != order)
    title = "What is right, part by part"
    return Table("parts", title, words, columns, tuple(rows), (PARTS_NOTE,), primary="score", spare=spare)


def facts_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the share of right facts of each pair by category, difficulty and part, all before parts of the set."""
    columns = (
        *pair_columns(results),
        Column("category", "category", f"A category, or {ALL}.", digits=None),
        Column("difficulty", "difficulty", f"easy, hard, or {ALL}.", digits=None),
        Column("part", "part", "Of the score by verified.", digits=None),
        Column("share", "right", "Share of the facts, by weight, that are right.", "0–1", "higher", estimated=True),
        Column("held", "hold", "Facts that hold, over all episodes.", digits=0),
        Column("decided", "can be told", "Facts that hold or fail.", digits=0),
        Column("facts", "facts", "Facts of the targets.", digits=0),
    )
    conditions = tuple(
        product(
            (category,) if category else (None, *results.categories),
            (difficulty,) if difficulty else (None, *results.difficulties),
        )
    )
    rows = []
    for run_id, who in pair_values(results).items():
        for kind, level in conditions:
            for part, right in estimate_condition_parts(results, run_id, kind, level).items():
                if right.total:
                    share = Value.of(right.share, Selection((run_id,), "played", kind, level), "none can be told")
                    counts = (Value(right.held), Value(right.decided), Value(right.total))
                    rows.append((*who, Value(kind or ALL), Value(level or ALL), Value(part), share, *counts))
    words = format_caption(results, VERIFIED, category, difficulty)
    spare = ("facts", "decided", "held")
    return Table("facts", "Facts", words, columns, tuple(rows), (PARTS_NOTE,), primary="share", spare=spare)


def episode_facts_table(results: Results, episode_id: str) -> Table:
    """Return the facts of one episode as each pair that played it drew them, turn by turn.

    Raises:
        InputError: No pair has played such an episode.
    """
    columns = (
        *pair_columns(results),
        Column("turn", "turn", "1-based.", digits=0),
        Column("part", "part", "Of the score.", digits=None),
        Column("fact", "Fact", "Key of the fact within its target.", digits=None, audience="programs"),
        Column("sentence", "fact", "What is true of the target.", digits=None),
        Column("verdict", "verdict", "holds, fails or undecided.", digits=None),
        Column(
            "credit",
            "credit",
            "1 if it holds; between for what is nearly right; −1 for another mark's colour.",
            "−1 to 1",
            "higher",
        ),
        Column("attribute", "Attribute", "Of the fact, such as presence or colour.", digits=None, audience="programs"),
        Column("weight", "Weight", "How much it counts: percent of all facts.", digits=6, audience="programs"),
        Column(
            "transform_cost",
            "Transform cost",
            "Points that moving the rendering over the target costs.",
            digits=4,
            audience="programs",
        ),
        Column("reason", "reason", "Why it fails or cannot be told.", digits=None, nullable=True),
    )
    rows = []
    played = False
    for run_id, who in pair_values(results).items():
        for result in results.episodes[run_id]:
            if result.episode.episode_id == episode_id:
                played = True
                for turn, cost, fact in _list_facts_by_turn(results, run_id, result):
                    rows.append((*who, Value(turn), *_format_fact(fact, cost)))
    if not played:
        raise InputError(f"these runs have no episode {episode_id!r}", "Name an episode by the id of its instance.")
    words = f"Facts of episode {episode_id}, turn by turn; instance set {results.instance_set[:12]}."
    notes = () if rows else (f"Nothing is known of its facts: {NOT_KNOWN}; photographs have none.",)
    return Table("facts", "Facts of an episode", words, columns, tuple(rows), notes)


def estimate_condition_parts(
    results: Results, run_id: str, category: str | None = None, difficulty: str | None = None
) -> Mapping[Part, PartResult]:
    """Return each part of a run over the episodes of one condition."""
    # Not every category has targets of every difficulty.
    return results.runs[run_id].condition_parts.get((category, difficulty)) or estimate_parts(())


def witnesses_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how far each judge of facts agrees with the eye, by category and by kind of fact."""
    columns = (
        Column("judge", "judge", "A model that was asked facts in sentences.", digits=None),
        Column("category", "category", f"A category, or {ALL}.", digits=None),
        Column("kind", "kind of fact", f"What the fact is about, or {ALL}.", digits=None),
        Column("facts", "facts", "Facts that both decided, over all renderings.", digits=0),
        Column("agreement", "agreement", "Share of these on which both say the same.", "0–1", "higher", estimated=True),
        Column("kappa", "Cohen's κ", "The same beyond chance.", "", "higher", estimated=True, implied="−1–1"),
        *_WITNESS_COLUMNS,
    )
    rows = []
    for judge in list_fact_judges(results):
        checked = list(match_checks(results, judge, category, difficulty))
        groups = {
            (ALL, ALL): checked,
            **_group_facts(checked, lambda fact: (fact.category, ALL)),
            **_group_facts(checked, lambda fact: (ALL, fact.attribute)),
            **_group_facts(checked, lambda fact: (fact.category, fact.attribute)),
        }
        for (kind_of_target, kind_of_fact), facts in groups.items():
            if not facts:
                continue
            witness = compare_witness(judge, facts)
            rows.append(
                (
                    Value(judge), Value(kind_of_target), Value(kind_of_fact), Value(witness.facts),
                    build_agreement_value(witness.agreement), build_agreement_value(witness.kappa),
                    *(Value.of(getattr(witness, share.key), missing="no such sentence") for share in _WITNESS_COLUMNS),
                )
            )  # fmt: skip
    words = format_caption(results, None, category, difficulty)
    notes = WITNESS_NOTES if rows else (NO_WITNESS,)
    spare = ("settled", "wrong_yes", "undecided")
    return Table("witnesses", "Two witnesses", words, columns, tuple(rows), notes, primary="kappa", spare=spare)


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
    for judge in list_fact_judges(results):
        checked = [
            fact
            for fact in match_checks(results, judge, category, difficulty)
            if not fact.is_planted and {fact.eye, fact.judge} == {"0", "1"}
        ]
        count += len(checked)
        rows += [
            (
                Value(fact.run_id), pairs[fact.run_id], Value(judge), Value(fact.episode_id), Value(fact.turn),
                Value(fact.rendering), Value(fact.sentence), Value(words[fact.eye]), Value(words[fact.judge]),
            )
            for fact in select_disagreements(checked)
        ]  # fmt: skip
    notes = (
        (f"{len(rows):,} of {count:,} disagreements, drawn evenly over categories and kinds of fact, at most "
         f"{MOST_DISAGREEMENTS} a judge. People decide them: ircore show RUN --episode ID names the picture's file.",)
        if rows
        else ("The two witnesses contradict each other on no fact." if list_fact_judges(results) else NO_WITNESS,)
    )  # fmt: skip
    title = "Facts on which the two witnesses differ"
    return Table(
        "disagreements", title, format_caption(results, None, category, difficulty), columns, tuple(rows), notes
    )


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
        episodes = select_condition(played, category, difficulty)
        behind = Selection((run_id,), "played", category, difficulty)
        for point in compute_said_points(select_latest_turns(results.said[run_id]), episodes, results.instances):
            shares = [Value.of(share, behind, NOT_MEASURED) for share in (point.said, point.drawn)]
            corrected = Value.of(point.corrected, behind, "nothing wrong was named")
            rows.append((*who, Value("last" if point.turn is None else str(point.turn)), *shares, corrected))
    notes = (
        "Targets that were drawn; facts by weight, as in the verification. Messages are read by the grammar of the "
        "built-in players: what it cannot read counts as not said.",
    )
    words = format_caption(results, None, category, difficulty)
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
            compared = compare_readers(select_latest_turns(turns), select_latest_turns(turns, reader))
            share = Value.of(compared.agreement, behind, "no turn that both read")
            kappa = Value.or_missing(compared.kappa, "no variation")
            rows.append((*who, Value(reader), share, kappa, Value(compared.facts)))
    notes = () if rows else ("No judge has read these runs: ircore score RUN --facts --judge FILE",)
    return Table(
        "readers", "Readers of messages", format_caption(results), columns, tuple(rows), notes, primary="agreement"
    )


def _list_facts_by_turn(
    results: Results, run_id: str, result: EpisodeResult
) -> Iterator[tuple[int, float, "CheckedFact | tuple[int, ExtraBox]"]]:
    """Yield turn, cost of the transform, and a fact or a numbered extra."""
    from ircore.scorers.verification.judge import restore_checked_facts

    scenes = {instance.instance_id: instance.scene for instance in results.instances}
    scene = scenes[result.episode.instance_id]
    own: dict[str, RenderingFacts] = {
        line.rendering: line for line in results.runs[run_id].facts() if line.episode_id == result.episode.episode_id
    }
    for turn, rendering in result.episode.renderings.items():
        if scene is not None and rendering.sha256 in own:
            line = own[rendering.sha256]
            facts = restore_checked_facts(scene, line)
            yield from ((turn, line.cost, checked) for checked in facts)
            # Without facts another version derived them, so that nothing of the line can be relied on.
            yield from ((turn, line.cost, extra) for extra in enumerate(line.extras if facts else (), start=1))


def _format_fact(fact: "CheckedFact | tuple[int, ExtraBox]", cost: float) -> tuple[Value, ...]:
    if isinstance(fact, tuple):
        number, extra = fact
        sentence, reason = "Something is drawn that the target does not show.", "not in the target"
        values = ("extra", f"extra-{number}", sentence, "fails", 0.0, "extra", extra.weight, cost, reason)
        return tuple(Value(value) for value in values)
    return (
        Value(fact.fact.part),
        Value(fact.fact.key),
        Value(fact.fact.sentence),
        Value(fact.verdict),
        Value(fact.credit),
        Value(fact.fact.attribute),
        Value(fact.fact.weight),
        Value(cost),
        Value(fact.reason or None, missing=None if fact.reason else "it holds"),
    )


def _group_facts(
    checked: Iterable[CheckedTwice], key: Callable[[CheckedTwice], tuple[str, str]]
) -> dict[tuple[str, str], list[CheckedTwice]]:
    groups: dict[tuple[str, str], list[CheckedTwice]] = defaultdict(list)
    for fact in checked:
        groups[key(fact)].append(fact)
    return dict(sorted(groups.items()))
