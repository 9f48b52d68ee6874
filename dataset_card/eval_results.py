"""A release's results in the files that the Hugging Face Hub reads for benchmarks: ``eval.yaml`` and ``.eval_results``.

The Hub's leaderboards are of single models, this game's scores are of pairs. A model has a score of its own only where
every describer was played with every generator, by the same rules: then its mean over all partners, on the same
targets, can be compared with those of the other models in its seat. Where there is no such grid, nothing is written.

Formats: https://huggingface.co/docs/hub/eval-results. ``eval.yaml`` belongs into the dataset's repository and
``.eval_results/*.yaml`` into those of the models. Neither is part of a release: the Hub refuses an ``eval.yaml`` whose
``evaluation_framework`` is not on its own list, which ``ircore`` is not (yet).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from dataset_card.card.statements import PAPER
from dataset_card.checking.release_check import require_sound_release
from dataset_card.tables.columns import SPLIT
from dataset_card.tables.schema import name_transcripts
from ircore.core.errors import InputError
from ircore.core.files import write_new_folder, write_text
from ircore.core.plain_words import format_count
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DEFAULT_GAME
from ircore.results.effects import PlayerResult, average_player, estimate_grid_effects, find_player_grid
from ircore.results.model import Results
from ircore.results.statistics.intervals import TOO_FEW, are_too_few
from ircore.results.statistics.mixed import Unavailable

FRAMEWORK = "ircore"
NAME = "Image Reconstruction Game"
FILE = "image-reconstruction-game.yaml"

Seat = Literal["describer", "generator"]
SEATS: tuple[Seat, ...] = ("describer", "generator")


MOST_NAMED = 6
"""Maximum of partners that a note names."""


@dataclass(frozen=True)
class Source:
    """Dataset and judge of the results.

    >>> Source("org/dataset", revision=None, judge="verified").url
    'https://huggingface.co/datasets/org/dataset'
    """

    repo: str
    """The dataset on the Hub, ``ORG/NAME``."""

    revision: str | None
    """Commit of the dataset, 40 hex digits; None if unknown."""

    judge: str
    """Judge whose ratings are taken."""

    @property
    def url(self) -> str:
        """Address of the dataset's page, at the commit if the commit is known."""
        return f"https://huggingface.co/datasets/{self.repo}" + (f"/tree/{self.revision}" if self.revision else "")


def write_eval_results(release: Path, source: Source, out: Path) -> tuple[PlayerResult, ...]:
    """Write ``eval.yaml`` and a file for each model.

    Args:
        release: A release's folder, checked first.
        source: Dataset and judge that the files name.
        out: Folder to make: ``eval.yaml``, and ``<model>-<rules' key>/.eval_results/image-reconstruction-game.yaml``.

    Returns:
        The models that have a score of their own, describers first.

    Raises:
        InputError: There is no such judge, or no model has a score of its own; or ``out`` holds something.
        WorkError: The release has faults.
    """
    report = require_sound_release(release, str(release))
    runs = [run for run in report.runs if run.run.game == DEFAULT_GAME]
    if not runs:
        raise InputError(f"{release}: no runs of {DEFAULT_GAME}", "Name a release that has some.")
    results = Results.from_runs(runs)
    players = compute_marginals(results, source.judge)
    with write_new_folder(out) as folder:
        write_text(folder / "eval.yaml", _dump_yaml(build_benchmark(source.judge)))
        # All runs of a grid have the same rules, so those of any player do.
        rules = find_rules(players[0], results)
        for label, name in _name_folders({player.label for player in players}, rules).items():
            entries = [build_entry(player, source, results) for player in players if player.label == label]
            write_text(folder / name / ".eval_results" / FILE, _dump_yaml(entries))
    return players


