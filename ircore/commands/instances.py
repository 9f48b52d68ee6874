"""``ircore instances``: build, import or show a set of target pictures."""

from dataclasses import asdict
from pathlib import Path
from shutil import rmtree

import click

from ircore.commands.judging import model_judge_options
from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, conditions_options, echo_either, echo_json, json_option
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_text
from ircore.core.plain_words import format_count
from ircore.core.plugins import build_unknown_name_error, load_plugin
from ircore.core.records import DIFFICULTIES
from ircore.core.submission_records import build_game_field
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent
from ircore.games.registry import load_game
from ircore.games.synthesis.game import SynthesisRules
from ircore.instances.benchmark import require_released, require_set
from ircore.instances.requests import BuildRequest, ImportRequest, find_builder, find_dataset_name, find_importer
from ircore.instances.review import accept_from_set, write_review_page
from ircore.instances.store import INDEX, InstanceSet, read_instances
from ircore.instances.summary import (
    build_summary_document,
    compare_sets,
    draw_contact_sheet,
    format_summary,
    summarise_set,
)
from ircore.runs.synthesis import SynthesisPlan, build_model_player, open_synthesis, write_accepted_set, write_review
from ircore.runs.synthesis import synthesize as make_figures
from ircore.scorers.judges.manifest import read_judge
from ircore.scorers.model_judges.runner import JudgingPlan


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Build, show or import target pictures."""


@command.command()
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@click.option("--game", default="reconstruction", show_default=True, metavar="NAME", help="The game of the set.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same set to the pixel.")
@click.option("--per-condition", default=10, show_default=True, help="Pictures for each category and difficulty.")
@conditions_options
@click.option(
    "--edition",
    default=1,
    show_default=True,
    help="Edition of the game's builders: 1 draws the released versions.",
)
@json_option
def build(
    out: Path, game: str, seed: int, per_condition: int, categories: tuple[str, ...], difficulties: tuple[str, ...],
    edition: int, as_json: bool,
) -> None:  # fmt: skip
    """Make an instance set of a game; of reconstruction: seven categories of pictures, easy and hard.

    The last line says which released version of the benchmark the set is, if it is one. In --edition 2 hard graphs of
    functions bear more writing, and photographs are others than the well-known ones of the first.
    """
    if edition != 1 and load_game(game).editions == 1:
        raise InputError(f"--edition {edition}: {game} has a single edition", "Leave --edition out.")
    made = find_builder(game)(BuildRequest(out, seed, per_condition, categories, difficulties, edition))
    _tell_contents(made, as_json)


@command.command("import")
@click.argument("format_", metavar="FORMAT")
@click.argument("path", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@click.option("--category", "-c", help="Category of pictures outside of category folders.")
@click.option("--difficulty", "-d", help="easy or hard, for pictures in no folder of that name.")
@click.option("--source", help="Where the pictures come from, for people.")
@click.option("--licence", help="SPDX identifier, where metadata.jsonl names none.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the format; may be repeated.")
@json_option
def import_(
    format_: str, path: Path, out: Path, category: str | None, difficulty: str | None, source: str | None,
    licence: str | None, options: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Make an instance set of pictures you have; PATH is on this disk, or hf://datasets/ORG/NAME.

    FORMAT is an installed one, such as folder. That one reads PATH/<category>/<easy|hard>/*.png, or any folder with a
    metadata.jsonl of file_name, category, difficulty, source and licence, or one flat folder with --category and
    --difficulty.

    visual-genome reads PATH/image_data.json, objects.json and, if they are there, attributes.json and
    relationships.json, or the rows of a dataset on the Hub; its options are easy_objects, hard_objects, salient_share,
    per_condition, and on the Hub revision, config, split, streaming.

    Look at imported pictures before they are played with: ircore instances review.
    """
    importer = find_importer(format_)
    if difficulty is not None and difficulty not in DIFFICULTIES:
        raise build_unknown_name_error("difficulty", difficulty, DIFFICULTIES, "--difficulty")
    # Name and value, without the sign between them.
    settings = dict(option.partition("=")[::2] for option in options)
    if options and format_ != "visual-genome":
        raise InputError(f"--option {options[0]}: the format {format_} has none", "Leave --option out.")
    place = path if format_ == "visual-genome" else _fetch_to_disk(path)  # that format streams what it needs
    made = importer(ImportRequest(place, out, category, difficulty, source, licence, settings))
    _tell_contents(made, as_json)


def _tell_contents(made: InstanceSet, as_json: bool) -> None:
    """Print the contents of a set, as a table or as a JSON document; the players of most games stand in a manifest."""
    if build_game_field(made.game):
        click.get_current_context().meta[NEXT] = f"ircore submission new MY-PAIR --game {made.game}"
    summary = summarise_set(made)
    echo_either(
        as_json, build_summary_document(summary), wrap_with_indent(format_summary(summary), find_terminal_width())
    )


