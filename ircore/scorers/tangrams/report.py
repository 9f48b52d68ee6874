"""The overlap of a tangram's pieces for people and for programs: lines of a terminal, and JSON values."""

from collections.abc import Iterator
from typing import Any

from ircore.scorers.tangrams.pieces import PieceMatch

NAMES = {
    "1": "square", "2": "parallelogram", "3": "small triangle", "4": "small triangle", "5": "medium triangle",
    "6": "large triangle", "7": "large triangle",
}  # fmt: skip
BAR = 20
"""Characters of the bar beside each piece."""


def as_document(match: PieceMatch) -> dict[str, Any]:
    """Return a comparison as JSON values: mean, silhouette and pieces, each 0–1."""
    return {
        "mean_piece_iou": round(match.mean, 4),
        "silhouette_iou": round(match.silhouette, 4),
        "pieces": {name: round(value, 4) for name, value in match.pieces.items()},
    }


def as_lines(match: PieceMatch) -> Iterator[str]:
    """Yield a comparison as lines: the mean, the outline, then a bar for each piece."""
    yield f"Pieces overlap by {100 * match.mean:.0f} % on average, outlines by {100 * match.silhouette:.0f} %"
    for name, value in match.pieces.items():
        filled = round(BAR * value)
        yield f"  {name} {NAMES[name]:<15} {100 * value:3.0f} %  {'█' * filled}{'░' * (BAR - filled)}"
