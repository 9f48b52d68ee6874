"""Importing ConvGenVisMo's dialogues and pictures from the files of its public repository.

Layout: ``dataset.jsonl``, here or in ``dataset``, with a conversation a line, and its pictures ``images/ID.SUFFIX``
beside it. Some pictures are HEIC files, which need the extra ``heif``; a JPEG of the same name beside one is taken
instead. Pictures are shown as a viewer shows them: upright, transparent parts on white, the first frame of several.

Source: Nikzad Khasmakhi et al., *ConvGenVisMo* (2023), section 2.
"""

import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import read_bounded
from ircore.core.images import MAX_PIXELS, ImageError, Picture, read_image_bytes, read_picture, shown_pixels
from ircore.core.plugins import unknown
from ircore.core.progress import tracked
from ircore.core.records import DIFFICULTIES, Instance, Record
from ircore.core.validation import describe_validation_error
from ircore.games.conversation.records import MOST_HOPS, Dialogue, Exchange, Message
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.withheld_pictures import CONVGENVISMO, refuse_other_licence

CATEGORIES = ("cartoon", "animal", "human", "painting", "nature", "product")
INDEX = "dataset.jsonl"
MAX_BYTES = 16 * 1024**2
SOURCE = "ConvGenVisMo (Nikzad Khasmakhi et al. 2023)"
UNIQUE, OWN = "unique", "MIT"
"""Source of the pictures that were given to the authors, and the licence under which they publish them."""

LONG = 3
"""Hops from which on a dialogue counts as hard to keep in a prompt."""

_FOLDERS = ("dataset", ".")
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".heif")
"""Formats in the order in which they are taken."""

ImageId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,60}$")]


class _Open(Record):
    """A record of the published file, which may hold more fields than are read."""

    model_config = ConfigDict(extra="ignore")


class _Message(_Open):
    role: Literal["Joe", "Jill"]
    content: Message


class _Image(_Open):
    image_id: ImageId
    source: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class _Conversation(_Open):
    """A line of ``dataset.jsonl``: pairs of messages, Joe's first."""

    conversation: tuple[tuple[_Message, _Message], ...] = Field(min_length=1, max_length=MOST_HOPS)
    image: _Image
    elements: tuple[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)], ...]
    category: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z]{1,30}$")]]


def import_convgenvismo(request: ImportRequest) -> InstanceSet:
    """Make an instance set of ConvGenVisMo's conversations.

    Those without a picture are left out, with a line on stderr. Pictures that the authors found on Flickr and Pinterest
    have a licence under which they are never published. A dialogue of three hops or more is hard, a shorter one easy,
    unless a difficulty is given.

    Args:
        request: Its path is a copy of the repository, or its folder ``dataset``; its category limits the import.

    Raises:
        InputError: Another licence is given.
        InputError: A file is missing or wrong; the line names file, line and field. Nothing is written.
    """
    refuse_other_licence(request.licence, CONVGENVISMO)
    if request.category is not None and request.category not in CATEGORIES:
        raise unknown("category", request.category, CATEGORIES, "--category")
    if request.difficulty is not None and request.difficulty not in DIFFICULTIES:
        raise unknown("difficulty", request.difficulty, DIFFICULTIES, "--difficulty")
    root = next((request.path / name for name in _FOLDERS if (request.path / name / INDEX).is_file()), None)
    if root is None:
        raise InputError(f"{request.path}: no {INDEX}", "Name a copy of the repository nabihach/ConvGenVisMo.")
    if not (root / "images").is_dir():
        raise InputError(f"{root / 'images'}: no such folder", "Copy the pictures beside the conversations.")
    conversations = [
        conversation
        for conversation in _conversations(root / INDEX)
        if request.category in (None, conversation.category[0])
    ]
    pictures = _pictures(root / "images")
    missing = [entry.image.image_id for entry in conversations if entry.image.image_id not in pictures]
    if missing:
        print(f"{len(missing)} conversations have no picture and are left out: {', '.join(missing)}", file=sys.stderr)
    drawn = [entry for entry in conversations if entry.image.image_id in pictures]
    if not drawn:
        raise InputError(f"{root / 'images'}: holds no picture of these conversations", "Copy the pictures there.")
    return write_instances(request.out, _made(drawn, pictures, request))


