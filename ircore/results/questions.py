"""Ready questions to a game's board, answered from the data: a sentence with its interval, a table, episodes.

Every mean is over instances: the scores of an instance are averaged over pairs first, so that it counts once however
many pairs played it. Judges' scores are from 0 to 10; a measure of the game itself counts as its main score, 0 to 100.
Intervals and claims follow ``ircore.results.statistics.intervals``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from ircore.core.plain_words import add_article, format_count
from ircore.core.records import Instance
from ircore.core.score_records import HUMAN
from ircore.results.arrays import arrange_values, compute_target_means, estimate_target_mean, select_condition, strata
from ircore.results.effects import list_usual_pairs, select_usual_runs
from ircore.results.episodes import EpisodeResult
from ircore.results.judge_ratings import Floats
from ircore.results.model import BoardRow, Results
from ircore.results.statistics.agreement import Agreement
from ircore.results.statistics.bootstrap import estimate_differences, resample
from ircore.results.statistics.effects import find_complete_grid
from ircore.results.statistics.intervals import (
    DIFFERENCE,
    SCORE,
    SHARE,
    Estimate,
    Scale,
    are_too_few,
    clear_of,
    estimate,
    subtract_estimates,
)
from ircore.results.statistics.ranks import rank_pairs
from ircore.results.subsets import select_by_rules
from ircore.results.tables.formats import number


@dataclass(frozen=True)
class AnswerLine:
    """A row of the table behind an answer."""

    label: str
    """A player, a category, a target or a pair of judges; of players a stranger's words."""

    value: Estimate


@dataclass(frozen=True)
class Answer:
    """The answer to a question.

    Example:
        >>> line = AnswerLine("easy", Estimate(7.0, 6.0, 8.0, 21))
        >>> Answer("hard", "Is hard harder?", "Yes.", "Difficulty", "0–10", (line,), episodes=()).lines[0].value.n
        21
    """

    key: str
    """Name in addresses."""

    question: str
    sentence: str
    """One sentence with its interval; holds labels of players, so escape it."""

    about: str
    """Title of the table's first column."""

    unit: str
    """Unit of the table's values."""

    lines: tuple[AnswerLine, ...]
    """The table behind the sentence."""

    episodes: tuple[tuple[str, str], ...]
    """Run and instance of the episodes to look at."""

    order: str = ""
    """Which episodes these are, in words."""

    ends: tuple[float, float] = (0.0, 10.0)
    """Lowest and highest value of the scale of the table's values."""

    reservations: tuple[str, ...] = ()
    """What the answer leaves open, a sentence each; hold labels of players, too."""


def format_interval(value: Estimate, digits: int = 1, unit: str = "") -> str:
    """Return an estimate in words: its mean with its interval and n; without the interval where pictures are too few.

    >>> format_interval(Estimate(9.125, 8.0, 9.9, 12)), format_interval(Estimate(9.0, 0.5, 9.9, 2))
    ('9.1 (95 % interval 8.0 to 9.9, n = 12)', '9.0 (n = 2, too few)')
    >>> format_interval(Estimate(0.4, 0.03, 0.6, 12))
    '0.40 (95 % interval 0.03 to 0.60, n = 12)'
    """
    if value.mean is None:
        return "unknown"
    if are_too_few(value.n):
        return f"{number(value.mean, digits)}{unit} (n = {value.n}, too few)"
    ends = ""
    if value.low is not None and value.high is not None:
        # An end that is not 0 must not look like it: that decides whether a difference is clear.
        while any(0 < abs(end) < 0.5 * 10.0**-digits for end in (value.low, value.high)) and digits < 4:
            digits += 1
        ends = f"95 % interval {number(value.low, digits)} to {number(value.high, digits)}, "
    return f"{number(value.mean, digits)}{unit} ({ends}n = {value.n:,})"


PICTURES = 6
"""Episodes to look at for an answer."""

_MOST_ROWS = 12
_MOST_NAMED = 3
"""Players left out of a comparison that are named."""
_HARDEST = "pie_graph"
"""Category of the question on describers, where the set has it."""

DRAWN = 5.0
"""Score, 0–10, that a target must reach by some pair to count as drawn."""


