"""A small release that many tests need: two runs, twelve targets, scores that are easy to work out by hand."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from samples import sample_instances, sample_run, sample_submission

from dataset_card.card.croissant import CROISSANT
from dataset_card.card.verification import VerificationRecord
from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import build_release
from dataset_card.releases.files import build_derived_files
from dataset_card.releases.record import (
    CHANGES,
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    compute_content_hash,
    read_release,
    release_name,
    render_changes,
)
from dataset_card.tables.columns import Config
from dataset_card.tables.parquet import read_table
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import TABLES, make_transcripts_config
from dataset_card.tables.writing import compute_part_key, make_part, write_table
from ircore.core.score_records import Score
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.folder import RunFolder

TRANSCRIPTS = make_transcripts_config(load_game("reconstruction"))
CONFIGS = (
    TRANSCRIPTS,
    *(config for config in TABLES if config.name not in {"judges", "preferences", "facts", "previews"}),
)
"""Tables of a release of reconstruction alone, without those that need an occasion."""

FINALS = {"centre-block": (7.0, 9.0), "other-block": (5.0, 5.0)}
"""What the judge ``eye`` gives to the final renderings of a run, in turn; the first ones get ``FIRST``."""

FIRST = 6.0


def sample_release(folder: Path) -> Path:
    """Make ``instances``, ``runs/<slug>`` and ``release`` below a folder and return the last.

    Each run has 12 episodes: 10 with two renderings and a done turn, 2 aborted at once.
    """
    instances = sample_instances(folder / "instances", per_condition=3)
    for slug, finals in FINALS.items():
        run = sample_run(folder / "runs" / slug, instances, sample_submission(slug, f"{slug} <b>pair</b>"))
        run.add_scores(score for index in range(2) for score in _scores(run, index, finals[index]))
    build_release([folder / "runs" / slug for slug in FINALS], folder / "instances", folder / "release")
    return folder / "release"


def _scores(run: RunFolder, parity: int, final: float) -> list[Score]:
    """Score every second played episode: two similarities, a preference, and a metric without a value."""
    scores = []
    for episode in [episode for episode in run.episodes() if episode.played][parity::2]:
        first, last = (turn.rendering for turn in list_rendered_turns(episode))
        assert first is not None
        assert last is not None
        item = episode.episode_id
        scores += [
            Score(episode_id=item, step=2, measure="similarity", by="eye", value=final, rendering=last.sha256),
            Score(episode_id=item, step=1, measure="similarity", by="eye", value=FIRST, rendering=first.sha256),
            Score(episode_id=item, step=2, measure="preference", by="eye", value=1, rendering=last.sha256),
            Score(episode_id=item, step=2, measure="psnr", by="psnr", value=None, reason="∞", rendering=last.sha256),
        ]
    return scores


def play_rated(folder: Path, instances: InstanceSet, slug: str, name: str | None = None) -> RunFolder:
    """Play a pair and let the judge give every first rendering ``FIRST``."""
    run = sample_run(folder, instances, sample_submission(slug, name or slug))
    rate_first(run, FIRST)
    return run


def rate_first(run: RunFolder, value: float) -> None:
    """Let the judge give every first rendering of a run a similarity."""
    drawn = [
        (episode.episode_id, turn.rendering.sha256)
        for episode in run.episodes()
        for turn in list_turns(episode)[:1]
        if turn.rendering is not None
    ]
    run.add_scores(
        Score(episode_id=episode_id, step=1, measure="similarity", by="eye", value=value, rendering=sha256)
        for episode_id, sha256 in drawn
    )


def copy_inputs(built: Path, folder: Path) -> Path:
    """Copy the instances and runs of the sample release, add a run ``third-block``, and return the folder."""
    shutil.copytree(built / "instances", folder / "instances")
    shutil.copytree(built / "runs", folder / "runs")
    play_rated(folder / "runs" / "third-block", read_instances(folder / "instances"), "third-block")
    return folder


def run_id_of(folder: Path, slug: str) -> str:
    """Return the id of the run that was played in ``runs/<slug>``."""
    return RunFolder(folder / "runs" / slug).run.run_id


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by their path in it; not those in hidden folders, which are not published."""
    by_name = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in by_name.items() if not name.startswith(".")}


def table(release: Path, config: Config) -> list[Row]:
    """Return all rows of a config."""
    return [row for _, row in read_table(release, config)]


def rewrite(release: Path, config: Config, edit: Callable[[list[Row]], object]) -> None:
    """Change the rows of a config in place, as somebody with an editor could."""
    rewrite_tables(release, [(config, edit)])


def rewrite_tables(release: Path, edits: Iterable[tuple[Config, Callable[[list[Row]], object]]]) -> None:
    """Change the rows of several configs in place."""
    record = read_release(release)
    parts = {(part.config, part.run_id): part for part in record.parts}
    for config, edit in edits:
        rows = table(release, config)
        edit(rows)
        shutil.rmtree(release / "data" / config.name)
        for key in [key for key in parts if key[0] == config.name]:
            own = [row for row in rows if _owner(row, [run for name, run in parts if name == config.name]) == key[1]]
            parts[key] = make_part(
                config, key[1], compute_part_key(config, own), write_table(release, config, own, key[1])
            )
    seal(release, record.model_copy(update={"parts": tuple(parts.values())}))


def seal(release: Path, record: ReleaseRecord | None = None) -> None:
    """Make ``release.json`` and what is derived from the tables agree again, as a forger with this program could."""
    record = record or read_release(release)
    names = (RUNS, JUDGES, PROVENANCE, TOMBSTONES)
    content = compute_content_hash(record.parts, {name: _text(release / name) for name in names}, record.layout)
    name = release_name(record.benchmark, record.date, content)
    history = (record.history[0].model_copy(update={"name": name}), *record.history[1:])
    record = record.model_copy(update={"content": content, "name": name, "history": history})
    (release / RELEASE).write_text(record.model_dump_json(by_alias=True))
    _derive(release, record)


def _derive(release: Path, record: ReleaseRecord) -> None:
    """Write what is derived from tables and records again, as far as they are sound."""
    source = check_release(release, card=False).source
    if source is not None and source.lead is not None and source.lead.results.judges:
        files = build_derived_files(release, source, record, {}, VerificationRecord(), record.hashes)
        for name, data in files.items():
            (release / name).write_bytes(data)
        return
    (release / CHANGES).write_text(render_changes(record))
    document = json.loads((release / CROISSANT).read_text())
    shards = {name: item for part in record.parts for name, item in part.files.items()}
    for item in document["distribution"]:
        if item["@id"] in shards:
            shard = shards[item["@id"]]
            item |= {"contentSize": f"{shard.size} B", "sha256": shard.sha256}
    (release / CROISSANT).write_text(json.dumps(document))


def _owner(row: Row, runs: list[str | None]) -> str | None:
    """Return the run whose file a row belongs into: its own, or the first one if it names none that is there."""
    if runs == [None] or "run_id" not in row:
        return None
    return str(row["run_id"]) if row["run_id"] in runs else min(run for run in runs if run)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def tables(release: Path) -> dict[str, bytes]:
    """Return the files of all tables."""
    return {name: data for name, data in contents(release).items() if name.startswith("data/")}
