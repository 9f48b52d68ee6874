"""The same facts in ten lawful layouts get the same score: margins, other canvases, sizes, fonts and palettes."""

from dataclasses import replace

import numpy as np
import pytest

from ircore.core.images import Picture
from ircore.core.ocr import reader_missing
from ircore.core.records import CATEGORIES, DIFFICULTIES
from ircore.games.reconstruction.build_targets import draw
from ircore.scorers.judge_test.foreign.drawers import redrawn
from ircore.scorers.judge_test.foreign.styles import Style
from ircore.scorers.verification.score import verify_picture

PLAIN = Style("matplotlib", "DejaVuSans", 1.0, 1.0, 1, (0.0, 0.0), 1.0, (1024, 1024), (0.0, 2.0))

LAYOUTS = {
    "margins of 5 %": replace(PLAIN, scale=0.9),
    "margins of 12 %, off the middle": replace(PLAIN, scale=0.76, move=(0.03, -0.02)),
    "margins of 25 %": replace(PLAIN, scale=0.5),
    "on 3:2": replace(PLAIN, canvas=(1536, 1024)),
    "on 2:3": replace(PLAIN, canvas=(1024, 1536)),
    "on 2:3, at the top": replace(PLAIN, canvas=(1024, 1536), scale=0.9, move=(0.0, -0.15)),
    "75 % of the size": replace(PLAIN, scale=0.75),
    "in a serif": replace(PLAIN, drawer="resvg", font="SourceSerifPro-Regular"),
    "by hand": replace(PLAIN, drawer="pillow", font="Intuitive", letters=0.95),
    "in another palette within tolerance": replace(PLAIN, drawer="resvg", shades=7),
}
"""Ten ways in which a person may lay out the same picture."""

MOST = 0.5
"""Points by which a layout's score may differ from that of the target itself."""


READS = reader_missing() is None


@pytest.mark.slow
def test_a_layout_costs_at_most_half_a_point() -> None:
    """Where no reader of texts is installed their wording may be undecided: then the highest possible score counts."""
    off: list[str] = []
    conditions = [(category, difficulty) for category in CATEGORIES[:-1] for difficulty in DIFFICULTIES]
    for seed, (category, difficulty) in enumerate(conditions, start=300):
        target = draw(category, difficulty, seed)  # type: ignore[arg-type]
        own = Picture.from_pixels(target.drawing.pixels)
        whole = verify_picture(own, target.scene, own).score
        assert whole is not None
        for title, style in LAYOUTS.items():
            image = Picture.from_pixels(np.asarray(redrawn(target.scene, style)))
            found = verify_picture(own, target.scene, image)
            score = found.score if READS else found.high
            if score is None or abs(score - whole) > MOST:
                off.append(f"{category}/{difficulty}/{seed} {title}: {score}, not {whole}")
    assert len(off) <= 0.05 * len(LAYOUTS) * len(conditions), "\n".join(off)
