"""Where the variance of scores comes from: pictures, luck of play, the judge, and the players of each seat.

The components say what they mean for planning. The contributions of the players of two crossed seats are estimated from
pairs that form a full grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import isnan

import numpy as np

from ircore.core.plain_words import form_plural, format_count
from ircore.core.records import Instance
from ircore.results.agreement import measure_retests
from ircore.results.arrays import select_condition
from ircore.results.cells import Cell
from ircore.results.effects import PairEffects, pair_effects
from ircore.results.episodes import EpisodeResult
from ircore.results.judge_ratings import MAIN_UNIT, group_main_scores, list_rated_episodes
from ircore.results.model import Results
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.mixed import MixedEffects, Unavailable
from ircore.results.statistics.repeats import CrossedValues, VarianceComponents, count_needed_pictures
from ircore.results.subsets import split_by_rules
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import (
    build_rated_columns,
    format_caption,
    list_gap_notes,
    list_rated_values,
    pair_names,
)

DIFFERENCE = 5.0
"""Points of the main score for which pictures and repeats are planned."""

REPEATS = (1, 2, 3, 5)
"""Repeats for which the pictures are told."""

VARIANCE_COLUMNS = (
    Column("pair", "pair", "Whose episodes.", digits=None),
    Column("source", "source", "Where the variance comes from.", digits=None),
    Column("deviation", "deviation", "Standard deviation that the source gives an episode's main score.",
           "points of 100", "lower", 1, estimated=True),
    Column("share", "share", "Of the variance of all sources.", "%", "lower", 0, nullable=True),
)  # fmt: skip

NO_REPEATS = "no instance has two episodes: play with --repeats 2"
ONE_PAIR = "one pair alone: part of the picture"
BOTH_ANEW = "both seats answer anew in every repeat, so that their luck is one"
NOT_COMPARED = "no two episodes of an instance"

VARIANCE_NOTES = (
    "Picture: what a target is to all pairs; picture and pair: what it is to one and not to another. Luck of play: "
    "between episodes of one target by one pair, the judge's luck included. Intervals are over targets drawn again.",
)


def variance_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the variance components of the pairs under each set of rules, then the luck of each pair."""
    names, rows, notes = pair_names(results.submissions), list[tuple[Value, ...]](), list[str]()
    chosen = select_condition(results.instances, category, difficulty)
    for part in split_by_rules(results):
        values = {
            run_id: group_main_scores(list_rated_episodes(episodes, judge, part.scopes.get(judge)))
            for run_id, episodes in part.episodes.items()
        }
        # Seats are told apart by what the first message was drawn as.
        has_seats = {"message", "rendering"} <= results.game.step.model_fields.keys()
        more, said = _build_rows({names[run_id]: of_pair for run_id, of_pair in values.items()}, chosen)
        rows += more
        notes += said
        for run_id, of_pair in values.items():
            of_seats = part.episodes[run_id] if has_seats else None
            luck = _build_luck_rows(names[run_id], _select_crossed([of_pair], chosen), of_seats)
            # Of a single pair the components say its luck already.
            rows += list(luck)[1:] if more and len(values) == 1 else luck
    if judge != results.game.headline.key:
        notes.append(_describe_judge_luck(results, judge))
    words = format_caption(results, judge, category, difficulty)
    return Table(
        "variance", "Where the variance comes from", words, VARIANCE_COLUMNS, tuple(rows), (*VARIANCE_NOTES, *notes)
    )


def _select_crossed(
    values: Sequence[Mapping[str, list[float]]], instances: Sequence[Instance]
) -> list[list[list[float]]]:
    """Return the values of the instances that all pairs have an episode of."""
    names = [instance.instance_id for instance in instances]
    return [[of_pair[name] for of_pair in values] for name in names if all(name in of_pair for of_pair in values)]


def _build_rows(
    values: Mapping[str, Mapping[str, list[float]]], instances: Sequence[Instance]
) -> tuple[list[tuple[Value, ...]], list[str]]:
    """Return the components of all pairs together, and what they mean for planning."""
    crossed = _select_crossed(list(values.values()), instances)
    who = next(iter(values)) if len(values) == 1 else f"all {len(values)} pairs"
    if len(crossed) < 2:
        return [], [f"{who}: fewer than two targets that all have a result of."]
    cells = CrossedValues.of(crossed)
    found = cells.components()
    ends = cells.intervals()
    total = float(np.nansum(found))
    reasons = ("", ONE_PAIR if len(values) == 1 else NO_REPEATS, NO_REPEATS)
    sources = ("picture", "picture and pair", "luck of play")
    rows: list[tuple[Value, ...]] = [
        (Value(who), Value(source), _format_deviation(found, ends, place, len(crossed), reasons[place]),
         Value.or_missing(100 * found[place] / total if total and not isnan(found[place]) else None, reasons[place]))
        for place, source in enumerate(sources)
    ]  # fmt: skip
    if len(values) < 2 or isnan(found.luck):
        return rows, [f"{who}: how many pictures tell {DIFFERENCE:g} points apart needs two pairs and repeats."]
    needed = ", ".join(
        f"{count_needed_pictures(DIFFERENCE, found.picture_and_pair, found.luck, repeats)} with {repeats}"
        for repeats in REPEATS
    )
    return rows, [
        f"{who}: {DIFFERENCE:g} points are told apart (chance 80 %) on so many pictures: {needed} episodes each."
    ]