def answer_questions(results: Results, judge: str) -> tuple[Answer, ...]:
    """Return the answers that the data allow.

    Args:
        results: Of some runs.
        judge: Whose scores answer.
    """
    table = _ScoreTable(results, judge)
    questions: tuple[Callable[[_ScoreTable], Answer | None], ...] = (
        _answer_best_run, _answer_best_of_first_seat, partial(_answer_best_player, place=1), _answer_rules,
        _answer_refinement, _answer_hardest_targets, _answer_hardest_category, _answer_difficulty, _answer_judges,
        _answer_satisfaction,
    )  # fmt: skip
    return tuple(answer for question in questions if (answer := question(table)) is not None)


class _ScoreTable:
    """Scores of one judge as a table, instances by runs."""

    def __init__(self, results: Results, judge: str) -> None:
        self.results, self.judge = results, judge
        self.runs = [submission.run_id for submission in results.submissions]
        self.words = results.game.pages.words
        # Similarities are known to readers where judges give them; elsewhere boards show main scores.
        self.factor, self.score = (1.0, "score") if results.game.is_judged else (10.0, "main score")
        self.ends = (0.0, 10 * self.factor)
        self.lowest = "final scores" if results.game.is_judged else "main scores"
        self.noun = "pair" if results.crossed and len(results.seats) == 2 else "run"
        self.unit = f"0–{10 * self.factor:g}"

    def interval(self, value: Estimate) -> str:
        """Return a score, 0–10, in words, in the unit of the table."""
        return format_interval(value.times(self.factor))

    def lines(self, lines: Iterable[AnswerLine]) -> tuple[AnswerLine, ...]:
        """Return rows of scores, 0–10, in the unit of the table."""
        return tuple(AnswerLine(line.label, line.value.times(self.factor)) for line in lines)

    def finals(self, instances: Sequence[Instance]) -> Floats:
        return self.results.finals(self.judge, self.runs, instances)

    def filled(self, value: Callable[[EpisodeResult], float | None]) -> Floats:
        """Return a number of each episode, NaN where it is None."""
        return arrange_values(self.results.instances, [self.results.episodes[run_id] for run_id in self.runs], value)

    def episodes(
        self, instances: Sequence[Instance], scores: Floats, least_first: bool = False
    ) -> tuple[tuple[str, str], ...]:
        """Return the episodes with the highest scores, or the least, one a target."""
        rows, columns = np.nonzero(~np.isnan(scores))
        values = scores[rows, columns]
        # Of equal scores the first target and then the first run comes first.
        order = np.lexsort((columns, rows, values if least_first else -values))
        first: dict[int, int] = {}
        for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
            first.setdefault(row, column)
            if len(first) == PICTURES:
                break
        names = {row: instances[row].instance_id for row in first}
        return tuple((self.select_drawn(scores[row], first[row], name), name) for row, name in names.items())

    def select_drawn(self, scores: Floats, column: int, instance_id: str) -> str:
        """Return the first run with the same score whose episode holds a picture to look at; the run itself if none.

        Args:
            scores: Of every run on the instance.
            column: Of the run.
            instance_id: The instance.
        """
        for other in [column, *np.flatnonzero(scores == scores[column]).tolist()]:
            episodes = (result.episode for result in self.results.episodes[self.runs[other]])
            if any(episode.instance_id == instance_id and episode.renderings for episode in episodes):
                return self.runs[other]
        return self.runs[column]


