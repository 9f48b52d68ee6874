"""Unlikely facts in a transcript that break no rule: findings for people to look at, never a verdict."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.episode_records import GIVEN_UP, TECHNICAL_REASONS, Rendering
from ircore.core.game_records import AnyEnded, GameRun, drawn_renderings
from ircore.core.images import Picture
from ircore.core.records import Run
from ircore.core.strict_yaml import UNSEEN
from ircore.instances.store import AnyInstanceSet
from ircore.runs.events import AnyEnd, AnyEvent, Call, End, Failure, episode_id_of, step_word
from ircore.runs.folder import GameRunFolder, RunFolder
from ircore.runs.provenance import Flag
from ircore.submissions.rescoring.addressed import addresses_a_judge

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAME_WORDS = 6
"""Shorter messages may well be alike by chance."""

MANY_FAILED = 0.05
"""Share of episodes that failed for technical reasons from which on it looks like a choice."""

SMALL = 16
"""Fields a side of the small pictures that are compared."""

ALIKE = 2.5
"""Root of the mean squared difference of small pictures, in levels of 255, up to which one is taken for a copy.

Measured on the benchmark's targets: JPEG of quality 30 up to 2.1, half the size up to 1.1, noise of ±8 levels up to
2.0, a shift by one pixel up to 2.3; renderings from words alone 5 and more, those from exact numbers below 1.
"""

MOST_OF_A_RULE = 20
"""Flags of one rule that are listed, so that many harmless flags do not hide another."""

NO_TIME = 0.001
"""Seconds in which no model answers."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def find_flags(
    run: Run | GameRun,
    events: Sequence[AnyEvent],
    instances: AnyInstanceSet,
    rendering: Callable[[Rendering], Picture],
    others: Sequence[RunFolder | GameRunFolder] = (),
    drawn_from: Collection[tuple[str, str]] = (),
) -> tuple[Flag, ...]:
    """Return the unlikely facts in a transcript, the first ``MOST_OF_A_RULE`` of each rule and the number of the rest.

    Args:
        run: The run's identity.
        events: The transcript; the rules hold for it.
        instances: The set that was played.
        rendering: Returns the picture of a rendering.
        others: Published runs of other pairs, whose renderings these should not be.
        drawn_from: Episode and SHA-256 of renderings that are a picture which their seat was shown: in such a game
            that is no sign of a leak.
    """
    episodes = {event.episode.episode_id: event.episode for event in events if isinstance(event, AnyEnd)}
    drawings = {
        name: {sha256: step for sha256, step in _drawn(episode).items() if (name, sha256) not in drawn_from}
        for name, episode in episodes.items()
    }
    known = {drawn.sha256: drawn for episode in episodes.values() for _, drawn in drawn_renderings(episode)}
    comparison = _Comparison(step_word(run.game), drawings, cache(lambda sha256: _look(rendering(known[sha256]))))
    flags = [
        *comparison.with_instances(instances),
        *comparison.between_episodes(),
        *comparison.with_others(run, others),
        *_messages(run, events),
        *_order(run, events),
        *_times(run, events),
        *_failed(episodes),
    ]
    rule = attrgetter("rule")
    return tuple(chain.from_iterable(_first(list(same)) for _, same in groupby(sorted(flags, key=rule), rule)))


def _first(flags: list[Flag]) -> Iterator[Flag]:
    """Yield at most ``MOST_OF_A_RULE`` flags of a rule, so that one noisy rule cannot hide the others."""
    yield from flags[:MOST_OF_A_RULE]
    if (more := len(flags) - MOST_OF_A_RULE) > 0:
        yield _flag(flags[0].rule, "further turns", f"{more} more like these")


class _Look(NamedTuple):
    """The properties of a picture that are compared."""

    pixels: str
    """Hash of its size and every pixel: equal however the file was packed."""

    small: "npt.NDArray[np.int32]"
    """Mean colours of ``SMALL`` × ``SMALL`` fields: nearly equal after saving with losses, scaling or a shift."""

    def is_like(self, other: "_Look") -> bool:
        """Return whether two pictures can hardly be told apart."""
        return float(((self.small - other.small) ** 2).mean()) <= ALIKE**2


def _look(picture: Picture) -> _Look:
    import numpy as np
    from PIL import Image

    size = f"{picture.width}x{picture.height}".encode()
    small = Image.fromarray(picture.pixels).resize((SMALL, SMALL), Image.Resampling.BOX)
    return _Look(hashlib.sha256(size + picture.pixels.tobytes()).hexdigest(), np.asarray(small).astype(np.int32))


def _drawn(episode: AnyEnded) -> dict[str, int]:
    """Return the hashes of the renderings of an episode, each with the first step that shows the rendering."""
    return {drawn.sha256: step for step, drawn in reversed(drawn_renderings(episode))}


