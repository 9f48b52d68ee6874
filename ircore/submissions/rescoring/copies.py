"""Renderings compared with pictures that they should not be: targets, one another, other pairs' pictures.

A figure redrawn well from good words looks like its target, so likeness alone holds no run. A photograph cannot be
redrawn from words: where patches of it come back, they were copied. An offline player that draws the same picture again
from the recorded words explains any likeness.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.images import Picture
from ircore.core.submission_records import Run
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Evidence, Flag
from ircore.seeing.descriptors import compute_descriptor, shrink_to_grey
from ircore.submissions.rescoring.picture_index import (
    compute_fine_share,
    compute_likeness,
    index_of,
    match,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ircore.seeing.descriptors import Descriptors

SOME_PATCHES = 0.25
"""Share of a photograph's patches from which on a rendering counts as perhaps a copy of the photograph.

A run is held if so many patches come back in more than half of its photographs, or ``MOST_PATCHES`` in any. Measured on
the six photographs of the demo: drawings from words reach the share in at most three of six, and 0.54 in one; copies
changed in 25 ways reach it in four to six, or reach 0.85 in one.
"""

MOST_PATCHES = 0.75
"""Share from which on a single photograph is proof enough."""

SAME_DETAIL = 0.8
"""Share of a drawn target's fine detail from which on a rendering counts as perhaps a copy of the target."""

MANY_DRAWN, SEVERAL = 0.4, 4
"""A run is held if so large a share of its drawn targets, and so many of them, come back with their fine detail.

Figures drawn anew with exact colours and places reach it in a quarter of the targets at most, with other fonts, widths
or shades in a tenth; copies in nearly all.
"""

LIKE_TARGET = 0.9
"""Share of a drawn target's patches from which on a rendering is listed as like its target."""

LIKE_ANOTHER = 0.97
"""Correlation of two pairs' pictures from which on they are listed as alike."""

LIKE_BY_CHANCE = 0.9
"""Correlation with the target from which on two pairs' pictures are alike because both are good."""

EXPLAINED = "an offline player draws the same picture again from the recorded words"