def compute_adjusted_means(scores: Floats, rounds: int = 200) -> list[float]:
    """Return the mean score of each target as if all pairs had drawn it; NaN for one that nobody drew.

    Where a pair has no score, its own level and that of the target stand for it (two-way additive fit, the estimated
    marginal means of Searle, Speed and Milliken 1980, *The American Statistician* 34): otherwise a target that weak
    pairs fail on would look easy. With every score these are the means of the rows.

    Args:
        scores: Targets by pairs, NaN where there is no score.
        rounds: Most steps of the fit, which ends when nothing moves.

    >>> weak_fails_on_the_hard = np.array([[8.0, 4.0], [7.0, np.nan]])
    >>> [round(mean, 3) for mean in compute_adjusted_means(weak_fails_on_the_hard)]
    [6.0, 5.0]
    """
    known = ~np.isnan(scores)
    targets, pairs = known.any(axis=1), known.any(axis=0)
    values, weights = np.where(known, scores, 0.0), known.astype(float)
    levels = np.zeros(scores.shape[1])
    means = np.zeros(len(scores))
    for _ in range(rounds):
        before = means
        means = (values - weights * levels).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        levels = (values - weights * means[:, None]).sum(axis=0) / np.maximum(weights.sum(axis=0), 1)
        # Levels are about the mean of the pairs that have any score.
        levels -= levels[pairs].mean() if pairs.any() else 0.0
        if np.abs(means - before).max(initial=0.0) < 1e-12:
            break
    drawn: list[float] = np.where(targets, means, np.nan).tolist()
    return drawn


def _name_run(table: _ScoreTable, row: BoardRow) -> str:
    """Return the name of a run: its players, or the submission's name in a game of other than two seats."""
    return " + ".join(row.submission.players) if len(table.results.seats) == 2 else row.submission.name


def _answer_best_run(table: _ScoreTable) -> Answer | None:
    """Answer which run is best, by the rules of the highest main score: one ahead of all, or how many may be it."""
    results, noun = table.results, table.noun
    boards = {rules: select_by_rules(results, rules).board(table.judge) for rules in results.rule_sets}
    ranked_by = {rules: [row for row in rows if row.rank_low is not None] for rules, rows in boards.items()}
    rules = max(ranked_by, key=lambda rules: max((row.cell.main.mean or 0.0 for row in ranked_by[rules]), default=-1.0))
    ranked = ranked_by[rules]
    if len(ranked) < 2:
        return None
    first, top = ranked[0], [row for row in ranked if row.top]
    played = f", with {rules.label_behind_with(results.rule_sets)}" if len(boards) > 1 else ""
    name, mean = _name_run(table, first), f"{format_interval(first.cell.main)}{played}"
    if first.rank_high == 1:
        sentence = f"{name}, with a main score of {mean}; it is clearly ahead of every other {noun} that has a rank."
        best = name
    else:
        which = f"all {len(ranked)}" if len(top) == len(ranked) else f"{len(top)} of the {len(ranked)}"
        sentence = (
            f"It cannot be told: {which} {noun}s that have a rank may be the best; the highest main score, {mean}, is "
            f"of {name}."
        )
        best = f"{noun}s that may be the best"
    chosen = list(results.instances)
    own = np.isin(table.runs, [row.submission.run_id for row in top])
    episodes = table.episodes(chosen, np.where(own, table.finals(chosen), np.nan))
    lines = tuple(AnswerLine(_name_run(table, row), row.cell.main) for row in ranked[:_MOST_ROWS])
    return Answer(f"best-{noun}", f"Which {noun} is best?", sentence, noun.capitalize(), "main score, 0–100", lines,
                  episodes, f"the best {table.words.result}s of {best}", (0.0, 100.0))  # fmt: skip


def _average_by_label(scores: Iterable[tuple[str, Floats, Sequence[Instance]]], scale: Scale) -> list[AnswerLine]:
    """Return the mean over targets of each label that has one."""
    lines = (
        AnswerLine(label, estimate_target_mean(of_label, instances, scale)) for label, of_label, instances in scores
    )
    return [line for line in lines if line.value.mean is not None]


def _negate_mean(line: AnswerLine) -> float:
    return -(line.value.mean or 0)


