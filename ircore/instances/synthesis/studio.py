"""The studio: draws programs in the sandbox and trusts neither the picture nor the scene that comes back."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from pydantic import Field, JsonValue, ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import Colour, Record, Scene
from ircore.core.sandbox.box import Box, Limits
from ircore.core.untrusted_text import replace_controls
from ircore.instances.synthesis.scenes import build_scene

LONGEST_PROGRAM = 40_000
"""Characters of a program that are run."""
PACKAGES = ("matplotlib", "numpy")
SPACE = "mpl_toolkits"
"""Axes in three dimensions: shown to programs that name them alone, since matplotlib starts faster without."""
CONFIGURATION = "/fonts"
"""Where the list of fonts lies inside, so that matplotlib need not make it for each figure."""


class _Report(Record):
    """A report on a figure, written inside of the sandbox."""

    error: str | None = Field(max_length=1000)
    width: int = Field(default=0, ge=0, le=2048)
    height: int = Field(default=0, ge=0, le=2048)
    background: Colour = "#ffffff"
    elements: list[JsonValue] = Field(default_factory=list, max_length=1500)
    unread: list[str] = Field(default_factory=list, max_length=200)
    titles: list[str] = Field(default_factory=list, max_length=50)
    legends: int = Field(default=0, ge=0, le=1000)
    versions: dict[str, str] = Field(default_factory=dict, max_length=10)


@dataclass(frozen=True)
class ProgramFigure:
    """A figure that a program drew.

    >>> ProgramFigure(Picture(b"", 512, 512), None, unread=("QuadMesh",)).titles
    ()

    Attributes:
        picture: Decoded and encoded anew, outside of the sandbox.
        scene: What it shows, as far as its artists could be read; None if nothing could.
        unread: What could not be read, in words.
        titles: Titles of the figure or its axes.
        legends: Number of legends.
        versions: Of Python and the libraries that drew it.
    """

    picture: Picture
    scene: Scene | None
    unread: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    legends: int = 0
    versions: dict[str, str] = field(default_factory=dict)


class ProgramError(Exception):
    """A program drew no figure; the message gives the reason to the model.

    >>> str(ProgramError("the program took longer than 30 s"))
    'the program took longer than 30 s'
    """


class Studio:
    """Draws programs, each in a process and a sandbox of its own; several threads may draw at the same time.

    A context manager: its folder holds matplotlib's list of fonts, which is made once, in the sandbox.

    >>> Studio(Limits(wall_s=10)).limits.wall_s
    10

    Args:
        limits: Of each program.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._folder: Path | None = None

    def __enter__(self) -> "Studio":
        self._folder = Path(tempfile.mkdtemp(prefix="ircore-fonts-"))
        script = "list_fonts.py"
        outcome = Box({script: _find_inside_path(script)}, PACKAGES, (SPACE,), limits=self.limits).run(script)
        try:
            name, _, fonts = outcome.output.partition(b"\n")
            json.loads(fonts)
            # Only numbers become part of a file's name: what the sandbox writes is a stranger's text.
            version = ".".join(str(int(part)) for part in name.split(b"."))
            (self._folder / f"fontlist-v{version}.json").write_bytes(fonts)
        except ValueError as error:
            raise WorkError(
                f"matplotlib does not start in the sandbox ({outcome.fate} after {outcome.seconds:.1f} s)",
                "Install it anew with: pip install --force-reinstall matplotlib",
            ) from error
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _build_box(self, program: str) -> Box:
        if self._folder is None:
            raise RuntimeError("a studio draws within its with statement")
        reading = {"/scripts/ircore/instances/synthesis/inside": _find_inside_path("")}
        return Box(
            {"draw_figure.py": _find_inside_path("draw_figure.py")},
            PACKAGES,
            () if SPACE in program or "3d" in program else (SPACE,),
            {CONFIGURATION: self._folder, **reading},
            {"MPLCONFIGDIR": CONFIGURATION, "MPLBACKEND": "agg"},
            self.limits,
        )

    def draw(self, program: str, category: str, seed: int = 0) -> ProgramFigure:
        """Run a program and return the figure that its function ``draw`` returns.

        Args:
            program: Python; from a stranger.
            category: Category of the target, which decides how elements of the scene are called.
            seed: Of the random numbers of ``random`` and ``numpy``.

        Raises:
            ProgramError: No figure came of it.
        """
        # Refused before a process is started for it.
        if len(program) > LONGEST_PROGRAM:
            raise ProgramError(f"the program has {len(program)} characters; at most {LONGEST_PROGRAM} are taken")
        request = json.dumps({"program": program, "category": category, "seed": seed}).encode()
        outcome = self._build_box(program).run("draw_figure.py", request)
        if outcome.fate == "too long":
            raise ProgramError(f"the program took longer than {self.limits.wall_s:g} s")
        if outcome.fate != "finished":
            raise ProgramError("the program was ended: it used too much memory, time or output, or broke the process")
        report, data = _split_output(outcome.output)
        if report.error is not None:
            raise ProgramError(" ".join(report.error.split()))
        return _build_figure(report, data)


def _find_inside_path(name: str) -> Path:
    folder = Path(str(files("ircore.instances.synthesis.inside")))
    return folder / name if name else folder


def _split_output(output: bytes) -> tuple[_Report, bytes]:
    """Split the sandbox's output into report and picture."""
    head, _, rest = output.partition(b"\n")
    try:
        # Cut at 40 characters: int takes time that grows with the square of the digits.
        length, size = (int(number) for number in head[:40].split())
        # int accepts -1, which would cut the output at another place.
        if length < 0 or size < 0 or length + size != len(rest):
            raise ValueError("the lengths are wrong")
        report = _Report.model_validate_json(rest[:length])
    except (ValidationError, ValueError, RecursionError) as error:
        raise ProgramError("the program disturbed what was written about its figure") from error
    return report, rest[length:]


def _build_figure(report: _Report, data: bytes) -> ProgramFigure:
    try:
        picture = Picture.from_untrusted(data, "the figure")
    except InputError as error:
        raise ProgramError(error.problem) from error
    # Elements are in the report's pixels and would lie elsewhere in another picture.
    if (picture.width, picture.height) != (report.width, report.height):
        raise ProgramError("the picture is not of the size that was written about it")
    scene, refused = build_scene(report.elements, picture.width, picture.height, report.background)
    unread = (*_clean_texts(report.unread), *refused)
    return ProgramFigure(picture, scene, unread, _clean_texts(report.titles), report.legends, dict(report.versions))


def _clean_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return a stranger's texts as single lines without control characters, at most 200 characters each."""
    return tuple(replace_controls(text)[:200] for text in texts)