class CopyComparison(NamedTuple):
    """Compares the renderings of a transcript with pictures that they should not be.

    >>> nothing_drawn: dict[str, dict[str, int]] = {"geometry-easy-01": {}}
    >>> CopyComparison("turn", nothing_drawn, Picture.from_pixels, compute_descriptor).seen_again()
    []
    """

    word: str
    """The game's word for a step."""

    drawings: Mapping[str, Mapping[str, int]]
    """For each episode: the hash of each rendering and the first step that shows the rendering."""

    picture: Callable[[str], Picture]
    """Returns the rendering with a hash."""

    look: Callable[[str], "Descriptors"]
    """Returns the descriptor of the rendering with a hash."""

    reproduced: Collection[tuple[str, str]] = ()
    """Episode and hash of renderings that an offline player drew again."""

    def seen_again(self) -> list[Flag]:
        """Return a finding for each picture that answers several episodes."""
        episodes_by_picture: dict[str, list[str]] = defaultdict(list)
        for name, drawn in self.drawings.items():
            for sha256 in drawn:
                episodes_by_picture[sha256].append(name)
        return [
            Flag(rule="reused_rendering", where=name_some(names), what=f"the same picture in {len(names)} episodes")
            for names in episodes_by_picture.values()
            if len(names) > 1
        ]

    def with_instances(self, instances: InstanceSet) -> Iterator[Flag]:
        """Yield renderings that equal a picture of any instance pixel by pixel, then copies of the own target."""
        same = {
            file.sha256: (instance.instance_id, name)
            for instance in instances.instances
            for name, file in instance.pictures.items()
        }
        identical = set()
        for name, drawn in self.drawings.items():
            for sha256, step in drawn.items():
                twin = same.get(sha256)
                if twin is not None:
                    identical.add((name, sha256))
                    whose = f"the {twin[1]}" if twin[0] == name else f"the {twin[1]} of {twin[0]}"
                    evidence = Evidence(rendering=sha256, instance=twin[0])
                    problem = f"the rendering is {whose}, pixel by pixel"
                    yield self._flag("identical_to_target", name, step, problem, evidence)
        yield from self._copies(instances, identical)

    def _copies(self, instances: InstanceSet, identical: Collection[tuple[str, str]]) -> Iterator[Flag]:
        """Yield renderings with patches or fine detail of their own target: grave ones where many were copied."""
        photographs: list[tuple[float, Flag]] = []
        figures: list[tuple[float, Flag]] = []
        played: dict[bool, set[str]] = {True: set(), False: set()}
        for instance in instances.instances:
            name = instance.instance_id
            drawn = {
                sha256: step for sha256, step in self.drawings.get(name, {}).items() if (name, sha256) not in identical
            }
            if not drawn:
                continue
            # Pictures of games without scenes count as drawn.
            has_scene = instance.scene is not None or "scene" not in load_game(instance.game).payload.model_fields
            for source in instances.pictures(instance).values():
                is_drawn = has_scene or not is_photograph(source)
                played[is_drawn].add(name)
                measure = self._of_figure if is_drawn else self._of_photograph
                (figures if is_drawn else photographs).extend(
                    measure(name, sha256, step, source) for sha256, step in drawn.items()
                )
        yield from _grade_findings(photographs, len(played[False]), SOME_PATCHES, 0.5, 2, MOST_PATCHES)
        yield from _grade_findings(figures, len(played[True]), SAME_DETAIL, MANY_DRAWN, SEVERAL)

    def _of_photograph(self, name: str, sha256: str, step: int, source: Picture) -> tuple[float, Flag]:
        """Return the share of a rendering's patches that are a photograph's, and the finding about it."""
        patches = match(shrink_to_grey(self.picture(sha256).pixels), shrink_to_grey(source.pixels))
        problem = f"{patches.taken} of {patches.sought} patches can hardly be told from patches of the target"
        return patches.share, self._flag(
            "copied_picture", name, step, problem, Evidence(rendering=sha256, instance=name)
        )

    def _of_figure(self, name: str, sha256: str, step: int, source: Picture) -> tuple[float, Flag]:
        """Return the share of a figure's fine detail that is in a rendering, and the finding about it.

        The finding is a likeness, which holds no run, where patches are alike and fine detail is not.
        """
        evidence = Evidence(rendering=sha256, instance=name)
        if (name, sha256) in self.reproduced:
            return 0.0, self._flag("copy_of_target", name, step, EXPLAINED, evidence)
        pixels = self.picture(sha256).pixels
        fine = compute_fine_share(pixels, source.pixels)
        if fine >= SAME_DETAIL:
            problem = f"{fine:.0%} of the target's fine detail, which no words tell, is in the rendering"
            return fine, self._flag("copied_picture", name, step, problem, evidence)
        patches = match(shrink_to_grey(pixels), shrink_to_grey(source.pixels))
        problem = f"{patches.taken} of {patches.sought} patches can hardly be told from patches of the target"
        flag = self._flag("copy_of_target", name, step, problem, evidence)
        return (SAME_DETAIL if patches.share >= LIKE_TARGET else 0.0), flag

    def with_others(self, run: Run, others: Sequence[RunFolder], instances: InstanceSet) -> Iterator[Flag]:
        """Yield renderings that equal or repeat another pair's rendering of the same instance."""
        by_name = {instance.instance_id: instance for instance in instances.instances}

        @cache
        def target_looks(name: str) -> "npt.NDArray[np.int8]":
            import numpy as np

            pictures = instances.pictures(by_name[name])
            return np.stack([compute_descriptor(picture) for picture in pictures.values()])

        published = _read_published(run, others, self.drawings)
        for name, drawn in self.drawings.items():
            pool = published.get(name)
            if pool is None:
                continue
            for sha256, step in drawn.items():
                look = self.look(sha256)
                # An empty picture is like every other empty picture.
                if not look.any():
                    continue
                alike = compute_likeness(look, pool.descriptors)
                for slug, positions in pool.by_pair.items():
                    nearest = positions[int(alike[positions].argmax())]
                    twin = next((place for place in positions if pool.sha256[place] == sha256), None)
                    # Equality to the pixel is the better proof, so that it is shown where there is any.
                    shown = nearest if twin is None else twin
                    evidence = Evidence(rendering=sha256, run_id=pool.run_ids[shown], other=pool.sha256[shown])
                    whose = f"one that {slug} has"
                    if twin is not None:
                        problem = f"the picture is, pixel by pixel, {whose}"
                        yield self._flag("rendering_of_another", name, step, problem, evidence)
                    elif alike[nearest] >= LIKE_ANOTHER and (name, sha256) not in self.reproduced:
                        # Two good drawings of one target are alike without one being a copy of the other.
                        is_good = compute_likeness(look, target_looks(name)).max() >= LIKE_BY_CHANCE
                        rule = "like_another" if is_good else "rendering_of_another"
                        problem = f"the picture can hardly be told from {whose}"
                        yield self._flag(rule, name, step, problem, evidence)

    def _flag(self, rule: str, name: str, step: int, problem: str, evidence: Evidence) -> Flag:
        explained = EXPLAINED if (name, evidence.rendering) in self.reproduced else None
        where = f"{name}, {self.word} {step}"
        return Flag(rule=rule, where=where, what=problem, evidence=evidence, explained=explained)


