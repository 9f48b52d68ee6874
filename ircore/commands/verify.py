"""``ircore verify``: which facts of a target a picture shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ircore.core.errors import InputError
from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.core.records import Instance
    from ircore.instances.store import InstanceSet
    from ircore.scorers.tangrams.pieces import PieceMatch
    from ircore.scorers.verification.score import Verification


@click.command("verify")
@click.argument("instance_id", metavar="INSTANCE_ID")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "--instances", "folder", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The instance set."
)
@click.option("--ocr", is_flag=True, help="Read texts, too (extra ocr); the judge `verified` never does.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(instance_id: str, image: Path, folder: Path, ocr: bool, as_json: bool) -> int:
    """Say which facts of the target INSTANCE_ID the picture IMAGE shows, and score it from 0 to 10.

    What fails and what cannot be told is listed with the reason. Of a tangram, the overlap of each piece is shown as
    well, and IMAGE may be an SVG file of seven polygons. The exit status is 0 also when facts fail.
    """
    if image.suffix.lower() == ".svg":
        return _verify_polygons(instance_id, image, folder, as_json)
    from ircore.core.images import read_picture
    from ircore.instances.store import read_instances
    from ircore.scorers.tangrams.judge import match_picture
    from ircore.scorers.verification.score import verify_picture

    instances = read_instances(folder)
    instance = _instance(instances, instance_id)
    if instance.scene is None:
        raise InputError(
            f"{instance_id}: nobody wrote down what this target shows, so nothing can be verified",
            "Name a drawn target; `ircore compare` and judges take any picture.",
        )
    picture = read_picture(image)
    verification = verify_picture(instances.target(instance), instance.scene, picture, ocr=ocr)
    match = match_picture(instances.target(instance), instance.scene, picture)
    if as_json:
        click.echo(_document(instance_id, image, verification, match))
    else:
        click.echo(printable("\n".join(_lines(instance_id, image, verification, match))))
    return 0


def _verify_polygons(instance_id: str, image: Path, folder: Path, as_json: bool) -> int:
    """Compare seven polygons of an SVG file with the pieces of a tangram; nothing in the file is run or followed."""
    import json

    from ircore.instances.store import read_instances
    from ircore.instances.tangram_svg import read_polygons
    from ircore.scorers.tangrams.pieces import match_polygons
    from ircore.scorers.tangrams.report import as_document, as_lines

    instance = _instance(read_instances(folder), instance_id)
    try:
        match = match_polygons(instance.scene, read_polygons(image))
    except ValueError as error:
        raise InputError(f"{image}: {error}", "Draw the seven exact pieces, each as one polygon.") from None
    if match is None:
        raise InputError(f"{instance_id}: is no tangram, so polygons cannot be held against it", "Name a picture file.")
    if as_json:
        click.echo(json.dumps({"instance_id": instance_id, "image": str(image), **as_document(match)}, indent=2))
    else:
        click.echo(printable("\n".join([f"{instance_id} in {image}", "", *as_lines(match)])))
    return 0


def _instance(instances: "InstanceSet", instance_id: str) -> "Instance":
    from ircore.core.plugins import unknown

    by_id = {instance.instance_id: instance for instance in instances.instances}
    if instance_id not in by_id:
        raise unknown("instance", instance_id, list(by_id), "INSTANCE_ID")
    return by_id[instance_id]


def _document(instance_id: str, image: Path, verification: "Verification", match: "PieceMatch | None") -> str:
    import json

    from ircore.scorers.tangrams import report as tangrams
    from ircore.scorers.verification.report import as_document

    document: dict[str, Any] = {"instance_id": instance_id, "image": str(image), **as_document(verification)}
    if match is not None:
        document["tangram"] = tangrams.as_document(match)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _lines(instance_id: str, image: Path, verification: "Verification", match: "PieceMatch | None") -> list[str]:
    from ircore.scorers.tangrams import report as tangrams
    from ircore.scorers.verification.report import as_lines

    pieces = ["", *tangrams.as_lines(match)] if match is not None else []
    return [f"{instance_id} in {image}", "", *as_lines(verification), *pieces]