def _answer_best_player(
    table: _ScoreTable, place: int, category: str | None = None, difficulty: str | None = None
) -> Answer | None:
    """Answer which player of a crossed seat has the highest mean over partners that all compared have in common."""
    chosen = select_condition(table.results.instances, category, difficulty)
    # A set may have no target of a condition, and a game a single seat.
    if not chosen or table.results.crossed is None:
        return None
    scores = table.finals(chosen)
    columns = _group_columns(table.results, place, table.judge)
    seat = table.results.crossed[place].title.lower()
    groups = ((label, scores[:, own], chosen) for label, own in columns.items())
    lines = sorted(_average_by_label(groups, SCORE), key=_negate_mean)
    if len(lines) < 2:
        return None
    targets = (
        f"{difficulty or ''} {_format_category(category) if category else f'{table.words.instance}s'}"
        if category or difficulty
        else f"all {table.words.instance}s"
    )
    best, second = lines[0].label, lines[1].label
    means = {label: compute_target_means(scores[:, own]) for label, own in columns.items()}
    apart, behind = _estimate_difference(means[best], means[second], chosen), False
    if (apart.mean or 0) < 0:
        apart, behind = _estimate_difference(means[second], means[best], chosen), True
    alone = _is_clear_leader(best, means, chosen)
    partners = "the same partner" if len(columns[best]) == 1 else f"the same {len(columns[best])} partners"
    mean = f"{table.interval(lines[0].value)} over {partners}{_describe_usual_rules(table.results)}"
    lead = _describe_lead(table, second, apart, behind)
    left_out, rivals = _describe_left_out(table, place, chosen, scores, columns, best)
    if are_too_few(apart.n) or not alone or rivals:
        sentence = f"It cannot be told: the highest mean {table.score}, {mean}, is of {best}; {lead}"
    else:
        sentence = f"{best}, with a mean {table.score} of {mean}; {lead}"
    if left_out:
        others = format_count(len(left_out), f"other {seat}")
        sentence += f". {others} did not play with {partners}{', and may be better' if rivals else ''}"
    own = np.where(np.isin(np.arange(len(table.runs)), columns[best]), scores, np.nan)
    return Answer(
        f"best-{table.results.crossed[place].name}", f"Which {seat} is best on {targets}?", f"{sentence}.",
        seat.capitalize(), table.unit, table.lines(lines[:_MOST_ROWS]), table.episodes(chosen, own),
        f"the best {table.words.result}s of pairs with {best}", table.ends, _list_reservations(rivals, left_out),
    )  # fmt: skip


def _describe_usual_rules(results: Results) -> str:
    """Return by which rules the runs were played that are compared, if there are others; else nothing."""
    rule_sets = results.rule_sets
    return f", with {rule_sets[0].label_behind_with(rule_sets)}" if len(rule_sets) > 1 else ""


def _group_columns(results: Results, place: int, judge: str) -> dict[str, list[int]]:
    """Return the columns of each player's runs in the complete grid that boards of players compare on."""
    runs = list_usual_pairs(results, judge)
    grid = find_complete_grid(tuple(runs))
    columns: dict[str, list[int]] = {}
    at = {submission.run_id: column for column, submission in enumerate(results.submissions)}
    for pair in product(*grid):
        columns.setdefault(pair[place], []).append(at[runs[pair[0], pair[1]]])
    return columns


def _estimate_difference(first: Floats, second: Floats, instances: Sequence[Instance]) -> Estimate:
    """Return the mean difference of two players over the targets that both have."""
    return estimate_differences(first - second, first, resample(strata(instances)), SCORE, DIFFERENCE)[0]


def _is_clear_leader(best: str, means: Mapping[str, Floats], chosen: Sequence[Instance]) -> bool:
    """Return whether a player is alone at the top, with one error rate for all comparisons as on boards."""
    values = np.hstack(list(means.values())) * 10
    rows = np.flatnonzero(~np.isnan(values).any(axis=1))
    ranges = rank_pairs(values[rows], values[rows], resample(strata(chosen[row] for row in rows.tolist()))).ranges
    place = ranges[list(means).index(best)]
    return place is not None and place.worst == 1


