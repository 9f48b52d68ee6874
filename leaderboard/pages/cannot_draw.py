"""Marks that a pair, or a player with all its partners, cannot draw: kinds by the share that comes out right.

They follow from the fates of all marks in a pair's final renderings, which are computed with the pair's fragments for
the gallery and kept in the build cache beside them, so that pages on pairs and on players read no facts again.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ircore.core.score_records import Placement
from ircore.results.arrays import strata
from ircore.results.statistics.intervals import MINIMUM_PICTURES, SHARE, Estimate, estimate
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.model.xray import FATES, FAULTS, LETTER, DrawnScene, Fate, Lines, MarkFault, Xray, build_xrays
from leaderboard.storage.build_cache import load_or_make
from leaderboard.storage.output_folder import dump_compact
from leaderboard.storage.pictures import Shown

MOST_KINDS = 12
"""Kinds in the table."""

PICTURES = 3
"""Pictures, each of another kind and target."""

OFTEN = 95
"""Percent from which a kind that comes out right is nothing that a pair cannot draw."""

_LEAST_MARKS = 3
"""Fewer marks of a kind say nothing about it."""

_PLURALS = {
    "axis": "axes",
    "ticks": "rows of ticks",
    "leaders": "leader lines",
    "squares": "squared papers",
    "cross": "crosses",
}

_FATE: Mapping[str, Fate] = {letter: fate for fate, letter in LETTER.items()}


@dataclass(frozen=True)
class KindLine:
    """How a kind of mark came out in final renderings.

    Example:
        >>> KindLine("tick labels", Estimate(0.5, 0.3, 0.7, 12), marks=60, fates=(("missing", 30),)).words
        '30 missing'
    """

    kind: str
    """Kind in the plural, such as ``tick labels``."""

    right: Estimate
    """Share of the marks that can be told which are right, 0–1: mean over targets."""

    marks: int
    """Marks that can be told, over all final renderings."""

    fates: tuple[tuple[Fate, int], ...]
    """Each fault that occurs with the number of marks, the commonest first."""

    @property
    def place(self) -> tuple[bool, float, int, str]:
        """Order of lines: kinds on too few targets last, the least right first, then the kinds of most marks."""
        return self.right.n < MINIMUM_PICTURES, self.right.mean or 0.0, -self.marks, self.kind

    @property
    def often_right(self) -> bool:
        """Whether its share that is right, in whole percent as pages show it, reaches ``OFTEN``."""
        return round(100 * (self.right.mean or 0)) >= OFTEN

    @property
    def words(self) -> str:
        """The faults in words."""
        return ", ".join(f"{count} {FATES[fate]}" for fate, count in self.fates)


@dataclass(frozen=True)
class WrongRendering:
    """A final rendering in which marks of a kind are wrong."""

    kind: str
    pair: Pair
    gallery: Gallery
    picture: Shown
    drawn: DrawnScene
    xray: Xray
    """Fates of the marks of this kind alone."""

    wrong: int
    """Marks of the kind that are wrong in it."""

    turn: int
    """Turn that it answered, 1-based."""


@dataclass(frozen=True)
class CannotDraw:
    """Marks that a pair or player cannot draw.

    >>> CannotDraw(lines=(), examples=(), renderings=0).sentence
    ''
    """

    lines: tuple[KindLine, ...]
    """Kinds with a fault, the least right first."""

    examples: tuple[WrongRendering, ...]
    renderings: int
    """Final renderings whose facts are known."""

    @property
    def sentence(self) -> str:
        """The worst kinds in one sentence, or that none is often wrong; empty if nothing is wrong."""
        reliable = [line for line in self.lines if line.right.n >= MINIMUM_PICTURES]
        poor = [line for line in reliable or self.lines if not line.often_right]
        if not poor:
            some = f" on at least {MINIMUM_PICTURES} targets" if reliable else ""
            return f"No kind of mark{some} is right in fewer than {OFTEN} %." if self.lines else ""
        worst = [f"{line.kind} ({100 * (line.right.mean or 0):.0f} % right)" for line in poor[:3]]
        some = f" on at least {MINIMUM_PICTURES} targets" if 0 < len(reliable) < len(self.lines) else ""
        return f"Least often right{some}: {', '.join(worst)}."


def format_plural(kind: str) -> str:
    """Return a kind of mark in the plural.

    >>> format_plural("tick_label"), format_plural("axis")
    ('tick labels', 'axes')
    """
    return _PLURALS.get(kind, kind.replace("_", " ") + "s")


def find_undrawable_marks(site: Site, pairs: Sequence[Pair]) -> CannotDraw | None:
    """Return the marks that some pairs cannot draw; None if the facts of none of their renderings are known.

    Args:
        site: What is shown.
        pairs: One pair, or all pairs of a player.
    """
    known = [(pair, site.galleries[instance], fates) for pair in pairs
             for instance, fates in load_final_fates(site, pair).items()]  # fmt: skip
    if not known:
        return None
    kinds: dict[str, list[tuple[Pair, Gallery, FinalFates]]] = {}
    for pair, gallery, fates in known:
        for kind in {mark.subject.kind for mark in _require_drawn(gallery).marks}:
            kinds.setdefault(kind, []).append((pair, gallery, fates))
    lines = {kind: line for kind, cases in kinds.items() if (line := _build_line(kind, cases)) is not None}
    worst = sorted(lines, key=lambda kind: lines[kind].place)[:MOST_KINDS]
    examples = _select_examples(site, {kind: kinds[kind] for kind in worst if not lines[kind].often_right})
    return CannotDraw(tuple(lines[kind] for kind in worst), examples, len(known))


@dataclass(frozen=True)
class FinalFates:
    """The fates of a target's marks in the final rendering of an episode.

    >>> FinalFates((0.0, 0.0, 1.0, 0.0), ("right", "missing")).fates.count("missing")
    1
    """

    transform: Placement
    """From target to rendering, as ``Xray.transform``."""

    fates: tuple[Fate, ...]
    """One a mark."""


def load_pair_facts(site: Site, pair: Pair) -> Lines:
    """Return the facts of a single pair's renderings; the facts of all pairs would not fit in memory."""
    run = site.results.runs[pair.run_id]
    return {(line.episode_id, line.rendering): line for line in run.facts()}


