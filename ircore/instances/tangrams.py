"""Tangrams: seven exact pieces laid edge to edge at random, and KiloGram's read from SVG; the pictures of both.

The pieces are those of the puzzle, in units of the square's side: areas 1 (square, parallelogram, medium triangle), ½
(two small triangles) and 2 (two large ones), 8 in all. Only sums, products and a square root are computed, so that the
same seed gives the same figure on every machine.

Nothing in an SVG file is followed or run: of SVG's elements only ``svg``, ``g`` and ``polygon`` are read, of their
attributes only numbers, and a file that holds anything else is refused, above all DOCTYPE, references and styles.
"""

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from ircore.core.drawing import Drawing, Point
from ircore.core.errors import InputError

ROOT = math.sqrt(0.5)
TURNS: tuple[Point, ...] = (
    (1.0, 0.0), (ROOT, ROOT), (0.0, 1.0), (-ROOT, ROOT), (-1.0, 0.0), (-ROOT, -ROOT), (0.0, -1.0), (ROOT, -ROOT),
)  # fmt: skip
"""Cosine and sine of the multiples of 45°."""

PIECES: dict[str, tuple[Point, ...]] = {
    "1": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "2": ((0, 0), (1, 0), (2, 1), (1, 1)),
    "3": ((0, 0), (1, 0), (0, 1)),
    "4": ((0, 0), (1, 0), (0, 1)),
    "5": ((0, 0), (2, 0), (1, 1)),
    "6": ((0, 0), (2, 0), (0, 2)),
    "7": ((0, 0), (2, 0), (0, 2)),
}
"""Corners by KiloGram's numbers: square, parallelogram, two small triangles, the medium one, two large ones."""

TOUCH = 1e-6
TRIES = 400
WIDEST = 7.0
"""Units that a figure may reach; a longer one would have small pieces in its picture."""

MAX_BYTES = 256 * 1024
MAX_POINTS = 100
MAX_NUMBER = 1e6
MAX_DEPTH = 10
SIZE = 448
"""Pixels of a picture's side: at 224 the borders between some pieces close."""

BORDER = 1.0
"""Width of a piece's white border, in units of the file: ``strokewidth`` in the files is no attribute of SVG."""

