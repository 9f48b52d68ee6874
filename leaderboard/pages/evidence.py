"""Pictures behind the findings in a run: a rendering beside the target or the rendering that it repeats."""

from collections.abc import Mapping
from typing import NamedTuple

from ircore.core.episode_records import Rendering, list_renderings
from ircore.runs.provenance import Evidence, Flag
from leaderboard.model.site import Pair, Site
from leaderboard.model.trust import FINDINGS
from leaderboard.storage.pictures import Shown

MOST_SHOWN = 12
"""Findings whose pictures a page shows, grave ones first."""


class ShownFinding(NamedTuple):
    """A finding with its pictures.

    >>> flag = Flag(rule="copied_picture", where="photos-easy-01, turn 1", what="16 of 16 patches")
    >>> ShownFinding(flag, rendering=None, other=None, label="target").flag.grave
    True
    """

    flag: Flag
    """The finding."""

    rendering: Shown | None
    """This run's rendering; None if the finding is about no picture."""

    other: Shown | None
    """The picture that it repeats; None if that is not on the site."""

    label: str
    """What that picture is."""

    @property
    def title(self) -> str:
        """The finding's rule in words."""
        return FINDINGS.get(self.flag.rule, self.flag.rule)


def list_shown_findings(site: Site, pair: Pair) -> list[ShownFinding]:
    """Return the findings in a pair's run that hold it or compare two pictures, grave ones first.

    At most ``MOST_SHOWN`` of them.
    """
    provenance = pair.result.provenance
    flags = () if provenance is None else provenance.flags
    chosen = sorted(
        (flag for flag in flags if flag.grave or flag.evidence is not None), key=lambda flag: not flag.grave
    )
    # The renderings of a run are only listed where a finding needs them.
    own = _index_renderings(site, pair.run_id) if chosen else {}
    return [
        ShownFinding(flag, *_find_pictures(site, pair, flag.evidence, own))
        if flag.evidence is not None and flag.evidence.rendering in own
        else ShownFinding(flag, None, None, "")
        for flag in chosen[:MOST_SHOWN]
    ]


def _find_pictures(
    site: Site, pair: Pair, evidence: Evidence, renderings: Mapping[str, Rendering]
) -> tuple[Shown, Shown | None, str]:
    picture = site.rendering(pair.run_id, renderings[evidence.rendering])
    if evidence.instance is not None:
        gallery = site.galleries.get(evidence.instance)
        return picture, None if gallery is None else gallery.target, "target"
    if evidence.run_id is None or evidence.run_id not in site.pairs or evidence.other is None:
        # A finding may compare with a run of another release, whose pictures the site does not have.
        return picture, None, "a run that is not on this site"
    other_rendering = _index_renderings(site, evidence.run_id).get(evidence.other)
    shown = None if other_rendering is None else site.rendering(evidence.run_id, other_rendering)
    return picture, shown, site.pairs[evidence.run_id].key


def _index_renderings(site: Site, run_id: str) -> dict[str, Rendering]:
    """Return the renderings of a run by their hashes."""
    return {
        rendering.sha256: rendering
        for result in site.results.episodes[run_id]
        for _, rendering in list_renderings(result.episode)
    }