def _fetch_to_disk(path: Path) -> Path:
    """Return a path on this disk; files of ``hf://datasets/ORG/NAME`` are brought into the Hub's cache.

    Raises:
        InputError: There is no such path, or the address names no dataset.
        WorkError: There is none, or the Hub cannot be reached.
    """
    dataset = find_dataset_name(path)
    if dataset is None and not path.exists():
        raise InputError(f"PATH {path}: no such file or folder", "Name what the format reads.")
    fetched: Path = path if dataset is None else load_plugin("releases", "fetch_files")(dataset)
    return fetched


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@json_option
@click.option("--sheet", type=PATH, help="Also write all pictures in a grid to this PNG file.")
@click.option("--version", metavar="NAME", help="The benchmark version that the set must be; any other set is refused.")
def show(folder: Path, as_json: bool, sheet: Path | None, version: str | None) -> None:
    """Show the contents of a set; every picture is checked against its hash."""
    # An unknown version is refused before every picture of the set is read.
    wanted = None if version is None else require_released(version)
    if sheet is not None and sheet.suffix != ".png":
        raise InputError(f"--sheet {sheet}: not a .png file", "Name it with .png at the end.")
    instances = read_instances(folder)
    if sheet is not None:
        write_bytes(sheet, draw_contact_sheet(instances).data)
    _tell_contents(instances, as_json)
    if wanted is not None:
        require_set(folder, instances.identity, wanted)


@command.command()
@click.option("--describer-model", required=True, metavar="MODEL", help="Model that describes figures.")
@click.option("--coder-model", required=True, metavar="MODEL", help="Model that writes programs.")
@click.option(
    "--category",
    "-c",
    "categories",
    multiple=True,
    required=True,
    help="One of the six drawn categories; may be repeated.",
)
@click.option("--difficulty", "-d", "difficulties", multiple=True, required=True, help="easy or hard; may be repeated.")
@click.option("--count", type=click.IntRange(1, 1000), required=True, help="Figures for each category and difficulty.")
@click.option("--out", type=PATH, required=True, help="Folder to make; the same command again goes on in it.")
@click.option("--base-url", help="Address of the service, with /v1; default: OpenAI's own.")
@click.option("--coder-base-url", help="Address of the coder's service, if the coder has a service of its own.")
@click.option(
    "--api-key-env", metavar="NAME", help="Variable that holds the key; default: OPENAI_API_KEY off loopback."
)
@click.option("--tries", type=click.IntRange(1, 20), default=3, show_default=True, help="Programs asked for a figure.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random numbers in programs."
)
@click.option("--licence", default="LicenseRef-unstated", show_default=True, help="SPDX identifier of the figures.")
@click.option(
    "--prompts",
    type=PATH,
    metavar="DIR",
    help="Folder of prompts to use instead of the built-in prompts of both models.",
)
@click.option("--concurrency", type=click.IntRange(min=1), default=4, show_default=True, help="Conditions at a time.")
@click.option("--deadline", type=click.FloatRange(min=0, min_open=True), help="Stop after this number of seconds.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0), help="Stop at this cost in US dollars, earlier calls included."
)
@click.option("--prices", type=PATH, metavar="FILE", help="File of prices that are added to the built-in prices.")
def synthesize(
    describer_model: str, coder_model: str, categories: tuple[str, ...], difficulties: tuple[str, ...], count: int,
    out: Path, base_url: str | None, coder_base_url: str | None, api_key_env: str | None, tries: int, seed: int,
    licence: str, prompts: Path | None, concurrency: int, deadline: float | None, max_cost: float | None,
    prices: Path | None,
) -> None:  # fmt: skip
    """Let two models make targets: one describes a figure, the other writes the program that draws it.

    Programs run in a sandbox (`ircore sandbox check`). Figures that fail a check are tried again with the reason. The
    folder gets review/index.html; `ircore instances accept` makes a set of the figures that you accept there.
    """
    plan = SynthesisPlan(
        out, build_model_player("--describer-model", describer_model, base_url, api_key_env),
        build_model_player("--coder-model", coder_model, coder_base_url or base_url, api_key_env),
        tuple(dict.fromkeys(categories)), tuple(dict.fromkeys(difficulties)), count, licence, seed,
        SynthesisRules(tries=tries), prompts, concurrency, deadline, max_cost, prices,
    )  # fmt: skip
    steps = make_figures(plan)
    for step in steps:
        if step.key is None:
            click.echo(f"given up: {step.summary or 'no description'}: {step.faults[-1]}", err=True)
    review = out / "review"
    # Only an earlier page of the same run is removed, and no other folder of that name.
    if (review / "figures.js").is_file():
        rmtree(review)
    passed = write_review(open_synthesis(out), review)
    click.echo(
        f"{passed} of {format_count(len(steps), 'figure')} passed the checks; review them: {review / 'index.html'}"
    )


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder of the page to make.")
@json_option
def review(folder: Path, out: Path, as_json: bool) -> None:
    """Write a page on which you accept or reject each target of the set DIR; it needs no server.

    `ircore instances accept DIR decisions.json --out SET` then makes a set of the accepted ones.
    """
    pictures, page = write_review_page(read_instances(folder), out), out / "index.html"
    echo_either(
        as_json, {"page": page, "pictures": pictures}, f"{format_count(pictures, 'picture')}; review them: {page}"
    )


