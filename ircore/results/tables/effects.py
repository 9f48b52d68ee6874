"""Contributions of the players of two crossed seats to scores, from pairs that form a full grid."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ircore.core.counted import plural_of
from ircore.results.cell import Cell
from ircore.results.effects import PairEffects, pair_effects
from ircore.results.model import Results
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.mixed import MixedEffects, Unavailable
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption
from ircore.results.tables.rated_shares import gap_notes, rated_columns, rated_values


def _words(results: Results) -> Mapping[str, str]:
    """Return what the sources of variance are called: the seats that are crossed, and their interaction."""
    seats = results.crossed or ()
    named = {source: seat.title.lower() for source, seat in zip(("describer", "generator"), seats, strict=False)}
    return {**named, "interaction": "interaction"}


def _plural(words: Mapping[str, str], source: str) -> str:
    return words[source] if source == "interaction" else plural_of(words[source])


def effects_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return effects, spreads and shares of the players of two seats, by decomposition and by a mixed model."""
    columns = (
        Column("part", "part", "What is estimated.", digits=None),
        Column("who", "of", "Whose.", digits=None),
        Column("effect", "by means", "Estimate with its interval over instances.", estimated=True),
        Column(
            "model",
            "by mixed model",
            "The same, instances as random intercepts, errors clustered on instances.",
            estimated=True,
        ),
        *rated_columns(),
    )
    effects, named = pair_effects(results, judge, category, difficulty), _words(results)
    cells = [results.cell(run_id, judge, category, difficulty) for run_id in effects.run_ids]
    rows = (
        ()
        if isinstance(effects.decomposition, Unavailable)
        else tuple(_rows(effects, effects.decomposition, cells, named))
    )
    words = caption(results, judge, category, difficulty)
    notes = (*_notes(effects, named), *gap_notes(cells))
    title = " and ".join(_plural(named, source).capitalize() for source in named if source != "interaction")
    return Table("effects", title, words, columns, rows, notes, primary="effect")


def _rows(
    effects: PairEffects, parts: Effects, cells: Sequence[Cell], named: Mapping[str, str]
) -> Iterator[tuple[Value, ...]]:
    behind = Selection(effects.run_ids, "rated", effects.category, effects.difficulty, effects.judge)
    # The cells come in the order of the grid.
    pairs = dict(zip(product(parts.describers, parts.generators), cells, strict=True))
    model = effects.model
    reason = model.reason if isinstance(model, Unavailable) else "not part of the model"
    fitted = None if isinstance(model, Unavailable) else model
    grand = None if fitted is None else fitted.grand
    describers = {} if fitted is None else fitted.describer
    generators = {} if fitted is None else fitted.generator

    def row(
        part: str, who: str, value: Estimate, by_model: Estimate | None, of: Sequence[Cell] = cells
    ) -> tuple[Value, ...]:
        other = Value(None, n=0, missing=reason) if by_model is None else Value.of(by_model, behind)
        return Value(part), Value(who), Value.of(value, behind), other, *rated_values(*of)

    yield row("mean", "all pairs", parts.grand, grand)
    for name, value in parts.describer.items():
        of = [pairs[name, generator] for generator in parts.generators]
        yield row(f"{named['describer']}'s effect", name, value, describers.get(name), of)
    for name, value in parts.generator.items():
        of = [pairs[describer, name] for describer in parts.describers]
        yield row(f"{named['generator']}'s effect", name, value, generators.get(name), of)
    for (describer, generator), value in parts.interaction.items():
        yield row("interaction", f"{describer} + {generator}", value, None, [pairs[describer, generator]])
    for source, spread in parts.spread.items():
        yield row("spread", _plural(named, source), spread, None)
    for source, share in parts.shares.items():
        yield row("share of variance", _plural(named, source), share, None)
    yield row("dominance", f"{_plural(named, 'describer')} less {_plural(named, 'generator')}", parts.dominance, None)


def _notes(effects: PairEffects, named: Mapping[str, str]) -> tuple[str, ...]:
    if isinstance(effects.decomposition, Unavailable):
        return (f"No effects: {effects.decomposition.reason}.",)
    first, second = (_plural(named, source) for source in ("describer", "generator"))
    size = f"{len(effects.decomposition.describers)} {first} × {len(effects.decomposition.generators)} {second}"
    model = effects.model
    if isinstance(model, MixedEffects):
        chances = ", ".join(
            f"{_plural(named, source)} p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}" for source, p in model.p.items()
        )
        tests = f"Mixed model, clustered on instances: {chances}."
    else:
        tests = f"No mixed model: {model.reason}."
    return (
        f"Grid of {size}; each pair's mean is over the instances that it has a score for, as on boards. Effects and "
        "spreads in points of 0–10, shares of the variance between pairs. Dominance is the spread of "
        f"{first} less that of {second}: above 0 the {named['describer']} matters more.",
        tests,
    )
