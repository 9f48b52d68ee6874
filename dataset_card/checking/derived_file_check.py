"""Check that every derived file of a release equals, to the byte, the file that tables and records give.

The texts of the maintainers' sections are taken over unchanged, once they are sound.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from dataset_card.card.croissant import CROISSANT, is_but_for_hub_page, remove_url
from dataset_card.card.maintainer_texts import SECTIONS, MaintainerTexts, check_sections, find_texts
from dataset_card.card.verification import VERIFICATION, Verification, read_verification, run_key
from dataset_card.checking.differences import compare_pictures, compare_texts
from dataset_card.findings import Findings, decode_picture
from dataset_card.releases.derived_files import build_derived_files
from dataset_card.releases.record import ReleaseRecord
from dataset_card.releases.renderer import identify_renderer
from dataset_card.tables.release_source import ReleaseSource
from ircore.core.errors import InputError

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
