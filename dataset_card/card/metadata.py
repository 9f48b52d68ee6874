"""What the Hub reads of a card: its YAML front matter."""

from collections.abc import Sequence
from typing import Any

from dataset_card.tables.parquet import Written
from dataset_card.tables.rows import ReleaseSource
from dataset_card.tables.schema import ALL_CONFIGS, SPLIT
from ircore.core.score_records import HUMAN

TITLE = "Image Reconstruction Game: transcripts, renderings and scores"
PAPER = "2606.01901"

HUB_LICENCES = ("cc0-1.0", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "apache-2.0", "mit")
"""SPDX identifiers, in lower case, that the Hub has a licence page for; all others are ``other`` there."""

TASKS = ("image-to-text", "text-to-image", "image-to-image")
"""Identifiers of tasks as the Hub lists them."""

TAGS = ("benchmark", "leaderboard", "dialogue-games", "image-reconstruction-game", f"arxiv:{PAPER}")

_SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
)


def front_matter(source: ReleaseSource, written: Sequence[Written]) -> str:
    """Return the YAML between the two ``---``, each key in its place."""
    import yaml

    return str(yaml.safe_dump(metadata(source, written), sort_keys=False, allow_unicode=True, width=120))


def metadata(source: ReleaseSource, written: Sequence[Written]) -> dict[str, Any]:
    """Return the front matter, in the order in which it is written.

    Args:
        source: What the release is made of.
        written: Sizes of the configs, in the order of ``CONFIGS``.
    """
    licences = hub_licences(licences_of(source))
    other = {"license_name": "per-picture", "license_link": "LICENSE.md"} if "other" in licences else {}
    rows = max((one.rows for one in written), default=0)
    return {
        "pretty_name": TITLE,
        "license": licences,
        **other,
        "language": ["en"],
        "multilinguality": ["monolingual"],
        "task_categories": list(TASKS),
        "size_categories": [next((name for most, name in _SIZES if rows < most), "100M<n<1B")],
        "language_creators": ["machine-generated"],
        "annotations_creators": _annotators(source),
        "source_datasets": ["original"],
        "tags": list(TAGS),
        "configs": [config_entry(one.config.name) for one in written],
        "dataset_info": [_info(one) for one in written],
    }


def config_entry(name: str) -> dict[str, Any]:
    """Return how ``configs`` lists a config: its name, its files, and whether it is the default one."""
    config = next(one for one in ALL_CONFIGS if one.name == name)
    entry = {"config_name": config.name, "data_files": [{"split": SPLIT, "path": config.pattern}]}
    return entry | ({"default": True} if config.default else {})


def licences_of(source: ReleaseSource) -> set[str]:
    """Return every licence that something in the release is under, as its source names it."""
    return {one.licence for one in source.instances.instances} | {run.run.submission.licence for run in source.runs}


def hub_licences(licences: set[str]) -> list[str]:
    """Return licences by the names that the Hub has for them, sorted."""
    return sorted({name if (name := one.lower()) in HUB_LICENCES else "other" for one in licences})


def _annotators(source: ReleaseSource) -> list[str]:
    """Return who rated, in the Hub's words: of people nothing is known but that they are people."""
    judges = set(source.results.judges)
    return (["machine-generated"] if judges - {HUMAN} else []) + (["other"] if HUMAN in judges else [])


def _info(written: Written) -> dict[str, Any]:
    return {
        "config_name": written.config.name,
        "features": written.config.yaml_features(),
        "splits": [{"name": SPLIT, "num_bytes": written.num_bytes, "num_examples": written.rows}],
        "download_size": written.file_bytes,
        "dataset_size": written.num_bytes,
    }
