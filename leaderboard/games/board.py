"""Board, players and matrix of a game: means of its measures with intervals, by run, by player and by both seats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

from ircore.core.submission_records import NOBODY
from ircore.games.base import Measure
from ircore.results.game_curves import partner_mean
from ircore.results.statistics.intervals import Estimate, too_few
from leaderboard.games.entries import Entry
from leaderboard.games.section import GameSection
from leaderboard.words.labels import category_short, category_title, number


@dataclass(frozen=True)
class _HeatCell:
    """Mean of the headline under one condition, as a small coloured cell."""

    value: float | None
    """Place of the mean on the measure's range as a similarity, 0 (worst) to 10 (best); None without a mean."""

    title: str
    """Condition, mean and n, in words."""

    text: str
    """Mean as shown in the cell."""

    few: bool = False
    """Whether fewer instances than allow a claim are behind it."""


@dataclass(frozen=True)
class Line:
    """A row of a game's board."""

    entry: Entry
    """Run of the row."""

    headline: Estimate
    """Mean of the headline."""

    columns: tuple[Estimate, ...]
    """Means of the further measures that the board shows."""

    heats: tuple[tuple[_HeatCell, ...], ...]
    """For each category, the headline under each of its difficulties."""

    played: int
    """Episodes that count as played."""

    ended: int
    """Episodes that have ended."""

    @property
    def repeats(self) -> bool:
        """Whether the headline only repeats the main score, since every episode was played."""
        return self.entry.cell.main.low is not None and self.headline.n == self.entry.cell.main.n == self.ended


@dataclass(frozen=True)
class Player:
    """A player in one seat of a game."""

    label: str
    """Label of the player; may be a stranger's words."""

    hue: int | None
    """Number of its colour, of the first seat's players."""

    shape: int | None
    """Number of its shape, of the second seat's players."""

    mean: Estimate
    """Mean of the headline over partners."""

    entries: tuple[Entry, ...]
    """Runs in which it has the seat, the best first."""

    program: bool = False
    """Whether it is a program of this project, and no AI model, in all of them."""


def measure(section: GameSection, key: str) -> Measure:
    """Return a measure of a game by its key; the game's declarations guarantee that the key exists."""
    return next(measure for measure in section.game.measures if measure.key == key)


def board_measures(section: GameSection) -> tuple[Measure, ...]:
    """Return the measures that a board shows beside the headline."""
    keys = section.game.pages.columns
    return tuple(measure(section, key) for key in keys if key != section.game.headline.key)


def board_lines(section: GameSection) -> list[Line]:
    """Return the rows of a game's board, the best first."""
    return [
        Line(
            entry=entry,
            headline=entry.mean(section.game.headline),
            columns=tuple(entry.mean(shown) for shown in board_measures(section)),
            heats=_heats(section, entry) if len(section.conditions) > 1 else (),
            played=entry.cell.played,
            ended=entry.cell.ended,
        )
        for entry in section.entries
    ]


def heat_columns(section: GameSection) -> list[tuple[str, str]]:
    """Return the short and full headings of the columns of small cells, one column per category."""
    if len(section.conditions) < 2:
        return []
    return [(category_short(category), category_title(category)) for category in section.categories]


def _heats(section: GameSection, entry: Entry) -> tuple[tuple[_HeatCell, ...], ...]:
    return tuple(
        tuple(_heat(section, entry, *condition) for condition in section.conditions if condition[0] == category)
        for category in section.categories
    )


def _heat(section: GameSection, entry: Entry, category: str, difficulty: str) -> _HeatCell:
    mean = section.results.mean(entry.run_id, section.game.headline.key, category, difficulty)
    where = f"{category_title(category)}, {difficulty}"
    if mean.mean is None:
        return _HeatCell(None, f"{where}: no value", "")
    digits = value_digits(section.game.headline)
    return _HeatCell(
        similarity(section.game.headline, mean.mean),
        f"{where}: {number(mean.mean, digits)}, n {mean.n}{': too few' if too_few(mean.n) else ''}",
        number(mean.mean, digits),
        too_few(mean.n),
    )


