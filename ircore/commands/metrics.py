"""``ircore metrics``: the installed metrics, with their meaning and requirements."""

from pathlib import Path
from typing import Any

import click

from ircore.commands.completion import complete_plugins
from ircore.commands.options import PATH, echo_either, echo_json, json_option
from ircore.core.errors import InputError
from ircore.core.images import Pixels, read_stored_pixels
from ircore.core.plugins import load_plugin
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent
from ircore.scorers.metrics import network_weights
from ircore.scorers.metrics.base import Metric, find_obstacle, list_installed_metrics


@click.group("metrics", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List every image metric: direction, range, reference, needs, citation and version."""
    # click calls the group before each of its commands, too.
    if context.invoked_subcommand is not None:
        return
    metrics, broken = list_installed_metrics()
    if as_json:
        faulty = [{"name": name, "broken": reason} for name, reason in broken.items()]
        listed = [_build_document(metric) for metric in metrics.values()]
        echo_json({"metrics": listed, "broken": faulty})
        return
    rows = [_build_row(metric) for metric in metrics.values()]
    heads = ("name", "better", "range", "looks at", "title", "here")
    lines, columns = _align_rows([heads, *rows]), find_terminal_width()
    # Wrapped rows would no longer line up with their heads.
    if columns is not None and max(map(len, lines)) > columns:
        lines = [line for row in rows for line in _format_block(heads, row)]
    click.echo(wrap_with_indent(make_printable("\n".join(lines)), columns))
    for name, reason in broken.items():
        click.echo(make_printable(f"{name}  broken: {reason}"))


@command.command()
@click.argument("name", shell_complete=complete_plugins("metrics"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show(name: str, as_json: bool) -> None:
    """Show the metric NAME: source, version, needs and common misreadings."""
    metric: Metric = load_plugin("metrics", name)
    document = _build_document(metric)
    if as_json:
        echo_json(document)
        return
    lines = [f"{metric.title} ({metric.name})", ""]
    facts = {
        "better": document["direction"],
        "range": _format_range(metric),
        "unit": metric.unit or "none",
        "looks at": document["reference"],
        "source": metric.source,
        "version": metric.version,
        "needs": metric.needs or "nothing beyond this package",
        "here": document["unavailable"] or "can be computed",
        "trap": metric.trap,
    }
    width = max(map(len, facts))
    lines += [f"  {key:<{width}}  {value}" for key, value in facts.items() if value]
    click.echo(wrap_with_indent(make_printable("\n".join(lines)), find_terminal_width()))


@command.command()
@click.argument("targets", type=PATH)
@click.argument("images", type=PATH)
@json_option
def fid(targets: Path, images: Path, as_json: bool) -> None:
    """Print the Fréchet Inception distance of the pictures in the folders TARGETS and IMAGES."""
    reason = network_weights.FID_METRIC.obstacle()
    if reason is not None:
        raise InputError(f"metric fid: {reason}", "See: ircore metrics show fid.")
    value = float(network_weights.fid(_read_pictures(targets), _read_pictures(images)))
    echo_either(as_json, {"metric": "fid", "value": value}, f"{value:.4f}")


def _read_pictures(folder: Path) -> list[Pixels]:
    """Read every file of a folder as published values were computed, in the order of their names."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a folder of pictures.")
    return [read_stored_pixels(path) for path in sorted(folder.iterdir()) if path.is_file()]


def _build_row(metric: Metric) -> tuple[str, ...]:
    return (
        metric.name,
        "higher" if metric.higher_is_better else "lower",
        " ".join(part for part in (_format_range(metric), metric.unit) if part),
        _describe_input(metric),
        metric.title,
        find_obstacle(metric) or "yes",
    )


def _describe_input(metric: Metric) -> str:
    if metric.over == "set":
        return "two sets"
    return "both pictures" if metric.reference else "the image"


def _format_range(metric: Metric) -> str:
    if metric.low is None and metric.high is None:
        return "open"
    if metric.high is None:
        return f"from {metric.low:g}"
    return f"to {metric.high:g}" if metric.low is None else f"{metric.low:g} to {metric.high:g}"


def _align_rows(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the rows with columns as wide as their longest entry, the last column ragged."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    padded = [[*(f"{cell:<{width}}" for cell, width in zip(row[:-1], widths, strict=True)), row[-1]] for row in rows]
    return ["  ".join(cells).rstrip() for cells in padded]


def _format_block(heads: tuple[str, ...], row: tuple[str, ...]) -> list[str]:
    """Return a row for a narrow terminal: its name, then a line for each entry."""
    width = max(map(len, heads))
    return [row[0], *(f"  {head:<{width}}  {cell}" for head, cell in zip(heads[1:], row[1:], strict=True))]


def _build_document(metric: Metric) -> dict[str, Any]:
    reference = "target and image" if metric.reference else "none: the image alone"
    return {
        "name": metric.name,
        "title": metric.title,
        "direction": "higher" if metric.higher_is_better else "lower",
        "range": [metric.low, metric.high],
        "unit": metric.unit,
        "over": metric.over,
        "reference": "two sets of pictures" if metric.over == "set" else reference,
        "needs": metric.needs,
        "unavailable": find_obstacle(metric),
        "citation": metric.source,
        "version": metric.version,
        "trap": metric.trap,
    }