@command.command()
@click.argument("made", metavar="DIR", type=PATH)
@click.argument("decisions", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder of the set to make.")
@json_option
def accept(made: Path, decisions: Path, out: Path, as_json: bool) -> None:
    """Make an instance set of the pictures in DIR that DECISIONS accepts, a file saved on the review page.

    DIR is an instance set, or a folder that `ircore instances synthesize` made.
    """
    # A folder of synthesis is a run, whose own index lies deeper.
    if (made / INDEX).is_file():
        accepted = accept_from_set(read_instances(made), decisions, out)
    else:
        accepted = write_accepted_set(open_synthesis(made), decisions, out)
    _tell_contents(accepted, as_json)


@command.command()
@click.argument("first", metavar="A", type=PATH)
@click.argument("second", metavar="B", type=PATH)
@json_option
def diff(first: Path, second: Path, as_json: bool) -> None:
    """Show which instances of the set B were added to the set A, removed or changed, and in which fields."""
    newer = read_instances(second)
    difference = compare_sets(read_instances(first), newer)
    if as_json:
        echo_json(asdict(difference))
        return
    for line in difference.lines():
        click.echo(line)


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@json_option
@click.option("--page", type=PATH, help="Also write a page of figures to this HTML file.")
def stats(folder: Path, as_json: bool, page: Path | None) -> None:
    """Measure the pictures of a set: elements, text, edges and colours, easy against hard, and near-duplicates."""
    from ircore.instances.summary import (
        build_statistics_document,
        format_statistics,
        measure_set,
        render_statistics_page,
    )

    if page is not None and page.suffix != ".html":
        raise InputError(f"--page {page}: not a .html file", "Name it with .html at the end.")
    statistics = measure_set(read_instances(folder))
    if page is not None:
        write_text(page, render_statistics_page(statistics))
    text = wrap_with_indent(format_statistics(statistics, find_terminal_width()), find_terminal_width())
    echo_either(as_json, build_statistics_document(statistics), text)


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--repo", required=True, metavar="ORG/NAME", help="Dataset on the Hugging Face Hub.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@json_option
def push(folder: Path, repo: str, dry_run: bool, as_json: bool) -> None:
    """Publish a set on the Hugging Face Hub, with a tag named after the set's identity.

    A new dataset is private. Pictures that must not be published stay here. The same command again goes on where it
    stopped. The token comes from HF_TOKEN or "hf auth login".
    """
    tag = load_plugin("releases", "push_instances")(
        folder, repo, dry_run, lambda line: click.echo(make_printable(line), err=True)
    )
    document = {"repo": repo, "revision": tag, "pushed": not dry_run}
    echo_either(as_json, document, f"ircore instances pull {repo} --revision {tag} --out DIR")


@command.command()
@click.argument("repo", metavar="ORG/NAME")
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@click.option("--revision", metavar="TAG", help="Tag or commit; the newest commit if not given.")
@json_option
def pull(repo: str, out: Path, revision: str | None, as_json: bool) -> None:
    """Bring a set back from the Hugging Face Hub; it appears when every picture is there and has its hash."""
    instances = load_plugin("releases", "pull_instances")(repo, out, revision)
    if as_json:
        _tell_contents(instances, as_json)
    else:
        click.echo(f"{format_count(len(instances.instances), 'instance')}, identity {instances.identity}")


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--judge", "manifest", required=True, type=PATH, metavar="FILE", help="Manifest of the model to ask.")
@click.option("--out", type=PATH, required=True, help="Folder of record and report; an earlier probe goes on.")
@model_judge_options
@click.option("--dry-run", is_flag=True, help="Print what would be asked and what it may cost; ask nothing.")
def probe(
    folder: Path, manifest: Path, out: Path, concurrency: int, deadline: float | None, max_cost: float | None,
    prices: Path | None, dry_run: bool,
) -> int:  # fmt: skip
    """Ask a model whether it knows the targets of a set: once by their titles alone, once by the pictures.

    The report for each target is OUT/probe.json. Every answer and every refusal is recorded, and none is asked for
    twice; what failed for a technical reason is asked again by the same command.
    """
    from ircore.scorers.contamination import describe_forecast, format_report
    from ircore.scorers.contamination import probe as probe_targets

    instances, judge = read_instances(folder), read_judge(manifest)
    plan = JudgingPlan(concurrency=concurrency, deadline=deadline, max_cost=max_cost, prices=prices)
    if dry_run:
        click.echo(make_printable(describe_forecast(instances, judge, out, plan)))
        return 0
    targets = probe_targets(instances, judge, out, plan)
    click.echo("\n".join(make_printable(line) for line in format_report(targets).splitlines()))
    return 1 if any("provider_error" in target.unanswered.values() for target in targets) else 0
