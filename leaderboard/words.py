"""Words of all pages: terms, number formats and sentences, and strangers' words as HTML that does nothing.

Each concept has a single name, and each number one format. Sentences say the finding of a page: a board's leader, a
run's place, a player's best condition.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from ircore.core.episode_records import AbortReason
from ircore.core.records import Instance
from ircore.core.untrusted_text import make_visible
from ircore.games.base import Measure
from ircore.games.registry import find_category_words
from ircore.results.cells import Cell
from ircore.results.corrections import Correction
from ircore.results.episodes import Convergence, Doubt
from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import TOO_FEW, Estimate, are_too_few
from ircore.results.tables.formats import format_interval_text
from ircore.results.tables.formats import number as written
from ircore.results.tables.pairs import explain_no_rank

MISSING = "–"
"""Sign in place of a missing value; the reason stands in its tooltip or beside it."""

PROGRAM_MARK = "°"
"""Sign behind the name of a player that is a program of this project."""

PROGRAM_MEANING = "a program that comes with this project, no AI model"

NOT_RATED: Mapping[str, tuple[str, str]] = {
    "unplayed": (MISSING, "not played"),
    "unfinished": (MISSING, "no result yet"),
    "refused": ("×", "refused by the judge"),
    "pending": ("…", "not rated yet"),
    "outside": ("n/a", "not applicable: the judge does not rate such pictures"),
}
"""Sign shown in place of an episode's score, and its explanation, by kind."""

_PAPER_JUDGES: Mapping[str, str] = {
    "gpt": "GPT",
    "claude": "Claude",
    "qwen3": "Qwen3",
    "lipsim": "LipSim",
    "human": "People",
}
"""Names of the paper's judges on pages."""

OUTCOMES: Mapping[str, str] = {
    "converged": "converged",
    "turn_limit": "turn limit",
    "aborted": "aborted",
}

CONVERGENCES: Mapping[Convergence, str] = {
    "improved": "improved",
    "stable": "stable",
    "regressed": "regressed",
    "no_refinement": "single turn",
}

REASONS: Mapping[AbortReason, str] = {
    "describer_format": "the describer broke the answer format",
    "describer_empty": "the describer said nothing",
    "describer_done_first": "the describer was done before anything was drawn",
    "describer_over_budget": "the describer's message was over the token budget",
    "describer_refused": "the describer refused to look or to speak",
    "generator_refused": "the generator refused to draw",
    "generator_no_image": "the generator returned no picture",
    "too_many_pictures": "the service takes fewer pictures than the rules show",
    "context_too_long": "the dialogue is longer than the service's context",
    "provider_error": "a provider failed",
    "given_up": "given up: the run was declared final without it",
}

CORRECTION_WORDS: Mapping[Correction, str] = {
    "position": "position",
    "size": "size",
    "colour": "colour",
    "add_remove": "add or remove",
    "shape": "shape",
    "label": "label",
    "style": "style",
    "comparison": "comparison",
    "numeric": "number",
    "acknowledgement": "acknowledgement",
}
"""Names of the correction categories on pages, in the order of the legend."""


def format_category(category: str) -> str:
    """Return a category's name for headings; for an unknown category its identifier in plain words."""
    return find_category_words(category).title


def shorten_category(category: str) -> str:
    """Return a category's name for a narrow column."""
    words = find_category_words(category)
    return words.short or words.title


def name_instances(instances: Iterable[Instance]) -> dict[str, str]:
    """Return the names of a set's instances for headings, such as ``Pie graphs, hard, 3``, by their ids.

    Args:
        instances: All instances of the set in its order, since they are counted by category and difficulty.
    """
    counted: Counter[tuple[str, str]] = Counter()
    titles = {}
    for instance in instances:
        condition = instance.category, instance.difficulty
        counted[condition] += 1
        titles[instance.instance_id] = f"{format_category(condition[0])}, {condition[1]}, {counted[condition]}"
    return titles


