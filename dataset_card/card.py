"""The card: ``README.md`` with its YAML front matter, and ``LICENSE.md`` with the licence of every source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataset_card.markdown import Markdown, render
from dataset_card.parquet import Written
from dataset_card.rows import ReleaseSource
from dataset_card.schema import CONFIGS, SPLIT, Column
from dataset_card.strip import Example
from ircore.results.model import BoardRow

TITLE = "Image Reconstruction Game: transcripts, renderings and scores"
PAPER = "2606.01901"
STRIP = "assets/episode.png"

PLACE = "ORG/NAME"
"""What the code of a card calls the dataset until it has a place on the Hub; a path of the folder does as well."""

HUB_LICENCES = ("cc0-1.0", "cc-by-2.0", "cc-by-4.0", "cc-by-sa-4.0", "apache-2.0", "mit")
"""SPDX identifiers, in lower case, that the Hub has a licence page for; all others are ``other`` there."""

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))


class SourceLicence(NamedTuple):
    """How many pictures of a set come from one source under one licence."""

    source: str
    licence: str
    pictures: int


class JudgeBoard(NamedTuple):
    """The overall board of one judge, as the card shows it."""

    judge: str
    label: str
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True)
class CardFacts:
    """All that the card says.

    Attributes:
        source: What the release is made of.
        written: Sizes of the configs, in the order of ``CONFIGS``.
        example: The episode that the strip shows.
    """

    source: ReleaseSource
    written: Sequence[Written]
    example: Example


def render_card(facts: CardFacts) -> str:
    """Return the content of ``README.md``."""
    source = facts.source
    episodes = [one.episode for results in source.results.episodes.values() for one in results]
    body = render(
        "README.md.j2",
        title=TITLE,
        paper=PAPER,
        strip=STRIP,
        place=PLACE,
        example=facts.example,
        results=source.results,
        runs=[run.run for run in source.runs],
        boards=list(_boards(source)),
        outcomes=Counter(one.outcome for one in episodes),
        prompts=sorted({run.run.prompts for run in source.runs}),
        versions=sorted({run.run.version for run in source.runs}),
        tables=[(one, next(w.rows for w in facts.written if w.config is one)) for one in CONFIGS],
        leaderboard_file=f"data/leaderboard/{SPLIT}-00000-of-00001.parquet",
        licences=source_licences(source),
        type_name=_type_name,
        md=Markdown,
    )
    return f"---\n{_front_matter(facts)}---\n\n{body}"


def render_licences(source: ReleaseSource) -> str:
    """Return the content of ``LICENSE.md``."""
    return render(
        "LICENSE.md.j2",
        licences=source_licences(source),
        submissions={(run.run.submission.name, run.run.submission.licence) for run in source.runs},
    )


def source_licences(source: ReleaseSource) -> list[SourceLicence]:
    """Count the pictures of each source and licence, the largest first."""
    counts = Counter((one.source, one.licence) for one in source.instances.instances)
    return [SourceLicence(*key, count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _front_matter(facts: CardFacts) -> str:
    import yaml

    document = _metadata(facts)
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120))


def _metadata(facts: CardFacts) -> dict[str, Any]:
    """Return what the Hub reads of a card, in the order in which it is written."""
    licences = _hub_licences(facts.source)
    other = {"license_name": "per-picture", "license_link": "LICENSE.md"} if "other" in licences else {}
    rows = max((one.rows for one in facts.written), default=0)
    return {
        "pretty_name": TITLE,
        "license": licences,
        **other,
        "language": ["en"],
        "task_categories": ["image-to-text", "text-to-image", "image-to-image"],
        "size_categories": [next((name for most, name in _SIZES if rows < most), "n>10M")],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "tags": ["benchmark", "leaderboard", "dialogue-games", "image-reconstruction-game", f"arxiv:{PAPER}"],
        "configs": [
            {
                "config_name": one.name,
                "data_files": [{"split": SPLIT, "path": one.pattern}],
                **({"default": True} if one.default else {}),
            }
            for one in CONFIGS
        ],
        "dataset_info": [_info(one) for one in facts.written],
    }


def _info(written: Written) -> dict[str, Any]:
    return {
        "config_name": written.config.name,
        "features": written.config.yaml_features(),
        "splits": [{"name": SPLIT, "num_bytes": written.num_bytes, "num_examples": written.rows}],
        "download_size": written.file_bytes,
        "dataset_size": written.num_bytes,
    }


def _hub_licences(source: ReleaseSource) -> list[str]:
    named = {one.licence.lower() for one in source.instances.instances}
    named |= {run.run.submission.licence.lower() for run in source.runs}
    return sorted({name if name in HUB_LICENCES else "other" for name in named})


def _boards(source: ReleaseSource) -> Iterator[JudgeBoard]:
    from ircore.plugins import available, load

    installed = available("judges")
    for judge in source.results.judges:
        label = load("judges", judge).label if judge in installed else judge
        yield JudgeBoard(judge, label, source.results.board(judge))


def _type_name(column: Column) -> str:
    name = {"image": "Image", "strings": "list of string"}.get(column.kind, column.kind)
    return f"{name}, may be null" if column.nullable else name