def compute_marginals(results: Results, judge: str) -> tuple[PlayerResult, ...]:
    """Return each model's mean over all partners, where the pairs are a complete grid.

    Raises:
        InputError: There is no such judge, or no grid of at least two describers and two generators.
    """
    if judge not in results.judges:
        raise build_unknown_name_error("judge", judge, results.judges, "--judge")
    grid = find_player_grid(results)
    effects = estimate_grid_effects(results, grid, judge)
    if isinstance(effects, Unavailable):
        raise InputError(
            f"no model has a score of its own: {effects.reason}",
            "Scores of this game are of pairs; see the leaderboard for those.",
        )
    # Runs outside of the grid would give a model partners that others in the same seat did not have.
    crossed = replace(
        results,
        submissions=tuple(submission for submission in results.submissions if submission.run_id in grid.run_ids),
        episodes={run_id: results.episodes[run_id] for run_id in grid.run_ids},
    )
    names: Mapping[Seat, tuple[str, ...]] = {
        "describer": effects.describers,
        "generator": effects.generators,
    }
    players = [average_player(crossed, seat, label, judge) for seat in SEATS for label in names[seat]]
    return tuple(player for player in players if player.score.mean is not None)


def build_benchmark(judge: str) -> dict[str, Any]:
    """Return the content of ``eval.yaml``: a task for each seat."""
    return {
        "name": NAME,
        "description": (
            "A describer sees a picture and tells a generator in words what to draw, over turns. Scores are the "
            "similarity of the final drawing to the target, 0–10, averaged over all partners of a complete grid, on "
            "the targets that every run of the grid played and the judge rated; what was not played is not in them. "
            f"arXiv:{PAPER}"
        ),
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {"id": make_task_id(seat, judge), "config": name_transcripts(DEFAULT_GAME), "split": SPLIT}
            for seat in SEATS
        ],
    }


def make_task_id(seat: str, judge: str) -> str:
    """Return the id of a task: seat and judge."""
    return f"{seat}_{judge}"


def build_entry(player: PlayerResult, source: Source, results: Results) -> dict[str, Any]:
    """Return an entry of ``.eval_results/*.yaml``."""
    dataset = {"id": source.repo, "task_id": make_task_id(player.role, source.judge)}
    if player.score.mean is None:
        raise ValueError(f"{player.label} has no score")
    runs = [submission.run for submission in results.submissions if submission.run_id in player.run_ids]
    return {
        "dataset": dataset | ({"revision": source.revision} if source.revision else {}),
        "value": round(player.score.mean, 4),
        "date": max(run.started for run in runs)[:10],
        "source": {"url": source.url, "name": NAME},
        "notes": " ".join(_list_notes(player, results)),
    }


def _list_notes(player: PlayerResult, results: Results) -> Iterator[str]:
    runs = [submission for submission in results.submissions if submission.run_id in player.run_ids]
    partners = [submission.generator if player.role == "describer" else submission.describer for submission in runs]
    more = f" and {len(partners) - MOST_NAMED} more" if len(partners) > MOST_NAMED else ""
    yield (
        f"As {player.role}; mean over {format_count(len(partners), 'partner')} "
        f"({', '.join(partners[:MOST_NAMED])}{more})."
    )
    if player.score.low is not None and player.score.high is not None:
        few = f", {TOO_FEW}" if are_too_few(player.score.n) else ""
        yield f"95 % interval {player.score.low:.2f}–{player.score.high:.2f}{few}."
    size = len(results.instances)
    yield (
        f"Over {player.score.n} of {format_count(size, 'target')}: those that all these runs played and "
        f"the judge rated."
    )
    rules = find_rules(player, results)
    plain = f"Rules {rules.key}: {rules.token_budget} tokens a message, {format_count(rules.max_turns, 'turn')}"
    words = ", ".join([plain, *rules.variants])
    yield f"{words}; instance set {results.instance_set[:12]}."


def find_rules(player: PlayerResult, results: Results) -> Any:
    """Return the rules that all runs behind a player's mean were played by."""
    return next(submission.rules for submission in results.submissions if submission.run_id in player.run_ids)


def _name_folders(labels: Iterable[str], rules: Any) -> dict[str, str]:
    """Return a folder for each model, named after it: the label holds slashes, as in org/model, or any letters."""
    names = {
        label: re.sub(r"[^A-Za-z0-9._-]+", "--", rules.add_rules_key(label)).strip(".") or "model"
        for label in sorted(labels)
    }
    # Some disks take A and a for the same letter.
    counts = Counter(name.casefold() for name in names.values())
    return {
        label: name if counts[name.casefold()] == 1 else f"{name}-{sha256(label.encode()).hexdigest()[:8]}"
        for label, name in names.items()
    }


def _dump_yaml(document: object) -> str:
    import yaml

    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120))