def name_run_pages(runs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the name of each run's page: the slug, or the run's id where the slug alone would not be unique.

    Args:
        runs: Slug and id of each run.

    Returns:
        Names by run id. No two runs share one, even if a slug is the id of another run.

    >>> name_run_pages([("a", "a-97e64db0"), ("b", "b-00000000"), ("b", "b-11111111")])
    {'a-97e64db0': 'a', 'b-00000000': 'b-00000000', 'b-11111111': 'b-11111111'}
    >>> name_run_pages([("a", "a-97e64db0"), ("a-97e64db0", "a-97e64db0-22222222")])["a-97e64db0-22222222"]
    'a-97e64db0-22222222'
    """
    counts, run_ids = Counter(slug for slug, _ in runs), {run_id for _, run_id in runs}
    return {run_id: slug if counts[slug] == 1 and slug not in run_ids else run_id for slug, run_id in runs}


def name_waiting_page(slug: str, run_ids: Collection[str]) -> str:
    """Return the name of the page of a submission without a run.

    Args:
        slug: The submission's folder name.
        run_ids: Ids of the runs on the site, which may be names of pages.
    """
    # No slug has a tilde, so that this name is nobody else's.
    return f"{slug}~waiting" if slug in run_ids else slug


def lower_title(title: str) -> str:
    """Return the title of a measure for the middle of a sentence: abbreviations keep their capitals.

    >>> lower_title("Element F1, last hop"), lower_title("SSIM")
    ('element F1, last hop', 'SSIM')
    """
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with a true minus sign; a dash where there is none."""
    return MISSING if value is None else written(value, digits)


def scale_end(value: float) -> str:
    """Return an end of a scale with as many digits as it has: ``1``, ``0.5``, ``−2``."""
    return f"{value:.12g}".replace("-", "−")


def format_signed(value: float | None, digits: int = 2) -> str:
    """Format a difference with its sign; zero has none."""
    return MISSING if value is None else written(value, digits, signed=True)


def format_share(share: float | None) -> str:
    """Format a share 0–1 as whole percent, without the sign; the unit stands in the header."""
    return MISSING if share is None else f"{100 * share:.0f}"


def describe_interval(estimate: Estimate, digits: int = 2, unit: str = "") -> str:
    """Return a mean's confidence interval and sample size in words, or the reason why there is no interval.

    Args:
        estimate: Mean and interval.
        digits: Decimals.
        unit: Written behind the upper end, such as `` %``.
    """
    if estimate.mean is None:
        return "no rated episode"
    if estimate.low is None or estimate.high is None:
        return "one episode, so no interval" if estimate.n == 1 else f"no interval, n = {estimate.n}"
    # An interval of few pictures is shown, but never without the warning.
    few = f", {TOO_FEW}" if are_too_few(estimate.n) else ""
    return (
        f"95 % interval {number(estimate.low, digits)} to {number(estimate.high, digits)}{unit}, n = {estimate.n}{few}"
    )


def rank(low: int | None, high: int | None) -> str:
    """Format a range of ranks: ``2–4``, or ``1`` for a single rank."""
    if low is None or high is None:
        return MISSING
    return str(low) if low == high else f"{low}–{high}"


def open_words(doubt: Doubt) -> str:
    """Return in words how far facts that could not be told leave a score open.

    >>> from ircore.results.episodes import Doubt
    >>> open_words(Doubt(low=5.8, high=10.0, undecided=0.22, unread=True))
    '5.80 to 10.00 possible: 22 % of the facts open, labels not read'
    """
    share = f"{100 * doubt.undecided:.0f}" if doubt.undecided >= 0.005 else "under 1"
    read = ", labels not read" if doubt.unread else ""
    low, high = number(doubt.low), number(doubt.high)
    reach = f"{low} to {high} possible: " if low != high else ""
    return f"{reach}{share} % of the facts open{read}"


def describe_unrated(cell: Cell) -> list[tuple[str, str]]:
    """Return the kinds of unrated renderings: a keyword for programs, and a count in words.

    Returns:
        Any of ``refused``, ``pending`` and ``outside`` (nothing that this judge rates), those that occur.
    """
    outside = cell.played - cell.applicable
    said = (
        ("refused", cell.refused, "refused"),
        ("pending", cell.pending, "not yet"),
        ("outside", outside, "not applicable"),
    )
    return [(kind, f"{count} {words}") for kind, count, words in said if count]


def judge_name(judge: str) -> str:
    """Return the name on pages of a judge of the paper, or of one of its annotators."""
    return _PAPER_JUDGES.get(judge) or judge.removeprefix("annotator ")


def choose_digits(measure: Measure) -> int:
    """Return the number of decimals by the width of a measure's range: 2 up to 10, 1 up to 1000, else 0.

    Without bounds, an amount in a unit, such as words, has 1, and any other number 2.
    """
    width = measure.bounds[1] - measure.bounds[0] if measure.bounds else 100.0 if measure.unit else 1.0
    return 2 if width <= 10 else 1 if width <= 1000 else 0


def format_interval_width(
    estimate: Estimate, digits: int = 2, end_digits: int | None = None, difference: bool = False
) -> str:
    """Return half the width of an interval, or its ends where ± would mislead; empty without an interval."""
    ends = estimate.low, estimate.high
    return format_interval_text(estimate.mean, ends, estimate.n, digits, difference, end_digits=end_digits)


def lead_words(rows: Sequence[RankedRow[Any, Any]], name: str, noun: str = "pair") -> str:
    """Return who leads a board, with the main score and its interval, over how many; empty without a main score.

    Args:
        rows: Rows of the board, best first.
        name: Name of the first row.
        noun: Who is ranked, in the singular.
    """
    if not rows or rows[0].cell.main.mean is None:
        return ""
    score = describe_estimate(rows[0].cell.main, 1)
    if len(rows) == 1:
        return f"{name} has a main score of {score}"
    ranked, top = sum(row.rank_low is not None for row in rows), sum(row.top for row in rows)
    if not ranked:
        return f"{name} has the highest main score of {len(rows)} {noun}s, {score}; none of them has a rank"
    among = f"{len(rows)} {noun}s" if ranked == len(rows) else f"{ranked} {noun}s with a rank"
    if top == 1:
        return f"{name} leads {among}, main score {score}"
    alike = sum(number(row.cell.main.mean, 1) == number(rows[0].cell.main.mean, 1) for row in rows if row.top)
    leaders = f"{name} has" if alike == 1 else f"{name} and {alike - 1} more have"
    alone = "the two cannot be told apart" if ranked == 2 else "no two of them can be told apart"
    apart = f"{top} of them may be the best" if top < ranked else alone
    return f"{leaders} the highest main score of {among}, {score}; {apart}"


def place_words(row: RankedRow[Any, Any], among: int) -> str:
    """Return a run's rank among so many, or why it has none, and its main score with its interval."""
    ranks = rank(row.rank_low, row.rank_high)
    place = f"no rank ({explain_no_rank(row)})" if row.rank_low is None else f"rank {ranks} of {among}"
    main = row.cell.main
    return place if main.mean is None else f"{place}, main score {describe_estimate(main, 1)}"


def describe_estimate(estimate: Estimate, digits: int = 2) -> str:
    """Return a mean with its interval and n in brackets.

    >>> describe_estimate(Estimate(79.84, 70.1, 88.9, 42), 1)
    '79.8 (95 % interval 70.1 to 88.9, n = 42)'
    """
    return f"{number(estimate.mean, digits)} ({describe_interval(estimate, digits)})"


def describe_extremes(best: tuple[str, float], worst: tuple[str, float]) -> str:
    """Return on what the score is highest and lowest, each with its score, 0–10.

    >>> describe_extremes(("geometry, easy", 9.81), ("photos", 2.0))
    'best on geometry, easy (9.8), worst on photos (2.0)'
    """
    return f"best on {best[0]} ({number(best[1], 1)}), worst on {worst[0]} ({number(worst[1], 1)})"


def render_untrusted(text: str) -> Markup:
    """Return a stranger's text as HTML that does nothing: escaped, hidden characters shown, direction isolated.

    Line breaks become character references, so that the text never adds a line to the page's source.
    """
    return Markup('<bdi dir="auto">{}</bdi>').format(escape_untrusted(text))


def escape_untrusted(text: str) -> Markup:
    """Return a piece of a stranger's text as HTML that does nothing, for use within a ``bdi`` that holds all pieces."""
    safe = str(escape(make_visible(text))).replace("\n", "&#10;").replace("\t", "&#9;")
    return Markup(safe)  # noqa: S704 - escaped one line above
