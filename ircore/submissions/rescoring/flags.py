"""What in a transcript breaks no rule and is still unlikely: findings for people to look at, never a verdict."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.images import Picture
from ircore.core.records import GIVEN_UP, Episode, Run
from ircore.core.strict_yaml import UNSEEN
from ircore.instances.store import InstanceSet
from ircore.runs.events import Call, End, Failure
from ircore.runs.folder import RunFolder
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
"""Flags of one rule that are kept, so that many harmless ones do not hide another."""

NO_TIME = 0.001
"""Seconds in which no model answers."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def find_flags(
    run: Run,
    events: Sequence[Call | Failure | End],
    instances: InstanceSet,
    rendering: Callable[[str], Picture],
    others: Sequence[RunFolder] = (),
) -> tuple[Flag, ...]:
    """Return what is unlikely in a transcript, the first ``MOST_OF_A_RULE`` of each rule and how many more there are.

    Args:
        run: The run's identity.
        events: The transcript; the rules hold for it.
        instances: The set that was played.
        rendering: Returns the picture with a hash.
        others: Published runs of other pairs, whose renderings these should not be.
    """
    episodes = {event.episode.episode_id: event.episode for event in events if isinstance(event, End)}
    looks = cache(lambda sha256: _look(rendering(sha256)))
    found = [
        *_targets(episodes, instances, looks),
        *_reused(episodes, looks),
        *_of_others(run, episodes, looks, others),
        *_messages(episodes),
        *_order(events),
        *_times(run, events),
        *_failed(episodes),
    ]
    return tuple(chain.from_iterable(_first(list(same)) for _, same in groupby(sorted(found, key=_rule), _rule)))


def _rule(flag: Flag) -> str:
    return flag.rule


def _first(flags: list[Flag]) -> Iterator[Flag]:
    """Yield so many flags of one rule that those of others have room beside them."""
    yield from flags[:MOST_OF_A_RULE]
    if (more := len(flags) - MOST_OF_A_RULE) > 0:
        yield _flag(flags[0].rule, "further turns", f"{more} more like these")


class _Look(NamedTuple):
    """What is compared of a picture."""

    pixels: str
    """Hash of its size and every pixel: equal however the file was packed."""

    small: "npt.NDArray[np.int32]"
    """Mean colours of ``SMALL`` × ``SMALL`` fields: nearly equal after saving with losses, scaling or a shift."""

    def is_like(self, other: "_Look") -> bool:
        """Whether two pictures can hardly be told apart."""
        return float(((self.small - other.small) ** 2).mean()) <= ALIKE**2


def _look(picture: Picture) -> _Look:
    import numpy as np
    from PIL import Image

    size = f"{picture.width}x{picture.height}".encode()
    small = Image.fromarray(picture.pixels).resize((SMALL, SMALL), Image.Resampling.BOX)
    return _Look(hashlib.sha256(size + picture.pixels.tobytes()).hexdigest(), np.asarray(small).astype(np.int32))


def _drawn(episode: Episode) -> dict[str, int]:
    """Return the renderings of an episode by their hash, each with the first turn that has it."""
    return {turn.rendering.sha256: turn.turn for turn in reversed(episode.turns) if turn.rendering}


def _targets(episodes: Mapping[str, Episode], instances: InstanceSet, looks: Callable[[str], _Look]) -> Iterator[Flag]:
    """Find renderings that are a target: pixel by pixel any target, or a copy of the episode's own."""
    targets = {one.instance_id: _look(instances.target(one)) for one in instances.instances}
    same = {look.pixels: name for name, look in targets.items()}
    copies = []
    for name, episode in episodes.items():
        for sha256, turn in _drawn(episode).items():
            where, drawn = f"{name}, turn {turn}", looks(sha256)
            twin = same.get(drawn.pixels)
            if twin is not None:
                whose = "the target" if twin == name else f"the target of {twin}"
                yield _flag("identical_to_target", where, f"the rendering is {whose}, pixel by pixel")
            elif drawn.is_like(targets[name]):
                copies.append(_flag("copy_of_target", where, "the rendering can hardly be told from the target"))
    yield from copies


