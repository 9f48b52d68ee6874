"""Facts of renderings turn by turn, and the failure X-ray: the fate of each mark of a target in a rendering.

The facts stored with the scores say what a rendering shows of each mark: how many hold, became right, broke, or are
wrong at the end. Here they also become one fate a mark, an outline laid over the rendering, and for every fault the
sentence that brought it about or should have mended it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from ircore.core.episode_records import Episode
from ircore.core.records import Box, Scene
from ircore.core.score_records import PARTS, FactNote, Part, Placement, RenderingFacts
from ircore.core.untrusted_text import make_visible
from ircore.games.base import Game, Message, list_messages
from ircore.instances.scene_percepts import complete_scene
from ircore.results.episodes import Doubt
from ircore.scorers.verification.scene_facts import Fact, Mark, list_facts, list_marks
from leaderboard.model.messages import LONGEST_MESSAGE
from leaderboard.model.sentences import NO_KIND, MarkSubject, Span, find_best_sentences, read_point

Fate = Literal["right", "missing", "text", "colour", "moved", "value", "extra", "unsure"]

FATES: Mapping[Fate, str] = {
    "missing": "missing",
    "text": "wrong text",
    "colour": "wrong colour",
    "moved": "moved",
    "value": "wrong size or value",
    "extra": "extra",
    "right": "right",
    "unsure": "cannot be told",
}
"""Fates in words; of several faults of a mark the first counts."""

LETTER: Mapping[Fate, str] = {
    "missing": "x", "text": "t", "colour": "c", "moved": "m", "value": "v", "extra": "e", "right": "r", "unsure": "u",
}  # fmt: skip
"""A letter for each fate, for scripts."""

FAULTS: tuple[Fate, ...] = ("missing", "text", "colour", "moved", "value", "extra")

Link = Literal["broke", "unmended", "said"]
"""How a fault hangs together with a sentence: it came after it, stayed in spite of it, or was drawn from it."""

WHOLE = 0.6
"""Share of the picture from which on a mark, such as a grid, is listed but not outlined."""

_FATE_OF_PART: Mapping[str, Fate] = {"text": "text", "colour": "colour", "place": "moved", "value": "value"}

SHOWN = 3
"""Facts of a part that are shown in full; further facts are only counted."""

Lines = Mapping[tuple[str, str], RenderingFacts]
"""Facts of a run by episode and rendering."""

Tell = Callable[[Sequence[int]], tuple[tuple[Part, str], ...]]


@dataclass(frozen=True)
class DrawnMark:
    """A mark of a target as the X-ray shows it."""

    name: str
    """Name in words."""

    box: Box | None
    """Place in pixels of the target; None for what is everywhere."""

    subject: MarkSubject
    """What sentences may say of it."""

    facts: tuple[int, ...]
    """Places of its facts in the list of facts."""


@dataclass(frozen=True)
class DrawnScene:
    """The marks and facts of a target, drawn up once."""

    width: int
    """Pixels."""

    height: int
    """Pixels."""

    marks: tuple[DrawnMark, ...]
    """Marks that have facts, marks that carry data first."""

    facts: tuple[Fact, ...]
    """All facts."""

    def group(self, kind: str) -> tuple[MarkSubject, ...]:
        """Return the subjects of sentences among the marks of a kind.

        Args:
            kind: Kind of the marks, such as ``bar``.
        """
        return tuple(mark.subject for mark in self.marks if mark.subject.kind == kind)


@dataclass(frozen=True)
class Cited:
    """The sentence of a dialogue that a fault hangs together with."""

    turn: int
    """Turn of the message, 1-based."""

    start: int
    """Place of the first character in the message as pages show it, in UTF-16 units, as browsers count."""

    text: str

    link: Link
    """Whether the mark broke after the sentence, was not mended by it, or was drawn from it."""


@dataclass(frozen=True)
class MarkFault:
    """A mark that a rendering shows wrongly, or something extra.

    Example:
        >>> fault = MarkFault("missing", 0, "the title", Box(0, 0, 9, 9), None, None, ("The title is at the top.",))
        >>> FATES[fault.fate]
        'missing'
    """

    fate: Fate
    mark: int | None
    """Place in the list of marks; None for something extra."""

    name: str
    box: Box | None
    """Where it should be, in pixels of the target; of something extra, where it is."""

    drawn_at: tuple[float, float] | None
    """Middle of the place where the rendering has it instead, in pixels of the target."""

    cited: Cited | None
    """None if no sentence speaks of it."""

    facts: tuple[str, ...]
    """The facts that fail, as sentences."""


@dataclass(frozen=True)
class Xray:
    """The fates of all marks in one rendering.

    Example:
        >>> Xray(transform=(1, 0, 0, 1, 0, 0), fates=("right", "right"), faults=()).fates.count("right")
        2
    """

    transform: Placement
    """From target to rendering: move in widths and heights, scale, turn in degrees."""

    fates: tuple[Fate, ...]
    """One a mark."""

    faults: tuple[MarkFault, ...]
    """Marks with a fault in their order, then what is extra."""


def draw_scene(scene: Scene) -> DrawnScene:
    """Return the marks and facts of a target for X-rays."""
    scene = complete_scene(scene)
    facts = tuple(list_facts(scene))
    of_mark: dict[str, list[int]] = {}
    for place, fact in enumerate(facts):
        of_mark.setdefault(fact.mark, []).append(place)
    marks = tuple(_draw_mark(scene, mark, of_mark[mark.key]) for mark in list_marks(scene) if mark.key in of_mark)
    return DrawnScene(scene.width, scene.height, marks, facts)


def build_xrays(
    drawn: DrawnScene | None, game: Game[Any], episode: Episode, lines: Lines, only: int | None = None
) -> dict[int, Xray]:
    """Return the X-ray of each rendering of an episode whose facts are known, by turn.

    Args:
        drawn: Marks of the target; None for a target without a scene.
        game: The game that was played.
        episode: The episode.
        lines: Facts of the run that played it.
        only: The only turn wanted; None for every turn.
    """
    made: dict[int, Xray] = {}
    if drawn is None:
        return made
    before: tuple[Fate, ...] = ()
    messages = list_messages(game, episode)
    for turn, rendering in episode.renderings.items():
        if only not in {None, turn}:
            continue
        line = lines.get((episode.episode_id, rendering.sha256))
        if line is None or len(line.verdicts) != len(drawn.facts):
            before = ()
            continue
        said = [message for message in messages if message.step <= turn and message.text]
        made[turn] = _build_xray(drawn, line, before, said)
        before = made[turn].fates
    return made


def format_message(message: str | None) -> str:
    """Return a message as pages show it: its beginning, with hidden characters visible."""
    return make_visible((message or "")[:LONGEST_MESSAGE])


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
        number: _compare_turns(earlier, line, number == turns[-1][0], tell)
        for (earlier, line), (number, _) in zip(pairwise(before), turns, strict=True)
        if line is not None
    }


def _draw_mark(scene: Scene, mark: Mark, facts: Sequence[int]) -> DrawnMark:
    elements = [scene.elements[place] for place in mark.elements]
    box = _compute_box([element.box for element in elements], scene)
    kind = elements[0].type if mark.kind == "shape" and elements else mark.kind
    categories = {element.parameters.get("category") for element in elements}
    # A line passes through all categories, so that none names it.
    named = [*(element.text for element in elements), *(categories if len(categories) == 1 else ())]
    texts = tuple(dict.fromkeys(name for name in named if isinstance(name, str) and name))
    colours = tuple(dict.fromkeys(element.colour for element in elements if element.colour))
    axis = re.search(r"\b([xy]) axis$", mark.name)
    return DrawnMark(mark.name, box, MarkSubject(kind, texts, colours[:3], box, axis[1] if axis else ""), tuple(facts))


def _compute_box(boxes: Sequence[Box], scene: Scene) -> Box | None:
    if not boxes:
        return None
    edges = list(zip(*boxes, strict=True))
    box = Box(min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3]))
    covered = (box.right - box.left) * (box.bottom - box.top) / (scene.width * scene.height)
    return None if covered >= WHOLE else box


def _build_xray(drawn: DrawnScene, line: RenderingFacts, before: Sequence[Fate], messages: Sequence[Message]) -> Xray:
    notes = {note.fact: note for note in line.notes}
    fates = tuple(_decide_fate(drawn, mark, line.verdicts) for mark in drawn.marks)
    faults = [
        MarkFault(
            fate, place, mark.name, mark.box, _place_drawn(drawn, mark, notes) if fate == "moved" else None,
            _find_citation(mark.subject, drawn.group(mark.subject.kind), messages, before[place] if before else None),
            tuple(drawn.facts[fact].sentence for fact in mark.facts if line.verdicts[fact] == "0"),
        )
        for place, (mark, fate) in enumerate(zip(drawn.marks, fates, strict=True))
        if fate in FAULTS
    ]  # fmt: skip
    extras = [
        MarkFault("extra", None, "not in the target", extra.box, None, _find_place_citation(extra.box, messages), ())
        for extra in line.extras
    ]
    return Xray(line.transform, fates, (*faults, *extras))


def _decide_fate(drawn: DrawnScene, mark: DrawnMark, verdicts: str) -> Fate:
    failing: set[Fate] = set()
    for place in mark.facts:
        if verdicts[place] == "0":
            fact = drawn.facts[place]
            if fact.attribute == "presence":
                return "missing"
            failing.add(_FATE_OF_PART.get(fact.part, "value"))
    if failing:
        return next(fate for fate in FATES if fate in failing)
    return "right" if any(verdicts[place] == "1" for place in mark.facts) else "unsure"


def _place_drawn(drawn: DrawnScene, mark: DrawnMark, notes: Mapping[int, FactNote]) -> tuple[float, float] | None:
    """Return the place where a mark was seen instead, if the fact about its place is a point."""
    for place in mark.facts:
        note = notes.get(place)
        if drawn.facts[place].attribute == "place" and note is not None and note.seen is not None:
            return read_point(note.seen)
    return None


def _find_citation(
    subject: MarkSubject, group: tuple[MarkSubject, ...], messages: Sequence[Message], before: Fate | None
) -> Cited | None:
    """Return the latest sentence that speaks of a mark, and how the fault hangs together with it."""
    place = group.index(subject)
    for message in reversed(messages):
        span = find_best_sentences(format_message(message.text), group)[place]
        if span is not None:
            return _build_citation(message, span, before, message is messages[-1])
    return None


def _build_citation(message: Message, span: Span, before: Fate | None, is_latest: bool) -> Cited:
    link: Link = "said"
    if before is not None and is_latest:
        link = "broke" if before == "right" else "unmended"
    before_it = format_message(message.text)[: span.start]
    return Cited(message.step, len(before_it.encode("utf-16-le")) // 2, span.text, link)


def _find_place_citation(box: Box, messages: Sequence[Message]) -> Cited | None:
    """Return the latest sentence that names a point within something extra."""
    subject = MarkSubject(NO_KIND, (), (), box)
    return _find_citation(subject, (subject,), messages, None)


def _compare_turns(earlier: RenderingFacts | None, line: RenderingFacts, is_last: bool, tell: Tell) -> TurnFacts:
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
