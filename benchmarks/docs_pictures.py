"""The pictures of the page on the built-in players, made from real play.

    python benchmarks/docs_pictures.py                      into build/pictures, to look at
    python benchmarks/docs_pictures.py --out docs/assets    renews those of the page

Three strips: one target as all four built-in pairs end on it, one episode of ``classical`` and ``canvas`` turn by turn,
and descriptions told in plain words (of ``data/descriptions``) with what ``canvas`` draws of them.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from descriptions import load
from PIL import Image

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.plugins import load_plugin as load_plugin
from ircore.core.records import Difficulty, PlayerSpec
from ircore.games.reconstruction.prompts import parse_reply
from ircore.instances.targets.categories import draw_target
from ircore.players.base import Describer, DescriberView, Generator, GeneratorView
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw as render

OUT = Path(__file__).resolve().parents[1] / "build" / "pictures"
SIDE, GAP, CAPTION = 200, 10, 22
BUDGET, TURNS, QUALITY = 200, 6, 82
GRID, EPISODE = "simple_shapes/hard/501", "bar_graph/hard/503"
TOLD = (
    "bar_graph/hard/503 json",
    "functions/hard/503 numbered",
    "geometry/hard/503 figure",
    "pie_graph/hard/501 markdown",
)
PAIRS = (("classical", "canvas"), ("classical", "sketch"), ("captioner", "canvas"), ("captioner", "sketch"))


def target(name: str) -> Picture:
    """Draw a target by ``category/difficulty/seed``."""
    category, difficulty, seed = name.split("/")
    return Picture.from_pixels(draw_target(category, cast(Difficulty, difficulty), int(seed)).drawing.pixels)


def play(shown: Picture, describer_name: str, generator_name: str) -> list[Picture]:
    """Let a built-in pair play one target; return its renderings."""
    describer: Describer = load_plugin("players", describer_name)(PlayerSpec(player=describer_name))
    generator: Generator = load_plugin("players", generator_name)(PlayerSpec(player=generator_name))
    messages: list[str] = []
    renderings: list[Picture] = []
    for turn in range(1, TURNS + 1):
        nothing, said = ("",) * len(messages), tuple(messages)
        view = DescriberView(turn, "", shown, tuple(renderings), said, nothing, nothing, BUDGET, 0)
        move = parse_reply(asyncio.run(describer.describe(view)).text, turn)
        if not move.message:
            break
        messages.append(move.message)
        before = renderings[-1] if renderings else None
        answer = asyncio.run(generator.render(GeneratorView(turn, move.message, said, before, 0, "")))
        renderings.append(answer.picture)
    return renderings


def strip(path: Path, tiles: Sequence[tuple[str, Picture]], across: int) -> None:
    """Save pictures with captions side by side, on a ground that suits light and dark pages."""
    rows = -(-len(tiles) // across)
    wide, high = across * (SIDE + GAP) + GAP, rows * (SIDE + GAP + CAPTION) + GAP
    sheet = Drawing(wide, high, "#7d8794")
    for index, (caption, picture) in enumerate(tiles):
        left = GAP + index % across * (SIDE + GAP)
        top = GAP + index // across * (SIDE + GAP + CAPTION)
        small = Image.fromarray(picture.pixels).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
        sheet.image.paste(small, (left, top))
        sheet.text((left, top + SIDE + 6), caption, 14, "#ffffff", anchor="lt")
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.image.save(path, "WEBP", quality=QUALITY, method=6)
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def told() -> list[tuple[str, Picture]]:
    """Return targets with what is drawn of a description in plain words."""
    tiles = []
    known = {f"{record.target} {record.style}": record for record in load()}
    for name in TOLD:
        picture = Picture.from_pixels(render(read([known[name].text])[0]))
        tiles += [("target", target(known[name].target)), (f"told: {known[name].style}", picture)]
    return tiles


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the pictures")
    out = parser.parse_args().out
    shown = target(GRID)
    ends = [(f"{describer} + {generator}", play(shown, describer, generator)[-1]) for describer, generator in PAIRS]
    strip(out / "players-pairs.webp", [("target", shown), *ends], 5)
    shown = target(EPISODE)
    turns = play(shown, "classical", "canvas")[:4]
    tiles = [("target", shown), *((f"turn {n}", item) for n, item in enumerate(turns, 1))]
    strip(out / "players-turns.webp", tiles, len(tiles))
    strip(out / "players-told.webp", told(), 4)


if __name__ == "__main__":
    main()