def _reused(episodes: Mapping[str, Episode], looks: Callable[[str], _Look]) -> Iterator[Flag]:
    """Find pictures that answer different episodes."""
    seen: dict[str, list[str]] = defaultdict(list)
    for name, episode in episodes.items():
        for pixels in dict.fromkeys(looks(sha256).pixels for sha256 in _drawn(episode)):
            seen[pixels].append(name)
    for names in seen.values():
        if len(names) > 1:
            yield _flag("reused_rendering", _some(names), f"the same picture in {len(names)} episodes")


def _of_others(
    run: Run, episodes: Mapping[str, Episode], looks: Callable[[str], _Look], others: Sequence[RunFolder]
) -> Iterator[Flag]:
    """Find renderings that another pair made of the same target, pixel by pixel, then those that are hardly changed."""
    copies = []
    for other in others:
        if other.run.slug == run.slug or other.run.instance_set != run.instance_set:
            continue
        for theirs in other.episodes():
            drawn = _drawn(episodes[theirs.episode_id]) if theirs.episode_id in episodes else {}
            known = {one.rendering.sha256: one.rendering for one in theirs.turns if one.rendering} if drawn else {}
            made = [_look(other.rendering(one)) for one in known.values()]
            for sha256, turn in drawn.items():
                ours = looks(sha256)
                where, whose = f"{theirs.episode_id}, turn {turn}", f"one that {other.run.slug} has"
                if any(ours.pixels == one.pixels for one in made):
                    yield _flag("rendering_of_another", where, f"the picture is, pixel by pixel, {whose}")
                elif any(ours.is_like(one) for one in made):
                    copies.append(_flag("rendering_of_another", where, f"the picture can hardly be told from {whose}"))
    yield from copies


def _failed(episodes: Mapping[str, Episode]) -> Iterator[Flag]:
    failed = sum(not one.finished or one.abort_reason == GIVEN_UP for one in episodes.values())
    if failed > MANY_FAILED * len(episodes):
        yield _flag("many_failures", "the run", f"{failed} of {len(episodes)} episodes failed for technical reasons")


def _messages(episodes: Mapping[str, Episode]) -> Iterator[Flag]:
    """Find words that answer different targets, hide characters, or speak to a judge."""
    seen: dict[str, list[str]] = defaultdict(list)
    for name, episode in episodes.items():
        for turn in episode.turns:
            text, where = turn.message or "", f"{name}, turn {turn.turn}"
            if turn.turn == 1 and len(text.split()) >= SAME_WORDS:
                seen[" ".join(text.split())].append(name)
            if hidden := _hidden(text):
                yield _flag("hidden_characters", where, f"the message holds {', '.join(hidden)}")
            if addresses_a_judge(text):
                yield _flag("addresses_a_judge", where, "the message speaks to a judge; judges see pictures only")
    for names in seen.values():
        if len(names) > 1:
            yield _flag("same_message", _some(names), f"the same first message in {len(names)} episodes")


def _hidden(text: str) -> list[str]:
    """Return the code points of a text that cannot be seen, or turn it around."""
    found = {one for one in text if (unicodedata.category(one) in _HIDDEN or one in UNSEEN) and one not in "\n\t\r"}
    return [f"U+{ord(one):04X}" for one in sorted(found)][:5]


def _order(events: Sequence[Call | Failure | End]) -> Iterator[Flag]:
    """Find answers that were recorded before what they answer: a journal only grows."""
    latest: dict[str, tuple[int, int]] = {}
    told: set[str] = set()
    for event in events:
        name = event.episode.episode_id if isinstance(event, End) else event.episode_id
        if isinstance(event, Failure):
            continue
        if isinstance(event, End):
            # An episode that failed for technical reasons is taken up again.
            place = latest.get(name, (0, 0)) if not event.episode.finished else (10**6, 0)
        else:
            place = (event.turn, 0 if event.role == "describer" else 1)
        if place < latest.get(name, (0, 0)) and name not in told:
            told.add(name)
            yield _flag("out_of_order", name, "an answer is recorded before what it answers")
        latest[name] = max(place, latest.get(name, (0, 0)))


def _times(run: Run, events: Sequence[Call | Failure | End]) -> Iterator[Flag]:
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
