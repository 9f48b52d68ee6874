"""The review of targets: a page without a server on which a person accepts or rejects pictures; the accepted set."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.files import read_bounded, write_bytes, write_new_folder, write_text
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import Instance, Name, Record, Sha256, collect_measures
from ircore.core.validation import convert_validation_errors
from ircore.instances.store import InstanceSet, write_instances

ASSETS = ("index.html", "review.css", "review.js")
MOST_BYTES = 4 * 1024 * 1024
MOST_NAMES = 40
SAVE = "Save the file on the review page."


class PictureDecision(Record):
    """A person's decision on a picture."""

    sha256: Sha256 = Field(description="Of the picture that was looked at.")
    verdict: Literal["accept", "reject"]
    reason: str = Field(default="", max_length=200)


class PictureDecisions(Record):
    """The file that the review page saves."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this format.")
    run: Name = Field(description="Id of the run or the set whose pictures were looked at.")
    decisions: dict[Name, PictureDecision] = Field(description="By the picture's name.")


@dataclass(frozen=True)
class ReviewEntry:
    """A picture of the page and the words beside it.

    >>> size = {"width": 640, "height": 480}
    >>> ReviewEntry("street", "street.png", "0" * 64, **size, summary="photos, easy", read="no scene").unread
    ()

    Attributes:
        name: The target's name.
        file: Name of the picture's file in the page's folder.
        sha256: Of the picture's bytes.
        width: In pixels.
        height: In pixels.
        summary: First line of words; also stands for the picture where it is not seen.
        read: What is known of the picture.
        description: Longer words, folded away; none if empty.
        program: The program that drew the picture, folded away; none if empty.
        unread: What could not be read off the picture.
    """

    name: str
    file: str
    sha256: str
    width: int
    height: int
    summary: str
    read: str
    description: str = ""
    program: str = ""
    unread: tuple[str, ...] = ()


def write_page(out: Path, title: str, pictures: Iterable[tuple[ReviewEntry, bytes]]) -> int:
    """Write a review page; return the number of its pictures.

    Args:
        out: The page's folder; it must not exist or be empty.
        title: Id of the run or the set; decisions are kept under it.
        pictures: What the page shows, and each picture's bytes.

    Raises:
        InputError: The folder holds something, or a picture is damaged.
    """
    assets, entries = files("ircore.instances") / "review_assets", []
    with write_new_folder(out) as temporary:
        for name in ASSETS:
            write_bytes(temporary / name, (assets / name).read_bytes())
        for entry, data in pictures:
            write_bytes(temporary / entry.file, data)
            entries.append(asdict(entry))
        document = {"run": title, "figures": entries}
        # A script and not JSON: a page that is opened as a file may not fetch other files.
        write_text(temporary / "figures.js", f'"use strict";\nwindow.ircoreFigures = {json.dumps(document)};\n')
    return len(entries)


def read_accepted_names(path: Path, title: str, known: Mapping[str, str]) -> list[str]:
    """Return the names of the accepted pictures, in alphabetical order.

    Args:
        path: File that the review page saved.
        title: Id of the run or the set that was reviewed.
        known: SHA-256 of every picture on the page, by name.

    Raises:
        InputError: The decisions are of other pictures, or none was accepted.
    """
    # The file comes from a browser's download folder, so its size is bounded before it is read.
    data = read_bounded(path, MOST_BYTES, SAVE, SAVE)
    with convert_validation_errors(path, SAVE):
        read = PictureDecisions.model_validate_json(data)
    # Names such as photos-easy-01 recur in every set, so a name alone does not tell the picture.
    if read.run != title:
        raise InputError(
            f"{path}: run: the decisions are on {read.run}, not on {title}", "Name the set that was reviewed."
        )
    for name, decision in read.decisions.items():
        if name not in known:
            raise InputError(f"{path}: decisions.{name}: there is no such picture", "Review the pictures again.")
        # A set that was drawn anew has the same names, and a decision on its old picture says nothing of the new one.
        if decision.sha256 != known[name]:
            raise InputError(
                f"{path}: decisions.{name}: sha256: the decision is on another picture", "Review the pictures again."
            )
    taken = sorted(name for name, decision in read.decisions.items() if decision.verdict == "accept")
    if not taken:
        raise InputError(f"{path}: accepts no picture", "Accept pictures on the review page and save again.")
    return taken


def write_review_page(instances: InstanceSet, out: Path) -> int:
    """Write the review page of a set's targets; return their number.

    Args:
        instances: Drawn or imported, each picture on this disk.
        out: The page's folder; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is missing or damaged.
    """
    pictures = (
        (_build_entry(instance), instances.picture_bytes(instance, "target")) for instance in instances.instances
    )
    return write_page(out, _format_title(instances), pictures)


def accept_from_set(instances: InstanceSet, decisions: Path, out: Path) -> InstanceSet:
    """Write the set of the targets that a person accepted; their records stay as they are.

    Args:
        instances: The set that was reviewed.
        decisions: File that the review page saved.
        out: Folder of the new set; it must not exist or be empty.

    Raises:
        InputError: The decisions are of another set, or none was accepted.
    """
    known = {instance.instance_id: instance for instance in instances.instances}
    names = read_accepted_names(
        decisions, _format_title(instances), {name: item.pictures["target"].sha256 for name, item in known.items()}
    )

    def taken() -> Iterator[tuple[Instance, dict[str, Picture]]]:
        for name in names:
            yield known[name], instances.pictures(known[name])

    return write_instances(out, taken(), instances.categories)


def _format_title(instances: InstanceSet) -> str:
    # The identity changes with every picture, and with it the decisions' title.
    return f"set-{instances.identity[:12]}"


def _build_entry(instance: Instance) -> ReviewEntry:
    name = instance.instance_id
    known = [_describe_elements(instance), *(f"{key} {value:g}" for key, value in collect_measures(instance).items())]
    target = instance.pictures["target"]
    return ReviewEntry(
        name=name,
        file=f"{name}{PurePosixPath(target.image).suffix}",
        sha256=target.sha256,
        width=target.width,
        height=target.height,
        summary=f"{instance.category}, {instance.difficulty}",
        read="; ".join([*known, instance.source, instance.licence]),
    )


def _describe_elements(instance: Instance) -> str:
    """Return the number of a scene's elements and their kinds, each with its own number where there are several."""
    if instance.scene is None:
        return "no scene"
    numbers = Counter(element.type for element in instance.scene.elements)
    kinds = [f"{number} × {kind}" if number > 1 else kind for kind, number in numbers.items()]
    # An annotated photograph may have hundreds of kinds, which no line has room for.
    more = f" and {len(kinds) - MOST_NAMES} more kinds" if len(kinds) > MOST_NAMES else ""
    return f"{format_count(len(instance.scene.elements), 'element')}: {', '.join(kinds[:MOST_NAMES])}{more}"
