"""How far raters agree: our counterpart of the paper's Tables 1, 2 and 4, and what the order of showing does."""

from ircore.results.agreement import AgreementResults, agreement_results
from ircore.results.model import Results
from ircore.statistics.agreement import Agreement
from ircore.tables.model import Column, Table, Value
from ircore.tables.pairs import caption

_MEASURES = (
    Column("pearson", "Pearson r", "Of similarity ratings of the same renderings.", "", "higher", estimated=True),
    Column("spearman", "Spearman ρ", "Of the same.", "", "higher", estimated=True),
    Column("agreement", "agreement", "Share of episodes with the same preference.", "0–1", "higher", estimated=True),
    Column("kappa", "Cohen's κ", "Of first, final and tie.", "", "higher", estimated=True),
    Column("decided_agreement", "agreement, decided", "Where neither left it tied.", "0–1", "higher", estimated=True,
           audience="pages"),
    Column("decided_kappa", "κ, decided", "Of the same.", "", "higher", estimated=True, audience="pages"),
)  # fmt: skip

NOTES = (
    "Renderings and episodes of all pairs; intervals are clustered on instances. A tie is an answer of its own: judges "
    "whose choice turns with the order of showing did not prefer either; 'decided' leaves ties out.",
)


def agreement_table(results: Results) -> Table:
    """Return every two raters side by side: judges, judges and people, annotators."""
    columns = (
        Column("kind", "who", "Two judges, a judge and the mean of people, or two annotators.", digits=None),
        Column("one", "one", "A judge, or an annotator's pseudonym.", digits=None),
        Column("other", "other", "A judge, human, or an annotator's pseudonym.", digits=None),
        *_MEASURES,
    )
    found = agreement_results(results.episodes)
    rows = tuple(
        (
            Value(pair.kind.replace("-", " × ")),
            Value(pair.one),
            Value(pair.other),
            *(_agreement(getattr(pair, column.key)) for column in _MEASURES),
        )
        for pair in found.pairs
    )
    notes = NOTES if rows else ("Fewer than two raters: nothing to compare.",)
    return Table("agreement", "Agreement of raters", caption(results), columns, rows, notes)


def annotators_table(results: Results) -> Table:
    """Return Krippendorff's α over all annotators."""
    columns = (
        Column("task", "task", "similarity or preference.", digits=None),
        Column("level", "level", "What differences count.", digits=None),
        Column("alpha", "Krippendorff's α", "1 is perfect, 0 is chance.", "", "higher", 3, estimated=True),
    )
    found = agreement_results(results.episodes)
    rows = (
        *((Value("similarity"), Value(level), _agreement(alpha)) for level, alpha in found.similarity_alpha.items()),
        (Value("preference"), Value("nominal"), _agreement(found.preference_alpha)),
    )
    words = f"Annotators: {', '.join(found.annotators) or 'none yet'}. {caption(results)}"
    return Table("annotators", "Agreement of all annotators", words, columns, rows, ())


def orders_table(results: Results) -> Table:
    """Return what the order in which two renderings are shown does to each judge."""
    columns = (
        Column("judge", "judge", "Who was asked in both orders.", digits=None),
        Column("disagree", "orders disagree", "Share of episodes.", "0–1", "lower", estimated=True),
        Column("first_shown", "chose the first shown", "Share of decided answers; 0.5 is no bias.", "0–1",
               estimated=True),
    )  # fmt: skip
    found: AgreementResults = agreement_results(results.episodes)
    rows = tuple((Value(one.judge), Value.of(one.disagree), Value.of(one.first_shown)) for one in found.orders)
    notes = () if rows else ("No judge was asked in both orders.",)
    return Table("orders", "Order of showing", caption(results), columns, rows, notes)


def _agreement(one: Agreement) -> Value:
    return Value(one.value, one.low, one.high, one.n, one.reason if one.value is None else None)