def _describe_left_out(
    table: _ScoreTable,
    place: int,
    chosen: Sequence[Instance],
    scores: Floats,
    columns: Mapping[str, list[int]],
    champion: str,
) -> tuple[list[str], list[str]]:
    """Say which players are not compared, and which of them may be better than the best of those that are.

    Args:
        table: Of all runs.
        place: Of the players' seat among the two crossed ones, 0 or 1.
        chosen: The targets asked about.
        scores: Of these targets, one column for each run.
        columns: Runs of each player that is compared, with the same partners.
        champion: The best of these.

    Returns:
        Those left out, each with the partners it played with; and a sentence for each that is not clearly worse.
    """
    usual = {submission.run_id for submission in select_usual_runs(table.results)}
    partners: dict[str, dict[str, int]] = {}
    for at, submission in enumerate(table.results.submissions):
        if submission.run_id in usual:
            names_of = table.results.crossed_players[submission.run_id]
            partners.setdefault(names_of[place], {})[names_of[1 - place]] = at
    (shared, *_) = columns.values()
    common = {table.results.crossed_players[table.results.submissions[at].run_id][1 - place]: at for at in shared}
    names, rivals = [], []
    for label in sorted(partners.keys() - columns.keys()):
        both = sorted(partners[label].keys() & common.keys())
        played = f"{label}, played with {_join_names(sorted(partners[label]))} alone"
        names.append(played)
        if not both:
            rivals.append(f"Nothing is known of {label} with the partners of {champion}")
            continue
        first, second = (
            compute_target_means(scores[:, [partners[player][partner] for partner in both]])
            for player in (champion, label)
        )
        ahead = _estimate_difference(first, second, chosen)
        if clear_of(ahead, 0) != 1:
            rivals.append(
                f"{label} is not clearly worse with {_join_names(both)}, where {champion} leads by "
                f"{table.interval(ahead)}"
            )
    return names, rivals


