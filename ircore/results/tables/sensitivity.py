"""Whether ranks hold: under other judges, targets, weights and powers of facts, and on a secret season's targets.

Each variation changes one choice alone, ranks all pairs by the rule of boards again, and lays the ranges beside those
of the board. A pair has clearly moved where its two ranges of ranks do not overlap. The gap between a public set and a
secret season is what a pair gains from knowing the public targets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.core.score_records import VERIFIED
from ircore.results.cells import run_standing
from ircore.results.fact_shares import WEIGHINGS
from ircore.results.headline import find_headline_judge
from ircore.results.judge_ratings import RATED, JudgeRatings
from ircore.results.model import Results
from ircore.results.ranking import find_barred_columns
from ircore.results.statistics.intervals import subtract_estimates
from ircore.results.statistics.ranks import RankRange, Standing
from ircore.results.subsets import split_by_rules
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import format_caption, pair_columns, pair_values

PHOTOGRAPHS = "photos"
"""Category of the targets that are photographs."""

_SENSITIVITY_COLUMNS = (
    Column("variation", "variation", "The one choice that differs from the board's.", digits=None),
    Column("judge", "board by", "Judge of the board that it is compared with.", digits=None),
    Column("main_score", "main", "Main score under the variation.", "0–100", "higher", 1, nullable=True),
    Column("rank", "rank", "Range of ranks under the variation.", digits=None),
    Column("board_rank", "on the board", "Range of ranks on the board.", digits=None),
    Column("moved", "clearly moved", "Whether the two ranges do not overlap.", digits=None),
)

SEASON_COLUMNS = (
    Column("public", "public", "Main score on the public set.", "0–100", "higher", 1, estimated=True),
    Column("secret", "secret", "Main score on the season's set.", "0–100", "higher", 1, estimated=True),
    Column("gap", "public − secret", "Public minus secret main score.", "0–100", "lower", 1, True, estimated=True),
)


def sensitivity_table(results: Results) -> Table:
    """Return the ranks of pairs under other choices of scoring; only pairs under the same rules are ranked together."""
    rows: list[tuple[Value, ...]] = []
    notes: list[str] = []
    who = pair_values(results)
    for part in split_by_rules(results):
        run_ids = [submission.run_id for submission in part.submissions]
        barred = find_barred_columns(part.episodes, part.held | part.past_budget)
        for variation in _list_variations(part, run_ids):
            board = part.standings[None, None, variation.judge]
            varied = run_standing(variation.instances, variation.ratings, barred)
            mains = variation.ratings.main_scores().tolist()
            for run_id, main, now, before in zip(run_ids, mains, varied.ranges, board.ranges, strict=True):
                main_score = Value.or_missing(None if main != main else main, "nothing rated")
                moved = Value("–" if now is None or before is None else _describe_move(now, before))
                texts = (
                    Value(variation.name),
                    Value(variation.judge),
                    main_score,
                    _format_range(now),
                    _format_range(before),
                    moved,
                )
                rows.append((*who[run_id], *texts))
            notes.append(_describe_changes(variation.name, varied, board))
    return Table(
        "sensitivity",
        "Do ranks depend on how is scored?",
        format_caption(results, None),
        (*pair_columns(results), *_SENSITIVITY_COLUMNS),
        tuple(rows),
        tuple(dict.fromkeys(notes)) or ("One judge rated no photographs, and knows no facts: nothing can be varied.",),
        spare=("main_score", "judge"),
    )


def season_gap_table(public: Results, secret: Results, judge: str, category: str | None = None) -> Table:
    """Return public and secret main score of every pair that played both sets by the same rules, and their difference.

    Args:
        public: Results on a public set.
        secret: Results on the season's set.
        judge: A judge of both.
        category: Only this category.

    Raises:
        InputError: The judge rated only one of the sets, the sets have other categories, or no pair played both.
    """
    for results in (public, secret):
        if judge not in results.judges:
            raise InputError(
                f"--judge {judge} has not rated instance set {results.instance_set[:12]}",
                "Score the runs of this set with the judge.",
            )
        if category is not None and category not in results.categories:
            raise InputError(
                f"instance set {results.instance_set[:12]} has no --category {category}",
                "Name a category of both sets.",
            )
    if category is None and judge != VERIFIED and public.categories != secret.categories:
        raise InputError(
            f"--judge {judge} rates {', '.join(public.categories)} there and {', '.join(secret.categories)} here",
            f"Name a category of both sets with --category, or take --judge {VERIFIED}.",
        )
    there = {(run.slug, run.rules.key): run.run_id for run in secret.submissions}
    names, rows = pair_values(public), []
    for run in public.submissions:
        other = there.get((run.slug, run.rules.key))
        if other is None:
            continue
        scores = public.cell(run.run_id, judge, category).main, secret.cell(other, judge, category).main
        rows.append((*names[run.run_id], *map(Value.of, (*scores, subtract_estimates(*scores)))))
    if not rows:
        raise InputError("no pair played both sets by the same rules", "Play the same submission on both sets.")
    words = (
        f"{(category or 'All drawn targets').replace('_', ' ').capitalize()}, judged by {judge}; public set "
        f"{public.instance_set[:12]}, season's set {secret.instance_set[:12]}."
    )
    return Table("season-gap", "Public against secret", words, (*pair_columns(public), *SEASON_COLUMNS), tuple(rows))


class _Variation(NamedTuple):
    """One other way to score, and the board that it varies."""

    name: str
    judge: str
    instances: Sequence[Instance]
    ratings: JudgeRatings


def _list_variations(results: Results, run_ids: Sequence[str]) -> Iterator[_Variation]:
    every = results.instances
    headline = find_headline_judge(results, None, None) or results.judges[0]
    rating = [judge for judge in results.judges if RATED in results.ratings_of(judge, run_ids, every).status]
    for judge in rating:
        if judge != headline:
            yield _Variation(f"judge {judge}", headline, every, results.ratings_of(judge, run_ids, every))
    drawn = [instance for instance in every if instance.category != PHOTOGRAPHS]
    for judge in rating:
        scope = results.scopes.get(judge)
        if 0 < len(drawn) < len(every) and (scope is None or PHOTOGRAPHS in scope):
            yield _Variation("without photographs", judge, drawn, results.ratings_of(judge, run_ids, drawn))
    if VERIFIED in rating:
        for name in WEIGHINGS:
            if any(name in results.runs[run_id].reweighed for run_id in run_ids):
                yield _Variation(name, VERIFIED, every, _rescore(results, run_ids, name))


def _rescore(results: Results, run_ids: Sequence[str], name: str) -> JudgeRatings:
    """Return the ratings of ``verified`` with facts weighed otherwise; a score whose facts are not known stays."""
    ratings = results.ratings_of(VERIFIED, run_ids, results.instances)
    final = ratings.final.copy()
    rows = {instance.instance_id: row for row, instance in enumerate(results.instances)}
    for column, run_id in enumerate(run_ids):
        for instance_id, known in results.runs[run_id].reweighed.get(name, {}).items():
            row = rows[instance_id]
            # Only where the facts of every rated episode are known: a mean of old and new scores would be neither.
            if ratings.states[row, column, RATED] == len(known):
                final[row, column] = fsum(known) / len(known)
    return replace(ratings, final=final)


def _format_range(place: RankRange | None) -> Value:
    if place is None:
        return Value(None, missing="no rank")
    return Value(f"{place.best}" if place.best == place.worst else f"{place.best}–{place.worst}")


def _describe_move(now: RankRange, before: RankRange) -> str:
    return "up" if now.worst < before.best else "down" if now.best > before.worst else "no"


def _describe_changes(name: str, varied: Standing, board: Standing) -> str:
    """Say how many couples of pairs the variation tells apart as the board does, otherwise, or no longer."""
    ranked = [(now, before) for now, before in zip(varied.ranges, board.ranges, strict=True) if now and before]
    sides = [
        (_compare_places(before, other_before), _compare_places(now, other_now))
        for at, (now, before) in enumerate(ranked)
        for other_now, other_before in ranked[at + 1 :]
    ]
    kept_apart = [(before, now) for before, now in sides if before]
    turned = sum(before == -now for before, now in kept_apart)
    lost = sum(not now for _, now in kept_apart)
    new = sum(bool(now) and not before for before, now in sides)
    return (
        f"{name[0].upper()}{name[1:]}: of {len(kept_apart)} couples that the ranges on the board keep apart, {turned} "
        f"{'is' if turned == 1 else 'are'} turned round and {lost} no longer kept apart; {new} more are."
    )


def _compare_places(first: RankRange, second: RankRange) -> int:
    return 1 if first.worst < second.best else -1 if first.best > second.worst else 0
