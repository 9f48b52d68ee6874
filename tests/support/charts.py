"""Small hand-made bar charts with scenes, whose every pixel is known."""

from pathlib import Path

from target_instances import target_instance

from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.targets.base import Drawn, SceneDrawing

RED, BLUE, WHITE = "#d62828", "#1d4ed8", "#ffffff"


def instance_of(drawn: Drawn, instance_id: str, category: str) -> tuple[Instance, dict[str, Picture]]:
    """Return a drawn target as an instance with its picture."""
    picture = Picture.from_pixels(drawn.drawing.pixels)
    return target_instance(instance_id, picture, drawn.scene, category=category, source="procedural"), {
        "target": picture
    }


def bars(values: dict[str, int], colours: list[str]) -> Drawn:
    """A bar chart on 200 × 200 pixels, one pixel a unit, the bars 30 pixels wide on the line y = 160."""
    scene = SceneDrawing(WHITE, 200, 200)
    scene.line("axis", [(10, 160), (10, 10)], "#000000", 2, axis="y", data_range=[0, 150], pixel_range=[160, 10])
    for place, ((word, value), colour) in enumerate(zip(values.items(), colours, strict=True)):
        left = 20 + 50 * place
        box = scene.drawing.rectangle(left, 160 - value, left + 30, 160, colour)
        scene.add(
            "bar", box, colour, value=value, baseline=0, category=word, series=1, orientation="vertical", outline=None
        )
        scene.text("tick_label", (left + 15, 175), word, 14, "#000000", axis="x")
    return scene.finish()


def chart_instances(folder: Path) -> InstanceSet:
    """Write a set of two charts: pets (40 red, 80 blue, 20 red) and drinks (90 blue, 60 blue, 30 red)."""
    pets = bars({"Cats": 40, "Dogs": 80, "Fish": 20}, [RED, BLUE, RED])
    drinks = bars({"Tea": 90, "Milk": 60, "Beer": 30}, [BLUE, BLUE, RED])
    return write_instances(folder, [instance_of(pets, "pets", "bar_graph"), instance_of(drinks, "drinks", "bar_graph")])
