"""The photographs shipped with the package, taken as they are: byte for byte, never drawn or cropped."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from ircore.core.images import Picture
from ircore.core.records import Difficulty, Line, Record

FOLDER = files("ircore.instances.targets") / "photographs"


class Photo(Record):
    """A shipped photograph, a line of ``photos.json``.

    >>> {photo.difficulty for photo in load_catalogue()} <= {"easy", "hard"}
    True
    """

    file: Line
    title: Line
    author: Line
    licence: Line
    source: Line
    difficulty: Difficulty
    edition: int = 1


@dataclass(frozen=True)
class Shot:
    """A photograph: its record and its picture.

    >>> shot = load_shots("easy")[0]
    >>> shot.photo.difficulty, shot.picture.changes
    ('easy', ())

    Attributes:
        photo: Title, author, licence and source.
        picture: The JPEG file's own bytes, and its size.
    """

    photo: Photo
    picture: Picture


@cache
def load_catalogue() -> tuple[Photo, ...]:
    """Return every shipped photograph, in the order in which sets take them."""
    return TypeAdapter(tuple[Photo, ...]).validate_json((FOLDER / "photos.json").read_bytes())


def load_shots(difficulty: Difficulty, edition: int = 1) -> tuple[Shot, ...]:
    """Return the photographs of a difficulty and edition with their pictures."""
    photos = (photo for photo in load_catalogue() if (photo.difficulty, photo.edition) == (difficulty, edition))
    return tuple(Shot(photo, _read_picture(photo.file)) for photo in photos)


def _read_picture(file: str) -> Picture:
    data = (FOLDER / file).read_bytes()
    # Reading checks the file and tells its size; the bytes stay the file's own.
    checked = Picture.read_untrusted(data, file)
    return Picture(data, checked.width, checked.height)
