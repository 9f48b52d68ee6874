"""A person in any seat, at the terminal or through files in a folder.

Through files (``parameters: {folder: DIR}``) every question is a folder below DIR, named after what is asked:

describer   ``target.png``, ``rendering-1.png`` …, ``instructions.txt``; the answer goes into ``answer.txt``
generator   ``message.txt``, ``previous.png`` from turn 2 on, ``instructions.txt``; the answer is a picture, saved as
            ``picture.png`` (or .jpg, .webp, .gif)
other seats ``instructions.txt`` with the question and its choices, ``shown-1.png`` …; the answer as of a describer or a
            generator, whichever the seat's is

The same question has the same folder, so an answer that is there already is taken at once and a stopped run goes on
where it was. At the terminal the pictures are shown, where it can show pictures, and lie in a temporary folder.
"""

import asyncio
import hashlib
import os
import select
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes, write_text
from ircore.core.images import ImageError, Picture, read_picture
from ircore.core.records import PlayerSpec
from ircore.core.terminal import make_printable
from ircore.core.terminal_pictures import show_pictures
from ircore.players.base import (
    Answer,
    AnswerKind,
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.players.spoken_answers import find_choice

OPEN, CLOSE, DONE = "<DESCRIPTION>", "</DESCRIPTION>", "<DONE>"
PARAMETERS = ("folder", "poll_s", "timeout_s")
TIMEOUT_S = 3600.0
POLL_S = 0.5
TERMINAL_POLL_S = 0.1
SHOWN = 3
"""Pictures that stand side by side at a terminal."""
TO_DRAW = "Draw what message.txt says and save it here as picture.png.\n"
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
_TERMINAL = asyncio.Lock()
"""Only one question at a time is shown at the terminal, whatever its seat and episode."""


class HumanPlayer:
    """Takes a seat of any game for a person.

    >>> spec = PlayerSpec(player="human", parameters={"folder": "answers", "timeout_s": 0.01})
    >>> asyncio.run(HumanPlayer(spec).answer(Question(1, "Which hand is this?")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ircore.players.base.PlayerError: No answer within 0.01 s (answers...answer.txt).

    Args:
        spec: ``parameters.folder``: exchange files there instead of asking at the terminal; ``parameters.timeout_s``:
            seconds that a person has for one answer, 3600; ``parameters.poll_s``: seconds between looks for it, 0.5.

    Raises:
        InputError: There are other settings, or no folder is named on Windows, whose terminal cannot be awaited.
    """

    IMMATERIAL = frozenset({"timeout_s", "poll_s"})

    def __init__(self, spec: PlayerSpec) -> None:
        for name, value in (("model", spec.model), ("base_url", spec.base_url), ("api_key_env", spec.api_key_env)):
            if value is not None:
                raise InputError(f"{name}: a person has no {name}", f"Remove {name}.")
        for name in spec.parameters:
            if name not in PARAMETERS:
                raise InputError(f"parameters.{name}: unknown", f"Known: {', '.join(PARAMETERS)}.")
        self._timeout = _parse_seconds(spec, "timeout_s", TIMEOUT_S)
        self._poll = _parse_seconds(spec, "poll_s", POLL_S)
        self._folder = _parse_folder(spec)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Show the target and every rendering so far, and wait for a message or done.

        Raises:
            PlayerError: The person did not answer in time.
            WorkError: Standard input has ended, or the folder cannot be written.
        """
        numbered = {f"rendering-{number}.png": rendering for number, rendering in enumerate(view.renderings, start=1)}
        pictures = {"target.png": view.target, **numbered}
        if self._folder is not None:
            place = self._folder / _name_question("describer", view.turn, (view.prompt, *view.replies), pictures)
            _write_question(
                place, pictures, {"instructions.txt": f"{view.prompt}\n\nWrite your answer into answer.txt.\n"}
            )
            return TextAnswer(_add_tags(await self._wait_for_text(place / "answer.txt")))
        async with _show_at_terminal(f"turn {view.turn} ---\n{view.prompt}", pictures):
            return TextAnswer(_add_tags(await self._ask_for_message()))

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Show the message and the previous rendering, and wait for a picture.

        Raises:
            PlayerError: The person did not answer in time.
            WorkError: Standard input has ended, or the folder cannot be written.
        """
        pictures = {} if view.previous is None else {"previous.png": view.previous}
        if self._folder is not None:
            place = self._folder / _name_question("generator", view.turn, (*view.earlier, view.message), pictures)
            _write_question(place, pictures, {"message.txt": f"{view.message}\n", "instructions.txt": TO_DRAW})
            return PictureAnswer(await self._wait_for_picture(place))
        async with _show_at_terminal(
            f"turn {view.turn} ---\n{make_printable(view.message)}", pictures, "Your picture before:"
        ):
            return PictureAnswer(await self._ask_for_picture())

    async def answer(self, question: Question) -> Answer:
        """Show a question of any game, and wait for words, a choice or a picture.

        Raises:
            PlayerError: The person did not answer in time.
            WorkError: Standard input has ended, or the folder cannot be written.
        """
        pictures = {f"shown-{number}.png": shown.picture for number, shown in enumerate(question.in_sight, start=1)}
        words = _format_question(question)
        if self._folder is not None:
            place = self._folder / _name_question(question.answers, question.step, (words,), pictures)
            _write_question(place, pictures, {"instructions.txt": f"{words}\n\n{_HOW[question.answers]}\n"})
            if question.answers == "picture":
                return PictureAnswer(await self._wait_for_picture(place))
            return _parse_answer(question, await self._wait_for_text(place / "answer.txt", question))
        async with _show_at_terminal(f"step {question.step} ---\n{make_printable(words)}", pictures):
            if question.answers == "picture":
                return PictureAnswer(await self._ask_for_picture())
            return _parse_answer(question, await self._ask_for_valid_line(question))

    async def _ask_for_message(self) -> str:
        """Ask for a message: at a terminal several lines up to an empty line, from a file or pipe a single line."""
        if not sys.stdin.isatty():
            return await self._read_line("Your message in one line (tags are added), or DONE: ")
        _print_text("Your message (tags are added); an empty line ends the message. DONE ends the episode.")
        lines: list[str] = []
        while True:
            line = (await self._read_line("> ")).rstrip()
            if line:
                lines.append(line)
            if lines and (not line or lines == ["DONE"] or lines[0].upper() == DONE):
                return "\n".join(lines)

    async def _ask_for_valid_line(self, question: Question) -> str:
        """Ask for a line of text until the line is a valid answer."""
        while True:
            line = (await self._read_line("Your answer in one line: ")).strip()
            if line and not (problem := _find_problem(question, line)):
                return line
            _print_text(problem if line else "Something has to stand here.")

    async def _wait_for_text(self, path: Path, question: Question | None = None) -> str:
        """Wait until a file holds text that can be an answer and is no longer being written."""
        deadline, before, rejected = monotonic() + self._timeout, b"", b""
        while True:
            written = path.read_bytes() if path.is_file() else b""
            # Two looks with equal content: an editor may still be writing after the first.
            if written.strip() and written == before != rejected:
                text = written.decode(errors="replace")
                if question is None or not (problem := _find_problem(question, text)):
                    return text
                _print_text(f"{path}: {problem}")
                rejected = written
            before = written
            await self._wait(deadline, self._poll, str(path))

    async def _wait_for_picture(self, place: Path) -> Picture:
        """Wait until a folder holds a usable picture; a problem with a file is reported once."""
        deadline, before, rejected = monotonic() + self._timeout, "", ""
        while True:
            file = _find_picture(place)
            if isinstance(file, Picture):
                return file
            # A half-saved picture looks broken, so a problem must last for two looks to be reported.
            if file and file == before != rejected:
                _print_text(file)
                rejected = file
            before = file
            await self._wait(deadline, self._poll, str(place / "picture.png"))

    async def _ask_for_picture(self) -> Picture:
        while True:
            name = await self._read_line("Path of your picture: ")
            try:
                return read_picture(Path(name.strip()).expanduser())
            except ImageError as error:
                _print_text(f"{error.problem}  {error.remedy}")

    async def _read_line(self, question: str) -> str:
        """Read a line from standard input byte by byte, so that nothing is read ahead; Ctrl-C stops at once."""
        deadline, typed = monotonic() + self._timeout, b""
        _print_text(question, end="")
        while not typed.endswith(b"\n"):
            # A blocking read would stop the event loop, and with it every other episode.
            if not select.select([sys.stdin], [], [], 0)[0]:
                await self._wait(deadline, TERMINAL_POLL_S, "a line at the terminal")
            elif byte := os.read(sys.stdin.fileno(), 1):
                typed += byte
            else:
                raise WorkError("standard input has ended", "Give the same command again at a terminal to go on.")
        return typed.decode(errors="replace")

    async def _wait(self, deadline: float, seconds: float, awaited: str) -> None:
        if monotonic() >= deadline:
            raise PlayerError("provider_error", f"No answer within {self._timeout:g} s ({awaited}).")
        await asyncio.sleep(seconds)


@asynccontextmanager
async def _show_at_terminal(words: str, pictures: dict[str, Picture], look: str = "Look at:") -> AsyncIterator[None]:
    """Hold the terminal and show a question there, its pictures inline and as files of a temporary folder."""
    async with _TERMINAL:
        with tempfile.TemporaryDirectory(prefix="ircore-") as temporary:
            _write_question(Path(temporary), pictures, {})
            listed = "".join(f"\n  {temporary}/{name}" for name in pictures)
            _print_text(f"\n--- {words}" + (f"\n\n{look}{listed}" if pictures else ""))
            # Standard output stays free for what the command itself prints.
            show_pictures(_select_shown_pictures(pictures), sys.stderr)
            yield


def _select_shown_pictures(pictures: dict[str, Picture]) -> dict[str, Picture]:
    """Return the pictures that a terminal has room for: of many the first, such as the target, and the latest two."""
    names = list(pictures)
    return {name: pictures[name] for name in (names if len(names) <= SHOWN else (names[0], *names[1 - SHOWN :]))}


_HOW: dict[AnswerKind, str] = {
    "text": "Write your answer into answer.txt.",
    "choice": "Write one of the choices into answer.txt.",
    "picture": "Save your picture here as picture.png.",
}


def _format_question(question: Question) -> str:
    """Return a question as text: earlier exchanges, the prompt, captions and choices."""
    earlier = [f"{exchange.prompt}\n> {exchange.answer}" for exchange in question.earlier]
    captions = [f"shown-{number}.png: {shown.caption}" for number, shown in enumerate(question.in_sight, start=1)]
    offered = [f"One of: {', '.join(question.choices)}"] if question.answers == "choice" else []
    return "\n\n".join([*earlier, question.prompt, *(["\n".join(captions)] if captions else []), *offered])


def _find_problem(question: Question, text: str) -> str:
    """Return the problem with an answer; empty if the answer is valid."""
    if question.answers == "choice" and find_choice(text, question) is None:
        return f"Not one of: {', '.join(question.choices)}."
    return ""


def _parse_answer(question: Question, text: str) -> Answer:
    choice = find_choice(text, question) if question.answers == "choice" else None
    # Words of people at a file end with the editor's line break.
    return TextAnswer(text.strip()) if choice is None else ChoiceAnswer(*choice)


def _parse_seconds(spec: PlayerSpec, name: str, default: float) -> float:
    value = spec.parameters.get(name, default)
    # Python counts true as the number 1.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise InputError(f"parameters.{name}: not a number of seconds above 0", "Write a number such as 600.")
    return float(value)


def _parse_folder(spec: PlayerSpec) -> Path | None:
    folder = spec.parameters.get("folder")
    # On Windows select waits for sockets only, not for standard input.
    if folder is None and sys.platform == "win32":
        raise InputError("parameters.folder: is missing", "On Windows a person plays through a folder; name one.")
    if folder is not None and (not isinstance(folder, str) or not folder):
        raise InputError("parameters.folder: not a path", "Write the path of a folder.")
    return None if folder is None else Path(folder)


def _name_question(seat: str, turn: int, words: tuple[str, ...], pictures: dict[str, Picture]) -> str:
    """Name a question after all that is asked: the same question, the same name."""
    # A separator that no text holds keeps different splits of the same words apart.
    parts = "\0".join((*words, *(picture.sha256 for picture in pictures.values())))
    return f"{seat}-turn-{turn:02d}-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"


def _write_question(place: Path, pictures: dict[str, Picture], texts: dict[str, str]) -> None:
    for name, picture in pictures.items():
        write_bytes(place / name, picture.data)
    for name, text in texts.items():
        write_text(place / name, text)


def _find_picture(place: Path) -> Picture | str:
    """Return the picture in a folder, or the problem with the picture; empty text if there is no picture."""
    problem = ""
    for path in (place / f"picture{ending}" for ending in ENDINGS):
        if path.is_file():
            try:
                return read_picture(path)
            except ImageError as error:
                problem = f"{error.problem}  {error.remedy}"
    return problem


def _add_tags(text: str) -> str:
    """Put the tags around a person's words, unless they are there."""
    text = text.strip()
    if text.upper() in ("DONE", DONE):
        return DONE
    return text if text.upper().startswith(OPEN) else f"{OPEN}{text}{CLOSE}"


def _print_text(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)
