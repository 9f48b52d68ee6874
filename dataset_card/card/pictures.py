"""The pictures of a card, drawn from a release: targets by category, scores by category, episodes as strips."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import cos, pi, sin

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

from dataset_card.tables.game_tables import GameTables
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.games.base import Message, list_messages
from ircore.results.episodes import EpisodeResult
from ircore.results.headline import find_headline_judge
from ircore.results.model import BoardRow, Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.intervals import Estimate

PAPER, TEXT, FAINT, LINE = "#ffffff", "#2b2b2b", "#5d6268", "#d4d8dd"
INKS = ("#0b62a8", "#c2570c", "#2c7a3f", "#8a3f9e", "#a3263a", "#4c4f55")
"""Dark enough to be told apart on white; pairs have marks of their own besides."""

MOST_PAIRS = 6
"""Pairs that the chart shows, the best ones: more could not be told apart."""

TOP = 10.0
"""The highest similarity."""

_THUMB, _GAP, _MARGIN, _LABEL = 150, 12, 16, 26
_WIDTH, _LEFT, _ROW, _HEAD = 1000, 150, 13, 26
_MARKS = (
    tuple((5 * cos(angle / 12 * pi), 5 * sin(angle / 12 * pi)) for angle in range(24)),
    ((-5, -5), (5, -5), (5, 5), (-5, 5)),
    ((0, -6), (5.5, 4.5), (-5.5, 4.5)),
    ((0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0)),
    ((0, 6), (5.5, -4.5), (-5.5, -4.5)),
    ((-7, -2), (7, -2), (7, 2), (-7, 2)),
)
"""Corners of each pair's mark about its middle, in pixels."""

_FINE = 3
"""The chart is drawn so much larger and then reduced, which smooths its lines."""

MOST_RENDERINGS = 4
THUMBNAIL = 240
"""Side of the square that each picture is fitted into, in pixels."""

_STRIP_GAP, _STRIP_LABEL, _STRIP_MARGIN = 16, 34, 12
_PAPER, _TEXT, _LINE, _ACCENT = "#ffffff", "#3b3b3b", "#c8ccd1", "#0b62a8"


