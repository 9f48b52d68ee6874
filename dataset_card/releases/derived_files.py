"""The derived files of a release: files that are written from tables and records alone."""

from collections.abc import Mapping
from pathlib import Path

from dataset_card.card.card import CardFacts, MaintainerTexts, build_card_files, find_homepage
from dataset_card.card.croissant import CROISSANT, format_semantic_version, render_croissant
from dataset_card.card.pictures import choose_example
from dataset_card.card.verification import Verification
from dataset_card.releases.record import CHANGES, ReleaseRecord, render_changes
from dataset_card.tables.parts import sum_parts
from dataset_card.tables.release_source import ReleaseSource


def build_derived_files(
    folder: Path,
    source: ReleaseSource,
    record: ReleaseRecord,
    maintainer_texts: MaintainerTexts,
    verification: Verification,
    hashes: Mapping[str, str],
) -> dict[str, bytes]:
    """Return the content of every derived file by path; the same release gives the same bytes.

    Args:
        folder: The release, its tables written.
        source: Games of the release.
        record: Content of ``release.json``.
        maintainer_texts: Texts of the maintainers' sections.
        verification: Values that were computed again.
        hashes: SHA-256 of the files of its tables by path.
    """
    written = tuple(sum_parts(config, record.parts) for config in record.configs)
    example = None if source.lead is None else choose_example(source.lead)
    facts = CardFacts(source, written, example, record.name, maintainer_texts, verification)
    version = format_semantic_version(record.benchmark, record.date, record.content)
    croissant = render_croissant(
        folder, source, record.configs, version, record.date, hashes, find_homepage(maintainer_texts)
    )
    return build_card_files(facts) | {CHANGES: render_changes(record).encode(), CROISSANT: croissant.encode()}
