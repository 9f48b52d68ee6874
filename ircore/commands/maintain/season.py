"""``ircore maintain season``: secret instance sets, committed to before anybody plays them."""

import os
from collections.abc import Callable
from pathlib import Path

import click

from ircore.commands.options import (
    PATH,
    POSITIVE,
    category_option,
    echo_json,
    format_options,
    json_option,
    open_runs,
    run_nested,
)
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.games.registry import require_support
from ircore.instances.store import read_instances
from ircore.results.model import Results
from ircore.results.tables.formats import Format, render
from ircore.results.tables.sensitivity import season_gap_table
from ircore.runs.folder import RunFolder
from ircore.submissions.seasons import (
    JUDGE,
    PICTURES,
    SLICES,
    add_gap,
    begin_season,
    compute_gap,
    read_committed_set,
    read_gap_table,
    read_season,
    restore_season,
    reveal_season,
    verify_season,
    write_season_gaps,
    write_slice,
)

SECRET_VARIABLE = "IRCORE_SEASON_SECRET"  # noqa: S105 - the name of a variable
"""Variable that holds the text of a season's secret."""


@click.group("season", short_help="Secret pictures, committed to beforehand.")
def season() -> None:
    """Begin, reveal or verify a season: a fresh set of pictures that nobody has seen (for maintainers)."""


@season.command("begin")
@click.argument("name")
@click.option("--out", type=PATH, required=True, help="Folder of the secret; never published.")
@click.option("--publish", type=PATH, required=True, help="File to publish now, such as seasons/NAME.json.")
@click.option("--per-condition", default=10, show_default=True, help="Pictures for each category and difficulty.")
@click.option("--instances", type=PATH, help="Commit to this set instead of drawing one.")
@click.option("--game", default="reconstruction", show_default=True, help="The game whose instances are drawn.")
@click.option(
    "--edition", type=click.IntRange(min=1), help="Edition of the game's builders, published with the hash; the newest."
)
def begin(
    name: str, out: Path, publish: Path, per_condition: int, instances: Path | None, game: str, edition: int | None
) -> None:  # fmt: skip
    """Draw a set from a seed that nobody can guess, and commit to it."""
    season = begin_season(name, out, publish, per_condition, instances, game, edition)
    click.echo(f"{format_count(season.instances, 'picture')}; commitment {season.commitment}")
    click.echo(f"publish {publish} now, before anybody plays; keep {out} to yourself until the results are out")


@season.command("restore")
@click.argument("name")
@click.option("--out", type=PATH, required=True, help="Folder of the secret; never published.")
def restore(name: str, out: Path) -> None:
    """Draw the set of season NAME again, from the text of its secret.json in the variable IRCORE_SEASON_SECRET.

    A job that evaluates pairs needs no other copy of the pictures.
    """
    # Not an option: the words of a command show in logs and in the list of processes.
    text = os.environ.get(SECRET_VARIABLE)
    if not text:
        raise InputError(f"{SECRET_VARIABLE}: is not set", "Set it to the content of the season's secret.json.")
    season = restore_season(name, text, out)
    click.echo(
        f"season {season.season}: {format_count(season.instances, 'picture')}, those of commitment "
        f"{season.commitment[:12]}"
    )


@season.command("reveal")
@click.argument("secret", type=PATH)
@click.option("--publish", type=PATH, required=True, help="The file that was published.")
def reveal(secret: Path, publish: Path) -> None:
    """Add the committed set to the published file; publish the file with the pictures and the results."""
    season = reveal_season(secret, publish)
    click.echo(f"season {season.season}: instance set {season.identity}")


@season.command("verify")
@click.argument("published", type=PATH)
@click.option("--instances", type=PATH, help="The published set, checked picture by picture.")
@json_option
def verify(published: Path, instances: Path | None, as_json: bool) -> None:
    """Check that the revealed set is the committed set."""
    season = read_season(published)
    verify_season(season, read_instances(instances) if instances else None)
    if as_json:
        echo_json(season.model_dump(mode="json"))
        return
    click.echo(f"season {season.season}: the set is the one that was committed to on {season.committed}")
    click.echo("The same without ircore:")
    click.echo(f"  sha256sum instances.jsonl   gives {season.identity}")
    words = f"ircore season\\n{season.season}\\n{season.identity}\\n{season.salt}\\n"
    click.echo(f"  printf '{words}' | sha256sum   gives {season.commitment}")


