"""Prose about a release, shared by the card, the datasheet and the Croissant file.

Plain text, no markup; each sentence holds for this release, since what depends on the data is asked of the data.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dataset_card.tables.game_tables import GameTables
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
