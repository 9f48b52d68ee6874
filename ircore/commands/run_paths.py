"""Runs on the command line: a run folder, a folder of runs, or a release, wherever a command takes runs."""

import json
from collections.abc import Iterator, Sequence
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ircore.core.errors import InputError
from ircore.core.plugins import load_plugin

RUN_FILE, RELEASE_FILE, SHARD_FILE = "run.json", "release.json", "shard.json"
"""Files by which run folders, releases and shards are known; formats live in ``ircore.runs`` and ``dataset_card``."""

OTHER_FOLDERS = {
    ".ircore-site.json": ("a built site", "Name the runs that it was built of."),
    "instances.jsonl": ("an instance set", "Play it first: ircore play SUBMISSION --instances {path} --out RUN"),
    "submission.yaml": ("a submission", "Play it first: ircore play {path} --instances DIR --out RUN"),
    "pack.json": ("a packed run", "Name the run that it was packed from, or: ircore maintain rescore"),
}
"""What else is made by commands, by a file that each has: what it is, and what to do instead."""

MAKE_A_RUN = "Name a run, a folder of runs or a release. A run is made by: ircore play SUBMISSION … --out DIR"


def find_runs_to_read(ctx: click.Context, parameter: click.Parameter, typed: Sequence[Path]) -> tuple[Path, ...]:
    """Return the run folders behind paths; a path that holds neither run, nor runs, nor release is returned as it is.

    The runs of a release lie in a temporary folder, which the context removes when the command ends.
    """
    # A shell that completes a word must not unpack a release.
    if ctx.resilient_parsing:
        return ()
    _remember_typed(ctx, parameter, tuple(typed))
    return tuple(run for path in typed for run in _read(ctx, path))


def find_results_to_read(ctx: click.Context, parameter: click.Parameter, typed: Sequence[Path]) -> tuple[Path, ...]:
    """Return the run folders behind paths like ``find_runs_to_read``; runs of several seeds as one.

    The joined run lies in a temporary folder, too.
    """
    return _join_by_seed(ctx, find_runs_to_read(ctx, parameter, typed))


def find_runs_to_change(ctx: click.Context, parameter: click.Parameter, typed: Sequence[Path]) -> tuple[Path, ...]:
    """Return the run folders behind paths, for a command that writes into the runs; a release is refused."""
    if ctx.resilient_parsing:
        return ()
    _remember_typed(ctx, parameter, tuple(typed))
    return tuple(run for path in typed for run in _find_changed(path))


def run_to_read(ctx: click.Context, parameter: click.Parameter, typed: Path) -> Path:
    """Return the run folder behind a path, for a command that works on a single run."""
    if ctx.resilient_parsing:
        return typed
    runs = find_runs_to_read(ctx, parameter, (typed,))
    _remember_typed(ctx, parameter, typed)
    if len(runs) > 1:
        names = ", ".join(run.name for run in runs[:5])
        raise InputError(f"{typed}: holds {len(runs)} runs, and this command works on one", f"Name one: {names}")
    return runs[0]


def _remember_typed(ctx: click.Context, parameter: click.Parameter, typed: object) -> None:
    """Keep the paths as typed, for the line that names the next command."""
    ctx.meta.setdefault("ircore.typed", {})[parameter.name] = typed


def _read(ctx: click.Context, path: Path) -> Iterator[Path]:
    if not _is_release(path):
        yield from _find_runs_below(path)
        return
    folder = ctx.with_resource(TemporaryDirectory(prefix="ircore-release-"))
    click.echo(f"{path}: a release; its runs are checked and read", err=True)
    yield from load_plugin("releases", "pull_runs")(path, Path(folder) / "pulled")


def _join_by_seed(ctx: click.Context, runs: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return runs, those that differ in their seeds alone joined into one, in the place of the first of them.

    Runs of one seed stay apart: only one of the two may be named, which the results say.
    """
    groups: dict[object, dict[object, Path]] = {}
    # A folder that is named twice, by a link perhaps, is one run.
    for run in {realpath(run): run for run in runs}.values():
        identity, seeds = _split_identity(run)
        of_seed = groups.setdefault(identity, {})
        if any(seed in of_seed for seed in seeds):
            return runs
        of_seed |= dict.fromkeys(seeds, run)
    if all(len(set(group.values())) == 1 for group in groups.values()):
        return runs
    # Inside: most commands are given no such runs, and need not load what joins them.
    from ircore.runs.merge import merge

    joined: list[Path] = []
    for group in groups.values():
        paths = tuple(dict.fromkeys(group.values()))
        if len(paths) > 1:
            folder = Path(ctx.with_resource(TemporaryDirectory(prefix="ircore-joined-"))) / paths[0].name
            merge(paths, folder, partial=True)
            click.echo(f"{', '.join(map(str, paths))}: one run under several seeds; joined", err=True)
            paths = (folder,)
        joined += paths
    return tuple(joined)


def _split_identity(run: Path) -> tuple[object, tuple[object, ...]]:
    """Return what runs under several seeds have in common, and the seeds; its path of what has no such fields."""
    alone = realpath(run), (None,)
    try:
        document = json.loads((run / RUN_FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return alone  # whoever opens it says what is wrong
    more = document.get("more_seeds", []) if isinstance(document, dict) else None
    if not isinstance(more, list) or not isinstance(document.get("seed"), int) or (run / SHARD_FILE).exists():
        return alone
    own = {"run_id", "seed", "more_seeds", "started"}
    shared = {name: value for name, value in document.items() if name not in own}
    return json.dumps(shared, sort_keys=True), tuple(map(str, (document["seed"], *more)))


def _find_changed(path: Path) -> list[Path]:
    if _is_release(path):
        raise InputError(
            f"{path}: a release, which nothing is written into",
            f"Bring its runs back first: ircore release pull {path} --out pulled",
        )
    return _find_runs_below(path)


def _is_release(path: Path) -> bool:
    return (path / RELEASE_FILE).is_file() and not (path / RUN_FILE).is_file()


def _find_runs_below(path: Path) -> list[Path]:
    """Return the runs in a folder, or in its folder ``runs`` as a pulled release has them; else the path itself."""
    if (path / RUN_FILE).is_file() or not path.is_dir():
        return [path]
    _refuse_other(path)
    for folder in (path, path / "runs"):
        runs = sorted(file.parent for file in folder.glob(f"*/{RUN_FILE}"))
        if runs:
            return runs
    # Such as the folder ``submissions``.
    for child in sorted(path.iterdir()):
        _refuse_other(path, child)
    raise InputError(f"{path}: no run here (no {RUN_FILE}, and no folder with one)", MAKE_A_RUN)


def _refuse_other(path: Path, child: Path | None = None) -> None:
    """Say what a folder is that holds something else than runs, or that has such a folder in it."""
    for name, (kind, remedy) in OTHER_FOLDERS.items():
        if ((child or path) / name).is_file():
            where = (
                f"{path}: no run here: it is {kind}"
                if child is None
                else f"{path}: no run here; {child.name} in it is {kind}"
            )
            raise InputError(where, remedy.format(path=child or path))
