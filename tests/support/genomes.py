"""Visual Genome's annotations as its files have them."""

from typing import Any


def thing(object_id: int, name: str, x: int, y: int, w: int, h: int) -> dict[str, Any]:
    """An object as objects.json has it, version 1.4."""
    return {
        "synsets": [f"{name}.n.01"], "h": h, "object_id": object_id, "merged_object_ids": [], "names": [name], "w": w,
        "y": y, "x": x,
    }  # fmt: skip
