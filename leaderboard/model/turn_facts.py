"""Facts by turn, grouped by part: how many hold, became right, broke, or are wrong at the end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ircore.core.episode_records import Episode
from ircore.core.records import Scene
from ircore.core.score_records import PARTS, Part, RenderingFacts
from ircore.results.episodes import Doubt

SHOWN = 3
"""Facts of a part that are shown in full; further facts are only counted."""

Lines = Mapping[tuple[str, str], RenderingFacts]
"""Facts of a run by episode and rendering."""


@dataclass(frozen=True)
class FactGroup:
    """Facts with one fate, such as having become right."""

    heading: str
    """Such as ``Became right``."""

    parts: tuple[tuple[Part, str], ...]
    """Each part with its facts as sentences."""


@dataclass(frozen=True)
class TurnFacts:
    """The facts of one turn's rendering.

    >>> facts = TurnFacts(held=9, decided=12, gained=3)
    >>> facts.decided - facts.held
    3
    """

    held: int
    """Number of facts that hold."""

    decided: int
    """Number of facts that hold or fail."""

    gained: int = 0
    """Number of facts that failed one turn before and hold now."""

    lost: int = 0
    """Number of facts that held one turn before and fail now."""

    doubt: Doubt | None = None
    """How far facts that could not be told leave the score open; None if all could be told, or nobody kept it."""

    groups: tuple[FactGroup, ...] = ()
    """Facts that became right, facts that broke and, after the last turn, facts that are wrong."""


def group_facts_by_turn(scene: Scene | None, episode: Episode, lines: Lines) -> dict[int, TurnFacts]:
    """Return the facts of each turn of an episode, as far as they are known.

    Args:
        scene: Scene of the target; None for a target without a scene.
        episode: The episode.
        lines: Facts of the run that played it.
    """
    turns = [
        (turn, lines[episode.episode_id, rendering.sha256])
        for turn, rendering in episode.renderings.items()
        if (episode.episode_id, rendering.sha256) in lines
    ]
    if scene is None or not turns:
        return {}
    tell = _make_teller(scene, turns[-1][1])
    before = [None, *(line for _, line in turns)]
    return {
        number: _turn(earlier, line, number == turns[-1][0], tell)
        for (earlier, line), (number, _) in zip(pairwise(before), turns, strict=True)
        if line is not None
    }


Tell = Callable[[Sequence[int]], tuple[tuple[Part, str], ...]]


def _turn(earlier: RenderingFacts | None, line: RenderingFacts, is_last: bool, tell: Tell) -> TurnFacts:
    now = line.verdicts
    # Before the first rendering nothing held and nothing failed, so nothing is gained or lost.
    then = earlier.verdicts if earlier is not None else "?" * len(now)
    # Verdicts of different lengths stand for different lists of facts, which cannot be matched by place.
    changes = list(zip(then, now, strict=True)) if len(then) == len(now) else []
    gained = [place for place, change in enumerate(changes) if change == ("0", "1")]
    lost = [place for place, change in enumerate(changes) if change == ("1", "0")]
    wrong = [place for place, letter in enumerate(now) if letter == "0"] if is_last else []
    headed = (("Became right", gained), ("Broke", lost), ("Wrong in the end", wrong))
    groups = tuple(FactGroup(heading, parts) for heading, places in headed if (parts := tell(places)))
    doubt = None
    if line.low is not None and line.high is not None and line.undecided:
        doubt = Doubt(line.low, line.high, line.undecided, unread=line.reader is None)
    return TurnFacts(now.count("1"), now.count("1") + now.count("0"), len(gained), len(lost), doubt, groups)


def _make_teller(scene: Scene, line: RenderingFacts) -> Tell:
    """Return a function that turns indices of facts into sentences, grouped by part."""
    from ircore.scorers.verification.judge import restore_checked_facts

    facts = [checked.fact for checked in restore_checked_facts(scene, line)]

    def tell(places: Sequence[int]) -> tuple[tuple[Part, str], ...]:
        by_part = {part: [facts[place].sentence for place in places if facts[place].part == part] for part in PARTS}
        return tuple((part, " ".join(_limit_sentences(sentences))) for part, sentences in by_part.items() if sentences)

    return tell if facts else lambda _: ()


def _limit_sentences(sentences: Sequence[str]) -> Iterator[str]:
    yield from sentences[:SHOWN]
    if len(sentences) > SHOWN:
        yield f"And {len(sentences) - SHOWN} more."
