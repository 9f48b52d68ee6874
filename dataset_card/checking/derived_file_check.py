"""Check that every derived file of a release equals, to the byte, the file that tables and records give.

The texts of the maintainers' sections are taken over unchanged, once they are sound.

Differences between a derived file and the file that the data give: a line each, with place and remedy.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
from PIL import Image

from dataset_card.card.card import SECTIONS, MaintainerTexts, check_sections, find_texts
from dataset_card.card.croissant import CROISSANT, is_but_for_hub_page, remove_url
from dataset_card.card.verification import VERIFICATION, Verification, read_verification, run_key
from dataset_card.findings import Findings, decode_picture
from dataset_card.releases.derived_files import build_derived_files
from dataset_card.releases.record import ReleaseRecord
from dataset_card.releases.renderer import identify_renderer
from dataset_card.tables.release_source import ReleaseSource
from ircore.core.errors import InputError

MOST = 20
"""Differences of a file that are named."""

COMPARED = 4000
"""Lines beside those that begin or end both texts alike, up to which lines that moved are recognised."""

SHOWN = 60
"""Characters of a line that are shown, from shortly before its first difference."""

REMEDY = "build the release again"


def compare_texts(file_content: bytes, wanted: bytes) -> Iterator[tuple[int, str]]:
    """Yield line number and difference, at most ``MOST`` of them, and a last line that counts the others.

    Args:
        file_content: The file.
        wanted: Content of the file that the data give.
    """
    lines, others = (data.decode(errors="replace").split("\n") for data in (file_content, wanted))
    # A stranger's file may have millions of lines, which are not compared one by one.
    if len(lines) > 2 * len(others) + COMPARED:
        yield 1, f"{len(lines):,} lines, {len(others):,} are written from the data; {REMEDY}"
        return
    differences = _compare_lines(lines, others)
    yield from (
        (number, f"{_find_section(lines, number)}{difference}; {REMEDY}")
        for number, difference in islice(differences, MOST)
    )
    left = sum(1 for _ in differences)
    if left:
        yield len(lines), f"{left:,} more differences; {REMEDY}"


def compare_pictures(file_content: bytes, wanted: bytes) -> str | None:
    """Describe how a picture differs from the picture drawn from the data; both are sound PNG files.

    Returns:
        None if the pixels are the same: other systems compress them in another way.
    """
    with Image.open(io.BytesIO(file_content)) as picture, Image.open(io.BytesIO(wanted)) as drawn:
        if picture.size != drawn.size:
            sizes = " and ".join(f"{image.width} × {image.height}" for image in (picture, drawn))
            return f"{sizes} pixels in the file and drawn from the data; {REMEDY}"
        differ = (np.asarray(picture.convert("RGB")) != np.asarray(drawn.convert("RGB"))).any(axis=2)
    rows, columns = differ.nonzero()
    if not len(rows):
        return None
    first = f"column {columns[0]}, row {rows[0]}"
    return f"{len(rows):,} of {differ.size:,} pixels are not as drawn from the data, the first at {first}; {REMEDY}"


def _compare_lines(lines: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, str]]:
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, others, strict=False)))
    most = min(len(lines), len(others)) - head
    ends = zip(reversed(lines), reversed(others), strict=False)
    # Head and tail may not overlap where lines recur.
    tail = min(most, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends)))
    file_lines, wanted = lines[head : len(lines) - tail], others[head : len(others) - tail]
    for first, last, begin, end in _find_regions(file_lines, wanted):
        paired = min(last - first, end - begin)
        for here, there in zip(range(first, first + paired), range(begin, begin + paired), strict=True):
            yield head + here + 1, _describe_change(file_lines[here], wanted[there])
        if missing := wanted[begin + paired : end]:
            yield head + first + paired + 1, f"{_quote_lines(missing)} missing"
        if added := file_lines[first + paired : last]:
            yield head + first + paired + 1, f"{_quote_lines(added)} not written from the data"


def _find_regions(file_lines: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the regions where two texts differ: begin and end in the first, begin and end in the second."""
    # SequenceMatcher takes quadratic time, and the file may be a stranger's.
    if max(len(file_lines), len(wanted)) > COMPARED:
        yield 0, len(file_lines), 0, len(wanted)
        return
    # Without autojunk=False, lines that recur often, such as empty ones, would match nothing.
    for kind, first, last, begin, end in SequenceMatcher(None, file_lines, wanted, autojunk=False).get_opcodes():
        if kind != "equal":
            yield first, last, begin, end


