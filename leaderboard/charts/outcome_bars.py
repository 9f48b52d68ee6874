"""Stacked bars: how the episodes of pairs, of categories or of token budgets converged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ircore.results.episodes import CONVERGENCES, Convergence
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.turns import budgets_table, list_pooled_judges, outcomes_table, pooled_outcomes_table
from leaderboard import words
from leaderboard.charts.data import (
    MOST_ROWS,
    RUN,
    ChartSubject,
    group_by_run,
    list_entries,
    select_columns,
    select_runs,
)
from leaderboard.charts.grammar import (
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    escape_for_plotly,
    get_mean,
    has_enough_samples,
    list_pair_lines,
    make_axis,
    make_bars,
    make_legend,
    make_ticks,
)
from leaderboard.charts.rows import MarkRow, build_row_layouts
from leaderboard.model.site import Pair
from leaderboard.theme import CONVERGENCE_TOKENS, token

_COLUMNS = (RUN, "pair", *CONVERGENCES)


@dataclass(frozen=True)
class _Bar:
    """A row of the chart: the name of a pair or category, and the share of episodes with each outcome."""

    name: tuple[str, ...]
    shares: Mapping[str, Value]
    key: str = ""
    ratings: int | None = None
    """Ratings that the shares are of, where those of several judges are pooled; None for one an episode."""

    @property
    def episodes(self) -> int:
        return (self.shares["improved"].n or 0) if self.ratings is None else self.ratings

    def share(self, outcome: Convergence) -> float:
        return get_mean(self.shares[outcome]) or 0.0


def sketch_convergence(subject: ChartSubject) -> Sketch | Missing:
    """Draw how the episodes of each pair converged, the most improved first, as the paper's Figure 5."""
    table = subject.table(outcomes_table, subject.judge, subject.category)
    rows = group_by_run(table)
    bars = {pair.run_id: _Bar(list_pair_lines(pair), rows[pair.run_id][0], pair.key) for pair in subject.ranked}
    chosen = [pair.run_id for pair in subject.shown(MOST_ROWS)]
    # Chosen by score, then shown by outcome: a stable sort keeps the board's order among equals.
    chosen.sort(key=lambda run_id: -bars[run_id].share("improved"))
    every = f" of all {len(bars)} pairs" if len(bars) > MOST_ROWS else ""
    title = subject.among_words() + _compose_title(list(bars.values()), every)
    shown = select_columns(select_runs(table, chosen), _COLUMNS)
    made = _build_sketch([bars[run_id] for run_id in chosen], title, shown, subject.selection_words(MOST_ROWS))
    if isinstance(made, Missing):
        return made
    many = [bars[run_id] for run_id in chosen if has_enough_samples(bars[run_id].shares["improved"])]
    says = {bar.key: f"{words.format_share(bar.share('improved'))} % better" for bar in many}
    return replace(made, question="How do episodes end?", says=says)


def sketch_pooled_convergence(subject: ChartSubject) -> Sketch | Missing:
    """Draw how the episodes of each pair converged, the ratings of several judges pooled, as the paper's Figure 5."""
    chosen = subject.shown(MOST_ROWS)
    table = pooled_outcomes_table(subject.results, run_ids=[pair.run_id for pair in chosen])
    bars = [
        _Bar(list_pair_lines(pair), entry, ratings=round(get_mean(entry["ratings"]) or 0))
        for pair, entry in zip(chosen, list_entries(table), strict=True)
    ]
    shown = select_columns(table, (*_COLUMNS, "ratings"))
    judges = ", ".join(list_pooled_judges(subject.results))
    title = "Outcomes pooled over judges, as the paper’s Figure 5 has them"
    drawn = _build_sketch(bars, title, shown, subject.selection_words(MOST_ROWS))
    if isinstance(drawn, Missing):
        return drawn
    return replace(
        drawn,
        reading_aid=(
            f"Each bar splits the ratings of a pair's episodes by {judges}, an episode counting once for each judge, by"
            " whether the final rendering scored above, equal to or below the first, or was the only one; the numbers"
            " in it are ratings. Judges of one episode are not independent: intervals in the table go by pictures."
        ),
    )


