"""The judge ``pieces``: how well the seven pieces of a tangram lie where they should, 0 to 10."""

import numpy as np
from pydantic import TypeAdapter
from scipy.optimize import linear_sum_assignment

from ircore.core.images import Picture
from ircore.core.records import Element, Scene
from ircore.core.score_records import JudgeKind
from ircore.scorers.judges.base import Judgement, preferred
from ircore.scorers.tangrams.piece_detection import components, is_coloured, labels_by_colour
from ircore.scorers.tangrams.pieces import Labels, PieceMatch, Placing, compare_frames, frame_of_labels, piece_elements

_CENTRE = TypeAdapter(tuple[float, float])
MOST_COMPONENTS = 60
"""A picture with more separate areas is no tangram; of its areas the largest are looked at."""


class PiecesJudge:
    """Rates a tangram by the mean intersection over union of its pieces, with size and place evened out.

    Coloured pieces are found by their colours; pieces of one colour are the areas between white lines, each matched
    with the piece that it covers best.

    Args:
        scene: Of the target; None if nobody knows, and then there is no rating.

    Example:
        >>> from ircore.core.images import Picture
        >>> from ircore.instances.targets.categories import draw
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
        """Return the judge for one target."""
        return PiecesJudge(scene)

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate how well the pieces lie, 0–10: ten times the mean intersection over union."""
        match = match_picture(target, self._scene, image) if self._scene else None
        if match is None:
            return Judgement(None, "nobody wrote down where the seven pieces lie")
        return Judgement(round(10 * match.mean, 2))

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        return preferred(self.rate(target, first), self.rate(target, final))


def match_picture(target: Picture, scene: Scene, image: Picture) -> PieceMatch | None:
    """Compare a rendering with a tangram, piece by piece.

    Args:
        target: The target's picture.
        scene: What it shows.
        image: The rendering, of any size.

    Returns:
        The overlap of each piece; None if the target is no tangram.
    """
    pieces, ground = piece_elements(scene), scene.background or "#ffffff"
    if pieces is None:
        return None
    coloured = is_coloured(pieces)
    if coloured:
        target_labels, image_labels = (labels_by_colour(picture.pixels, pieces, ground) for picture in (target, image))
    else:
        colour = next(element.colour or "#000000" for element in pieces.values())
        areas, image_labels = (components(picture.pixels, colour, ground) for picture in (target, image))
        target_labels = _numbered(areas, pieces)
    own = Placing.of(target_labels)
    frame = frame_of_labels(target_labels, own)
    # Without a piece, area and centroid are another figure's: the target's own placing shows the other pieces in place.
    as_it_lies = own.scaled(image.width / target.width, image.height / target.height) if own else None
    frames = [frame_of_labels(image_labels, placing) for placing in (Placing.of(image_labels), as_it_lies)]
    return max(
        (compare_frames(frame, other if coloured else _assigned(frame, other), interchange=False) for other in frames),
        key=lambda match: match.mean,
    )


def _numbered(areas: Labels, pieces: dict[str, Element]) -> Labels:
    """Give the areas of the target the numbers of the pieces in whose middle they lie."""
    labels = np.zeros_like(areas)
    for name, element in pieces.items():
        x, y = _CENTRE.validate_python(element.parameters["centre"])
        area = areas[min(int(y), areas.shape[0] - 1), min(int(x), areas.shape[1] - 1)]
        # The middle may lie on a white line, where no area is.
        if area:
            labels[areas == area] = int(name)
    return labels


def _assigned(target: Labels, areas: Labels) -> Labels:
    """Give each area of a rendering the number of the piece that the area covers best; other areas get 8."""
    count = min(int(areas.max()), MOST_COMPONENTS)
    # One pass over the pixels counts every pair of piece and area.
    pairs = np.bincount((target * (areas.max() + 1) + areas).ravel(), minlength=8 * (int(areas.max()) + 1))
    table = pairs.reshape(-1, int(areas.max()) + 1)[:8]
    shared = table[1:, 1 : count + 1]
    union = table.sum(1)[1:, None] + table.sum(0)[None, 1 : count + 1] - shared
    rows, columns = linear_sum_assignment(shared / np.maximum(union, 1), maximize=True)
    # 8 is no piece's number: the area counts to the outline, but matches no piece.
    numbers = np.full(int(areas.max()) + 1, 8)
    numbers[0] = 0
    numbers[columns + 1] = rows + 1
    return np.asarray(numbers[areas])
