"""``ircore compare``: any metric on any two images."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.options import PATH, echo_json, json_option
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent

if TYPE_CHECKING:
    from ircore.core.images import Loading, Pixels
    from ircore.scorers.metrics.base import Measurement, Metric


@click.command("compare")
@click.argument("target", type=PATH)
@click.argument("image", type=PATH)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; may be repeated.")
@click.option(
    "--loading",
    type=click.Choice(["upstream", "native"]),
    default="upstream",
    show_default=True,
    help="upstream: as published values were computed, EXIF orientation and alpha ignored, squashed to the target's "
    "size. native: as a viewer shows them, on white, proportions kept.",
)
@json_option
def command(target: Path, image: Path, metrics: tuple[str, ...], loading: "Loading", as_json: bool) -> None:
    """Compare IMAGE with TARGET by every metric that needs no weights, or by named metrics (see: ircore metrics).

    IMAGE is resized to the size of TARGET where a metric needs both alike; brisque looks at IMAGE alone.
    """
    # Inside, so that help and completion load no NumPy.
    from ircore.scorers.metrics.base import Measurement, load_metrics, load_pixels, measure

    # A metric that lacks weights or a package is named with the reason; the others are computed all the same.
    loaded, lacking = load_metrics(metrics)
    for name, reason in lacking.items():
        click.echo(f"ircore: {name} is left out: {make_printable(reason)}", err=True)
    target_pixels, image_pixels = load_pixels(target, loading), load_pixels(image, loading)
    measured = {name: measure(metric, target_pixels, image_pixels, loading) for name, metric in loaded.items()}
    measured |= {name: Measurement(None, reason, None, loading) for name, reason in lacking.items()}
    if as_json:
        sizes = {"target": _measure_size(target_pixels), "image": _measure_size(image_pixels)}
        echo_json(_build_document(target, image, loading, sizes, measured))
    else:
        _show_pictures(target_pixels, image_pixels)
        click.echo(wrap_with_indent("\n".join(_format_table(loaded, measured)), find_terminal_width()))


def _measure_size(pixels: "Pixels") -> list[int]:
    return [pixels.shape[1], pixels.shape[0]]


def _show_pictures(target: "Pixels", image: "Pixels") -> None:
    from ircore.core.images import Picture
    from ircore.core.terminal_pictures import can_show_pictures, show_pictures

    if can_show_pictures(sys.stdout):
        show_pictures({"target": Picture.from_pixels(target), "image": Picture.from_pixels(image)}, sys.stdout)


def _build_document(
    target: Path, image: Path, loading: "Loading", sizes: dict[str, list[int]], measured: "dict[str, Measurement]"
) -> "dict[str, object]":
    return {
        "target": str(target),
        "image": str(image),
        "loading": loading,
        "sizes": sizes,
        "metrics": {name: measurement.value for name, measurement in measured.items()},
        "versions": {name: measurement.version for name, measurement in measured.items()},
        "unavailable": {
            name: measurement.reason for name, measurement in measured.items() if measurement.value is None
        },
    }


def _format_table(metrics: "dict[str, Metric]", measured: "dict[str, Measurement]") -> list[str]:
    width = max(len(name) for name in measured)
    lines = []
    for name, measurement in measured.items():
        metric = metrics.get(name)
        if measurement.value is None or metric is None:
            lines.append(f"{name:<{width}}  {'–':>9}     {measurement.reason}")
        else:
            better = "higher" if metric.higher_is_better else "lower"
            title = "" if metric.title.lower() == name else f"{metric.title}; "
            lines.append(f"{name:<{width}}  {measurement.value:9.4f} {metric.unit:<2}  {title}{better} is better")
    return lines