class _Comparison(NamedTuple):
    """Compares the renderings of a transcript with pictures that they should not be."""

    word: str
    """The game's word for a step."""

    drawings: Mapping[str, Mapping[str, int]]
    """For each episode: the hash of each rendering and the first step that shows the rendering."""

    look: Callable[[str], _Look]
    """Returns what is compared of the rendering with a hash."""

    def with_instances(self, instances: AnyInstanceSet) -> Iterator[Flag]:
        """Yield renderings that equal a picture of any instance pixel by pixel, then near-copies of the own target."""
        shown = dict(_instance_looks(instances))
        same = {look.pixels: place for place, look in shown.items()}
        copies = []
        for name, drawn in self.drawings.items():
            own = [look for (instance, _), look in shown.items() if instance == name]
            for sha256, step in drawn.items():
                where, drawing = f"{name}, {self.word} {step}", self.look(sha256)
                twin = same.get(drawing.pixels)
                if twin is not None:
                    whose = f"the {twin[1]}" if twin[0] == name else f"the {twin[1]} of {twin[0]}"
                    yield _flag("identical_to_target", where, f"the rendering is {whose}, pixel by pixel")
                elif any(map(drawing.is_like, own)):
                    copies.append(_flag("copy_of_target", where, "the rendering can hardly be told from the target"))
        yield from copies

    def between_episodes(self) -> Iterator[Flag]:
        """Yield pictures that answer different episodes."""
        seen: dict[str, list[str]] = defaultdict(list)
        for name, drawn in self.drawings.items():
            for pixels in dict.fromkeys(self.look(sha256).pixels for sha256 in drawn):
                seen[pixels].append(name)
        for names in seen.values():
            if len(names) > 1:
                yield _flag("reused_rendering", _some(names), f"the same picture in {len(names)} episodes")

    def with_others(self, run: Run | GameRun, others: Sequence[RunFolder | GameRunFolder]) -> Iterator[Flag]:
        """Yield renderings that equal another pair's rendering of the same instance, then near-copies."""
        copies = []
        for other in others:
            if other.run.slug == run.slug or other.run.instance_set != run.instance_set:
                continue
            for theirs in other.episodes():
                drawn = self.drawings.get(theirs.episode_id, {})
                known = {rendering.sha256: rendering for _, rendering in drawn_renderings(theirs)} if drawn else {}
                made = [_look(other.rendering(rendering)) for rendering in known.values()]
                for sha256, step in drawn.items():
                    ours = self.look(sha256)
                    where, whose = f"{theirs.episode_id}, {self.word} {step}", f"one that {other.run.slug} has"
                    if any(ours.pixels == look.pixels for look in made):
                        yield _flag("rendering_of_another", where, f"the picture is, pixel by pixel, {whose}")
                    elif any(map(ours.is_like, made)):
                        what = f"the picture can hardly be told from {whose}"
                        copies.append(_flag("rendering_of_another", where, what))
        yield from copies


def _instance_looks(instances: AnyInstanceSet) -> Iterator[tuple[tuple[str, str], _Look]]:
    """Yield every picture of a set by instance and name."""
    for instance in instances.instances:
        pictures = instances.pictures(instance)  # type: ignore[arg-type]  # each set reads its own instances
        for name, picture in pictures.items():
            yield (instance.instance_id, name), _look(picture)


def _failed(episodes: Mapping[str, AnyEnded]) -> Iterator[Flag]:
    failed = sum(episode.abort_reason in {*TECHNICAL_REASONS, GIVEN_UP} for episode in episodes.values())
    if failed > MANY_FAILED * len(episodes):
        yield _flag("many_failures", "the run", f"{failed} of {len(episodes)} episodes failed for technical reasons")


def _texts(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[tuple[str, int, str]]:
    """Yield episode, step and words of every text answer; of reconstruction, the message without its tags."""
    for event in events:
        if isinstance(event, End):
            yield from ((event.episode.episode_id, turn.turn, turn.message or "") for turn in event.episode.turns)
        elif isinstance(event, Call) and isinstance(run, GameRun):
            yield event.episode_id, event.turn, event.text or ""


def _messages(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    """Find words that answer different instances, hide characters, or speak to a judge."""
    seen: dict[str, list[str]] = defaultdict(list)
    for name, step, text in _texts(run, events):
        where = f"{name}, {step_word(run.game)} {step}"
        if step == 1 and len(text.split()) >= SAME_WORDS:
            seen[" ".join(text.split())].append(name)
        if hidden := _hidden(text):
            yield _flag("hidden_characters", where, f"the message holds {', '.join(hidden)}")
        if addresses_a_judge(text):
            yield _flag("addresses_a_judge", where, "the message speaks to a judge; judges see pictures only")
    for names in seen.values():
        if len(set(names)) > 1:
            yield _flag("same_message", _some(names), f"the same first message in {len(names)} episodes")


def _hidden(text: str) -> list[str]:
    """Return the code points in a text that are invisible or reverse its direction."""
    hidden = {
        character
        for character in text
        if (unicodedata.category(character) in _HIDDEN or character in UNSEEN) and character not in "\n\t\r"
    }
    return [f"U+{ord(character):04X}" for character in sorted(hidden)][:5]


def _order(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    """Yield answers that were recorded before the question was: a journal only grows."""
    latest: dict[str, tuple[int, int]] = {}
    flagged: set[str] = set()
    # Who answers first within a step is known of reconstruction alone.
    seats = list(run.submission.players) if isinstance(run, Run) else []
    for event in events:
        name = episode_id_of(event)
        if isinstance(event, Failure):
            continue
        if isinstance(event, AnyEnd):
            # An episode that failed for technical reasons is taken up again.
            ended = event.episode.abort_reason not in TECHNICAL_REASONS
            place = (10**6, 0) if ended else latest.get(name, (0, 0))
        else:
            place = (event.turn, seats.index(event.role) if event.role in seats else 0)
        if place < latest.get(name, (0, 0)) and name not in flagged:
            flagged.add(name)
            yield _flag("out_of_order", name, "an answer is recorded before what it answers")
        latest[name] = max(place, latest.get(name, (0, 0)))


def _times(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    for role, spec in run.submission.players.items():
        if spec.model is None:
            continue
        calls = [event for event in events if isinstance(event, Call) and event.role == role]
        quick = sum(call.seconds < NO_TIME for call in calls)
        if quick:
            yield _flag("time", "the run", f"the {role}, a model, answered {quick} of {len(calls)} times in no time")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _flag(rule: str, where: str, what: str) -> Flag:
    return Flag(rule=rule, where=where, what=what)
