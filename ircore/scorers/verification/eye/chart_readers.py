"""Observations of bars and pies."""

import numpy as np

from ircore.core.records import Element
from ircore.scorers.verification.eye import bars, pies
from ircore.scorers.verification.eye.look import Look, Observations
from ircore.scorers.verification.eye.view import Observed, View, difference
from ircore.scorers.verification.scene_facts import Mark


def read_bar(look: Look, mark: Mark) -> Observations:
    """Read a bar: presence, value in the figure's own axis, and colour."""
    element = look.target.scene.elements[mark.elements[0]]
    boxes = [other.box for other in look.target.scene.elements if other.type == "bar"]
    surface = look.view.noted("surface", lambda: bars.surface_of(look.view, boxes))
    bar = bars.bar_seen(look.view, element, surface, look.roughness)
    if bar is None:
        return {f"{mark.key}/presence": Observed(False)}
    scale = look.scale("x" if element.parameters["orientation"] == "horizontal" else "y")
    value = Observed(bars.value_of(bar, element, scale)) if scale else Observed(None, "the axis has no scale")
    look.view.notes.setdefault("bars", {})[mark.key] = bar
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/value": value,
        f"{mark.key}/colour": Observed(bar.colour),
        f"{mark.key}/outline": Observed(None, "too thin to be told"),
    }


def read_pie(look: Look, mark: Mark) -> Observations:
    """Read a pie: presence, size, place and hole; the pie's wedges are read, too."""
    wedges = [look.target.scene.elements[index] for index in mark.elements]
    view, disc = look.view, pies.disc_seen(look.view, wedges)
    if disc is None or not pies.is_round(view, disc):
        view, disc = pies.untilted(look.view, wedges) or (view, disc)
    if disc is None:
        return {f"{mark.key}/presence": Observed(False)}
    sectors = _sectors(view, wedges, disc, look.roughness)
    look.view.notes["sectors"] = sectors
    return {
        # A disc of one colour is a circle, not a pie.
        f"{mark.key}/presence": Observed(len(sectors) > 1),
        f"{mark.key}/size": Observed(disc.radius),
        f"{mark.key}/place": Observed([disc.x, disc.y]),
        f"{mark.key}/value/hole": Observed(disc.hole),
    }


def _sectors(view: View, wedges: list[Element], disc: pies.Disc, roughness: float = 0.0) -> dict[str, pies.Sector]:
    """Return the sector of each wedge, by the wedge's key."""
    about = wedges[0].parameters
    sectors = pies.sectors_seen(view, disc, float(about["hole"]) / float(about["radius"]), roughness)  # type: ignore[arg-type]
    if len(sectors) < 2:
        return {}
    apart = np.array([[difference(wedge.colour or "#000000", sector.colour) for sector in sectors] for wedge in wedges])
    pairs = pies.assigned(wedges, sectors, apart)
    return {f"wedge-{row + 1}": sectors[column] for row, column in pairs.items()}


def _own_sectors(look: Look) -> dict[str, pies.Sector]:
    """Return the sectors that the eye sees in the target itself: a wedge that is pulled out looks narrower."""
    wedges = [element for element in look.target.scene.elements if element.type == "wedge"]
    disc = pies.disc_seen(look.target.view, wedges)
    return {} if disc is None else _sectors(look.target.view, wedges, disc)


def read_wedge(look: Look, mark: Mark) -> Observations:
    """Read a wedge: presence, share, colour and direction; the pie was read before."""
    sector = look.view.notes.get("sectors", {}).get(mark.key)
    if sector is None:
        return {f"{mark.key}/presence": Observed(False)}
    own = look.target.view.noted("sectors", lambda: _own_sectors(look)).get(mark.key)
    about = look.target.scene.elements[mark.elements[0]].parameters
    share, turned = sector.sweep / 3.6, sector.middle
    pulled = _pulled(sector, own) if about["exploded"] else None
    uneven = any(element.parameters.get("exploded") for element in look.target.scene.elements)
    if own is not None and pulled != "in its place" and uneven:
        # A wedge that is pulled out hides part of its neighbours, and looks narrower from the middle of the pie.
        share += float(about["share"]) - own.sweep / 3.6  # type: ignore[arg-type]
        turned += (float(about["start"]) + 1.8 * float(about["share"]) - own.middle + 180) % 360 - 180  # type: ignore[arg-type]
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/value": Observed(round(share, 2)),
        f"{mark.key}/colour": Observed(sector.colour),
        f"{mark.key}/angle": Observed(round(turned % 360, 2)),
        f"{mark.key}/place/pulled": Observed(pulled, "" if pulled else "the rim does not tell"),
    }


def _pulled(sector: pies.Sector, own: pies.Sector | None) -> str | None:
    """Return whether a wedge reaches out as far as in the target; None where the target does not show it."""
    if own is None or own.reach < 1.02:
        return None
    return "pulled out" if sector.reach > (1 + own.reach) / 2 else "in its place"
