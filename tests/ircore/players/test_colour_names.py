"""Names of colours do not depend on what was drawn before in the same process."""

from PIL import ImageColor

from ircore.players.builtin.canvas.colours import named
from ircore.players.builtin.classical.colours import exact, exact_names


def test_a_colour_keeps_its_name_once_pillow_has_drawn_with_it() -> None:
    ImageColor.getrgb("black")  # from now on Pillow's table holds (0, 0, 0) for it
    assert not isinstance(ImageColor.colormap["black"], str)
    exact_names.cache_clear()
    assert (exact("#000000"), exact("#ff0000")) == ("black", "red")
    assert named("black") is not None
