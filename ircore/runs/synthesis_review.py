"""The review of figures that models made: a page without a server, and the set of figures that a person accepted."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.files import new_folder, read_bounded, write_bytes, write_text
from ircore.core.records import Instance, Name, Record, Sha256
from ircore.core.validation import validating
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.synthesis.drawn import FIGURES, DrawnFigures
from ircore.runs.folder import GameRunFolder
from ircore.runs.synthesis import Candidate, candidates, instance_of

ASSETS = ("index.html", "review.css", "review.js")
MOST_BYTES = 4 * 1024 * 1024


class Decision(Record):
    """A person's decision on a figure.

    >>> Decision(sha256="0" * 64, verdict="reject", reason="two labels overlap").verdict
    'reject'
    """

    sha256: Sha256 = Field(description="Of the figure that was looked at.")
    verdict: Literal["accept", "reject"]
    reason: str = Field(default="", max_length=200)


class Decisions(Record):
    """The file that the review page saves.

    >>> Decisions(schema=1, run="synthesis-1a2b3c4d", decisions={}).run
    'synthesis-1a2b3c4d'
    """

    schema_: Literal[1] = Field(alias="schema", description="Version of this format.")
    run: Name = Field(description="Id of the run whose figures were looked at.")
    decisions: dict[Name, Decision] = Field(description="By the figure's name.")


def write_review(folder: GameRunFolder, out: Path) -> int:
    """Write the review page of all figures that passed the checks; return their number.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        out: The page's folder; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is damaged.
    """
    waiting, drawn = candidates(folder), DrawnFigures(folder.path / FIGURES)
    assets = files("ircore.instances.synthesis") / "review_assets"
    with new_folder(out) as temporary:
        for name in ASSETS:
            write_bytes(temporary / name, (assets / name).read_bytes())
        for candidate in waiting:
            write_bytes(temporary / f"{candidate.name}.png", drawn.picture(candidate.drawn).data)
        document = {"run": folder.run.run_id, "figures": [_entry(candidate) for candidate in waiting]}
        write_text(temporary / "figures.js", f'"use strict";\nwindow.ircoreFigures = {json.dumps(document)};\n')
    return len(waiting)


def _entry(candidate: Candidate) -> dict[str, Any]:
    drawn, scene = candidate.drawn, candidate.drawn.scene
    number = 0 if scene is None else len(scene.elements)
    texts = 0 if scene is None else sum(element.text is not None for element in scene.elements)
    return {
        "name": candidate.name, "file": f"{candidate.name}.png", "sha256": drawn.picture, "width": drawn.width,
        "height": drawn.height, "summary": candidate.step.summary, "description": candidate.step.description,
        "program": drawn.program, "unread": [f"not read: {reason}" for reason in drawn.unread],
        "read": f"{number} elements read off it, {texts} of them texts; {len(candidate.step.faults)} earlier tries",
    }  # fmt: skip


def accepted_set(folder: GameRunFolder, decisions: Path, out: Path) -> InstanceSet:
    """Write the instance set of the figures that a person accepted.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        decisions: File that the review page saved.
        out: The set's folder; it must not exist or be empty.

    Raises:
        InputError: The decisions are of other figures, or none was accepted.
    """
    known = {candidate.name: candidate for candidate in candidates(folder)}
    read = _decisions(decisions, folder.run.run_id, known)
    taken = [known[name] for name, decision in read.decisions.items() if decision.verdict == "accept"]
    if not taken:
        raise InputError(f"{decisions}: accepts no figure", "Accept figures on the review page and save again.")
    return write_instances(out, _made(folder, sorted(taken)))


def _made(folder: GameRunFolder, taken: list[Candidate]) -> Iterator[tuple[Instance, bytes]]:
    drawn = DrawnFigures(folder.path / FIGURES)
    for candidate in taken:
        yield instance_of(folder, candidate), drawn.picture(candidate.drawn).data


def _decisions(path: Path, run_id: str, known: dict[str, Candidate]) -> Decisions:
    data = read_bounded(path, MOST_BYTES, "Save it on the review page.", "Save it on the review page.")
    with validating(str(path), "Save it on the review page."):
        read = Decisions.model_validate_json(data)
    if read.run != run_id:
        raise InputError(f"{path}: run: decisions on {read.run}, not on {run_id}", "Name the folder that was reviewed.")
    for name, decision in read.decisions.items():
        if name not in known:
            raise InputError(f"{path}: decisions.{name}: there is no such figure", "Review the figures again.")
        if decision.sha256 != known[name].drawn.picture:
            raise InputError(f"{path}: decisions.{name}: sha256: of another picture", "Review the figures again.")
    return read