def load_final_fates(site: Site, pair: Pair) -> dict[str, FinalFates]:
    """Return the fates in each of a pair's final renderings whose facts are known, by instance."""
    text = load_or_make(
        site.cache, _name_cache_entry(site, pair), lambda: _compute_fates(site, pair, load_pair_facts(site, pair))
    )
    return {
        instance: FinalFates(tuple(transform), tuple(_FATE[letter] for letter in letters))
        for instance, (transform, letters) in json.loads(text).items()
    }


def store_fates(site: Site, pair: Pair, facts: Lines) -> None:
    """Keep a pair's fates in the build cache.

    Raises:
        WorkError: The disk is full.
    """
    if site.cache is not None:
        site.cache.store(_name_cache_entry(site, pair), _compute_fates(site, pair, facts))


def _require_drawn(gallery: Gallery) -> DrawnScene:
    assert gallery.drawn is not None  # noqa: S101 - fates are of targets with a scene
    return gallery.drawn


def _select_fates(gallery: Gallery, fates: FinalFates, kind: str) -> list[Fate]:
    marks = _require_drawn(gallery).marks
    of_kind = [fate for mark, fate in zip(marks, fates.fates, strict=True) if mark.subject.kind == kind]
    # An unsure mark counts neither for nor against the pair.
    return [fate for fate in of_kind if fate != "unsure"]


