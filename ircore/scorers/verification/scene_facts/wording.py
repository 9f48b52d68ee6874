"""Words for colours, numbers and places in the sentences of facts."""

from ircore.core.records import Element, Scene
from ircore.seeing.colours import plain_name


def colour_words(colour: str | None) -> str:
    """Return a colour in words and as #rrggbb, such as ``dark blue (#1e3a5f)``."""
    return "of one colour" if colour is None else f"{plain_name(colour)} ({colour})"


def number(value: float) -> str:
    """Return a number for people: at most three decimals, without trailing zeros."""
    text = f"{round(value, 3):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def place_words(scene: Scene, element: Element) -> str:
    """Return where the middle of an element lies, in percent of the picture."""
    box = element.box
    return point_words(scene, ((box.left + box.right) / 2, (box.top + box.bottom) / 2))


def point_words(scene: Scene, point: tuple[float, float]) -> str:
    """Return where a point of the target lies, in percent of the picture."""
    x, y = round(100 * point[0] / scene.width), round(100 * point[1] / scene.height)
    return f"at {x} % from the left and {y} % from the top"