def _made(
    conversations: Sequence[_Conversation], pictures: dict[str, Path], request: ImportRequest
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for entry in tracked(iter(conversations), "importing", len(conversations)):
        dialogue = Dialogue(
            dialogue=tuple(
                Exchange(asked=question.content, answered=answer.content) for question, answer in entry.conversation
            ),
            elements=entry.elements,
        )
        by_length = "hard" if len(entry.conversation) >= LONG else "easy"
        licence = OWN if entry.image.source == UNIQUE else CONVGENVISMO
        instance = Instance.model_validate(
            {
                "instance_id": f"convgenvismo-{entry.image.image_id.lower()}",
                "category": entry.category[0],
                "difficulty": request.difficulty or by_length,
                "game": "conversation",
                "payload": dialogue.model_dump(mode="json"),
                "source": request.source or f"{SOURCE}, picture: {entry.image.source}"[:500],
                "licence": request.licence or licence,
            }
        )
        yield instance, {"target": read_any_picture(pictures[entry.image.image_id])}


def _pictures(folder: Path) -> dict[str, Path]:
    """Return the picture of each id; of two files the one in the more usual format."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    # The later entry of a dict wins, so the most usual format comes last.
    files.sort(key=lambda path: _SUFFIXES.index(path.suffix.lower()), reverse=True)
    return {path.stem: path for path in files}


def _conversations(path: Path) -> list[_Conversation]:
    """Read the conversations; every fault is an ``InputError`` that names its line."""
    try:
        lines = read_bounded(path, MAX_BYTES, "Check the path.", "Split it.").decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text", "Restore it as it was published.") from error
    conversations = [_conversation(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    known_names: set[str] = set()
    for conversation in conversations:
        # Ids become names of files, and some file systems do not tell capitals from small letters.
        name = conversation.image.image_id.lower()
        if name in known_names:
            raise InputError(f"{path}: image_id {name} is there twice", "Remove one of the two lines.")
        known_names.add(name)
    if not conversations:
        raise InputError(f"{path}: holds no conversation", "Restore it as it was published.")
    return conversations


def _conversation(place: str, line: str) -> _Conversation:
    remedy = "Restore it as it was published."
    try:
        document: Any = json.loads(line)
        conversation = _Conversation.model_validate(document)
    except ValidationError as error:
        raise InputError(f"{place}: {describe_validation_error(error)}", remedy) from error
    # A line of ten thousand brackets exhausts the parser's stack.
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}", remedy) from error
    if conversation.category[0] not in CATEGORIES:
        raise unknown("category", conversation.category[0], CATEGORIES, place)
    for number, (question, answer) in enumerate(conversation.conversation, start=1):
        if (question.role, answer.role) != ("Joe", "Jill"):
            raise InputError(
                f"{place}: conversation: hop {number}: {question.role} asks, {answer.role} answers", remedy
            )
    return conversation


HEIF = (".heic", ".heif")
SMALLEST_SIDE = 11
"""Pixels: the window of SSIM."""

LONGEST_SIDE = 2048
"""Pixels: larger photographs are reduced, so that a picture can be stored, shown to models and measured in seconds."""


def read_any_picture(path: Path) -> Picture:
    """Read a picture as a viewer shows it, HEIC included; one larger than ``LONGEST_SIDE`` is reduced.

    Raises:
        ImageError: The file is no usable picture, or it is HEIC and the extra is not installed.
    """
    from PIL import Image

    pixels = _heif(path).pixels if path.suffix.lower() in HEIF else read_picture(path).pixels
    height, width = pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise ImageError(
            f"{path}: {width} × {height} pixels", f"Metrics need at least {SMALLEST_SIDE} pixels a side; remove it."
        )
    if max(height, width) <= LONGEST_SIDE:
        return Picture.from_pixels(pixels)
    import numpy as np

    image = Image.fromarray(pixels)
    # A thumbnail keeps the proportions of the sides.
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    return Picture.from_pixels(np.asarray(image))


def _heif(path: Path) -> Picture:
    data = read_image_bytes(path)
    try:
        import pillow_heif
    except ImportError as error:
        remedy = "Install it: pip install 'ircore[heif]', or put a JPEG of the same name beside it."
        raise ImageError(f"{path}: a HEIC picture needs the extra heif", remedy) from error
    try:
        file = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        # Checked before decoding: the header of a small file may claim gigabytes of pixels.
        if file.size[0] * file.size[1] > MAX_PIXELS:
            raise ImageError(f"{path}: {file.size[0]} × {file.size[1]} pixels is too large", "Reduce it.")
        return Picture.from_pixels(shown_pixels(file.to_pillow()))
    # libheif's binding and Pillow raise all of these on damaged files.
    except (ValueError, EOFError, SyntaxError, RuntimeError, OSError) as error:
        raise ImageError(f"{path}: damaged or no HEIC picture ({error})", "Save it again from its source.") from error