def _list_reservations(rivals: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each of the first rivals, and one that names the first that are not compared."""
    said = [f"{rival}." for rival in rivals[:_MOST_NAMED]]
    if left_out:
        more = f"; and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
        said.append(f"Not compared, for want of the same partners: {'; '.join(left_out[:_MOST_NAMED])}{more}.")
    return tuple(said)


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _describe_lead(table: _ScoreTable, second: str, apart: Estimate, behind: bool) -> str:
    if behind:
        # The highest mean is of what each played: on what both played, the order may be the other one.
        lead = f"on the {table.words.instance}s that both played {second} leads it by {table.interval(apart)}"
    else:
        lead = f"it leads {second} by {table.interval(apart)}"
    if are_too_few(apart.n):
        return f"{lead}, which so few {table.words.instance}s do not tell apart"
    return lead if clear_of(apart, 0) else f"{lead}, which may be chance"


def _answer_best_of_first_seat(table: _ScoreTable) -> Answer | None:
    """Answer which player of the first crossed seat is best on the hardest condition with enough targets, or on all."""
    for category, difficulty in product((_HARDEST, None), ("hard", None)):
        answer = _answer_best_player(table, 0, category, difficulty)
        if answer is not None and not are_too_few(min(line.value.n for line in answer.lines)):
            return answer
    return _answer_best_player(table, 0)


def estimate_mean_change(results: Results, judge: str) -> Estimate:
    """Return the mean change from first to final rendering over targets, of each the mean over pairs, 0–10."""
    table = _ScoreTable(results, judge)
    return _estimate_change(table, _arrange_deltas(table))


def _arrange_deltas(table: _ScoreTable) -> Floats:
    return table.filled(lambda result: result.judged[table.judge].delta if table.judge in result.judged else None)


def _estimate_change(table: _ScoreTable, deltas: Floats) -> Estimate:
    instances = table.results.instances
    finals = np.where(np.isnan(deltas), np.nan, table.finals(instances))
    drawn = resample(strata(instances))
    return estimate_differences(compute_target_means(deltas), compute_target_means(finals), drawn, SCORE, DIFFERENCE)[0]


def _answer_refinement(table: _ScoreTable) -> Answer | None:
    """Answer whether the final rendering is nearer to the target than the first."""
    deltas = _arrange_deltas(table)
    whole = _estimate_change(table, deltas)
    if whole.mean is None:
        return None
    # Changes as the board shows them, so that both count the same pairs as helped.
    rows = table.results.board(table.judge)
    changes = [AnswerLine(_name_run(table, row), row.cell.delta) for row in rows]
    lines = sorted((line for line in changes if line.value.mean is not None), key=_negate_mean)
    helped, harmed = (sum(clear_of(line.value, 0) == side for line in lines) for side in (1, -1))
    # No interval (too few targets) claims no more than an interval that holds 0.
    side = {1: "Yes", -1: "No, it harms"}.get(clear_of(whole, 0) or 0, "It cannot be told")
    sentence = (
        f"{side}: from first to final rendering the score changes by {format_interval(whole)} over all pairs, and "
        f"rises clearly for {helped} of {format_count(len(lines), 'pair')} that refined and falls clearly for "
        f"{harmed or 'none'}."
    )
    return Answer(
        "refinement", "Does refinement help?", sentence, "Pair", "ΔQ, points", tuple(lines[:_MOST_ROWS]),
        table.episodes(table.results.instances, deltas), "the largest gains", (-5.0, 5.0),
    )  # fmt: skip


def _answer_hardest_targets(table: _ScoreTable) -> Answer | None:
    """Answer which targets the best pair on each draws worst."""
    chosen = list(table.results.instances)
    scores = table.finals(chosen)
    best = {row: float(np.nanmax(scores[row])) for row in range(len(chosen)) if not np.all(np.isnan(scores[row]))}
    if not best:
        return None
    worst = sorted(best, key=lambda row: (best[row], row))
    undrawn = sum(score < DRAWN for score in best.values())
    mean = estimate(list(best.values()), SCORE, strata(chosen[row] for row in best))
    lines = [AnswerLine(_format_title(chosen[row]), Estimate(best[row], None, None, 1)) for row in worst[:_MOST_ROWS]]
    noun, solved = table.words.instance, table.words.solved
    left = len(chosen) - len(best)
    rated = f"the {format_count(len(best), f'rated {noun}')}" + (
        f" ({left} more {'is' if left == 1 else 'are'} not rated)" if left else ""
    )
    label = lines[0].label
    alike = sum(score == best[worst[0]] for score in best.values())
    least = f"{label[0].lower()}{label[1:]}" + (f" and {alike - 1} more" if alike > 1 else "")
    highest = f"{best[worst[0]] * table.factor:.1f}"
    hardest = f", least of all {least}, where no {table.noun} scores above {highest}" if undrawn else ""
    sentence = (
        f"{undrawn} of {rated} are {solved} by nobody"
        if undrawn
        else f"Nothing: every one of {rated} is {solved} by some {table.noun}"
    )
    sentence += (
        f" to a {table.score} of {DRAWN * table.factor:g}{hardest}. On average the best {table.score} of "
        f"{add_article(noun).lower()} is {table.interval(mean)}."
    )
    names = {row: chosen[row].instance_id for row in worst[: min(undrawn, PICTURES)]}
    episodes = tuple(
        (table.select_drawn(scores[row], int(np.nanargmax(scores[row])), name), name) for row, name in names.items()
    )
    return Answer("nobody", f"What can nobody {table.words.solve}?", sentence, noun.capitalize(),
                  f"best {table.score}, {table.unit}", table.lines(lines), episodes,
                  f"the best {table.words.result.removeprefix('final ')} of each of these {noun}s",
                  table.ends)  # fmt: skip


def _format_title(instance: Instance) -> str:
    place = instance.instance_id.rpartition("-")[2].lstrip("0")
    return f"{instance.category.replace('_', ' ')}, {instance.difficulty}, {place}"


def _average_groups(
    table: _ScoreTable, names: Sequence[str], instances_of: Callable[[str], list[Instance]]
) -> list[AnswerLine]:
    """Return the mean score of groups of targets, all over the same pairs."""
    every = list(table.results.instances)
    means = dict(zip((item.instance_id for item in every), compute_adjusted_means(table.finals(every)), strict=True))
    groups = ((name, instances_of(name)) for name in names)
    return _average_by_label(
        ((name, np.array([[means[item.instance_id]] for item in own]).reshape(-1, 1), own) for name, own in groups),
        SCORE,
    )


def _format_category(category: str) -> str:
    """Return a category's name as its targets are called: ``pie graphs``, ``geometry``."""
    words = category.replace("_", " ")
    return f"{words}s" if words.endswith("graph") else words


def _answer_hardest_category(table: _ScoreTable) -> Answer | None:
    """Answer which category has the lowest mean score."""
    results = table.results
    lines = _average_groups(table, results.categories, lambda name: select_condition(results.instances, name, None))
    if len(lines) < 2:
        return None
    lines.sort(key=lambda line: line.value.mean or 0)
    low, *others = lines
    tied = [
        _format_category(line.label) for line in others if clear_of(subtract_estimates(line.value, low.value), 0) != 1
    ]
    sentence = (
        f"{_format_category(low.label).capitalize()}, with a mean {table.score} of "
        f"{table.interval(low.value)} over the same {table.noun}s"
    )
    if tied:
        names = f"{', '.join(tied[:-1])} and {tied[-1]}" if len(tied) > 1 else tied[0]
        sentence = (
            f"It cannot be told: the lowest mean {table.score} over the same {table.noun}s is that of "
            f"{_format_category(low.label)}, "
        )
        sentence += f"{table.interval(low.value)}, but {names} cannot be told from it"
    sentence += f"; the highest is of {_format_category(others[-1].label)}, {table.interval(others[-1].value)}."
    chosen = select_condition(results.instances, low.label, None)
    episodes = table.episodes(chosen, table.finals(chosen), least_first=True)
    named = tuple(AnswerLine(_format_category(line.label), line.value) for line in lines)
    return Answer("hardest", "Which category is hardest?", sentence, "Category", table.unit, table.lines(named),
                  episodes, f"the lowest {table.lowest} there", table.ends)  # fmt: skip


def _answer_difficulty(table: _ScoreTable) -> Answer | None:
    """Answer whether hard targets score lower than easy ones."""
    results = table.results
    if {"easy", "hard"} - set(results.difficulties):
        return None
    lines = _average_groups(table, ("easy", "hard"), lambda name: select_condition(results.instances, None, name))
    if len(lines) < 2:
        return None
    easy, hard = (line.value for line in lines)
    apart = subtract_estimates(easy, hard)
    verdict = {1: "Yes", -1: "No, easier"}.get(clear_of(apart, 0) or 0, "It cannot be told")
    sentence = (
        f"{verdict}: easy {table.words.instance}s score {table.interval(easy)}, hard ones {table.interval(hard)}, over "
        f"the same {table.noun}s; the difference is {table.interval(apart)}."
    )
    chosen = select_condition(results.instances, None, "hard")
    episodes = table.episodes(chosen, table.finals(chosen))
    return Answer("hard", "Is hard harder?", sentence, "Difficulty", table.unit, table.lines(lines), episodes,
                  f"the best {table.words.result}s of hard {table.words.instance}s", table.ends)  # fmt: skip


def _answer_rules(table: _ScoreTable) -> Answer | None:
    """Answer whether the best run by some rules of a game that measures is better than the best by other rules."""
    results = table.results
    if results.game.is_judged:
        return None
    boards = ((rules, select_by_rules(results, rules).board(table.judge)) for rules in results.rule_sets)
    best = [
        (rules.label_behind_with(results.rule_sets), rows[0])
        for rules, rows in boards
        if rows and rows[0].cell.main.mean is not None
    ]
    if len(best) < 2:
        return None
    best.sort(key=lambda entry: -(entry[1].cell.main.mean or 0.0))
    (label, top), (other, second), *_ = best
    names = [_name_run(table, row) for _, row in best]
    runs = [row.submission.run_id for _, row in best]
    apart = results.compare_couples([(runs[0], runs[1])], table.judge)[0].alone
    if clear_of(apart, 0) == 1:
        sentence = (
            f"With {label} the best {table.noun}, {names[0]}, has a main score that is higher by "
            f"{format_interval(apart)} than that of the best with {other}, {names[1]}."
        )
    else:
        sentence = (
            f"It cannot be told: the main scores of the best {table.noun} with {label}, {names[0]}, and of the best "
            f"with {other}, {names[1]}, differ by {format_interval(apart)}."
        )
    chosen = list(results.instances)
    scores, places = table.finals(chosen), [table.runs.index(run_id) for run_id in runs]
    leads = np.full(scores.shape, np.nan)
    leads[:, places[0]] = scores[:, places[0]] - scores[:, places[1]]
    # Where it does not lead, there is nothing to look at.
    leads[leads <= 0] = np.nan
    lines = tuple(AnswerLine(f"{label}: {name}", row.cell.main) for (label, row), name in zip(best, names, strict=True))
    first, last = (row.submission.run.submission.players for row in (top, second))
    differ = any(first[seat].label != last[seat].label for seat in first.keys() & last.keys())
    left_open = ("Their players differ, too.",) if differ else ()
    return Answer("rules", "Do the rules matter?", sentence, "Rules", table.unit, lines[:_MOST_ROWS],
                  table.episodes(chosen, leads), f"where {names[0]} leads most", table.ends, left_open)  # fmt: skip


def _answer_judges(table: _ScoreTable) -> Answer | None:
    """Answer how far judges agree with people, or with each other where no person has rated."""
    pairs = table.results.raters.agreement.pairs
    with_people = [pair for pair in pairs if pair.kind == "judge-human" and pair.pearson.value is not None]
    known = with_people or [pair for pair in pairs if pair.kind == "judge-judge" and pair.pearson.value is not None]
    if not known:
        return None
    known.sort(key=lambda pair: -(pair.pearson.value or 0))
    lines = tuple(
        AnswerLine(f"{pair.first_rater} and {pair.second_rater}", _convert_to_estimate(pair.pearson))
        for pair in known[:_MOST_ROWS]
    )
    if with_people:
        sentence = (
            f"The nearest is {known[0].first_rater}: its scores correlate with people's by "
            f"r = {format_interval(lines[0].value, 2)}."
        )
    else:
        sentence = (
            "No person has rated these renderings yet; among themselves the judges "
            f"{known[0].first_rater} and {known[0].second_rater} correlate by r = {format_interval(lines[0].value, 2)}."
        )
    chosen = list(table.results.instances)
    rated = table.finals(chosen)
    # One of the two is the judge that answers, unless the nearest pair is of two other judges.
    other = next(
        (judge for judge in (known[0].first_rater, known[0].second_rater) if judge not in {table.judge, HUMAN}),
        table.judge,
    )
    apart = np.abs(rated - table.results.finals(other, table.runs, chosen))
    return Answer("judges", "Do judges agree with people?", sentence, "Judges", "Pearson’s r, −1 to 1", lines,
                  table.episodes(chosen, apart), "where the judges differ most", (-1.0, 1.0))  # fmt: skip


def _convert_to_estimate(agreement: Agreement) -> Estimate:
    return Estimate(agreement.value, agreement.low, agreement.high, agreement.n)


def _answer_satisfaction(table: _ScoreTable) -> Answer | None:
    """Answer how often describers end an episode because they are satisfied, and how good these are."""
    lines, chosen = [], list(table.results.instances)
    # An episode that broke off was ended by nobody's satisfaction or lack of it.
    ended = table.filled(lambda r: float(r.episode.outcome == "converged") if r.episode.played else None)
    # Only where a seat ends the episode by itself is there anybody to be satisfied.
    if table.results.crossed is None or not np.any(ended == 1):
        return None
    describers = [table.results.crossed_players[submission.run_id][0] for submission in table.results.submissions]
    for label in sorted(set(describers)):
        columns = [at for at, name in enumerate(describers) if name == label]
        lines.append(AnswerLine(label, estimate_target_mean(ended[:, columns], chosen, SHARE)))
    scores = np.where(ended == 1, table.finals(chosen), np.nan)
    whole, quality = estimate_target_mean(ended, chosen, SHARE), estimate_target_mean(scores, chosen, SCORE)
    if whole.mean is None or quality.mean is None:
        return None
    verdict = {1: "Mostly", -1: "Not much"}.get(clear_of(quality, DRAWN), "It cannot be told")
    sentence = (
        f"{verdict}: describers end {format_interval(whole.times(100), 0, ' %')} of the played episodes as "
        f"satisfied, and "
        f"such a final rendering scores {format_interval(quality)}."
    )
    lines.sort(key=_negate_mean)
    return Answer("satisfied", "Is a satisfied describer right?", sentence, "Describer", "share satisfied, 0–1",
                  tuple(lines[:_MOST_ROWS]), table.episodes(chosen, scores, least_first=True),
                  "the worst renderings that satisfied a describer", (0.0, 1.0))  # fmt: skip
