"""Checks of a release's card: metadata, code, licences and links."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from dataset_card.card.card import CARD, LICENCES, SourceLicence
from dataset_card.card.code import find_differing_blocks
from dataset_card.card.metadata import build_config_entry, name_hub_licences
from dataset_card.findings import Findings
from dataset_card.markdown import escape_markdown, format_code_span
from dataset_card.tables.columns import Config
from ircore.core.records import Instance
from ircore.core.strict_yaml import load_bounded
from ircore.core.submission_records import Run
from ircore.instances.store import UNSTATED

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
    text = _read(folder / CARD)
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
    document = parse_front_matter(_read(folder / CARD))
    named = document.get("license") if isinstance(document, dict) else None
    wanted = name_hub_licences({licence for _, licence in sources} | submitted)
    if (named if isinstance(named, list) else [named]) != wanted:
        findings.add(CARD, f"license does not say {', '.join(wanted)}")


def _check_licence_file(folder: Path, sources: list[SourceLicence], submitted: set[str], findings: Findings) -> None:
    if not (folder / LICENCES).is_file():
        return
    text = _read(folder / LICENCES)
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


def _read(path: Path) -> str:
    return path.read_bytes()[:MAX_CARD_BYTES].decode(errors="replace") if path.is_file() else ""


def _read_mappings(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = document.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