class _Pool(NamedTuple):
    """The published renderings of an instance, of all other pairs together: compared at once."""

    by_pair: Mapping[str, list[int]]
    """Positions of the renderings of each pair."""

    run_ids: Sequence[str]
    sha256: Sequence[str]
    descriptors: "npt.NDArray[np.int8]"


def _read_published(run: Run, others: Sequence[RunFolder], names: Collection[str]) -> dict[str, _Pool]:
    """Return the renderings that other pairs have of some instances, by instance, as the stored indices hold them."""
    import numpy as np

    indices = [
        (other.run.slug, other.run.run_id, index, index.places)
        for other in others
        # A pair may draw its own pictures again.
        if other.run.slug != run.slug and other.run.instance_set == run.instance_set
        for index in (index_of(other),)
    ]
    pools = {}
    for name in names:
        entries = [
            (slug, run_id, index, place) for slug, run_id, index, places in indices for place in places.get(name, ())
        ]
        if entries:
            by_pair: dict[str, list[int]] = defaultdict(list)
            for number, (slug, *_) in enumerate(entries):
                by_pair[slug].append(number)
            pools[name] = _Pool(
                by_pair,
                [run_id for _, run_id, _, _ in entries],
                [index.sha256[place] for *_, index, place in entries],
                np.stack([index.descriptors[place] for *_, index, place in entries]),
            )
    return pools


def _grade_findings(
    findings: Sequence[tuple[float, Flag]], played: int, least: float, many: float, several: int, proof: float = 2.0
) -> Iterator[Flag]:
    """Yield the findings of a kind that reach a share: grave if many targets were copied, likenesses otherwise.

    Args:
        findings: Share and finding of each rendering.
        played: Targets of this kind that were played.
        least: Share from which on there is a finding.
        many: Share of the targets above which the run is held.
        several: Number of targets from which on it may be.
        proof: Share from which on a single rendering is proof enough; above 1 if none is.
    """
    likenesses = [(share, flag) for share, flag in findings if share >= least]
    # Each target counts once, however many of its renderings are copies.
    copied = {flag.where.partition(",")[0] for _, flag in likenesses if flag.rule == "copied_picture"}
    # A number as well as a share, because a few targets reach any share by chance.
    proven = len(copied) >= several and len(copied) > many * played
    for share, flag in likenesses:
        is_proof = flag.rule == "copied_picture" and (proven or share >= proof)
        yield flag if is_proof else flag.model_copy(update={"rule": "copy_of_target"})


def is_photograph(picture: Picture) -> bool:
    """Return whether a picture looks like a photograph: fewer than half of its pixels equal their right neighbour."""
    pixels = picture.pixels
    return float((pixels[:, 1:] == pixels[:, :-1]).all(axis=2).mean()) < FLAT_SHARE if pixels.shape[1] > 1 else False


FLAT_SHARE = 0.5
"""Share of pixels that equal their right neighbour from which on a picture counts as drawn.

Measured on the benchmark's targets: photographs up to 0.3, drawn figures 0.8 and more.
"""


def name_some(names: Sequence[str]) -> str:
    """Return the first three names in words."""
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
