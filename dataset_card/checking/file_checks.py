"""Checks of the files beside the tables: each equals the file that tables and records give.

Derived files are compared to the byte, with a line for each difference: its place and remedy. The texts of the
maintainers' sections are taken over unchanged, once they are sound. Of the card, metadata, code, licences and links are
checked besides, since another version may have written it; of the descriptors by which later runs are compared, that
those of a run are of its renderings, of all and no other.
"""

import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml
from PIL import Image

from dataset_card.card.card import CARD, LICENCES, SECTIONS, MaintainerTexts, SourceLicence, check_sections, find_texts
from dataset_card.card.code import find_differing_blocks
from dataset_card.card.croissant import CROISSANT, is_but_for_hub_page, remove_url
from dataset_card.card.statements import build_config_entry, name_hub_licences
from dataset_card.card.verification import VERIFICATION, VerifiedRuns, read_verification, run_key
from dataset_card.findings import Findings, decode_picture
from dataset_card.markdown import escape_markdown, format_code_span
from dataset_card.releases.files import COPIES, FEATURE, build_derived_files, name_descriptor_file
from dataset_card.releases.record import ReleaseRecord, identify_renderer
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import ReleasedRun, ReleaseSource
from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.core.strict_yaml import load_bounded
from ircore.core.submission_records import Run
from ircore.core.workers import map_in_order
from ircore.games.registry import has_support
from ircore.instances.store import UNSTATED
from ircore.seeing.descriptors import compute_descriptor
from ircore.submissions.rescoring.picture_index import (
    RunIndex,
    list_rendering_keys,
    read_index,
)

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


def _read_verification(folder: Path, record: ReleaseRecord, findings: Findings) -> VerifiedRuns:
    try:
        verification = read_verification(folder)
    except InputError as error:
        findings.add(VERIFICATION, error.problem.removeprefix(f"{folder / VERIFICATION}: "))
        return VerifiedRuns()
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


MAX_CARD_BYTES = 4 * 1024 * 1024

_DEPTH = 40
"""Nesting of the front matter that is read; features of dialogues need ten."""

_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*( (AND|OR|WITH) [A-Za-z0-9][A-Za-z0-9.+-]*)*")


def check_card(folder: Path, configs: Sequence[Config], rows: Counter[str], findings: Findings) -> None:
    """Check that the front matter names tables, files and numbers of rows, and that all code is the program's own.

    Args:
        folder: The release.
        configs: The release's tables, as the files have them.
        rows: Rows read of each config.
        findings: Collects the faults.
    """
    if not (folder / CARD).is_file():
        return
    text = _read_text(folder / CARD)
    names = [config.name for config in configs]
    for fault in (
        *_check_front_matter(text, configs, rows),
        *find_differing_blocks(text, names),
        *_find_missing_pictures(folder, text),
    ):
        findings.add(CARD, fault)


def check_licences(folder: Path, instances: Iterable[Instance], runs: Iterable[Run], findings: Findings) -> None:
    """Check that everything comes under a stated licence, and that card and licence file say so.

    Args:
        folder: The release.
        instances: The release's instances, as the rows have them.
        runs: The release's runs.
        findings: Collects the faults.
    """
    sources = Counter[tuple[str, str]]()
    for instance in instances:
        licence = instance.licence
        sources[instance.source, licence] += 1
        # An identifier that SPDX does not know can still be a LicenseRef of our own, so only the form is asked.
        if licence == UNSTATED or not _LICENCE.fullmatch(licence):
            findings.add(f"instance {instance.instance_id}", f"licence {licence[:60]!r} is not one to publish under")
    submitted = {run.submission.licence for run in runs}
    _check_licence_file(folder, [SourceLicence(*key, count) for key, count in sources.items()], submitted, findings)
    document = parse_front_matter(_read_text(folder / CARD))
    named = document.get("license") if isinstance(document, dict) else None
    wanted = name_hub_licences({licence for _, licence in sources} | submitted)
    if (named if isinstance(named, list) else [named]) != wanted:
        findings.add(CARD, f"license does not say {', '.join(wanted)}")


def _check_licence_file(folder: Path, sources: list[SourceLicence], submitted: set[str], findings: Findings) -> None:
    if not (folder / LICENCES).is_file():
        return
    text = _read_text(folder / LICENCES)
    for source in sources:
        # The row as the template prints it: a licence somewhere else in the file would say nothing of these pictures.
        if (
            f"| {escape_markdown(source.source, links=True)} | {format_code_span(source.licence)} | "
            f"{source.pictures:,} |" not in text
        ):
            findings.add(
                LICENCES, f"does not say that {source.pictures} pictures of {source.source[:80]} are {source.licence}"
            )
    for licence in sorted(submitted):
        if f"| {format_code_span(licence)} |" not in text:
            findings.add(LICENCES, f"does not name {licence}, under which a pair was submitted")


