"""Figures with a row a pair or a category: ΔQ and convergence."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor

from ircore.results.episodes import CONVERGENCES, Convergence
from ircore.results.model import Cell, Results
from ircore.statistics.estimate import Estimate
from leaderboard import labels
from leaderboard.chart_parts import Json, RowLabel, Sketch, axis, pair_lines, pair_name, plain, row_layouts, words
from leaderboard.site import Pair
from leaderboard.theme import CONVERGENCE_TOKENS, describer_token, generator_symbol, token

_NOTHING = Estimate(None, None, None, 0)

_LEGEND: Json = {
    "orientation": "h",
    "x": 0,
    "xanchor": "left",
    "yref": "container",
    "y": 1,
    "yanchor": "top",
    "traceorder": "normal",
    "itemclick": False,
    "itemdoubleclick": False,
    "font": {"color": token("muted")},
}


def delta_sketch(results: Results, pairs: Sequence[Pair], judge: str) -> Sketch:
    """Draw what refinement brought to each pair: mean ΔQ with its interval, best first."""
    rated = [(pair, results.cell(pair.run_id, judge).delta) for pair in pairs]
    rows = sorted(rated, key=lambda row: -11.0 if row[1].mean is None else row[1].mean, reverse=True)
    names = [RowLabel(pair_lines(pair), _value(delta, labels.signed)) for pair, delta in rows]
    low, high = _around_zero([delta for _, delta in rows])
    notes = [
        words("← worse", 0, 1, xref="x", yref="paper", xanchor="right", xshift=-6, yanchor="bottom", yshift=6),
        words("better →", 0, 1, xref="x", yref="paper", xanchor="left", xshift=6, yanchor="bottom", yshift=6),
    ]
    wide, narrow = row_layouts(
        names,
        axis(low, high, title={"text": "ΔQ = final − first similarity (points of 10)"}, nticks=9),
        notes,
        shapes=[_zero_line()],
    )
    return Sketch(
        title=_delta_title([delta for _, delta in rows]),
        reading_aid=(
            "Each mark is a pair's mean change from first to final rendering, over its episodes of at least two"
            " renderings, and each line its 95 % interval: a line that crosses zero leaves open whether refining helps."
        ),
        traces=[
            _dot(delta, row, generator_symbol(pair.shape), describer_token(pair.hue), _delta_hover(pair, delta))
            for row, (pair, delta) in enumerate(rows)
        ],
        wide=wide,
        narrow=narrow,
        columns=("Describer", "Generator", "ΔQ", "95 % from", "95 % to", "Episodes"),
        rows=tuple((pair.describer, pair.generator, *_estimate_cells(delta, labels.signed)) for pair, delta in rows),
    )


def convergence_sketch(results: Results, pairs: Sequence[Pair], judge: str) -> Sketch:
    """Draw how the episodes of each pair converged, as shares with counts, the most improved first."""
    cells = [(pair_lines(pair), results.cell(pair.run_id, judge)) for pair in pairs]
    ordered = sorted(cells, key=lambda row: _share(row[1].convergence, "improved"), reverse=True)
    total = {kind: sum(cell.convergence[kind] for _, cell in cells) for kind in CONVERGENCES}
    return _convergence_sketch(ordered, total, "Pair")


def pair_convergence_sketch(results: Results, pair: Pair, judge: str) -> Sketch:
    """Draw how the episodes of one pair converged, in all and in each category."""
    whole = results.cell(pair.run_id, judge)
    parts = [((labels.category_title(one),), results.cell(pair.run_id, judge, one)) for one in results.categories]
    return _convergence_sketch([(("All",), whole), *parts], whole.convergence, "Category")


_Form = Callable[[float | None], str]


def _value(estimate: Estimate, form: _Form) -> str:
    return f"{form(estimate.mean)} · n {estimate.n}"


def _estimate_cells(estimate: Estimate, form: _Form) -> tuple[str, str, str, str]:
    return form(estimate.mean), form(estimate.low), form(estimate.high), str(estimate.n)


def _dot(estimate: Estimate, y: float, symbol: str, colour: str, hover: str, **more: object) -> Json:
    """A mean as a mark, its interval as a line; empty where there is no mean."""
    known = estimate.mean is not None
    whisker = known and estimate.low is not None and estimate.high is not None
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [estimate.mean] if known else [],
        "y": [y] if known else [],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_distance(estimate.high, estimate.mean) if whisker else 0],
            "arrayminus": [_distance(estimate.mean, estimate.low) if whisker else 0],
            "color": colour,
            "thickness": 2,
            "width": 0,
        },
        "marker": {"symbol": symbol, "size": 11, "color": colour},
        "hovertemplate": f"{hover}<extra></extra>",
        **more,
    }


def _distance(further: float | None, nearer: float | None) -> float:
    return 0.0 if further is None or nearer is None else round(further - nearer, 4)


def _delta_hover(pair: Pair, delta: Estimate) -> str:
    return f"{plain(pair_name(pair))}<br>ΔQ {labels.signed(delta.mean)}<br>{labels.interval_words(delta)}"


def _around_zero(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Return a range of whole half points that holds every interval and zero, with room for a word on either side."""
    ends = [end for one in estimates for end in (one.mean, one.low, one.high) if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = max(0.25, 0.15 * (high - low))
    return floor(2 * min(low - 0.1, -room)) / 2, ceil(2 * max(high + 0.1, room)) / 2


def _zero_line() -> Json:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": 0,
        "x1": 0,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": token("zero"), "width": 1.5},
    }