def _build_runs_option(name: str, about: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(name, multiple=True, required=True, type=PATH, callback=find_runs_to_read, help=about)


@season.command("gap")
@click.argument("published", type=PATH)
@_build_runs_option("--public", "Run on the public set; repeatable.")
@_build_runs_option("--secret", "Run on the season's set; repeatable.")
@click.option("--judge", default="verified", show_default=True, help="Judge whose scores are compared.")
@category_option
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(["text", "json", "csv"]))
@json_option
@click.option("--out", type=PATH, help="Also write the gaps with the season's proof here, for site build --season.")
def gap(
    published: Path,
    public: tuple[Path, ...],
    secret: tuple[Path, ...],
    judge: str,
    category: str | None,
    form: Format,
    as_json: bool,
    out: Path | None,
) -> None:
    """Show how much better each pair does on the public set than on the revealed season's.

    The season is verified first: the secret runs must be of the set that was committed to.
    """
    season = read_season(published)
    verify_season(season, None)
    # Proven before anything is compared: a gap on another set than the committed one says nothing.
    there, here = (Results.from_runs(open_runs(runs)) for runs in (public, secret))
    if here.instance_set != season.identity:
        raise InputError(
            f"{secret[0]}: not played on the set of season {season.season}", "Name runs on the season's set."
        )
    table = season_gap_table(there, here, judge, category)
    if out is not None:
        write_season_gaps(out, read_gap_table(season, table, there.instance_set, judge, category))
    click.echo(render(table, "json" if as_json else form), nl=False)


@season.command("slice")
@click.argument("submission", type=PATH)
@click.argument("run", type=PATH)
@click.option(
    "--secret",
    type=PATH,
    required=True,
    help="Folder of the season, made by season begin: pictures and runs stay there.",
)
@click.option("--instances", type=PATH, help="The secret set, if the season committed to a given one.")
@click.option("--gaps", type=PATH, required=True, help="File that the gap is added to, for site build --season.")
@click.option(
    "--pictures", type=click.IntRange(min=2), default=PICTURES, show_default=True, help="Number of pictures to play."
)
@click.option("--judge", default=JUDGE, show_default=True, help="Judge whose scores are compared.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop playing at this cost.")
@click.option("--prices", type=PATH, help="File of prices that are added to the built-in prices.")
def slice_command(
    submission: Path,
    run: Path,
    secret: Path,
    instances: Path | None,
    gaps: Path,
    pictures: int,
    judge: str,
    max_cost: float | None,
    prices: Path | None,
) -> None:
    """Let SUBMISSION play some pictures of a season that stays secret, and compare with its RUN on the public set.

    Each pair's pictures are drawn by the season's salt. Nothing but the gap leaves the secret folder.
    """
    public, committed = RunFolder(run), read_committed_set(secret, instances)
    require_support("secret slice", public.game, str(run))
    # Inside the secret folder, so that the pictures cannot be published with the runs by mistake.
    place = secret / SLICES / public.run.run_id
    targets = write_slice(committed, public.run.run_id, place / "targets", pictures)
    limit = format_options({"--max-cost": max_cost, "--prices": prices})
    play = ["play", str(submission), "--instances", str(targets.folder), "--out", str(place / "run")]
    run_nested([*play, "--as-maintainers", "--only-outside", *limit])
    run_nested(["score", str(place / "run")])
    gap = compute_gap(public, RunFolder(place / "run"), judge)
    write_season_gaps(gaps, add_gap(gaps, gap, committed, public.run.instance_set, judge, pictures))
    shown = "no main score on one of the sets" if gap.mean is None else f"{gap.mean:+.1f}"
    click.echo(
        f"{public.run.slug}: public \N{MINUS SIGN} secret {shown} on {format_count(pictures, 'picture')}; {gaps}"
    )