def _describe_change(file_line: str, data_line: str) -> str:
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(file_line, data_line, strict=False)))
    return f"says “{_cut_around(file_line, at)}”, the data say “{_cut_around(data_line, at)}”"


def _quote_lines(lines: Sequence[str]) -> str:
    """Describe lines by the first line that is not empty."""
    first = next(filter(str.strip, lines), "")
    return (
        f"“{_cut_around(first, 0)}” is"
        if len(lines) == 1
        else f"{len(lines):,} lines from “{_cut_around(first, 0)}” are"
    )


def _cut_around(line: str, at: int) -> str:
    # The difference stands in the middle, with some words before it that a reader can search for.
    start = max(0, at - SHOWN // 2)
    end = start + SHOWN
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _find_section(lines: Sequence[str], number: int) -> str:
    """Return the heading of the Markdown section of a line, for a message; empty without a heading."""
    headings = (line.strip("# ") for line in reversed(lines[:number]) if line.startswith("#"))
    heading = next(headings, None)
    return "" if heading is None else f"under {heading[:SHOWN]}: "


MOST_CATEGORIES = 100
"""Categories that are drawn for a comparison: a stranger's release could ask for a very large picture."""


def check_derived(
    folder: Path, source: ReleaseSource, record: ReleaseRecord, hashes: Mapping[str, str], findings: Findings
) -> tuple[str, ...]:
    """Write the derived files of a release again and compare them.

    Args:
        folder: The release; its tables have no fault.
        source: Games of the release.
        record: Content of ``release.json``.
        hashes: SHA-256 of the files of its tables by path.
        findings: Collects the faults.

    Returns:
        Files that could not be compared since other code wrote them, one line each.
    """
    drawn = source.lead
    if drawn is not None and (count := len(drawn.results.categories)) > MOST_CATEGORIES:
        return (
            f"derived files: not compared with the data: {count:,} categories, at most {MOST_CATEGORIES} are drawn",
        )
    own, recorded = identify_renderer(), record.renderer
    # Pictures depend on other libraries than texts do, so that either can be compared without the other.
    same = {".png": recorded.pictures == own.pictures}
    same_texts = recorded.texts == own.texts
    verification = _read_verification(folder, record, findings)
    texts = {name: _read(folder / name).decode(errors="replace") for name in SECTIONS}
    maintainer_texts = read_unchecked_texts(folder)
    for name, text in texts.items():
        for fault in check_sections(name, text) if text else ():
            findings.add(name, fault)
    not_checked = []
    for name, wanted in sorted(
        build_derived_files(folder, source, record, maintainer_texts, verification, hashes).items()
    ):
        data = _read(folder / name)
        # A missing file is a fault that the check of files names.
        if not data or data == wanted:
            continue
        # An address that maintainers wrote into a built card is in Croissant from the next release on.
        if name == CROISSANT and (data == remove_url(wanted) or is_but_for_hub_page(data, wanted)):
            continue
        if same.get(Path(name).suffix, same_texts):
            for where, difference in _compare_file(name, data, wanted):
                findings.add(where, difference)
        else:
            not_checked.append(f"{name}: not compared with the data: another version of the program wrote it")
    return tuple(not_checked)


def read_unchecked_texts(folder: Path) -> MaintainerTexts:
    """Return the unchecked texts of the maintainers' sections of a release."""
    texts = ((name, _read(folder / name).decode(errors="replace")) for name in SECTIONS)
    return {key: lines for name, text in texts for key, lines in find_texts(name, text).items()}


def _read_verification(folder: Path, record: ReleaseRecord, findings: Findings) -> Verification:
    try:
        verification = read_verification(folder)
    except InputError as error:
        findings.add(VERIFICATION, error.problem.removeprefix(f"{folder / VERIFICATION}: "))
        return Verification()
    for run in verification.runs:
        if run.key != run_key(record.parts, run.run_id):
            findings.add(VERIFICATION, f"run {run.run_id} had other rows when it was computed again; push does it anew")
    return verification


def _compare_file(name: str, data: bytes, wanted: bytes) -> Iterator[tuple[str, str]]:
    if not name.endswith(".png"):
        yield from ((f"{name}:{number}", difference) for number, difference in compare_texts(data, wanted))
    # A picture that cannot be decoded is a fault already.
    elif not isinstance(decode_picture(data), str) and (difference := compare_pictures(data, wanted)) is not None:
        yield name, difference


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