def sketch_pair_convergence(subject: ChartSubject, pair: Pair) -> Sketch | Missing:
    """Draw the shares of convergence outcomes of a pair's episodes, overall and by category."""
    results = subject.only(pair).results
    names = {None: "All"} | {category: words.format_category(category) for category in results.categories}
    tables = {name: outcomes_table(results, subject.judge, category) for category, name in names.items()}
    bars = [_Bar((name,), group_by_run(table)[pair.run_id][0]) for name, table in tables.items()]
    column = Column("condition", "category", "Of the pictures.", digits=None)
    rows = tuple((Value(name), *select_columns(table, CONVERGENCES).rows[0]) for name, table in tables.items())
    first = select_columns(tables["All"], CONVERGENCES)
    table = Table(first.name, first.title, first.caption, (column, *first.columns), rows, first.notes)
    return _build_sketch(bars, _compose_title(bars[:1]), table)


def sketch_budget_outcomes(subject: ChartSubject) -> Sketch | Missing:
    """Draw how episodes converged under each token budget, as the paper's Figure 6."""
    title = "What does the token budget do to refinement?"
    budgets = budgets_table(subject.results, subject.judge)
    if not budgets.rows:
        return Missing(title, budgets.notes[0])
    outcomes = outcomes_table(subject.results, subject.judge)
    rows = group_by_run(outcomes)
    bars = {
        str(run.value): _Bar((str(players.value), f"{budget.value} tokens"), rows[str(run.value)][0])
        for run, players, budget in select_columns(budgets, (RUN, "players", "budget")).rows[:MOST_ROWS]
    }
    count = len(budgets.rows)
    chosen = f"Shown are {MOST_ROWS} of {count} runs under several budgets." if count > MOST_ROWS else ""
    return _build_sketch(
        list(bars.values()), title, select_columns(select_runs(outcomes, list(bars)), _COLUMNS), chosen
    )


def _build_sketch(bars: Sequence[_Bar], title: str, table: Table, selection_words: str = "") -> Sketch | Missing:
    if not any(bar.episodes for bar in bars):
        return Missing("How do episodes end?", "No episode was rated.")
    layouts = build_row_layouts(
        [MarkRow(bar.name, (f"n {bar.episodes}",), key=bar.key) for bar in bars],
        make_axis(0, 100, make_ticks(0, 100, 25), f"share of {'ratings' if bars[0].ratings else 'rated episodes'} (%)"),
        make_legend({words.CONVERGENCES[outcome]: CONVERGENCE_TOKENS[outcome] for outcome in CONVERGENCES}, 8, 30),
        barmode="stack",
        bargap=0.55,
    )
    return Sketch(
        title=title,
        reading_aid=(
            "Each bar splits a row's rated episodes by whether the final rendering scored above, equal to or below the"
            " first, or was the only one; the numbers in it are episodes."
        ),
        selection_words=selection_words,
        drawing=PlotlyDrawing(
            [_draw_outcome(outcome, bars) for outcome in CONVERGENCES], *layouts, "rows", [bar.key for bar in bars]
        ),
        table=table,
    )


def _draw_outcome(outcome: Convergence, bars: Sequence[_Bar]) -> Json:
    name, colour = words.CONVERGENCES[outcome], CONVERGENCE_TOKENS[outcome]
    noun = "ratings" if bars[0].ratings else "episodes"
    shares = [round(100 * bar.share(outcome), 2) for bar in bars]
    # The table holds shares; times n they are whole numbers again.
    counts = [round(bar.share(outcome) * bar.episodes) for bar in bars]
    return make_bars(
        orientation="h",
        name=name,
        **({"ids": [bar.key for bar in bars]} if bars[0].key else {}),
        x=shares,
        y=list(range(len(bars))),
        # A number in a narrower piece of a bar would stand on its neighbours.
        text=[str(count) if share >= 6 else "" for count, share in zip(counts, shares, strict=True)],
        textfont={"color": token(f"{colour}-ink")},
        marker={"color": token(colour)},
        customdata=[[escape_for_plotly(" ".join(bar.name)), count] for bar, count in zip(bars, counts, strict=True)],
        hovertemplate=f"%{{customdata[0]}}<br>{name}: %{{customdata[1]}} {noun} (%{{x:.0f}} %)<extra></extra>",
    )


def _compose_title(bars: Sequence[_Bar], whose: str = "") -> str:
    whole = sum(bar.episodes for bar in bars) or 1
    better, worse = (
        words.format_share(sum(bar.share(outcome) * bar.episodes for bar in bars) / whole)
        for outcome in ("improved", "regressed")
    )
    return f"{better} % of rated episodes{whose} end better than they began, {worse} % worse"
