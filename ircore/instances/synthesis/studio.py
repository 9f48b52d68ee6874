"""The studio: draws programs in the sandbox, trusts neither picture nor scene that comes back, and keeps figures.

Before a person looks at a figure it is checked: size, ink, edges, titles, and likeness to earlier figures. On disk
there is each program once, with the picture or the reason why there is none.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, JsonValue, ValidationError

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.files import read_bounded, write_bytes, write_text
from ircore.core.images import Picture, Pixels, read_image_bytes
from ircore.core.records import Colour, Name, Record, Scene, Sha256
from ircore.core.sandbox.box import Limits, Sandbox
from ircore.core.untrusted_text import replace_controls
from ircore.core.validation import convert_validation_errors
from ircore.instances.synthesis.scenes import build_scene

LONGEST_PROGRAM = 40_000
"""Characters of a program that are run."""
PACKAGES = ("matplotlib", "numpy")
SPACE = "mpl_toolkits"
"""Axes in three dimensions: shown to programs that name them alone, since matplotlib starts faster without."""
CONFIGURATION = "/fonts"
"""Where the list of fonts lies inside, so that matplotlib need not make it for each figure."""

FIGURES = "figures"
MOST_BYTES = 4 * 1024 * 1024

Fingerprint = npt.NDArray[np.float64]
"""768 numbers, of length 1."""

SMALLEST, LARGEST = 256, 1024
"""Pixels that a side of a target may have."""
LONGEST_RATIO = 2.0
EDGE = 2
"""Pixels along each edge from which the ground's colour is taken."""
NEAR_COLOUR = 24
"""Levels of a channel by which pixels of one colour may differ."""
LEAST_INK = 0.005
"""Share of the pixels that must differ from the ground."""
NEAR_DUPLICATE = 0.99
"""Cosine of two fingerprints from which figures are near-duplicates.

A figure that is moved by a pixel keeps 0.996 or more; two of 200 different figures reach 0.985
(`benchmarks/synthesis.py`)."""


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
        outcome = Sandbox({script: _find_inside_path(script)}, PACKAGES, (SPACE,), limits=self.limits).run(script)
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

    def _build_box(self, program: str) -> Sandbox:
        if self._folder is None:
            raise RuntimeError("a studio draws within its with statement")
        reading = {"/scripts/ircore/instances/synthesis/inside": _find_inside_path("")}
        return Sandbox(
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


class DrawnProgram(Record):
    """A program and its result: a file ``figures/KEY.json``.

    >>> DrawnProgram(key="0" * 64, category="geometry", seed=1, program="def draw(): ...", fault="it is blank").accepted
    False
    """

    key: Sha256 = Field(description="Of category, seed and program.")
    category: Name
    seed: int = Field(ge=0, description="Of the random numbers in the program.")
    program: str = Field(description="As the model wrote it.")
    fault: str | None = Field(default=None, description="Why the figure is not taken; null if it is.")
    picture: Sha256 | None = Field(default=None, description="Of figures/KEY.png; null if no figure came of it.")
    width: int = 0
    height: int = 0
    scene: Scene | None = None
    unread: tuple[str, ...] = Field(default=(), description="What could not be read off the figure's artists.")
    versions: dict[str, str] = Field(default_factory=dict, description="Of Python and the libraries that drew it.")

    @property
    def accepted(self) -> bool:
        """Whether the figure passed every check."""
        return self.fault is None


class DrawnFigures:
    """The drawn programs of a run.

    >>> DrawnFigures(Path("run/figures")).read_stored("0" * 64) is None
    True

    Args:
        folder: Their folder; made with the first one.
        studio: Draws what was not drawn before; None for reading alone.
    """

    def __init__(self, folder: Path, studio: Studio | None = None) -> None:
        self.folder = folder
        self._studio = studio
        self._fingerprints: dict[str, Fingerprint] = {}

    def draw(self, program: str, category: str, seed: int, earlier: dict[str, str]) -> DrawnProgram:
        """Return the result of a program: from the folder, or drawn and checked now.

        Args:
            program: As the model wrote it.
            category: Category of the target.
            seed: Of its random numbers.
            earlier: Keys of the earlier figures of the same condition by their names.
        """
        key = hashlib.sha256(f"{category}\0{seed}\0{program}".encode()).hexdigest()
        known = self.read_stored(key)
        if known is None:
            known = self._draw_draft(DrawnProgram(key=key, category=category, seed=seed, program=program), earlier)
            write_text(self.folder / f"{key}.json", known.model_dump_json(indent=1) + "\n")
        return known

    def read_stored(self, key: str) -> DrawnProgram | None:
        """Return a program that was drawn before; None if it was not.

        Raises:
            InputError: The file is damaged.
        """
        path = self.folder / f"{key}.json"
        if not path.is_file():
            return None
        with convert_validation_errors(str(path), "Remove this file; the program will be drawn again."):
            return DrawnProgram.model_validate_json(
                read_bounded(path, MOST_BYTES, "Restore it.", "Remove it; the program will be drawn again.")
            )

    def picture(self, drawn: DrawnProgram) -> Picture:
        """Return the picture of a drawn program after checking its pixels.

        Raises:
            InputError: It is missing or damaged.
        """
        path = self.folder / f"{drawn.key}.png"
        known = Rendering(sha256=str(drawn.picture), width=drawn.width, height=drawn.height)
        return Picture.from_own_file(read_image_bytes(path), known, str(path))

    def _draw_draft(self, draft: DrawnProgram, earlier: dict[str, str]) -> DrawnProgram:
        if self._studio is None:
            raise RuntimeError("these figures are for reading alone")
        try:
            figure = self._studio.draw(draft.program, draft.category, draft.seed)
        except ProgramError as error:
            return draft.model_copy(update={"fault": str(error)})
        faults = find_figure_faults(figure, {name: self._find_fingerprint(key) for name, key in earlier.items()})
        # Refused figures are written, too, so that a person can see why.
        self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(self.folder / f"{draft.key}.png", figure.picture.data)
        picture = figure.picture
        fields = {"picture": picture.sha256, "width": picture.width, "height": picture.height, "scene": figure.scene}
        fault = "; ".join(faults) or None
        return draft.model_copy(update={"fault": fault, **fields, "unread": figure.unread, "versions": figure.versions})

    def _find_fingerprint(self, key: str) -> Fingerprint:
        drawn = self.read_stored(key)
        if key not in self._fingerprints and drawn is not None:
            self._fingerprints[key] = compute_fingerprint(self.picture(drawn).pixels)
        return self._fingerprints[key]


def find_figure_faults(figure: ProgramFigure, earlier: Mapping[str, Fingerprint] | None = None) -> tuple[str, ...]:
    """Return the faults of a figure, in words that its author, a model, can act on; empty without faults.

    Args:
        figure: The figure.
        earlier: Fingerprints of earlier figures by their names.
    """
    picture = figure.picture
    if fault := _check_size(picture):
        return (fault,)
    faults = []
    if _measure_ink(picture.pixels) < LEAST_INK:
        faults.append("the figure is blank or almost blank")
    elif fault := _check_edges(picture.pixels):
        faults.append(fault)
    if figure.titles:
        faults.append(f"the figure has a title ({figure.titles[0][:60]!r}); draw none")
    if figure.legends:
        faults.append("the figure has a legend; write labels beside the things instead, or none")
    # The other faults explain an empty scene, and one reason is what a model can act on.
    if figure.scene is None and not faults:
        faults.append("nothing in the figure could be read from its artists; use plain matplotlib artists")
    if not faults and (twin := find_twin(compute_fingerprint(picture.pixels), earlier or {})):
        faults.append(f"the figure looks like the earlier figure {twin}; draw another one")
    return tuple(faults)


def compute_fingerprint(pixels: Pixels) -> Fingerprint:
    """Return a perceptual hash without its last step: numbers that change little when a picture changes little.

    The 16 × 16 lowest frequencies (DCT) of each channel at 64 × 64 pixels, against the ground, as Zauner's pHash takes
    8 × 8 in grey (*Implementation and Benchmarking of Perceptual Image Hash Functions*, 2010, section 3.2.1). They are
    not reduced to signs: of figures with large plain areas most signs are noise.
    """
    from PIL import Image
    from scipy.fft import dctn

    picture = Image.fromarray(np.asarray(pixels))
    small = np.asarray(picture.resize((64, 64), Image.Resampling.BOX), dtype=np.float64)
    drawn = small - np.median(_select_edge_pixels(small), axis=0)
    parts = [dctn(drawn[..., channel], norm="ortho")[:16, :16].ravel() for channel in range(3)]
    frequencies = np.concatenate(parts)
    length: Fingerprint = frequencies / max(float(np.linalg.norm(frequencies)), 1e-9)
    return length


def find_twin(own: Fingerprint, earlier: Mapping[str, Fingerprint]) -> str | None:
    """Return the name of an earlier figure that a figure is nearly a duplicate of; None if there is none."""
    return next((name for name, other in earlier.items() if float(own @ other) >= NEAR_DUPLICATE), None)


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
        picture = Picture.read_untrusted(data, "the figure")
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


def _check_size(picture: Picture) -> str | None:
    width, height = picture.width, picture.height
    sides = sorted((width, height))
    if sides[0] < SMALLEST or sides[1] > LARGEST or sides[1] > LONGEST_RATIO * sides[0]:
        return (
            f"the figure has {width} x {height} pixels; sides have {SMALLEST} to {LARGEST} pixels, and the longer "
            f"one is at most twice the shorter (figsize=(5.12, 5.12) at 100 dpi is right)"
        )
    return None


def _measure_ink(pixels: Pixels) -> float:
    """Return the share of the pixels that differ from the most frequent colour of the edge."""
    ground = _find_edge_colour(pixels)
    return float((np.abs(pixels.astype(np.int16) - ground).max(axis=2) > NEAR_COLOUR).mean())


def _find_edge_colour(pixels: Pixels) -> npt.NDArray[np.int16]:
    colours, counts = np.unique(_select_edge_pixels(pixels), axis=0, return_counts=True)
    colour: npt.NDArray[np.int16] = colours[counts.argmax()].astype(np.int16)
    return colour


def _select_edge_pixels(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the pixels along the four edges, one after the other."""
    sides = (pixels[:EDGE], pixels[-EDGE:], pixels[:, :EDGE], pixels[:, -EDGE:])
    return np.concatenate([side.reshape(-1, 3) for side in sides])


def _check_edges(pixels: Pixels) -> str | None:
    """Return at which edges something is cut off; None if the outermost pixels of every edge are of one colour.

    Only these count: what is cut off reaches them, and whole words often end one pixel before.
    """
    ground = _find_edge_colour(pixels)
    sides = {"left": pixels[:, 0], "right": pixels[:, -1], "top": pixels[0], "bottom": pixels[-1]}
    cut = [
        name for name, side in sides.items() if (np.abs(side.astype(np.int16) - ground).max(axis=1) > NEAR_COLOUR).any()
    ]
    return f"something is cut off at the edge ({', '.join(cut)}); leave a margin" if cut else None
