"""An episode as a strip of pictures: target, first rendering, …, final rendering, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

from dataset_card.tables.game_tables import GameTables
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.games.base import Message, list_messages
from ircore.results.episodes import EpisodeResult
from ircore.results.headline import find_headline_judge
from ircore.results.played_run import PlayedRun

MOST_RENDERINGS = 4
THUMBNAIL = 240
"""Side of the square that each picture is fitted into, in pixels."""

_GAP, _LABEL, _MARGIN = 16, 34, 12
_PAPER, _TEXT, _LINE, _ACCENT = "#ffffff", "#3b3b3b", "#c8ccd1", "#0b62a8"


@dataclass(frozen=True)
class Example:
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


def choose_example(source: GameTables) -> Example:
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
    return Example(runs[best.run_id], best, judge, messages, renderings)


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


def draw_episode(source: GameTables, example: Example) -> bytes:
    """Return the strip as a PNG file."""
    instances = {instance.instance_id: instance for instance in source.instances.instances}
    (name,) = source.game.shown_pictures
    target = source.instances.picture(instances[example.result.episode.instance_id], name)
    panels = [(name, target)]
    panels += [
        (_label(example, step), example.run.rendering(rendering)) for step, rendering in example.renderings.items()
    ]
    return _strip(panels)


def _label(example: Example, step: int) -> str:
    final = step == max(example.renderings) and len(example.renderings) > 1
    score = example.score(step)
    return f"turn {step}" + (", final" if final else "") + ("" if score is None else f" · {score:.1f}")


def _strip(panels: list[tuple[str, Picture]]) -> bytes:
    width = 2 * _MARGIN + len(panels) * THUMBNAIL + (len(panels) - 1) * _GAP
    sheet = Image.new("RGB", (width, 2 * _MARGIN + THUMBNAIL + _LABEL), _PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(18)
    for index, (label, picture) in enumerate(panels):
        left = _MARGIN + index * (THUMBNAIL + _GAP)
        fitted = ImageOps.contain(Image.fromarray(picture.pixels), (THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
        at = (left + (THUMBNAIL - fitted.width) // 2, _MARGIN + (THUMBNAIL - fitted.height) // 2)
        sheet.paste(fitted, at)
        box = (at[0] - 1, at[1] - 1, at[0] + fitted.width, at[1] + fitted.height)
        pen.rectangle(box, outline=_LINE if index else _ACCENT, width=1 if index else 3)
        middle = (left + THUMBNAIL / 2, _MARGIN + THUMBNAIL + _LABEL / 2 + 4)
        pen.text(middle, label, fill=_TEXT if index else _ACCENT, font=font, anchor="mm")
    return Picture.from_pixels(np.asarray(sheet)).data
