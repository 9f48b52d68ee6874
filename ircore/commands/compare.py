"""``ircore compare``: any metric on any two images."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.core.terminal import printable

if TYPE_CHECKING:
    from ircore.core.images import Pixels
    from ircore.scorers.metrics.base import Metric
    from ircore.scorers.metrics.measure import Measurement


@click.command("compare")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("image", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option(
    "--loading",
    type=click.Choice(["published", "viewer"]),
    default="published",
    show_default=True,
    help="published: pixels as stored, EXIF orientation and alpha ignored. viewer: as a viewer shows them, on white.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(target: Path, image: Path, metrics: tuple[str, ...], loading: str, as_json: bool) -> None:
    """Compare IMAGE with TARGET by every metric, or by those named.

    IMAGE is resized to the size of TARGET where a metric needs both alike; brisque looks at IMAGE alone.
    """
    from ircore.scorers.metrics.measure import Measurement, load_metrics, measure

    loaded, lacking = load_metrics(metrics)
    for name, reason in lacking.items():
        click.echo(f"ircore: {name} is left out: {printable(reason)}", err=True)
    target_pixels, image_pixels = _load(target, loading), _load(image, loading)
    measured = {name: measure(metric, target_pixels, image_pixels) for name, metric in loaded.items()}
    measured |= {name: Measurement(None, reason) for name, reason in lacking.items()}
    if as_json:
        click.echo(_document(target, image, measured))
    else:
        click.echo("\n".join(_table(loaded, measured)))


def _load(path: Path, loading: str) -> "Pixels":
    from ircore.core.images import read_picture, read_stored_pixels

    return read_stored_pixels(path) if loading == "published" else read_picture(path).pixels


def _document(target: Path, image: Path, measured: "dict[str, Measurement]") -> str:
    import json

    document = {
        "target": str(target),
        "image": str(image),
        "metrics": {name: one.value for name, one in measured.items()},
        "unavailable": {name: one.reason for name, one in measured.items() if one.value is None},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _table(metrics: "dict[str, Metric]", measured: "dict[str, Measurement]") -> list[str]:
    width = max(len(name) for name in measured)
    lines = []
    for name, one in measured.items():
        metric = metrics.get(name)
        if one.value is None or metric is None:
            lines.append(f"{name:<{width}}  {'–':>9}     {one.reason}")
        else:
            better = "higher" if metric.higher_is_better else "lower"
            title = "" if metric.title.lower() == name else f"{metric.title}; "
            lines.append(f"{name:<{width}}  {one.value:9.4f} {metric.unit:<2}  {title}{better} is better")
    return lines
