"""``ircore verify``: check which facts of a target a picture shows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ircore.commands.options import PATH, echo_json, find_instance
from ircore.core.errors import InputError
from ircore.core.images import read_picture
from ircore.core.terminal import make_printable
from ircore.instances.store import read_instances
from ircore.instances.tangrams import read_polygons
from ircore.scorers.judges.tangrams import PieceMatch, match_polygons

PIECES = {
    "1": "square", "2": "parallelogram", "3": "small triangle", "4": "small triangle", "5": "medium triangle",
    "6": "large triangle", "7": "large triangle",
}  # fmt: skip
BAR = 20
"""Characters of the bar beside each piece."""


@click.command("verify")
@click.argument("instance_id", metavar="INSTANCE_ID")
@click.argument("image", type=PATH)
@click.option("--instances", "folder", required=True, metavar="DIR", type=PATH, help="The instance set.")
@click.option(
    "--ocr/--no-ocr",
    default=None,
    help="Read labels that their shapes do not tell (extra ocr); as the judge `verified`, wherever it is installed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(instance_id: str, image: Path, folder: Path, ocr: bool | None, as_json: bool) -> int:
    """Say which facts of the target INSTANCE_ID the picture IMAGE shows, and score it from 0 to 10.

    What fails and what cannot be told is listed with the reason. Of a tangram, the overlap of each piece is shown as
    well, and IMAGE may be an SVG file of seven polygons. The exit status is 0 also when facts fail.
    """
    if image.suffix.lower() == ".svg":
        return _verify_polygons(instance_id, image, folder, as_json)
    # Inside, because help and polygons need no eye, whose SciPy and scikit-image take a second to load.
    from ircore.scorers.judges.tangrams import match_picture
    from ircore.scorers.verification.judge import build_document, format_report
    from ircore.scorers.verification.score import verify_picture

    instances = read_instances(folder)
    instance = find_instance(instances, instance_id, "INSTANCE_ID")
    if instance.scene is None:
        raise InputError(
            f"{instance_id}: nobody wrote down what this target shows, so nothing can be verified",
            "Name a drawn target; `ircore compare` and judges take any picture.",
        )
    picture = read_picture(image)
    verification = verify_picture(instances.picture(instance, "target"), instance.scene, picture, ocr=ocr)
    match = match_picture(instances.picture(instance, "target"), instance.scene, picture)
    document, lines = build_document(verification), list(format_report(verification))
    if match is not None:
        document["tangram"] = _build_tangram_document(match)
        lines += ["", *_format_tangram_lines(match)]
    _show(instance_id, image, document if as_json else None, lines)
    return 0


def _verify_polygons(instance_id: str, image: Path, folder: Path, as_json: bool) -> int:
    """Compare seven polygons of an SVG file with the pieces of a tangram; nothing in the file is run or followed."""
    instance = find_instance(read_instances(folder), instance_id, "INSTANCE_ID")
    try:
        match = match_polygons(instance.scene, read_polygons(image))
    except ValueError as error:
        raise InputError(f"{image}: {error}", "Draw the seven exact pieces, each as one polygon.") from None
    if match is None:
        raise InputError(f"{instance_id}: is no tangram, so polygons cannot be held against it", "Name a picture file.")
    _show(instance_id, image, _build_tangram_document(match) if as_json else None, list(_format_tangram_lines(match)))
    return 0


def _show(instance_id: str, image: Path, document: dict[str, Any] | None, lines: list[str]) -> None:
    """Print the document as JSON, or the lines if there is none."""
    if document is None:
        click.echo(make_printable("\n".join([f"{instance_id} in {image}", "", *lines])))
        return
    echo_json({"instance_id": instance_id, "image": str(image), **document})


def _build_tangram_document(match: PieceMatch) -> dict[str, Any]:
    """Return a comparison as JSON values: mean, silhouette and pieces, each 0–1."""
    return {
        "mean_piece_iou": round(match.mean, 4),
        "silhouette_iou": round(match.silhouette, 4),
        "pieces": {name: round(value, 4) for name, value in match.pieces.items()},
    }


def _format_tangram_lines(match: PieceMatch) -> Iterator[str]:
    """Yield a comparison as lines: the mean, the outline, then a bar for each piece."""
    yield f"Pieces overlap by {100 * match.mean:.0f} % on average, outlines by {100 * match.silhouette:.0f} %"
    for name, value in match.pieces.items():
        filled = round(BAR * value)
        yield f"  {name} {PIECES[name]:<15} {100 * value:3.0f} %  {'█' * filled}{'░' * (BAR - filled)}"