def similarity(measure: Measure, value: float | None) -> float | None:
    """Map a value to 0 (worst) to 10 (best) on its measure's range; None without value or range."""
    if value is None or measure.bounds is None:
        return None
    low, high = measure.bounds
    place = 10 * (value - low) / (high - low)
    return place if measure.direction == "higher" else 10 - place


def value_digits(measure: Measure) -> int:
    """Return the number of decimals by the width of a measure's range: 2 up to 10, 1 up to 1000, else 0."""
    width = measure.bounds[1] - measure.bounds[0] if measure.bounds else 1.0
    return 2 if width <= 10 else 1 if width <= 1000 else 0


def drawn(mean: Estimate) -> Estimate:
    """Return a mean as it is drawn: without an interval where that rests on too few instances."""
    return replace(mean, low=None, high=None) if too_few(mean.n) else mean


def scale_ends(measure: Measure, means: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of the scale that a measure is drawn on: its range, else round numbers around 0 and the values.

    An interval alone brings no negative end: of lengths and counts it can reach below 0, the values cannot.
    """
    if measure.bounds is not None:
        return measure.bounds
    values = [mean.mean for mean in means if mean.mean is not None]
    highs = [high for mean in means if (high := drawn(mean).high) is not None]
    # Less from 0, since a negated 0 would be written with a minus sign.
    low, high = min([0.0, *values]), max([0.0, *values, *highs])
    return (0.0 - _round_end(-low), _round_end(high)) if high > low else (0.0, 1.0)


def _round_end(end: float) -> float:
    """Return the least of 1, 2, 4, 6 and 8 times a power of ten that is not below ``end``; 0 for 0."""
    if end <= 0:
        return 0.0
    power = 10.0 ** floor(log10(end))
    return next(times * power for times in (1, 2, 4, 6, 8, 10) if times * power >= end)


def players(section: GameSection) -> list[dict[str, Any]]:
    """Return the players of each seat, the best first by their mean over partners."""
    # A seat that the rules of a run leave empty has no player.
    return [
        {"seat": seat, "players": [player for player in _players(section, number) if player.label != NOBODY]}
        for number, seat in enumerate(section.seats)
    ]


def _players(section: GameSection, number: int) -> list[Player]:
    labels = dict.fromkeys(entry.players[number] for entry in section.entries)
    ranked = [_player(section, number, label) for label in labels]
    sign = -1 if section.game.headline.direction == "higher" else 1
    return sorted(ranked, key=lambda player: (player.mean.mean is None, sign * (player.mean.mean or 0.0), player.label))


def _player(section: GameSection, number: int, label: str) -> Player:
    entries = tuple(entry for entry in section.entries if entry.players[number] == label)
    return Player(
        label=label,
        hue=entries[0].hue if number == 0 else None,
        shape=entries[0].shape if number == 1 else None,
        mean=partner_mean([entry.measured for entry in entries], section.game.headline),
        entries=entries,
        program=all(entry.programs[number] for entry in entries),
    )


def matrix(section: GameSection) -> dict[str, Any] | None:
    """Return the players of two seats crossed: names, markers, and the runs in each cell; None for one seat."""
    if section.crossed is None:
        return None
    first, second = section.crossed
    rows, columns = ({player.label: player for player in _players(section, seat)} for seat in section.crossed)
    cells: dict[tuple[str, str], list[Entry]] = {}
    for entry in section.entries:
        cells.setdefault((entry.players[first], entry.players[second]), []).append(entry)
    return {
        "seats": (section.seat(first), section.seat(second)),
        "columns": list(columns.values()),
        "rows": [
            {"player": row, "cells": [cells.get((row.label, column), []) for column in columns]}
            for row in rows.values()
        ],
    }
