"""Figures that were drawn, on disk: each program once, with the picture or the reason why there is none.

Before a person looks at a figure it is checked: size, ink, edges, titles, and likeness to earlier figures.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ircore.core.episode_records import Rendering
from ircore.core.files import read_bounded, write_bytes, write_text
from ircore.core.images import Picture, Pixels, read_image_bytes
from ircore.core.records import Name, Record, Scene, Sha256
from ircore.core.validation import convert_validation_errors
from ircore.instances.synthesis.studio import ProgramError, ProgramFigure, Studio

FIGURES = "figures"


MOST_BYTES = 4 * 1024 * 1024


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


Fingerprint = npt.NDArray[np.float64]
"""768 numbers, of length 1."""


class DrawnFigures:
    """The drawn programs of a run.

    >>> DrawnFigures(Path("run/figures")).stored("0" * 64) is None
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
        known = self.stored(key)
        if known is None:
            known = self._draw_draft(DrawnProgram(key=key, category=category, seed=seed, program=program), earlier)
            write_text(self.folder / f"{key}.json", known.model_dump_json(indent=1) + "\n")
        return known

    def stored(self, key: str) -> DrawnProgram | None:
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
        drawn = self.stored(key)
        if key not in self._fingerprints and drawn is not None:
            self._fingerprints[key] = compute_fingerprint(self.picture(drawn).pixels)
        return self._fingerprints[key]


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