def draw_targets(source: GameTables) -> bytes:
    """Return a PNG file with the first target of each category and difficulty, a column for each category."""
    names = source.results.categories
    columns = [_find_first_instances(source, name) for name in names]
    width = 2 * _MARGIN + len(names) * (_THUMB + _GAP) - _GAP
    height = 2 * _MARGIN + _LABEL + max(map(len, columns)) * (_THUMB + _GAP) - _GAP
    sheet = Image.new("RGB", (width, height), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for column, (name, targets) in enumerate(zip(names, columns, strict=True)):
        left = _MARGIN + column * (_THUMB + _GAP)
        pen.text((left + _THUMB / 2, _MARGIN + 8), _shorten_name(name), fill=TEXT, font=font, anchor="mm")
        for row, target in enumerate(targets):
            _paste_target(sheet, source, target, left, _MARGIN + _LABEL + row * (_THUMB + _GAP))
    return _encode_png(sheet)


def draw_scores(results: Results, judge: str) -> bytes:
    """Return a PNG file: mean final scores of the best pairs by category with 95 % intervals, as a judge rated them."""
    pairs = [row for row in results.board(judge) if row.cell.score.mean is not None][:MOST_PAIRS]
    names = (None, *results.categories)
    band = len(pairs) * _ROW + 14
    head = _MARGIN + _HEAD * ((len(pairs) + 1) // 2) + 10
    size = (_WIDTH, head + band * len(names) + 34)
    sheet = Image.new("RGB", (size[0] * _FINE, size[1] * _FINE), PAPER)
    chart = _Chart(sheet)
    for index, row in enumerate(pairs):
        # Two columns keep a legend of six pairs low.
        left, top = _MARGIN + (index % 2) * (_WIDTH // 2), _MARGIN + _HEAD * (index // 2) + 8
        chart.mark(left + 8, top, index)
        chart.text(left + 24, top, _pair(row), "lm")
    chart.axis(head, head + band * len(names))
    for place, name in enumerate(names):
        top = head + place * band
        chart.band(top, band, "all" if name is None else _shorten_name(name))
        for index, row in enumerate(pairs):
            cell = results.cell(row.submission.run_id, judge, name)
            chart.estimate(top + 7 + _ROW * index + _ROW / 2, cell.score, index)
    return _encode_png(sheet.reduce(_FINE))


def describe_chart(pairs: Sequence[BoardRow], label: str) -> str:
    """Describe the chart of scores in words: the mean of each pair over all targets that the pair played."""
    means = [f"{_pair(row)} {row.cell.score.mean:.1f}" for row in pairs if row.cell.score.mean is not None]
    words = f"Mean similarity by category with 95 % intervals, judged by {label}; over all targets played"
    return f"{words}: {', '.join(means)}."


@dataclass(frozen=True)
class CardEpisode:
    """The episode that opens the card.

    Attributes:
        run: The run of the episode.
        result: The episode and how it was judged.
        judge: The judge whose ratings are shown; None for an unrated episode.
        messages: What was said in the steps that are shown.
        renderings: The renderings that are shown, by step: the first, the final one and some between.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> example = choose_example(check_release(Path("release")).source.lead)
    >>> example.judge, min(example.renderings)
    ('verified', 1)
    """

    run: PlayedRun
    result: EpisodeResult
    judge: str | None
    messages: tuple[Message, ...]
    renderings: Mapping[int, Rendering]

    def score(self, step: int) -> float | None:
        """Return the similarity of a step's rendering, 0–10; None for an unrated rendering."""
        return None if self.judge is None else self.result.judged[self.judge].trajectory.get(step)


def choose_example(source: GameTables) -> CardEpisode:
    """Choose the episode whose similarity rose most by the headline judge; ties go to the better final rendering."""
    runs = {run.run.run_id: run for run in source.runs}
    drawn = [
        result for submission in source.results.submissions for result in source.results.episodes[submission.run_id]
        if result.episode.played and result.episode.renderings
    ]  # fmt: skip
    headline = find_headline_judge(source.results)
    best = max(drawn, key=partial(_compute_merit, headline))
    # The headline judge may have rated other episodes alone.
    judge = headline if headline in best.judged else next(iter(best.judged), None)
    renderings = _select_renderings(best.episode.renderings)
    messages = tuple(message for message in list_messages(source.game, best.episode) if message.step in renderings)
    return CardEpisode(runs[best.run_id], best, judge, messages, renderings)


def draw_episode(source: GameTables, example: CardEpisode) -> bytes:
    """Return the strip as a PNG file."""
    instances = {instance.instance_id: instance for instance in source.instances.instances}
    (name,) = source.game.shown_pictures
    target = source.instances.picture(instances[example.result.episode.instance_id], name)
    panels = [(name, target)]
    panels += [
        (_label(example, step), example.run.rendering(rendering)) for step, rendering in example.renderings.items()
    ]
    return _strip(panels)


def _find_first_instances(source: GameTables, category: str) -> list[Instance]:
    firsts: dict[str, Instance] = {}
    for instance in source.instances.instances:
        if instance.category == category:
            firsts.setdefault(instance.difficulty, instance)
    return [firsts[name] for name in source.results.difficulties if name in firsts]


def _paste_target(sheet: Image.Image, source: GameTables, target: Instance, left: int, top: int) -> None:
    picture = Image.fromarray(source.instances.picture(target, "target").pixels)
    fitted = ImageOps.contain(picture, (_THUMB, _THUMB), Image.Resampling.LANCZOS)
    at = (left + (_THUMB - fitted.width) // 2, top + (_THUMB - fitted.height) // 2)
    sheet.paste(fitted, at)
    ImageDraw.Draw(sheet).rectangle((at[0], at[1], at[0] + fitted.width - 1, at[1] + fitted.height - 1), outline=LINE)


class _Chart:
    """A chart of estimates from 0 to 10, drawn in the units of the finished picture."""

    def __init__(self, sheet: Image.Image) -> None:
        self._pen = ImageDraw.Draw(sheet)
        self._font = ImageFont.load_default(15 * _FINE)

    def text(self, x: float, y: float, words: str, anchor: str, fill: str = TEXT) -> None:
        self._pen.text((x * _FINE, y * _FINE), words, fill=fill, font=self._font, anchor=anchor)

    def line(self, x: float, y: float, x2: float, y2: float, fill: str, width: float = 1) -> None:
        ends = (x * _FINE, y * _FINE, x2 * _FINE, y2 * _FINE)
        self._pen.line(ends, fill=fill, width=round(width * _FINE))

    def axis(self, top: float, bottom: float) -> None:
        for value in range(0, int(TOP) + 1, 2):
            self.line(_compute_x(value), top, _compute_x(value), bottom, LINE)
            self.text(_compute_x(value), bottom + 14, str(value), "mm", FAINT)
        self.text(_MARGIN, bottom + 14, "similarity", "lm", FAINT)

    def band(self, top: float, deep: float, name: str) -> None:
        self.line(_MARGIN, top, _WIDTH - _MARGIN, top, LINE)
        self.text(_MARGIN, top + deep / 2, name, "lm")

    def estimate(self, y: float, value: Estimate, index: int) -> None:
        if value.mean is None:
            return
        if value.low is not None and value.high is not None:
            self.line(_compute_x(value.low), y, _compute_x(value.high), y, INKS[index], 2)
        self.mark(_compute_x(value.mean), y, index)

    def mark(self, x: float, y: float, index: int) -> None:
        """Draw the mark of a pair: a shape and a colour, so that pairs can be told apart without colours."""
        points = [((x + dx) * _FINE, (y + dy) * _FINE) for dx, dy in _MARKS[index]]
        self._pen.polygon(points, fill=INKS[index])


def _compute_x(value: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - 2 * _MARGIN) * value / TOP


def _pair(row: BoardRow) -> str:
    players, rules = (
        f"{row.submission.describer} + {row.submission.generator}",
        f" ({row.submission.rules.key})",
    )
    # A pair has half of the width in the legend, where 52 characters of usual width find room.
    room = 52 - len(rules)
    return (players if len(players) <= room else f"{players[: room - 1]}…") + rules


def _shorten_name(name: str) -> str:
    # A longer name would run into the chart, or beyond its column of targets.
    return name.replace("_", " ")[:18]


def _encode_png(sheet: Image.Image) -> bytes:
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    return buffer.getvalue()


def _compute_merit(headline: str | None, result: EpisodeResult) -> tuple[float, float, int]:
    judged = result.judged.get(headline or "")
    # No change of a similarity is below -10, so an episode without a change is chosen last.
    delta = judged.delta if judged and judged.delta is not None else -10.0
    final = judged.final if judged and judged.final is not None else 0.0
    return delta, final, len(result.episode.renderings)


def _select_renderings(renderings: Mapping[int, Rendering]) -> dict[int, Rendering]:
    """Return the first rendering, the last one and evenly spaced ones between."""
    steps = list(renderings)
    count = min(len(steps), MOST_RENDERINGS)
    picks = {round(index * (len(steps) - 1) / max(1, count - 1)) for index in range(count)}
    return {steps[index]: renderings[steps[index]] for index in sorted(picks)}


def _label(example: CardEpisode, step: int) -> str:
    final = step == max(example.renderings) and len(example.renderings) > 1
    score = example.score(step)
    return f"turn {step}" + (", final" if final else "") + ("" if score is None else f" · {score:.1f}")


def _strip(panels: list[tuple[str, Picture]]) -> bytes:
    width = 2 * _STRIP_MARGIN + len(panels) * THUMBNAIL + (len(panels) - 1) * _STRIP_GAP
    sheet = Image.new("RGB", (width, 2 * _STRIP_MARGIN + THUMBNAIL + _STRIP_LABEL), _PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(18)
    for index, (label, picture) in enumerate(panels):
        left = _STRIP_MARGIN + index * (THUMBNAIL + _STRIP_GAP)
        fitted = ImageOps.contain(Image.fromarray(picture.pixels), (THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
        at = (left + (THUMBNAIL - fitted.width) // 2, _STRIP_MARGIN + (THUMBNAIL - fitted.height) // 2)
        sheet.paste(fitted, at)
        box = (at[0] - 1, at[1] - 1, at[0] + fitted.width, at[1] + fitted.height)
        pen.rectangle(box, outline=_LINE if index else _ACCENT, width=1 if index else 3)
        middle = (left + THUMBNAIL / 2, _STRIP_MARGIN + THUMBNAIL + _STRIP_LABEL / 2 + 4)
        pen.text(middle, label, fill=_TEXT if index else _ACCENT, font=font, anchor="mm")
    return Picture.from_pixels(np.asarray(sheet)).data
