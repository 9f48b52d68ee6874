"""A recorded reference game in ICCA's layout, with pictures of our own in place of the photographs."""

from pathlib import Path

from ircore.core.drawing import Drawing
from ircore.core.images import Picture

COLOURS = ("#d62828", "#1d4ed8", "#2a9d4a", "#f77f00")
NAMES = tuple(f"COCO_val2014_00000000000{place}" for place in range(1, 5))

MESSAGES = ("the big red circle on white", "the red circle", "red circle", "red", "red", "red")
"""What the speaker says of every picture, by repetition: 6, 3, 2, 1, 1 and 1 words."""

MANIFEST = """\
schema: 1
game: reference
name: people
speaker: {player: recorded, source: human}
listener: {player: recorded, source: human}
licence: CC0-1.0
"""


def write_recorded_game(folder: Path, game: str = "001_game", wrong: tuple[int, ...] = ()) -> Path:
    """Write a game of 24 rounds; the listener is right but in the rounds of ``wrong``, counted from 0."""
    root = folder / game
    root.mkdir(parents=True)
    for name, colour in zip(NAMES, COLOURS, strict=True):
        drawing = Drawing(64, 64)
        drawing.ellipse((32, 32), (20, 20), colour)
        (root / f"{name}.jpg").write_bytes(Picture.from_pixels(drawing.pixels).data)
    rows = ["trialNum,repNum,targetImg,msg,clickedObj"]
    for trial in range(24):
        clicked = "distr0" if trial in wrong else "target"
        rows.append(f"{trial},{trial // 4},{NAMES[trial % 4]}.jpg,{MESSAGES[trial // 4]},{clicked}")
    (root / f"trials_for_{game}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder
