"""``ircore language``: measures of the names that people and players use."""

from pathlib import Path
from statistics import fmean

import click

from ircore.commands.options import PATH, echo_json, json_option
from ircore.commands.run_paths import run_to_read
from ircore.core.errors import InputError
from ircore.core.terminal import make_printable
from ircore.games.reference.measures import load_tagger
from ircore.games.reference.naming import Naming, compute_log_perplexity, read_annotations
from ircore.games.reference.naming import compute_naming as measured
from ircore.results.tables.formats import render
from ircore.runs.folder import RunFolder


@click.group("language", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Measure how people and players name things."""


@command.command()
@click.argument("annotations", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="One JSON document, unrounded, with log perplexity.")
def naming(annotations: Path, as_json: bool) -> None:
    """Measure how far people's names for pictures diverge: KiloGram's SND, PND and PSA.

    ANNOTATIONS is a JSON file in KiloGram's layout, such as its dense.json: names of the whole and of seven pieces, by
    picture.
    """
    pictures = read_annotations(annotations)
    rows = {picture: measured(descriptions) for picture, descriptions in pictures.items()}
    if as_json:
        perplexities = {
            # Paper and published code differ in whether words are stemmed first.
            picture: {
                "paper": compute_log_perplexity(descriptions),
                "code": compute_log_perplexity(descriptions, stemmed=False),
            }
            for picture, descriptions in pictures.items()
        }
        named = {picture: {**row._asdict(), "log_perplexity": perplexities[picture]} for picture, row in rows.items()}
        echo_json({"pictures": named, "mean": _compute_means(list(rows.values()))})
        return
    click.echo(make_printable(_format_table(rows)))


@command.command()
@click.argument("run", type=PATH, callback=run_to_read)
@json_option
def novelty(run: Path, as_json: bool) -> None:
    """Measure how far messages change, with a tagger's content words: WNR and WND by repetition.

    RUN is a run of the reference game. Scores count words that are on no list of function words, which needs no model;
    this counts as the published code of ICCA does, with the extra `tagger`: pip install 'ircore[tagger]'.
    """
    from ircore.results.model import Results
    from ircore.results.tables.language import tagged_novelty_table

    opened = RunFolder(run)
    if opened.game != "reference":
        raise InputError(
            f"{run}: no run of the reference game", "For reconstruction: ircore results --table convention"
        )
    content_of = load_tagger()
    table = tagged_novelty_table(Results.from_runs([opened]), content_of)
    click.echo(render(table, "json" if as_json else "text", None), nl=False)


def _compute_means(rows: list[Naming]) -> dict[str, float | None]:
    # Over the pictures with a value: one name alone has no divergence.
    means = {}
    for measure in ("snd", "pnd", "psa"):
        values = [value for row in rows if (value := getattr(row, measure)) is not None]
        means[measure] = fmean(values) if values else None
    return means


def _format_table(rows: dict[str, Naming]) -> str:
    width = max(len("picture"), *map(len, rows))
    head = f"{'picture':<{width}}  {'names':>5}  {'SND':>5}  {'PND':>5}  {'PSA':>5}"
    rule = "─" * len(head)
    means = _compute_means(list(rows.values()))
    lines = [
        f"{picture:<{width}}  {row.n:>5}  {_format_value(row.snd)}  {_format_value(row.pnd)}  {_format_value(row.psa)}"
        for picture, row in rows.items()
    ]
    mean = (
        f"{'mean':<{width}}  {'':>5}  {_format_value(means['snd'])}  {_format_value(means['pnd'])}  "
        f"{_format_value(means['psa'])}"
    )
    note = (
        "SND, PND: divergence of names for the whole and for its parts, 0 (all alike) to 1. "
        "PSA: pieces of seven that two people put into the same parts."
    )
    return "\n".join([head, rule, *lines, rule, mean, "", note])


def _format_value(value: float | None) -> str:
    return f"{'–':>5}" if value is None else f"{value:>5.2f}"
