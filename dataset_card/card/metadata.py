"""YAML front matter of a card, which the Hub reads."""

from collections.abc import Sequence
from typing import Any

from dataset_card.tables.columns import SPLIT, Config
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.release_source import ReleaseSource
from dataset_card.tables.writing import Written
from ircore.core.score_records import HUMAN

TITLE = "Image Reconstruction Game: transcripts, renderings and scores"
PAPER = "2606.01901"

HUB_LICENCES = ("cc0-1.0", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "apache-2.0", "mit")
"""SPDX identifiers, in lower case, that the Hub has a licence page for; all others are ``other`` there."""

TASKS = ("image-to-text", "text-to-image", "image-to-image")
"""Identifiers of tasks as the Hub lists them."""

TAGS = ("benchmark", "leaderboard", "dialogue-games", "image-reconstruction-game", f"arxiv:{PAPER}")

GAME_TAGS = ("benchmark", "leaderboard", "dialogue-games")
"""Tags of a release without reconstruction."""

_SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
)


def format_title(source: ReleaseSource) -> str:
    """Return the title of a release."""
    titles = dict.fromkeys(tables.game.title for tables in source.others)
    return TITLE if source.lead is not None else f"{', '.join(titles)}: transcripts and scores"


def format_front_matter(source: ReleaseSource, written: Sequence[Written]) -> str:
    """Return the YAML between the two ``---`` lines."""
    import yaml

    return str(yaml.safe_dump(build_metadata(source, written), sort_keys=False, allow_unicode=True, width=120))


def build_metadata(source: ReleaseSource, written: Sequence[Written]) -> dict[str, Any]:
    """Return the front matter as a mapping, the keys in the order of the file.

    Args:
        source: Games of the release.
        written: Sizes of its tables, in their order.
    """
    licences = name_hub_licences(collect_licences(source))
    # The Hub asks for a name and a link where it has no page for a licence.
    other = {"license_name": "per-picture", "license_link": "LICENSE.md"} if "other" in licences else {}
    # The Hub has one size for a dataset, so the largest table decides.
    rows = max((table.rows for table in written), default=0)
    has_pictures = source.lead is not None
    return {
        "pretty_name": format_title(source),
        "license": licences,
        **other,
        "language": ["en"],
        "multilinguality": ["monolingual"],
        **({"task_categories": list(TASKS)} if has_pictures else {}),
        "size_categories": [next((name for most, name in _SIZES if rows < most), "100M<n<1B")],
        "language_creators": ["machine-generated"],
        "annotations_creators": _list_annotator_kinds(source.lead),
        "source_datasets": ["original"],
        "tags": list(TAGS if has_pictures else GAME_TAGS),
        "configs": [build_config_entry(table.config) for table in written],
        "dataset_info": [_build_info(table) for table in written],
    }


def build_config_entry(config: Config) -> dict[str, Any]:
    """Return the entry of a table under ``configs``: name, files, and whether the table is the default."""
    entry = {"config_name": config.name, "data_files": [{"split": SPLIT, "path": config.pattern}]}
    return entry | ({"default": True} if config.default else {})


def collect_licences(source: ReleaseSource) -> set[str]:
    """Return every licence of the release's pictures and submissions, as their sources name them."""
    return {instance.licence for instance in source.instances()} | {run.run.submission.licence for run in source.runs}


def name_hub_licences(licences: set[str]) -> list[str]:
    """Return licences by the names that the Hub has for them, sorted."""
    return sorted({name if (name := licence.lower()) in HUB_LICENCES else "other" for licence in licences})


def _list_annotator_kinds(source: GameTables | None) -> list[str]:
    """Return the kinds of annotators, in the Hub's words; anonymous people are ``other``."""
    if source is None:
        return ["machine-generated"]
    judges = set(source.results.judges)
    return (["machine-generated"] if judges - {HUMAN} else []) + (["other"] if HUMAN in judges else [])


def _build_info(written: Written) -> dict[str, Any]:
    return {
        "config_name": written.config.name,
        "features": written.config.yaml_features(),
        "splits": [{"name": SPLIT, "num_bytes": written.num_bytes, "num_examples": written.rows}],
        "download_size": written.file_bytes,
        "dataset_size": written.num_bytes,
    }