def _delta_title(deltas: Sequence[Estimate]) -> str:
    helped = sum(one.low is not None and one.low > 0 for one in deltas)
    harmed = sum(one.high is not None and one.high < 0 for one in deltas)
    if helped == harmed == 0:
        return "Does refinement help? No pair's interval is clear of zero"
    open_ones = len(deltas) - helped - harmed
    said = f"Refinement helps {helped} of {len(deltas)} pairs and harms {harmed or 'none'}"
    return f"{said}; {open_ones} {'is' if open_ones == 1 else 'are'} undecided" if open_ones else said


def _convergence_sketch(
    cells: Sequence[tuple[tuple[str, ...], Cell]], total: Mapping[Convergence, int], what: str
) -> Sketch:
    names = [RowLabel(name, f"n {sum(cell.convergence.values())}") for name, cell in cells]
    wide, narrow = row_layouts(
        names,
        axis(0, 100, title={"text": "share of rated episodes (%)"}, dtick=25),
        [],
        barmode="stack",
        bargap=0.55,
        showlegend=True,
        legend=_LEGEND,
    )
    return Sketch(
        title=_convergence_title(total),
        reading_aid=(
            "Each bar splits a row's rated episodes by whether the final rendering scored above, equal to or below the"
            " first, or was the only one; the numbers in it are episodes."
        ),
        traces=[_outcome_bar(outcome, cells) for outcome in CONVERGENCES],
        wide=wide,
        narrow=narrow,
        columns=(what, *(labels.CONVERGENCES[one].capitalize() for one in CONVERGENCES), "Episodes"),
        rows=tuple(
            (" ".join(name), *(str(cell.convergence[one]) for one in CONVERGENCES), str(sum(cell.convergence.values())))
            for name, cell in cells
        ),
    )


def _outcome_bar(outcome: Convergence, cells: Sequence[tuple[tuple[str, ...], Cell]]) -> Json:
    name = labels.CONVERGENCES[outcome]
    shares = [round(100 * _share(cell.convergence, outcome), 2) for _, cell in cells]
    counts = [cell.convergence[outcome] for _, cell in cells]
    colour = CONVERGENCE_TOKENS[outcome]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": shares,
        "y": list(range(len(cells))),
        "text": [str(count) if share >= 6 else "" for count, share in zip(counts, shares, strict=True)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": token(f"{colour}-ink")},
        "constraintext": "none",
        "marker": {"color": token(colour), "line": {"color": token("background"), "width": 1}},
        "customdata": [[plain(" ".join(name)), count] for (name, _), count in zip(cells, counts, strict=True)],
        "hovertemplate": f"%{{customdata[0]}}<br>{name}: %{{customdata[1]}} episodes (%{{x:.0f}} %)<extra></extra>",
    }


def _share(counts: Mapping[Convergence, int], outcome: Convergence) -> float:
    whole = sum(counts.values())
    return counts[outcome] / whole if whole else 0.0


def _convergence_title(total: Mapping[Convergence, int]) -> str:
    if not sum(total.values()):
        return "How do episodes end? None was rated"
    improved, regressed = (labels.percent(_share(total, kind)) for kind in ("improved", "regressed"))
    return f"{improved} % of episodes end better than they began, {regressed} % worse"
