"""What card, datasheet and Croissant say alike of a release: sentences, title, tags, licences and front matter."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dataset_card.tables.columns import SPLIT, Config
from dataset_card.tables.game_tables import GameTables, ReleaseSource
from dataset_card.tables.writing import Written
from ircore.core.plain_words import format_count
from ircore.core.score_records import HUMAN
from ircore.results.headline import VERIFIED

PROCEDURAL = "procedural"
"""The source of a picture that a seeded program of this project drew."""

DESCRIPTION = (
    "In the Image Reconstruction Game one model, the describer, sees a target picture and tells another, the "
    "generator, in words what to draw. The generator answers with a picture; the describer compares and asks for "
    "edits; this goes on until the describer is content or the turns are used up. This release holds every target, "
    "message, rendering and score of the pairs that played."
)

PURPOSE = "To make every number of the leaderboard checkable down to the pictures that it was computed from."

USES = (
    "Comparing describer–generator pairs on the same targets.",
    "Studying how models build common ground and repair misunderstandings over several turns.",
    "Measuring how far automatic judges agree with each other and with people: targets, renderings and scores come "
    "together.",
)

NOT_FOR = (
    "Training: this is a test set, and a model that has seen its targets or dialogues can no longer be measured on it.",
    "Conclusions about describing or drawing for people, or about models in general: a rank here is one in this game.",
)

MAINTENANCE = (
    "Each release has a tag that is never moved; later releases stand beside earlier ones. Errors are "
    "mended in a new release and named in its notes. A submission that is withdrawn stays listed with the reason."
)

SOCIAL_IMPACT = (
    "Little is expected: the pictures are charts, shapes and freely licensed photographs, and the dialogues are about "
    "what they show. A published ranking can steer effort towards what a judge rewards; the dialogues and renderings "
    "behind each score are published for that reason."
)

MISSING = (
    "A missing value is null and, for scores, has a reason. Episodes that broke the rules are kept as aborted, with "
    "the reason, and have no final score."
)

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


@dataclass(frozen=True)
class Statements:
    """Statements that depend on the data, as lists of sentences.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> build_statements(check_release(Path("release")).source.lead).personal[0]
    'No picture shows a person.'
    """

    collection: tuple[str, ...]
    """The origin of targets, dialogues and renderings."""

    annotation: tuple[str, ...]
    """Who rated, and how."""

    personal: tuple[str, ...]
    """Personal and sensitive data in the release."""

    limits: tuple[str, ...]
    """Limits that readers must know before they use numbers."""

    biases: tuple[str, ...]
    """Directions in which the data are not representative."""


def build_statements(source: GameTables) -> Statements:
    """Return the statements that hold for a release."""
    return Statements(
        tuple(_state_collection(source)),
        tuple(_state_annotation(source)),
        tuple(_state_personal(source)),
        tuple(_state_limits(source)),
        tuple(_state_biases(source)),
    )


def count_annotators(source: GameTables) -> int:
    """Count the people who rated, by pseudonym."""
    return len({score.annotator for run in source.runs for score in run.scores if score.annotator is not None})


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


def _has_found_pictures(source: GameTables) -> bool:
    """Say whether any picture was not drawn by a program of this project."""
    return any(not instance.source.startswith(PROCEDURAL) for instance in source.instances.instances)


def _state_collection(source: GameTables) -> Iterator[str]:
    if any(instance.source.startswith(PROCEDURAL) for instance in source.instances.instances):
        yield (
            "Synthetic targets are drawn by seeded programs, which also write down what they drew (scene); nothing of "
            "that is shown to a player."
        )
    if _has_found_pictures(source):
        yield "All other targets are copies of existing pictures; source and licence stand beside each of them."
    yield (
        "Messages and renderings were made by the models of each pair under the fixed prompts and rules of the game; "
        "nothing was selected, corrected or removed afterwards, but for characters that nobody sees. Raw answers, of "
        "aborted episodes too, are in calls; marks replace keys and paths of machines."
    )


def _state_annotation(source: GameTables) -> Iterator[str]:
    people = count_annotators(source)
    if set(source.results.judges) - {HUMAN}:
        yield (
            "Automatic judges rate the similarity of the first and the final rendering to the target, 0–10, and which "
            "of the two is closer; judges.jsonl says who each of them is."
        )
    if people:
        yield f"{format_count(people, 'person', 'people')} rated renderings in the same two tasks (judge human)."
    else:
        yield "No person rated anything in this release."
    if source.results.metrics:
        yield "Image metrics are computed from the pixels of target and rendering."


def _state_personal(source: GameTables) -> Iterator[str]:
    if _has_found_pictures(source):
        yield (
            "Photographs and other pictures that were not drawn for the game are published works and may show people "
            "who can be recognised; nothing in this release names them but the title of a work."
        )
    else:
        yield "No picture shows a person."
    yield "Messages are descriptions of pictures, written by programs; no user of any service wrote in this data."
    if count_annotators(source):
        yield "People who rated appear under a pseudonym, with their ratings and nothing else."
    yield "Authors of submissions are named in runs.jsonl, as they asked to be in their manifests."
    yield (
        "Pictures carry no camera data (EXIF), and the release was searched for keys and paths of machines "
        "before it was published."
    )


def _state_limits(source: GameTables) -> Iterator[str]:
    if "structural" in source.results.judges:
        yield (
            "structural is a computed judge: a formula over image measures. It is no human and no LLM judgement, it "
            "sees pixels rather than meaning, and nothing here says how well it agrees with people."
        )
    if VERIFIED in source.results.judges:
        yield (
            "verified is a computed judge: a program checks which facts of a drawn target a rendering shows. It is no "
            "human and no LLM judgement, overlooks some faults, and is not applicable to targets without a scene."
        )
    yield (
        "Automatic judges agree only slightly to fairly with people in the paper's own study. Use thresholds on scores "
        "only after comparing them with human ratings."
    )
    yield (
        "Intervals are about other targets of the same kind, not about playing the same ones again. Whether two "
        "intervals overlap is no test of a difference: ranks come from comparisons on the same targets."
    )
    yield "Services change models behind a name; a run says when it was played, not which weights answered."
    smallest = min(_count_per_condition(source))
    yield f"There are few targets: {smallest} in the smallest combination of category and difficulty."


def _state_biases(source: GameTables) -> Iterator[str]:
    yield "The dialogues are in English only."
    yield "Synthetic figures are cleaner and simpler than figures found in the wild: no titles, no legends."
    if _has_found_pictures(source):
        yield "Photographs are those that a free licence allowed, not a sample of what people photograph."
    yield "Pairs are those that somebody submitted, not a sample of models."


def _count_per_condition(source: GameTables) -> list[int]:
    return list(Counter((instance.category, instance.difficulty) for instance in source.instances.instances).values())


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
