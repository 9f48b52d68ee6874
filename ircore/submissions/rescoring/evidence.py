"""Findings for the page of a pull request: a table in Markdown, and each pair of pictures side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ircore.core.episode_records import list_renderings
from ircore.core.files import write_bytes, write_text
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import escape_markdown
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Evidence, Flag

SIDE = 256
"""Longer side of a shown picture, in pixels."""

MOST_SHOWN = 20
"""Findings that the table lists, grave ones first."""

_PAPER = (255, 255, 255)


def findings_markdown(flags: Sequence[Flag], pictures: Mapping[Flag, str] | None = None, embed: bool = False) -> str:
    """Return findings as Markdown, grave ones first, with words of strangers as inert text; empty without findings.

    Args:
        flags: The findings.
        pictures: File of the pictures of a finding.
        embed: Whether the files lie beside the text, so that they are shown; else they are named.
    """
    if not flags:
        return ""
    grave = sum(flag.grave for flag in flags)
    head = (
        f"**Held**: {format_count(grave, 'grave finding')}. The run is listed without a rank until a "
        "maintainer has looked at the pictures and cleared or withdrawn it."
        if grave
        else "Nothing here holds the run; it is for people to look at."
    )
    lines = ["### Findings", "", head, "", "| finding | where | what | holds | pictures |", "|---|---|---|---|---|"]
    listed = sorted(flags, key=lambda flag: not flag.grave)
    for flag in listed[:MOST_SHOWN]:
        file = (pictures or {}).get(flag, "")
        picture_cell = (f"![this run, then the other]({file})" if embed else f"`{file}`") if file else "–"
        holds = "yes" if flag.grave else f"no: {escape_markdown(flag.explained)}" if flag.explained else "no"
        lines.append(
            f"| `{flag.rule}` | {escape_markdown(flag.where)} | {escape_markdown(flag.what)} | {holds} | "
            f"{picture_cell} |"
        )
    if len(listed) > MOST_SHOWN:
        lines += ["", f"{len(listed) - MOST_SHOWN} more."]
    return "\n".join([*lines, ""])


def write_evidence(run: Path, flags: Sequence[Flag], others: Sequence[Path], out: Path) -> dict[Flag, str]:
    """Write the pictures of findings, this run's on the left, and the findings as ``findings.md``.

    Args:
        run: The run folder.
        flags: Its findings.
        others: Published runs, whose renderings it is compared with.
        out: The folder in which ``findings.md`` and the folder ``findings`` appear.

    Returns:
        The file of each finding with pictures, relative to ``out``.
    """
    source = RunFolder(run)
    by_id = {folder.run.run_id: folder for folder in map(RunFolder, others)} if others else {}
    pictures: dict[Flag, str] = {}
    for number, flag in enumerate(sorted(flags, key=lambda flag: not flag.grave)[:MOST_SHOWN], start=1):
        sides = [] if flag.evidence is None else _list_sides(source, by_id, flag.evidence)
        if sides:
            name = f"findings/{number:02d}-{flag.rule}.png"
            write_bytes(out / name, _join_pictures(sides))
            pictures[flag] = name
    if flags:
        write_text(out / "findings.md", findings_markdown(flags, pictures, embed=True))
    return pictures


def _list_sides(source: RunFolder, others: Mapping[str, RunFolder], evidence: Evidence) -> list[Picture]:
    """Return this run's rendering, then the pictures that it repeats, as far as they are here."""
    sides = [_rendering(source, evidence.rendering)]
    if evidence.instance is not None:
        instances = source.instances
        named = next((each for each in instances.instances if each.instance_id == evidence.instance), None)
        sides += instances.pictures(named).values() if named is not None else ()
    elif evidence.run_id is not None and evidence.run_id in others and evidence.other is not None:
        sides.append(_rendering(others[evidence.run_id], evidence.other))
    return [side for side in sides if side is not None]


def _rendering(folder: RunFolder, sha256: str) -> Picture | None:
    for episode in folder.episodes():
        for _, rendering in list_renderings(episode):
            if rendering.sha256 == sha256:
                return folder.rendering(rendering)
    return None


def _join_pictures(sides: Sequence[Picture]) -> bytes:
    """Return pictures side by side, as a PNG file."""
    from io import BytesIO

    from PIL import Image

    scaled: list[Image.Image] = []
    for side in sides:
        image = Image.fromarray(side.pixels)
        # Never enlarged: a tiny rendering is a finding of its own, and is shown as it is.
        image.thumbnail((SIDE, SIDE))
        scaled.append(image)
    sheet = Image.new(
        "RGB", (sum(image.width + 8 for image in scaled) - 8, max(image.height for image in scaled)), _PAPER
    )
    left = 0
    for image in scaled:
        sheet.paste(image, (left, 0))
        left += image.width + 8
    data = BytesIO()
    sheet.save(data, "PNG")
    return data.getvalue()