@lru_cache(maxsize=1)
def parse_front_matter(text: str) -> dict[str, Any] | str:
    """Return the front matter of a card as a mapping, or its fault as a text."""
    # At most three parts, because the text below may have rules of three dashes too.
    parts = text.split("---\n", 2)
    try:
        document = load_bounded(parts[1], _DEPTH) if len(parts) == 3 and not parts[0] else None
    except (yaml.YAMLError, ValueError) as error:
        return f"its front matter is not valid YAML ({type(error).__name__})"
    return document if isinstance(document, dict) else "has no YAML front matter"


def _check_front_matter(text: str, configs: Sequence[Config], rows: Counter[str]) -> Iterator[str]:
    document = parse_front_matter(text)
    if isinstance(document, str):
        yield document
        return
    listed = {str(entry.get("config_name")): entry for entry in _read_mappings(document, "configs")}
    sizes = {str(entry.get("config_name")): entry for entry in _read_mappings(document, "dataset_info")}
    for config in configs:
        if listed.pop(config.name, None) != build_config_entry(config):
            yield f"configs does not list {config.name} as it must"
        splits = _read_mappings(sizes.get(config.name, {}), "splits")
        if [split.get("num_examples") for split in splits] != [rows[config.name]]:
            yield f"dataset_info of {config.name} does not say {rows[config.name]} rows"
        if sizes.get(config.name, {}).get("features") != config.yaml_features():
            yield f"dataset_info of {config.name} does not say which features it has"
    yield from (f"configs lists {name[:80]!r}, which is no table of a release" for name in listed)


def _find_missing_pictures(folder: Path, text: str) -> Iterator[str]:
    for target in _PICTURE.findall(text):
        # Such a picture would show what nobody has checked.
        if "://" in target or target.startswith("/") or ".." in target or not (folder / target).is_file():
            yield f"picture {target[:80]!r} is not a file of the release"


def _read_text(path: Path) -> str:
    return path.read_bytes()[:MAX_CARD_BYTES].decode(errors="replace") if path.is_file() else ""


def _read_mappings(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = document.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


MAX_DESCRIPTOR_BYTES = 256 * 1024**2
"""Largest file of descriptors, in bytes: some 200,000 renderings of a run."""


RENDERINGS_PER_PROCESS = 100
"""Renderings for which a further process is worth its start."""

ROUNDING = 1
"""Difference of a descriptor's values that another processor may make: they are rounded to whole numbers."""


def check_copies(folder: Path, runs: Iterable[ReleasedRun]) -> Iterator[tuple[str, str]]:
    """Yield file and fault of each file of descriptors, and of each run without one.

    Args:
        folder: The release.
        runs: Its runs, as the check has read them; those of games with descriptors have such files.
    """
    files = {name_descriptor_file(run.run.run_id): run for run in runs if has_support(FEATURE, run.run.game)}
    present = {path.relative_to(folder).as_posix(): path for path in sorted((folder / COPIES).glob("*"))}
    for name in sorted(files.keys() - present.keys()):
        yield name, "is missing: the run's renderings could be copied unseen"
    for name in sorted(present.keys() - files.keys()):
        yield name, "is of no run here"
    for name in sorted(present.keys() & files.keys()):
        index = read_index(present[name]) if present[name].stat().st_size <= MAX_DESCRIPTOR_BYTES else None
        if index is None:
            yield name, "holds no descriptors"
        elif list(index.keys()) != list_rendering_keys(files[name]):
            yield name, "is not of the run's renderings"


def check_descriptors(folder: Path, run: ReleasedRun, episodes: Collection[str], processes: int) -> Iterator[str]:
    """Compute the descriptors of a run's renderings again; yield a line for each episode in which one differs.

    Args:
        folder: The release, checked.
        run: A run of it.
        episodes: Ids of the episodes whose renderings are computed again.
        processes: Number of processes.
    """
    name, run_id = name_descriptor_file(run.run.run_id), run.run.run_id
    index = read_index(folder / name) if (folder / name).is_file() else None
    # A missing file, or one without descriptors, is a fault of the check.
    if index is None:
        return
    drawn = {shown.sha256: shown for episode in run.episodes() for shown in episode.renderings.values()}
    places = [place for place, (episode, _) in enumerate(index.keys()) if episode in episodes]
    pictures = (run.rendering(drawn[index.sha256[place]]) for place in places)
    differing = [
        index.episodes[place]
        for place, descriptor in zip(
            places,
            map_in_order(compute_descriptor, pictures, min(processes, len(places) // RENDERINGS_PER_PROCESS + 1)),
            strict=True,
        )
        if not _is_close(index, place, descriptor)
    ]
    for episode in dict.fromkeys(differing):
        yield f"{name}: run {run_id}, episode {episode}: a descriptor is not that of its rendering"


def _is_close(index: RunIndex, place: int, descriptor: npt.NDArray[np.int8]) -> bool:
    difference = abs(index.descriptors[place].astype(int) - descriptor.astype(int)).max()
    return bool(difference <= ROUNDING)
