"""The judge ``pieces``: how well the seven pieces of a tangram lie where they should, 0 to 10."""

from collections.abc import Mapping

import numpy as np
from pydantic import TypeAdapter
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

from ircore.core.images import Picture, Pixels
from ircore.core.records import Element, Scene
from ircore.core.score_records import JudgeKind
from ircore.scorers.judges.base import Judgement, preferred
from ircore.scorers.tangrams.pieces import Labels, PieceMatch, Placing, compare_frames, frame_of_labels, piece_elements

FARTHEST = 110.0
"""Distance in RGB beyond which a pixel has no piece's colour."""
LEAST_SHARE = 1 / 160
"""Part of all dark pixels below which a component is dirt: a tenth of a small triangle."""


def is_coloured(pieces: Mapping[str, Element]) -> bool:
    """Return whether all pieces differ in colour."""
    return len({element.colour for element in pieces.values()}) == len(pieces)


def labels_by_colour(pixels: Pixels, pieces: Mapping[str, Element], ground: str) -> Labels:
    """Give each pixel to the piece whose colour is nearest, or to none.

    Args:
        pixels: Height × width × 3.
        pieces: With their colours, by number.
        ground: Colour of the ground.
    """
    names = [0, *map(int, pieces)]
    colours = np.array([_rgb(ground), *(_rgb(element.colour or ground) for element in pieces.values())], np.int32)
    flat = pixels.reshape(-1, 3).astype(np.int32)
    distances = np.stack([((flat - colour) ** 2).sum(1) for colour in colours])
    nearest = distances.argmin(0)
    # Squared distances: their order is the same, and no root of every pixel is needed.
    labels = np.where(distances.min(0) <= FARTHEST**2, np.array(names)[nearest], 0)
    return labels.reshape(pixels.shape[:2])


def components(pixels: Pixels, colour: str, ground: str) -> Labels:
    """Number the connected areas of one colour from 1, dirt left out.

    Args:
        pixels: Height × width × 3.
        colour: Of all pieces.
        ground: Colour of the ground.
    """
    flat = pixels.astype(np.int32)
    own, other = (((flat - np.array(_rgb(name), np.int32)) ** 2).sum(2) for name in (colour, ground))
    areas, count = ndimage.label(own < other)
    sizes = np.bincount(areas.ravel(), minlength=count + 1)
    # Number 0 is the ground.
    sizes[0] = 0
    large_areas = np.flatnonzero(sizes >= max(1.0, LEAST_SHARE * int(sizes.sum())))
    renumbered = np.zeros(count + 1, int)
    renumbered[large_areas] = np.arange(1, len(large_areas) + 1)
    return np.asarray(renumbered[areas], int)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


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
