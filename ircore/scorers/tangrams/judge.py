"""The judge ``pieces``: how well the seven pieces of a tangram lie where they should, 0 to 10."""

import numpy as np
from pydantic import TypeAdapter
from scipy.optimize import linear_sum_assignment

from ircore.core.images import Picture
from ircore.core.records import Element, Scene
from ircore.core.score_records import JudgeKind
from ircore.scorers.judges.base import Judgement
from ircore.scorers.tangrams.pieces import Labels, PieceMatch, compare_frames, frame_of_labels
from ircore.scorers.tangrams.seen import components, is_coloured, labels_by_colour, piece_elements

_CENTRE = TypeAdapter(tuple[float, float])
MOST_COMPONENTS = 60
"""A picture with more separate areas is no tangram; of its areas the largest are looked at."""


class PiecesJudge:
    """Rates a tangram by the mean intersection over union of its pieces, after size and place are evened out.

    Coloured pieces are found by their colours; pieces of one colour are the areas between white lines, each matched
    with the piece that it covers best.

    Args:
        scene: Of the target; None if nobody knows, and then there is no rating.

    Example:
        >>> from ircore.core.images import Picture
        >>> from ircore.games.reconstruction.build_targets import draw
        >>> tangram = draw("tangrams", "easy", seed=1)
        >>> target = Picture.from_pixels(tangram.drawing.pixels)
        >>> PiecesJudge(tangram.scene).rate(target, target).value
        10.0
    """

    name = "pieces"
    label = "pieces (of a tangram, checked by program)"
    kind: JudgeKind = "computed"
    version = "1"
    categories = ("tangrams",)

    def __init__(self, scene: Scene | None = None) -> None:
        self._scene = scene

    def with_scene(self, scene: Scene | None) -> "PiecesJudge":
        """Return the judge of one target."""
        return PiecesJudge(scene)

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate how well the pieces lie, 0–10: ten times the mean intersection over union."""
        pieces = piece_elements(self._scene) if self._scene else None
        if self._scene is None or pieces is None:
            return Judgement(None, "nobody wrote down where the seven pieces lie")
        match = match_pieces(target, pieces, self._scene.background or "#ffffff", image)
        return Judgement(round(10 * match.mean, 2))

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        a, b = self.rate(target, first), self.rate(target, final)
        if a.value is None or b.value is None:
            return Judgement(None, a.reason or b.reason)
        return Judgement(0.5 if a.value == b.value else float(b.value > a.value))


def match_pieces(target: Picture, pieces: dict[str, Element], ground: str, image: Picture) -> PieceMatch:
    """Compare a rendering with a tangram, piece by piece.

    Args:
        target: The target's picture.
        pieces: Elements of its scene by the piece's number.
        ground: Colour of its ground.
        image: The rendering, of any size.
    """
    if is_coloured(pieces):
        labels = labels_by_colour(image.pixels, pieces, ground)
        wanted = labels_by_colour(target.pixels, pieces, ground)
        return compare_frames(frame_of_labels(wanted), frame_of_labels(labels), interchange=False)
    colour = next(element.colour or "#000000" for element in pieces.values())
    wanted = _numbered(components(target.pixels, colour, ground), pieces)
    frame = frame_of_labels(wanted)
    areas = frame_of_labels(components(image.pixels, colour, ground))
    return compare_frames(frame, _assigned(frame, areas))


def _numbered(areas: Labels, pieces: dict[str, Element]) -> Labels:
    """Give the areas of the target the numbers of the pieces in whose middle they lie."""
    labels = np.zeros_like(areas)
    for name, element in pieces.items():
        x, y = _CENTRE.validate_python(element.parameters["centre"])
        area = areas[min(int(y), areas.shape[0] - 1), min(int(x), areas.shape[1] - 1)]
        if area:
            labels[areas == area] = int(name)
    return labels


def _assigned(target: Labels, areas: Labels) -> Labels:
    """Give each area of a rendering the number of the piece that it covers best; those left over are 8."""
    count = min(int(areas.max()), MOST_COMPONENTS)
    pairs = np.bincount((target * (areas.max() + 1) + areas).ravel(), minlength=8 * (int(areas.max()) + 1))
    table = pairs.reshape(-1, int(areas.max()) + 1)[:8]
    shared = table[1:, 1 : count + 1]
    union = table.sum(1)[1:, None] + table.sum(0)[None, 1 : count + 1] - shared
    rows, columns = linear_sum_assignment(shared / np.maximum(union, 1), maximize=True)
    numbers = np.full(int(areas.max()) + 1, 8)
    numbers[0] = 0
    numbers[columns + 1] = rows + 1
    return np.asarray(numbers[areas])