_RESTORE = "Restore the file as it was published."
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_EDITOR = "{https://boxy-svg.com}"
_ATTRIBUTES = {
    "svg": {"viewBox", "width", "height", "version", "baseProfile"},
    "g": {"transform", "style"},
    "polygon": {"id", "points", "fill", "stroke", "strokewidth", "transform", "style"},
    "defs": set[str](),
}
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_MATRIX = re.compile(r"\s*matrix\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Tangram:
    """A figure: corners of each piece by the piece's number, in units, y downwards, in the order of laying.

    >>> figure = make_tangram(random.Random(1))
    >>> len(figure.pieces), len(figure.without_last(2).pieces)
    (7, 5)
    """

    pieces: dict[str, tuple[Point, ...]]

    def without_last(self, count: int) -> "Tangram":
        """Return the figure without the pieces that were laid last."""
        return Tangram(dict(list(self.pieces.items())[:-count]))


def make_tangram(rng: random.Random, begun: Tangram | None = None) -> Tangram:
    """Lay the pieces that are missing edge to edge, without overlap.

    Args:
        rng: Chooses order, edges and turns.
        begun: Pieces that lie there already; none if None.
    """
    while True:
        pieces = dict(begun.pieces) if begun else {}
        order = [name for name in PIECES if name not in pieces]
        rng.shuffle(order)
        for name in order:
            laid = _lay_piece(name, list(pieces.values()), rng)
            # A figure that closes upon itself may leave no edge free; it is begun anew.
            if laid is None:
                break
            pieces[name] = laid
        else:
            return Tangram(pieces)


def draw_tangram(tangram: Tangram, size: int, colours: Mapping[str, str] | None = None) -> Drawing:
    """Draw a figure in a square picture: pieces with white borders, as KiloGram shows them.

    Args:
        tangram: The figure.
        size: Pixels of the picture's side.
        colours: Of pieces by their numbers; the others are black.
    """
    colours = colours or {}
    drawing = Drawing(size, size)
    for name, corners in scale_to_pixels(tangram, size).items():
        # The border grows with the picture, so that every size shows the same figure.
        drawing.polygon(corners, colours.get(name, "#000000"), "#ffffff", width=size / 128)
    return drawing


def scale_to_pixels(tangram: Tangram, size: int) -> dict[str, tuple[Point, ...]]:
    """Return the corners of the pieces in a square picture, centred, with a margin of a sixteenth."""
    xs, ys = zip(*(point for corners in tangram.pieces.values() for point in corners), strict=True)
    left, top, wide, high = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
    scale = size * 0.875 / max(wide, high)
    across, down = (size - wide * scale) / 2 - left * scale, (size - high * scale) / 2 - top * scale
    return {
        name: tuple((x * scale + across, y * scale + down) for x, y in corners)
        for name, corners in tangram.pieces.items()
    }


class TangramPiece(NamedTuple):
    """A piece in its place: corners and width of the border, in the file's units.

    >>> TangramPiece(((0, 0), (1, 0), (0, 1)), border=0.1).corners[1]
    (1, 0)
    """

    corners: tuple[Point, ...]
    border: float


class TangramShape(NamedTuple):
    """A tangram of a file.

    >>> triangle = TangramPiece(((0, 0), (1, 0), (0, 1)), border=0.1)
    >>> TangramShape((0, 0, 8, 8), {"3": triangle}).pieces["3"].border
    0.1

    Attributes:
        box: Left, top, width and height of the view.
        pieces: By their ids, "1" to "7", in the order in which they are painted.
    """

    box: tuple[float, float, float, float]
    pieces: Mapping[str, TangramPiece]


def read_tangram_svg(path: Path) -> TangramShape:
    """Read a tangram.

    Raises:
        InputError: The file is missing, too large, or holds anything but seven polygons; the line says what.
    """
    root = _read_svg(path)
    pieces: dict[str, TangramPiece] = {}
    for name, piece in _find_pieces(path, root, _SAME):
        if name not in PIECES or name in pieces:
            raise InputError(f"{path}: polygon: id {name!r} is unknown or used twice", "Number the pieces 1 to 7.")
        pieces[name] = piece
    if missing := [name for name in PIECES if name not in pieces]:
        raise InputError(
            f"{path}: polygon {missing[0]} is missing", "Add the polygon: a tangram has the polygons 1 to 7."
        )
    return TangramShape(_parse_view_box(path, root), pieces)


def read_polygons(path: Path) -> tuple[tuple[Point, ...], ...]:
    """Read the corners of all polygons of an SVG file, whatever their ids, with the same strictness.

    Raises:
        InputError: The file is missing, too large, or holds anything but polygons; the line says what.
    """
    return tuple(piece.corners for _, piece in _find_pieces(path, _read_svg(path), _SAME))


def draw_tangram_svg(shape: TangramShape, colours: Mapping[str, str], size: int = SIZE) -> Drawing:
    """Draw a tangram as the published pictures show it: the view squared without a margin, white borders.

    Args:
        shape: The tangram.
        colours: Of pieces by their ids; the others are black.
        size: Pixels of the picture's side.
    """
    left, top, width, height = shape.box
    side = max(width, height)
    left, top, scale = left - (side - width) / 2, top - (side - height) / 2, size / side
    drawing = Drawing(size, size)
    for name, piece in shape.pieces.items():
        corners = [((x - left) * scale, (y - top) * scale) for x, y in piece.corners]
        drawing.polygon(corners, colours.get(name, "black"), "white", piece.border * scale)
    return drawing


def _lay_piece(name: str, others: Sequence[tuple[Point, ...]], rng: random.Random) -> tuple[Point, ...] | None:
    corners = list(PIECES[name])
    if rng.random() < 0.5:
        # Reversed, so that a piece that was turned over runs round in the same sense as before.
        corners = [(-x, y) for x, y in reversed(corners)]
    if not others:
        return tuple(corners)
    for _ in range(TRIES):
        turned = _turn_piece(corners, rng.randrange(8))
        fixed, loose = rng.choice(others), rng.randrange(len(corners))
        edge = rng.randrange(len(fixed))
        start, end = fixed[edge], fixed[(edge + 1) % len(fixed)]
        own, following = turned[loose], turned[(loose + 1) % len(turned)]
        if not _are_opposed((start, end), (own, following)):
            continue
        anchor, corner = (end, own) if rng.random() < 0.5 else (start, following)
        moved = tuple((x + anchor[0] - corner[0], y + anchor[1] - corner[1]) for x, y in turned)
        if _is_fitting(moved, others):
            return moved
    return None


def _turn_piece(corners: Sequence[Point], eighths: int) -> list[Point]:
    cosine, sine = TURNS[eighths]
    return [(x * cosine - y * sine, x * sine + y * cosine) for x, y in corners]


def _are_opposed(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Return whether two edges run in opposite directions."""
    (ax, ay), (bx, by) = ((end[0] - start[0], end[1] - start[1]) for start, end in (first, second))
    # Opposed edges put two pieces of the same sense on different sides of the shared edge.
    return abs(ax * by - ay * bx) < TOUCH and ax * bx + ay * by < 0


def _is_fitting(piece: Sequence[Point], others: Sequence[Sequence[Point]]) -> bool:
    if any(_are_overlapping(piece, other) for other in others):
        return False
    points = [*piece, *(point for other in others for point in other)]
    return all(max(axis) - min(axis) <= WIDEST for axis in zip(*points, strict=True))


def _are_overlapping(piece: Sequence[Point], other_piece: Sequence[Point]) -> bool:
    """Return whether two convex pieces share more than an edge (separating axis theorem)."""
    for polygon in (piece, other_piece):
        for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
            normal = (by - ay, ax - bx)
            first, second = ([x * normal[0] + y * normal[1] for x, y in points] for points in (piece, other_piece))
            # Pieces that share an edge touch along its whole length; rounding must not make that an overlap.
            if max(first) <= min(second) + TOUCH or max(second) <= min(first) + TOUCH:
                return False
    return True


class _Matrix(NamedTuple):
    """x′ = ax + cy + e, y′ = bx + dy + f, as in SVG."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def moved(self, point: Point) -> Point:
        x, y = point
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def after(self, inner: "_Matrix") -> "_Matrix":
        """Return the matrix that applies ``inner`` first."""
        a, b, c, d, _, _ = inner
        e, f = self.moved((inner.e, inner.f))
        return _Matrix(
            self.a * a + self.c * b, self.b * a + self.d * b, self.a * c + self.c * d, self.b * c + self.d * d, e, f
        )

    @property
    def scale(self) -> float:
        return math.sqrt(abs(self.a * self.d - self.b * self.c))


_SAME = _Matrix(1, 0, 0, 1, 0, 0)


def _read_svg(path: Path) -> ElementTree.Element:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: is larger than {MAX_BYTES // 1024} KiB", _RESTORE)
        text = path.read_text(encoding="utf-8")
        # Entities could make a small file huge; they cannot be declared without a DOCTYPE.
        if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
            raise InputError(f"{path}: has a DOCTYPE", "Remove the DOCTYPE.")
        root = ElementTree.fromstring(text)  # noqa: S314
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", "Restore the file of this tangram.") from None
    except (UnicodeDecodeError, ElementTree.ParseError) as error:
        raise InputError(f"{path}: is not an SVG file: {error}", _RESTORE) from None
    if root.tag != f"{_NAMESPACE}svg":
        raise InputError(f"{path}: the outermost element is {root.tag}, not svg", _RESTORE)
    return root


def _find_pieces(
    path: Path, element: ElementTree.Element, outer: _Matrix, depth: int = 1
) -> Iterator[tuple[str, TangramPiece]]:
    # Each level is a call of this function, and a hostile file could nest thousands.
    if depth > MAX_DEPTH:
        raise InputError(f"{path}: elements are nested deeper than {MAX_DEPTH}", _RESTORE)
    kind = element.tag.removeprefix(_NAMESPACE)
    _check_element(path, kind, element)
    matrix = outer.after(_parse_matrix(path, element.get("transform")))
    if kind == "polygon":
        numbers = _parse_numbers(f"{path}: polygon: points", element.get("points", ""))
        corners = tuple(matrix.moved(point) for point in zip(numbers[::2], numbers[1::2], strict=False))
        if len(numbers) % 2 or not 3 <= len(corners) <= MAX_POINTS:
            raise InputError(
                f"{path}: polygon: points: {len(numbers)} numbers make no polygon",
                "Write x and y of at least 3 corners.",
            )
        yield element.get("id", ""), TangramPiece(corners, BORDER * matrix.scale)
    for child in element:
        yield from _find_pieces(path, child, matrix, depth + 1)


def _check_element(path: Path, kind: str, element: ElementTree.Element) -> None:
    if kind not in _ATTRIBUTES or (kind in ("polygon", "defs") and len(element)):
        raise InputError(f"{path}: element {kind!r} is not allowed", "Remove every element except svg, g and polygon.")
    for name, value in element.attrib.items():
        if name not in _ATTRIBUTES[kind] and not name.startswith(_EDITOR):
            raise InputError(f"{path}: {kind}: attribute {name!r} is not allowed", "Remove the attribute.")
        # A bracket is how url(…) and scripts begin; of functions only a matrix is needed.
        if (name == "style" and value) or "(" in value.replace("matrix(", "", 1):
            raise InputError(f"{path}: {kind}: {name}: {value[:60]!r} is not allowed", "Remove the attribute.")


def _parse_matrix(path: Path, transform: str | None) -> _Matrix:
    if transform is None:
        return _SAME
    match = _MATRIX.fullmatch(transform)
    numbers = _parse_numbers(f"{path}: transform", match[1]) if match else []
    if len(numbers) != 6:
        raise InputError(
            f"{path}: transform: {transform[:60]!r} is not a matrix of six numbers", "Write matrix(…) with six numbers."
        )
    return _Matrix(*numbers)


def _parse_view_box(path: Path, root: ElementTree.Element) -> tuple[float, float, float, float]:
    numbers = _parse_numbers(f"{path}: viewBox", root.get("viewBox", ""))
    if len(numbers) != 4 or min(numbers[2:]) <= 0:
        raise InputError(
            f"{path}: viewBox: {root.get('viewBox', '')!r} is not a view",
            "Write left and top, then width and height above 0.",
        )
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _parse_numbers(place: str, text: str) -> list[float]:
    # Splitting first keeps the match linear: each number is matched on its own.
    words = text.replace(",", " ").split()
    if not all(re.fullmatch(_NUMBER, word) for word in words):
        raise InputError(
            f"{place}: {text[:60]!r} is not a list of numbers", "Write numbers, separated by blanks or commas."
        )
    numbers = [float(word) for word in words]
    if any(abs(number) > MAX_NUMBER for number in numbers):
        raise InputError(f"{place}: a number is above {MAX_NUMBER:.0f}", _RESTORE)
    return numbers
