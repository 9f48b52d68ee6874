"""``ircore elements``: compare the elements of pictures as ConvGenVisMo does."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ircore.commands.options import PATH, echo_either, find_instance, json_option
from ircore.core.elements import ElementList, read_elements, write_elements
from ircore.core.errors import InputError
from ircore.core.images import read_picture
from ircore.core.terminal import make_printable
from ircore.instances.store import read_instances
from ircore.scorers import element_metrics
from ircore.scorers.element_metrics import compute_element_iou, compute_presence, compute_published_presence


@click.group("elements")
def command() -> None:
    """Compare lists of elements (scenes, detections, lists by hand), or let a detector make one."""


@command.command()
@click.argument("reference", type=PATH)
@click.argument("generated", type=PATH)
@click.option(
    "--empty",
    type=click.Choice(["none", "zero", "one"]),
    default="none",
    show_default=True,
    help="Value of a corrected ratio over an empty list; the published measures take 1.",
)
@json_option
def compare(reference: Path, generated: Path, empty: Any, as_json: bool) -> None:
    """Compare the elements in two JSON files: presence, published and corrected, and three IoUs."""
    expected, generated_elements = read_elements(reference), read_elements(generated)
    document = {
        "published": asdict(compute_published_presence(expected.counts, generated_elements.counts)),
        "corrected": asdict(compute_presence(expected.counts, generated_elements.counts, empty)),
        "iou": asdict(compute_element_iou(expected, generated_elements, empty)),
        "rule_for_empty": empty,
    }
    echo_either(as_json, document, "\n".join(_format_lines(document)))


@command.command()
@click.argument("image", type=PATH)
@click.option(
    "--detector", required=True, metavar="eye|detr|FILE", help="eye, detr, or the file of a model (as of a judge)."
)
@click.option("--instances", type=PATH, help="Instance set of the target; for the detector eye.")
@click.option(
    "--instance", "instance_id", metavar="INSTANCE_ID", help="Target whose elements are sought; for the detector eye."
)
@click.option("--label", "labels", multiple=True, help="Kind of element to look for; may be repeated. Models only.")
@click.option("--out", type=PATH, help="Write the list here instead of printing it.")
def detect(
    image: Path, detector: str, instances: Path | None, instance_id: str | None, labels: tuple[str, ...],
    out: Path | None,
) -> None:  # fmt: skip
    """Let a detector list the objects in IMAGE, as JSON.

    The eye, that of the judge `verified`, looks for the elements of one drawn target; detr and models take any picture.
    """
    is_eye = detector == "eye"
    elements = _detect_by_eye(image, instances, instance_id) if is_eye else _detect_elements(image, detector, labels)
    if out is None:
        click.echo(elements.model_dump_json(indent=2, exclude_none=True))
    else:
        write_elements(out, elements)


def _detect_elements(image: Path, detector: str, labels: tuple[str, ...]) -> ElementList:
    picture = read_picture(image)
    if detector != "detr":
        from ircore.scorers.element_sources import detect_by_model

        return detect_by_model(Path(detector), picture, labels)
    reason = element_metrics.obstacle()
    if reason is not None:
        raise InputError(f"detector detr: {reason}", "Set it up, or name the file of a model.")
    return element_metrics.detect(picture.pixels)


def _detect_by_eye(image: Path, folder: Path | None, instance_id: str | None) -> ElementList:
    # Inside, because the eye needs SciPy and scikit-image, which take a second to load.
    from ircore.scorers.element_sources import detect_by_eye

    if folder is None or instance_id is None:
        missing = "--instances" if folder is None else "--instance"
        raise InputError(
            f"detector eye: {missing} is missing",
            "Name the target whose elements it looks for: --instances, --instance.",
        )
    instances = read_instances(folder)
    instance = find_instance(instances, instance_id, "--instance")
    if instance.scene is None:
        raise InputError(f"{instance_id}: nobody wrote down what this target shows", "Take a drawn target, or detr.")
    return detect_by_eye(instances.picture(instance, "target"), instance.scene, read_picture(image))


def _format_lines(document: dict[str, Any]) -> list[str]:
    lines = []
    for title in ("published", "corrected"):
        part = document[title]
        values = "  ".join(f"{name} {_number(part[name])}" for name in ("precision", "recall", "f1"))
        lines.append(f"{title:<10} {values}")
    iou = document["iou"]
    lines.append(
        f"{'IoU':<10} " + "  ".join(f"{name} {_number(iou[name])}" for name in ("common", "precision", "recall"))
    )
    if document["corrected"]["empty"] != "neither":
        lines.append(f"empty: {document['corrected']['empty']}; rule of the corrected: {document['rule_for_empty']}")
    for words, labels in (("without a box", iou["without_box"]), ("without an area", iou["without_area"])):
        if labels:
            lines.append(make_printable(f"left out of IoU, {words}: {', '.join(labels)}"))
    return lines


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