def _format_deviation(
    found: VarianceComponents, ends: tuple[VarianceComponents, VarianceComponents], place: int, n: int, reason: str
) -> Value:
    variance, low, high = (float(each[place]) for each in (found, *ends))
    if isnan(variance):
        return Value(None, missing=reason)
    # Where nothing differs there is no interval: it would be of no width.
    return Value(variance**0.5, low=low**0.5, high=high**0.5, n=n) if high > low else Value(variance**0.5, n=n)


def _build_luck_rows(
    name: str, values: Sequence[Sequence[Sequence[float]]], results: Sequence[EpisodeResult] | None
) -> Iterator[tuple[Value, ...]]:
    """Yield the luck of one pair, then of its seats as far as what they did in repeats tells them apart.

    Args:
        name: Of the pair.
        values: Its main scores by instance.
        results: Its episodes; None where the seats of a game cannot be told apart.
    """
    if not any(len(episodes) > 1 for row in values for episodes in row):
        yield Value(name), Value("luck of play"), Value(None, missing=NO_REPEATS), Value(None, missing="of one pair")
        return
    cells = CrossedValues.of(values)
    place = VarianceComponents._fields.index("luck")
    whole = _format_deviation(cells.components(), cells.intervals(), place, len(values), NO_REPEATS)
    none = Value(0.0, n=len(values))
    yield Value(name), Value("luck of play"), whole, Value(None, missing="of one pair")
    if results is None:
        return
    describer, generator = _find_varying_seats(results)
    if describer is False:
        seats = none, whole
    elif generator is False:
        seats = whole, none
    else:
        seats = (Value(None, missing=BOTH_ANEW if describer else NOT_COMPARED),) * 2
    for seat, value in zip(("describer's luck", "generator's luck"), seats, strict=True):
        yield Value(name), Value(seat), value, Value(None, missing="of one pair")


def _find_varying_seats(results: Sequence[EpisodeResult]) -> tuple[bool | None, bool | None]:
    """Return whether describer and generator answer the same question differently in repeats; None if not asked twice.

    The describer's first question is the same in every repeat of a target; the generator's is where the describer said
    the same. A seat that never differs has no luck, and what there is, is the other's.
    """
    by_instance: dict[str, list[EpisodeResult]] = {}
    for result in results:
        if 1 in result.episode.renderings:
            by_instance.setdefault(result.episode.instance_id, []).append(result)
    describer: list[bool] = []
    generator: list[bool] = []
    for of_instance in by_instance.values():
        for first, second in combinations(of_instance, 2):
            opening, repeated = first.episode.steps[0], second.episode.steps[0]
            describer.append(opening["message"] != repeated["message"])
            if opening["message"] == repeated["message"]:
                generator.append(opening["rendering"] != repeated["rendering"])
    return (any(describer) if describer else None), (any(generator) if generator else None)


def _describe_judge_luck(results: Results, judge: str) -> str:
    """Return how much of the luck is the judge's own, as far as that is known."""
    identity = results.judge_identities.get(judge)
    if identity is not None and identity.kind == "computed":
        return f"{judge} is computed and rates the same picture alike each time: none of the luck is the judge's."
    answers = (answer for run in results.runs.values() for answer in run.second_answers)
    twice = next((each for each in measure_retests(answers, judge) if each.task == "similarity"), None)
    if twice is None:
        return f"How much of the luck is {judge}'s own is not known: ircore score RUN --judge FILE --again 10%"
    return (
        f"Of the luck {MAIN_UNIT * twice.deviation:.1f} points (standard deviation) are {judge}'s own, by "
        f"{format_count(twice.n, 'rating')} that it gave twice."
    )


def _name_sources(results: Results) -> Mapping[str, str]:
    """Return what the sources of variance are called: the seats that are crossed, and their interaction."""
    seats = results.crossed or ()
    named = {source: seat.title.lower() for source, seat in zip(("describer", "generator"), seats, strict=False)}
    return {**named, "interaction": "interaction"}


def _format_plural(words: Mapping[str, str], source: str) -> str:
    return words[source] if source == "interaction" else form_plural(words[source])


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
        *build_rated_columns(),
    )
    effects, named = pair_effects(results, judge, category, difficulty), _name_sources(results)
    cells = [results.cell(run_id, judge, category, difficulty) for run_id in effects.run_ids]
    rows = (
        ()
        if isinstance(effects.decomposition, Unavailable)
        else tuple(_build_effect_rows(effects, effects.decomposition, cells, named))
    )
    words = format_caption(results, judge, category, difficulty)
    notes = (*_list_notes(effects, named), *list_gap_notes(cells))
    title = " and ".join(_format_plural(named, source).capitalize() for source in named if source != "interaction")
    return Table("effects", title, words, columns, rows, notes, primary="effect")


def _build_effect_rows(
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
        return Value(part), Value(who), Value.of(value, behind), other, *list_rated_values(*of)

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
        yield row("spread", _format_plural(named, source), spread, None)
    for source, share in parts.shares.items():
        yield row("share of variance", _format_plural(named, source), share, None)
    yield row(
        "dominance",
        f"{_format_plural(named, 'describer')} less {_format_plural(named, 'generator')}",
        parts.dominance,
        None,
    )


def _list_notes(effects: PairEffects, named: Mapping[str, str]) -> tuple[str, ...]:
    if isinstance(effects.decomposition, Unavailable):
        return (f"No effects: {effects.decomposition.reason}.",)
    first, second = (_format_plural(named, source) for source in ("describer", "generator"))
    size = f"{len(effects.decomposition.describers)} {first} × {len(effects.decomposition.generators)} {second}"
    model = effects.model
    if isinstance(model, MixedEffects):
        chances = ", ".join(
            f"{_format_plural(named, source)} p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}"
            for source, p in model.p.items()
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
