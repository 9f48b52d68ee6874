"""Writing a study as a folder that any browser opens: a page, its style, its scripts, its pictures; nothing else.

It works from a disk (``file://``) as well as from a server, and asks nothing of anyone: the page's own policy forbids
it. What changes from study to study is one file, ``study.js``, in ASCII; no text of a stranger becomes markup.
"""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.files import new_folder, write_bytes, write_text
from ircore.core.images import Picture
from ircore.core.progress import tracked
from ircore.scorers.people.annotation_tasks import Item, Study

ASSETS = ("index.html", "icon.svg", "annotate.css", "order.js", "answers.js", "parts.js", "page.js")
"""Files that are the same for every study."""

STUDY = "study.js"
PICTURES = "pictures"


@dataclass(frozen=True)
class WrittenPage:
    """Counts of the written files.

    Example:
        >>> from pathlib import Path
        >>> WrittenPage(Path("annotate"), pictures=12, megabytes=0.4).pictures
        12
    """

    folder: Path
    """The page's folder; open its ``index.html``."""

    pictures: int
    """Picture files, each once however often it is shown."""

    megabytes: float
    """Size of the files, in units of 10⁶ bytes."""


def write_page(study: Study, folder: Path) -> WrittenPage:
    """Write the page of a study; the folder appears only when it is complete.

    Args:
        study: What it asks.
        folder: Where to; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is missing or damaged.
        WorkError: The disk is full or the place cannot be written.
    """
    with new_folder(folder) as temporary:
        copies, size = _write_pictures(study, temporary)
        for name in ASSETS:
            write_bytes(temporary / name, files(__package__).joinpath("annotation_assets", name).read_bytes())
        write_text(temporary / STUDY, f'"use strict";\nwindow.ircoreStudy = {json.dumps(_document(study, copies))};\n')
    return WrittenPage(folder, len({copy.file for copy in copies.values()}), size / 1e6)


class _Copy(NamedTuple):
    """A picture of the page."""

    file: str
    width: int
    height: int


def _write_pictures(study: Study, folder: Path) -> tuple[dict[str, _Copy], int]:
    """Write a copy of each picture without metadata; return the copies by the original's hash, and their bytes."""
    copies: dict[str, _Copy] = {}
    sizes: dict[str, int] = {}
    for sha256, source in tracked(study.pictures.items(), "pictures", len(study.pictures)):
        # Encoded anew: metadata such as a program's name may tell annotators who made the picture.
        copy = Picture.from_untrusted(source.read().data, sha256)
        # By the copy's own hash: two files of the same pixels become one, and names tell nothing.
        file = f"{PICTURES}/{copy.sha256}.png"
        copies[sha256] = _Copy(file, copy.width, copy.height)
        sizes[file] = len(copy.data)
        write_bytes(folder / file, copy.data)
    return copies, sum(sizes.values())


def _document(study: Study, copies: dict[str, _Copy]) -> dict[str, Any]:
    return {
        "study": study.study_id,
        "seed": study.seed,
        "annotators": study.annotators,
        "items": [_entry(item, copies) for item in study.items],
    }


def _entry(item: Item, copies: dict[str, _Copy]) -> dict[str, Any]:
    shown = {"target": item.target, "final": item.rendering, "first": item.first}
    return {
        "run_id": item.run_id,
        "episode_id": item.episode_id,
        "turn": item.turn,
        "task": item.task,
        "rendering": item.rendering,
        "pictures": {role: copies[sha256]._asdict() for role, sha256 in shown.items() if sha256 is not None},
    }
