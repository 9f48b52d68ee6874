"""What is seen of grounds, panels and coloured shapes."""

import numpy as np

from ircore.core.records import Element
from ircore.scorers.verification.eye.forms import form_of, nearest_form, turn_between
from ircore.scorers.verification.eye.look import Look, Readings
from ircore.scorers.verification.eye.regions import Area, area_seen, outline_ring
from ircore.scorers.verification.eye.view import Mask, Reading, commonest, distance, hex_of, lab_of
from ircore.scorers.verification.facts import Mark
from ircore.scorers.verification.facts.shapes import is_hollow, radius_of, relations

VISIBLE = 0.75
"""Share of a shape that must lie open for its form to be told."""
LEAST_RADIUS = 13.0
"""Pixels: the form of smaller shapes is not told."""


def read_background(look: Look, mark: Mark) -> Readings:
    """Say which colour the ground has, outside panels and other areas of the ground."""
    free = ~look.target.explained
    for index, element in enumerate(look.target.scene.elements):
        if element.type in {"panel", "background"}:
            free &= ~look.target.outline(index)
    if free.sum() < 200:
        return {f"{mark.key}/colour": Reading(None, "too little of it is seen")}
    colour = commonest(look.view.lab[free])
    near = free & (distance(look.view.lab, colour) < 6)
    return {f"{mark.key}/colour": Reading(hex_of(np.median(look.view.rgb[near], axis=0)))}


def read_panel(look: Look, mark: Mark) -> Readings:
    """Say whether the area behind the data has a colour of its own, and which."""
    mask = look.target.outline(mark.elements[0])
    free = mask & ~look.target.explained
    outside = ~mask & ~look.target.explained
    if free.sum() < 200 or outside.sum() < 200:
        return {f"{mark.key}/presence": Reading(None, "too little of it is seen")}
    colour, around = commonest(look.view.lab[free]), commonest(look.view.lab[outside])
    if float(distance(colour, around)) < 2.0:
        return {f"{mark.key}/presence": Reading(False)}
    near = free & (distance(look.view.lab, colour) < 6)
    shown = hex_of(np.median(look.view.rgb[near], axis=0))
    return {f"{mark.key}/presence": Reading(True), f"{mark.key}/colour": Reading(shown)}


def read_ground(look: Look, mark: Mark) -> Readings:
    """Say whether the areas of the ground have their colours rather than the main one."""
    scene = look.target.scene
    base = lab_of(scene.background or "#ffffff")
    right = total = 0
    for index in mark.elements:
        element = scene.elements[index]
        free = look.target.outline(index) & ~look.target.hidden(index)
        if free.sum() < 120 or element.colour is None:
            continue
        own, seen = lab_of(element.colour), np.median(look.view.lab[free], axis=0)
        total += 1
        right += bool(float(distance(seen, own)) < max(2.0, float(distance(seen, base))))
    if not total:
        return {f"{mark.key}/presence": Reading(None, "too little of it is seen")}
    return {f"{mark.key}/presence": Reading(right >= 0.7 * total)}


def read_shape(look: Look, mark: Mark) -> Readings:
    """Say whether a shape is there, what form it has, its colours, size, place and turn."""
    index = mark.elements[0]
    element, hidden = look.target.scene.elements[index], look.target.hidden(index)
    expected = look.target.shape(index)
    area = area_seen(look.view, outline_ring(element, expected) if is_hollow(element) else expected, hidden)
    if area is None:
        return {f"{mark.key}/presence": Reading(False)}
    look.view.notes.setdefault("shapes", {})[mark.key] = area
    hollow = _is_hollow(look, area, expected, hidden)
    readings = {
        f"{mark.key}/presence": Reading(True),
        f"{mark.key}/colour": Reading(area.colour),
        f"{mark.key}/fill": Reading(hollow, "" if hollow else "too small to be told"),
        f"{mark.key}/outline": Reading(None, "the eye does not look for it yet"),
    }
    open_share = 1 - float((expected & hidden).sum()) / max(1, int(expected.sum()))
    if open_share < VISIBLE:
        why = "partly hidden by another shape"
        return readings | {f"{mark.key}/{name}": Reading(None, why) for name in ("shape", "size", "place", "angle")}
    return readings | _form(look, mark, element, area, expected)


def _is_hollow(look: Look, area: Area, expected: Mask, hidden: Mask) -> str | None:
    rows, columns = np.nonzero(expected)
    middle = expected & ~hidden
    cut = np.zeros_like(expected)
    wide, high = np.ptp(columns) / 5, np.ptp(rows) / 5
    cut[
        int(rows.mean() - high) : int(rows.mean() + high) + 1,
        int(columns.mean() - wide) : int(columns.mean() + wide) + 1,
    ] = True
    middle &= cut
    if middle.sum() < 20:
        return None
    return "filled" if float(area.mask[middle].mean()) > 0.5 else "hollow"


def _form(look: Look, mark: Mark, element: Element, area: Area, expected: Mask) -> Readings:
    box = area.box
    width = element.parameters.get("outline_width", 0)
    rim = float(width) if element.parameters.get("outline") and not is_hollow(element) else 0.0  # type: ignore[arg-type]
    radius = max(box.right - box.left, box.bottom - box.top) / 2 + rim
    at = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    readings = {f"{mark.key}/size": Reading(radius), f"{mark.key}/place": Reading(at)}
    if radius_of(element) < LEAST_RADIUS:
        return readings | {f"{mark.key}/{name}": Reading(None, "too small to be told") for name in ("shape", "angle")}
    seen, wanted = form_of(area.mask), form_of(expected)
    kind = nearest_form(seen, wanted, element.type)
    readings[f"{mark.key}/shape"] = Reading(kind, "" if kind else "too much like several forms")
    if kind == element.type:
        turn = (float(element.parameters.get("rotation", 0)) + turn_between(wanted, seen)) % 360  # type: ignore[arg-type]
        readings[f"{mark.key}/angle"] = Reading(round(turn, 1))
    return readings


def read_relations(look: Look) -> Readings:
    """Say how shapes lie to one another, by the boxes that were seen."""
    areas: dict[str, Area] = look.view.notes.get("shapes", {})
    readings: Readings = {}
    for mark in look.target.marks:
        for fact in look.facts.get(mark.key, []):
            if fact.attribute == "relation":
                both = areas.get(mark.key), areas.get(fact.details["other"])
                if both[0] and both[1]:
                    seen = relations(both[0].box, both[1].box)
                    readings[fact.key] = Reading(fact.expected if fact.expected in seen else "/".join(seen) or "none")
                else:
                    readings[fact.key] = Reading("absent", "one of the two is not there")
    return readings
