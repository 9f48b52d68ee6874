"""The review of figures that models made, and the set of figures that a person accepted."""

from collections.abc import Iterator
from pathlib import Path

from ircore.core.counted import counted
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.instances.review import Entry, accepted_names, write_page
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.synthesis.drawn_figures import FIGURES, DrawnFigures
from ircore.runs.folder import RunFolder
from ircore.runs.synthesis import Candidate, candidates, instance_of


def write_review(folder: RunFolder, out: Path) -> int:
    """Write the review page of all figures that passed the checks; return their number.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        out: The page's folder; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is damaged.
    """
    return write_page(out, folder.run.run_id, _shown(folder))


def _shown(folder: RunFolder) -> Iterator[tuple[Entry, bytes]]:
    drawn = DrawnFigures(folder.path / FIGURES)
    for candidate in candidates(folder):
        picture = drawn.picture(candidate.drawn)
        yield _entry(candidate, picture.sha256), picture.data


def _entry(candidate: Candidate, sha256: str) -> Entry:
    drawn, scene = candidate.drawn, candidate.drawn.scene
    number = 0 if scene is None else len(scene.elements)
    texts = 0 if scene is None else sum(element.text is not None for element in scene.elements)
    return Entry(
        name=candidate.name,
        file=f"{candidate.name}.png",
        sha256=sha256,
        width=drawn.width,
        height=drawn.height,
        summary=candidate.step.summary,
        read=f"{counted(number, 'element')} read off it, {texts} of them texts; "
        f"{counted(len(candidate.step.faults), 'earlier try', 'earlier tries')}",
        description=candidate.step.description,
        program=drawn.program,
        unread=tuple(f"not read: {reason}" for reason in drawn.unread),
    )


def accepted_set(folder: RunFolder, decisions: Path, out: Path) -> InstanceSet:
    """Write the instance set of the figures that a person accepted.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        decisions: File that the review page saved.
        out: The set's folder; it must not exist or be empty.

    Raises:
        InputError: The decisions are of other figures, or none was accepted.
    """
    known = {candidate.name: candidate for candidate in candidates(folder)}
    pictures = {name: picture for name, candidate in known.items() if (picture := candidate.drawn.picture)}
    taken = [known[name] for name in accepted_names(decisions, folder.run.run_id, pictures)]
    return write_instances(out, _made(folder, taken))


def _made(folder: RunFolder, taken: list[Candidate]) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    drawn = DrawnFigures(folder.path / FIGURES)
    for candidate in taken:
        yield instance_of(folder, candidate), {"target": drawn.picture(candidate.drawn)}
