"""Figures that were drawn, on disk: each program once, with the picture or the reason why there is none."""

import hashlib
from pathlib import Path

from pydantic import Field

from ircore.core.episode_records import Rendering
from ircore.core.files import read_bounded, write_bytes, write_text
from ircore.core.images import Picture, read_image_bytes
from ircore.core.records import Name, Record, Scene, Sha256
from ircore.core.validation import convert_validation_errors
from ircore.instances.synthesis.checks import Fingerprint, compute_fingerprint, find_figure_faults
from ircore.instances.synthesis.studio import ProgramError, Studio

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