def _build_line(kind: str, cases: Iterable[tuple[Pair, Gallery, FinalFates]]) -> KindLine | None:
    """Return the line of a kind; None if it has too few marks or no fault."""
    counts: Counter[Fate] = Counter()
    shares: dict[str, list[float]] = {}
    labels: dict[str, str] = {}
    for _, gallery, fates in cases:
        of_kind = _select_fates(gallery, fates, kind)
        counts.update(of_kind)
        if of_kind:
            shares.setdefault(gallery.instance.instance_id, []).append(of_kind.count("right") / len(of_kind))
            labels.update(zip([gallery.instance.instance_id], strata([gallery.instance]), strict=True))
    marks = counts.total()
    faults = tuple((fate, count) for fate, count in counts.most_common() if fate in FAULTS)
    if marks < _LEAST_MARKS or not faults:
        return None
    # The mean within a target first: renderings of one target are not independent of each other.
    means = [fsum(of_target) / len(of_target) for of_target in shares.values()]
    right = estimate(means, SHARE, [labels[name] for name in shares])
    return KindLine(format_plural(kind), right, marks, faults)


def _select_examples(
    site: Site, kinds: Mapping[str, Sequence[tuple[Pair, Gallery, FinalFates]]]
) -> tuple[WrongRendering, ...]:
    """Return pictures of the worst kinds, each of another target."""
    chosen: list[WrongRendering] = []
    for kind, cases in kinds.items():
        used = {example.gallery.instance.instance_id for example in chosen}
        free = [case for case in cases if case[1].instance.instance_id not in used]
        rated = [(_count_wrong(gallery, fates, kind), pair.key, gallery.instance.instance_id, pair, gallery, fates)
                 for pair, gallery, fates in free]  # fmt: skip
        wrong, _, _, pair, gallery, fates = max(rated, key=lambda case: case[:3], default=(0, "", "", None, None, None))
        if wrong and pair is not None and gallery is not None and fates is not None:
            chosen.append(_build_example(site, kind, pair, gallery, fates))
        if len(chosen) == PICTURES:
            break
    return tuple(chosen)


def _count_wrong(gallery: Gallery, fates: FinalFates, kind: str) -> int:
    return sum(fate != "right" for fate in _select_fates(gallery, fates, kind))


def _build_example(site: Site, kind: str, pair: Pair, gallery: Gallery, fates: FinalFates) -> WrongRendering:
    drawn = _require_drawn(gallery)
    result = site.episode(pair.run_id, gallery.instance.instance_id)
    assert result is not None  # noqa: S101 - it has a rendering
    turn, rendering = [*result.episode.renderings.items()][-1]
    faults = tuple(
        MarkFault(fate, place, mark.name, mark.box, None, None, ())
        for place, (mark, fate) in enumerate(zip(drawn.marks, fates.fates, strict=True))
        if mark.subject.kind == kind and fate in FAULTS
    )
    # Marks of other kinds are made unsure, because the X-ray draws no outline of an unsure mark.
    shown: tuple[Fate, ...] = tuple(
        fate if mark.subject.kind == kind else "unsure" for mark, fate in zip(drawn.marks, fates.fates, strict=True)
    )
    picture, xray = site.rendering(pair.run_id, rendering), Xray(fates.transform, shown, faults)
    return WrongRendering(format_plural(kind), pair, gallery, picture, drawn, xray, len(faults), turn)


def _compute_fates(site: Site, pair: Pair, facts: Lines) -> bytes:
    fates = {}
    for result in site.results.episodes[pair.run_id]:
        gallery = site.galleries[result.episode.instance_id]
        # Turns count from 1: turn 0 is in no X-ray.
        last = max(result.episode.renderings, default=0)
        ray = (
            build_xrays(gallery.drawn, site.results.game, result.episode, facts, only=last).get(last) if facts else None
        )
        if ray is not None:
            letters = "".join(LETTER[fate] for fate in ray.fates)
            # A letter a fate keeps the cache small: pages need the fates of thousands of marks.
            fates[result.episode.instance_id] = [list(ray.transform), letters]
    return dump_compact(fates).encode()


def _name_cache_entry(site: Site, pair: Pair) -> str:
    return f"fates/{site.key(pair)}"
