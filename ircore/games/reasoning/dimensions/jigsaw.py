"""*Jigsaw*: a picture whose tiles were exchanged is to be put together again."""

import random
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension, Task, Verdict
from ircore.games.reasoning.puzzles.jigsaw_puzzle import make_jigsaw, tiles_in_place


class Jigsaw(Dimension):
    """Two or three tiles a side (easy) or four (hard), at least half of them moved.

    >>> task = Jigsaw().build("easy", random.Random(1))
    >>> Jigsaw().verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0
    """

    name = "jigsaw"
    part = "edit"
    title = "Jigsaw"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a jigsaw of our own."""
        count = 4 if difficulty == "hard" else rng.choice((2, 3))
        puzzle = make_jigsaw(count, rng)
        prompt = (
            f"This picture was cut into {count} × {count} square tiles, and tiles were exchanged; none was turned. "
            "Draw the picture with every tile back in its place."
        )
        pictures = {"input": Picture.from_pixels(puzzle.shuffled), "truth": Picture.from_pixels(puzzle.whole)}
        payload = {"tiles": count, "order": list(puzzle.order)}
        if puzzle.photo is None:
            return Task(prompt, payload, pictures)
        source = f"{puzzle.photo.title}, {puzzle.photo.author}, {puzzle.photo.source}; its middle, cut into tiles"
        return Task(prompt, payload, pictures, source=source, licence=puzzle.photo.licence)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:
        """Return the share of moved tiles that are in place again; a tile that left its place counts as one more.

        GIR-Bench's own score is one FID over all pictures of a set, so a single picture has none.
        """
        truth, count = pictures["truth"].pixels, payload["tiles"]
        in_place_before = tiles_in_place(pictures["input"].pixels, truth, count)
        in_place = tiles_in_place(answer.pixels, truth, count)
        moved = in_place_before.count(False)
        back = sum(now for now, before in zip(in_place, in_place_before, strict=True) if not before)
        lost = sum(not now for now, before in zip(in_place, in_place_before, strict=True) if before)
        reasons = [f"{back} of {moved} moved tiles are in place"]
        if lost:
            reasons.append(f"{lost} of {in_place_before.count(True)} other tiles are no longer where they were")
        # Lost tiles join the denominator, so that redrawing the whole picture is no way to a good score.
        denominator = moved + lost
        return Verdict(None, back / denominator if denominator else 1.0, all(in_place), tuple(reasons))
