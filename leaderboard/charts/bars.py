"""Stacked bars: how the episodes of pairs, of categories or of token budgets converged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ircore.results.episodes import CONVERGENCES, Convergence
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.turns import budgets_table, outcomes_table
from leaderboard import labels
from leaderboard.charts.data import MOST_ROWS, RUN, Subject, grouped, of_runs, picked
from leaderboard.charts.parts import Json, Missing, Sketch, axis, mean, pair_lines, plain, steps, words
from leaderboard.charts.rows import RowLabel, row_layouts
from leaderboard.site import Pair
from leaderboard.theme import CONVERGENCE_TOKENS, token

_COLUMNS = (RUN, "pair", *CONVERGENCES)


@dataclass(frozen=True)
class _Bar:
    """A row: who, how many episodes, and which share had which outcome."""

    name: tuple[str, ...]
    shares: Mapping[Convergence, Value]

    @property
    def episodes(self) -> int:
        return self.shares["improved"].n or 0

    def share(self, outcome: Convergence) -> float:
        return mean(self.shares[outcome]) or 0.0


def convergence_sketch(subject: Subject) -> Sketch | Missing:
    """Draw how the episodes of each pair converged, the most improved first, as the paper's Figure 5."""
    table = outcomes_table(subject.results, subject.judge)
    shares = {run_id: _shares(rows[0]) for run_id, rows in grouped(table).items()}
    every = [_Bar(pair_lines(pair), shares[pair.run_id]) for pair in subject.ranked]
    chosen = sorted(subject.ranked[:MOST_ROWS], key=lambda pair: -(mean(shares[pair.run_id]["improved"]) or 0.0))
    return _sketch(
        [_Bar(pair_lines(pair), shares[pair.run_id]) for pair in chosen],
        _title(every),
        picked(of_runs(table, [pair.run_id for pair in chosen]), _COLUMNS),
        subject.chosen_words(MOST_ROWS),
    )


def pair_convergence_sketch(subject: Subject, pair: Pair) -> Sketch | Missing:
    """Draw how the episodes of one pair converged, in all and in each category."""
    conditions: list[tuple[str, str | None]] = [("All", None)]
    conditions += [(labels.category_title(category), category) for category in subject.results.categories]
    one = subject.only(pair)
    tables = [(name, outcomes_table(one.results, subject.judge, category)) for name, category in conditions]
    bars = [_Bar((name,), _shares(grouped(table)[pair.run_id][0])) for name, table in tables]
    column = Column("condition", "category", "Of the pictures.", digits=None)
    rows = tuple((Value(name), *picked(table, CONVERGENCES).rows[0]) for name, table in tables)
    first = picked(tables[0][1], CONVERGENCES)
    table = Table(first.name, first.title, first.caption, (column, *first.columns), rows, first.notes)
    return _sketch(bars, _title(bars[:1]), table, "")


def budget_outcomes_sketch(subject: Subject) -> Sketch | Missing:
    """Draw how episodes converged under each token budget, as the paper's Figure 6."""
    budgets = budgets_table(subject.results, subject.judge)
    if not budgets.rows:
        return Missing("What does the token budget do to refinement?", budgets.notes[0])
    outcomes = outcomes_table(subject.results, subject.judge)
    shares = {run_id: _shares(rows[0]) for run_id, rows in grouped(outcomes).items()}
    shown = picked(budgets, (RUN, "players", "budget"))
    bars = [
        _Bar((str(players.value), f"{budget.value} tokens"), shares[str(run.value)])
        for run, players, budget in shown.rows[:MOST_ROWS]
    ]
    runs = [str(run.value) for run, *_ in shown.rows[:MOST_ROWS]]
    return _sketch(bars, "What does the token budget do to refinement?", picked(of_runs(outcomes, runs), _COLUMNS), "")


def _shares(entries: Mapping[str, Value]) -> dict[Convergence, Value]:
    return {outcome: entries[outcome] for outcome in CONVERGENCES}


def _sketch(bars: Sequence[_Bar], title: str, table: Table, chosen: str) -> Sketch | Missing:
    if not any(bar.episodes for bar in bars):
        return Missing("How do episodes end?", "No episode was rated.")
    names = [RowLabel(bar.name, (f"n {bar.episodes}",)) for bar in bars]
    wide, narrow = row_layouts(
        names,
        axis(0, 100, steps(0, 100, 25), title={"text": "share of rated episodes (%)"}),
        [],
        barmode="stack",
        bargap=0.55,
    )
    for made in (wide, narrow):
        made["annotations"] += _legend()
    return Sketch(
        title=title,
        reading_aid=(
            "Each bar splits a row's rated episodes by whether the final rendering scored above, equal to or below the"
            f" first, or was the only one; the numbers in it are episodes.{chosen}"
        ),
        traces=[_trace(outcome, bars) for outcome in CONVERGENCES],
        wide=wide,
        narrow=narrow,
        table=table,
    )


def _legend() -> list[Json]:
    """Return what the colours mean, as words in one line above the bars."""
    entries: list[Json] = []
    at = 0
    for outcome in CONVERGENCES:
        name = labels.CONVERGENCES[outcome]
        here = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 10}
        colour = {"color": token(CONVERGENCE_TOKENS[outcome]), "size": 15}
        entries.append(words("■", 0, 1, **here | {"yshift": 8}, xshift=at, font=colour))
        entries.append(words(name, 0, 1, **here, xshift=at + 16))
        at += 30 + round(6.2 * len(name))
    return entries


def _trace(outcome: Convergence, bars: Sequence[_Bar]) -> Json:
    name = labels.CONVERGENCES[outcome]
    shares = [round(100 * bar.share(outcome), 2) for bar in bars]
    counts = [round(bar.share(outcome) * bar.episodes) for bar in bars]
    colour = CONVERGENCE_TOKENS[outcome]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": shares,
        "y": list(range(len(bars))),
        "text": [str(count) if share >= 6 else "" for count, share in zip(counts, shares, strict=True)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": token(f"{colour}-ink")},
        "constraintext": "none",
        "marker": {"color": token(colour), "line": {"color": token("background"), "width": 1}},
        "customdata": [[plain(" ".join(bar.name)), count] for bar, count in zip(bars, counts, strict=True)],
        "hovertemplate": f"%{{customdata[0]}}<br>{name}: %{{customdata[1]}} episodes (%{{x:.0f}} %)<extra></extra>",
    }


def _title(bars: Sequence[_Bar]) -> str:
    whole = sum(bar.episodes for bar in bars) or 1
    better, worse = (
        labels.percent(sum(bar.share(outcome) * bar.episodes for bar in bars) / whole)
        for outcome in ("improved", "regressed")
    )
    return f"{better} % of episodes end better than they began, {worse} % worse"
