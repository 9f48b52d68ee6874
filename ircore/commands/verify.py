"""``ircore verify``: check which facts of a target a picture shows."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.options import PATH
from ircore.core.errors import InputError
from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.core.records import Instance
    from ircore.instances.store import InstanceSet


@click.command("verify")
@click.argument("instance_id", metavar="INSTANCE_ID")
@click.argument("image", type=PATH)
@click.option("--instances", "folder", required=True, metavar="DIR", type=PATH, help="The instance set.")
@click.option("--ocr", is_flag=True, help="Read texts, too (extra ocr); the judge `verified` never does.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(instance_id: str, image: Path, folder: Path, ocr: bool, as_json: bool) -> int:
    """Say which facts of the target INSTANCE_ID the picture IMAGE shows, and score it from 0 to 10.

    What fails and what cannot be told is listed with the reason. The exit status is 0 also when facts fail.
    """
    from ircore.core.images import read_picture
    from ircore.instances.store import read_instances
    from ircore.scorers.verification.report import as_document, as_lines
    from ircore.scorers.verification.score import verify_picture

    instances = read_instances(folder)
    instance = _instance(instances, instance_id)
    if instance.scene is None:
        raise InputError(
            f"{instance_id}: nobody wrote down what this target shows, so nothing can be verified",
            "Name a drawn target; `ircore compare` and judges take any picture.",
        )
    verification = verify_picture(instances.target(instance), instance.scene, read_picture(image), ocr=ocr)
    if as_json:
        document = {"instance_id": instance_id, "image": str(image), **as_document(verification)}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        click.echo(printable("\n".join([f"{instance_id} in {image}", "", *as_lines(verification)])))
    return 0


def _instance(instances: "InstanceSet", instance_id: str) -> "Instance":
    from ircore.core.plugins import unknown

    by_id = {instance.instance_id: instance for instance in instances.instances}
    if instance_id not in by_id:
        raise unknown("instance", instance_id, list(by_id), "INSTANCE_ID")
    return by_id[instance_id]
