"""A cache of answers that several runs share: the same question is asked once, whichever run asks first.

The key is the hash of the question, as the journal has it (``ircore.runs.answers``): the player's settings (model,
address, parameters), everything in its view (every word, every picture by its hash, the seed), and the versions of this
package and of the player's. Files appear whole or not at all, so several runs, also on several machines, may use one
folder at the same time.

The run's own record comes first, and the cache is a convenience: a file that cannot be read, or is damaged, is no
answer, so that the question is asked; what cannot be written is said once.

Text only unless told otherwise: two pictures for the same words are two samples.
"""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ircore.core.episode_records import Rendering, Usage
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.images import Picture, read_image_bytes
from ircore.core.records import PlayerSpec, Record
from ircore.games.base import Seat
from ircore.players.base import Answer, Asked, ChoiceAnswer, PictureAnswer, TextAnswer
from ircore.runs.answers import answer_fields, hash_question, hash_seat

NOT_ASKED = Usage(requests=0)
"""Usage of a cached answer: no request."""


class _CachedAnswer(Record):
    """A file of the cache: an answer without its cost."""

    text: str | None = None
    choice: str | None = None
    rendering: Rendering | None = None
    notes: tuple[str, ...] = ()


class Cache:
    """Cached answers, found by the hash of everything that decides the question.

    >>> from ircore.games.registry import load_game
    >>> from ircore.players.base import Question
    >>> describer = load_game("reconstruction").seats[0]
    >>> cache = Cache(Path("cache"), {"describer": PlayerSpec(player="classical")})
    >>> question = Question(step=1, prompt="Describe the target.")
    >>> cache.answer(describer, question) is None
    True
    >>> cache.keep(describer, question, TextAnswer("A red circle."))
    >>> cache.answer(describer, question).text
    'A red circle.'

    Args:
        folder: Folder of the cache; made with the first answer.
        players: Players by seat.
        generators: Whether pictures are cached as well.
    """

    def __init__(self, folder: Path, players: Mapping[str, PlayerSpec], generators: bool = False) -> None:
        self._folder = folder
        self._generators = generators
        self._seats = {seat: hash_seat(seat, spec) for seat, spec in players.items()}
        self._warned = False

    def answer(self, seat: Seat[Any, Any], question: Asked) -> Answer | None:
        """Return a seat's cached answer to a question; None if there is no sound one, or pictures are not cached."""
        if seat.answers == "picture" and not self._generators:
            return None
        cached = self._read(self._path(seat, question))
        if cached is None:
            return None
        if cached.text is not None:
            return TextAnswer(cached.text, NOT_ASKED)
        if cached.choice is not None:
            return ChoiceAnswer(cached.choice, cached.notes, NOT_ASKED)
        return None if cached.rendering is None else self._read_picture(cached.rendering, cached.notes)

    def keep(self, seat: Seat[Any, Any], question: Asked, answer: Answer) -> None:
        """Store a seat's answer; a picture only if pictures are cached, and its file before any record names it."""
        if isinstance(answer, PictureAnswer) and not self._generators:
            return
        try:
            if isinstance(answer, PictureAnswer):
                path = self._picture_path(answer.picture.sha256)
                # A file of another size is one that was damaged.
                if not path.is_file() or path.stat().st_size != len(answer.picture.data):
                    write_bytes(path, answer.picture.data)
            cached = _CachedAnswer(**answer_fields(answer))
            write_bytes(self._path(seat, question), cached.model_dump_json(exclude_none=True).encode())
        except (WorkError, OSError) as error:
            self._warn(getattr(error, "problem", str(error)))

    def _warn(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            print(
                f"ircore: --cache: {problem}; answers are kept in the run all the same, and not for other runs",
                file=sys.stderr,
                flush=True,
            )

    def _read_picture(self, rendering: Rendering, notes: tuple[str, ...]) -> PictureAnswer | None:
        path = self._picture_path(rendering.sha256)
        if not path.is_file():
            return None
        try:
            return PictureAnswer(Picture.from_own_file(read_image_bytes(path), rendering, str(path)), notes, NOT_ASKED)
        except InputError:
            # A folder that several machines share may hold a file that was damaged on its way.
            with suppress(OSError):
                path.unlink()
            return None

    @staticmethod
    def _read(path: Path) -> _CachedAnswer | None:
        try:
            return _CachedAnswer.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None

    def _path(self, seat: Seat[Any, Any], question: Asked) -> Path:
        key = hash_question(self._seats[seat.name], question)
        return self._folder / "answers" / key[:2] / f"{key}.json"

    def _picture_path(self, sha256: str) -> Path:
        return self._folder / "pictures" / sha256[:2] / f"{sha256}.png"
