"""A small release that many tests need: two runs, twelve targets, scores that are easy to work out by hand."""

from collections.abc import Callable
from pathlib import Path

from samples import sample_instances, sample_run, sample_submission

from dataset_card.build import build_release
from dataset_card.parquet import read_table, write_table
from dataset_card.rows import Row
from dataset_card.schema import Config
from ircore.records import Score
from ircore.runs import RunFolder

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
    for episode in [one for one in run.episodes() if one.played][parity::2]:
        first, last = (turn.rendering for turn in episode.rendered_turns)
        assert first is not None
        assert last is not None
        one = episode.episode_id
        scores += [
            Score(episode_id=one, turn=2, task="similarity", judge="eye", value=final, rendering=last.sha256),
            Score(episode_id=one, turn=1, task="similarity", judge="eye", value=FIRST, rendering=first.sha256),
            Score(episode_id=one, turn=2, task="preference", judge="eye", value=1, rendering=last.sha256),
            Score(episode_id=one, turn=2, task="metric", judge="psnr", value=None, reason="∞", rendering=last.sha256),
        ]
    return scores


def table(release: Path, config: Config) -> list[Row]:
    """Return all rows of a config."""
    return [row for _, row in read_table(release, config)]


def rewrite(release: Path, config: Config, edit: Callable[[list[Row]], object]) -> None:
    """Change the rows of a config in place, as somebody with an editor could."""
    rows = table(release, config)
    edit(rows)
    for path in (release / "data" / config.name).iterdir():
        path.unlink()
    (release / "data" / config.name).rmdir()
    write_table(release, config, rows)
