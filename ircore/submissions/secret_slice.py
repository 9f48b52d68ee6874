"""A slice of a secret season for every evaluation: ten pictures that the pair has not seen, and nobody publishes.

Whoever knows the public targets does worse on these. Each pair's pictures are drawn by the season's salt, so that they
are the same if the evaluation is repeated, that nobody can guess them, and that no service sees the whole set soon.
"""

import hashlib
import hmac
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.games.registry import require_support
from ircore.instances.store import InstanceSet, read_instances, write_instances
from ircore.results.model import Results
from ircore.results.statistics.intervals import subtract_estimates
from ircore.runs.folder import RunFolder
from ircore.submissions.seasons import CommittedSeason, PairGap, SeasonGaps, read_season_gaps

PICTURES = 10
"""Pictures that each evaluation adds."""

JUDGE = "verified"
"""Judge whose scores are compared."""

SLICES = "slices"
"""Folder beside the secret set with the pictures and the run of each pair."""


def select_slice(committed: CommittedSeason, run_id: str, count: int = PICTURES) -> tuple[Instance, ...]:
    """Return a pair's pictures of a season: as many conditions as possible, in an order that only the salt tells.

    Args:
        committed: The season's set.
        run_id: The run on the public set.
        count: Pictures.

    Raises:
        InputError: The set is of another game, or has fewer pictures.
    """
    instances = committed.instances
    require_support("secret slice", instances.game, str(instances.folder))
    if len(instances.instances) < count:
        raise InputError(f"{instances.folder}: has no {count} pictures", "Name another season.")
    by_condition: dict[tuple[str, str], list[Instance]] = {}
    for instance in sorted(
        instances.instances, key=lambda known: _compute_digest(committed, run_id, known.instance_id)
    ):
        by_condition.setdefault((instance.category, instance.difficulty), []).append(instance)
    # By place within a condition first, so that ten pictures are of ten conditions where there are as many.
    ranked = [(place, instance) for known in by_condition.values() for place, instance in enumerate(known)]
    # The sort is stable: within a round of the conditions the salt's order stays.
    return tuple(instance for _, instance in sorted(ranked, key=lambda pair: pair[0])[:count])


def write_slice(committed: CommittedSeason, run_id: str, folder: Path, count: int = PICTURES) -> InstanceSet:
    """Write a pair's pictures of a season as an instance set of their own; one that is there stays.

    Raises:
        InputError: As ``select_slice``; or the folder holds another set.
    """
    chosen = select_slice(committed, run_id, count)
    if not folder.exists():
        return write_instances(folder, ((instance, committed.instances.pictures(instance)) for instance in chosen))
    known = read_instances(folder)
    if {instance.instance_id for instance in known.instances} != {instance.instance_id for instance in chosen}:
        raise InputError(f"{folder}: holds other pictures than those of {run_id}", "Remove it.")
    return known


def compute_gap(public: RunFolder, secret: RunFolder, judge: str) -> PairGap:
    """Return public minus secret main score of a pair.

    Raises:
        InputError: The runs are of different players or rules, or the judge has not rated one of them.
    """
    for name in ("rules", "submission"):
        # Another rule or player would make a gap of its own.
        if getattr(public.run, name) != getattr(secret.run, name):
            raise InputError(f"{secret.path}: was played with another {name} than {public.path}", "Play it again.")
    main = []
    for run in (public, secret):
        results = Results.from_runs([run])
        if judge not in results.judges:
            raise InputError(f"{run.path}: {judge} has not rated it", f"Score it with: ircore score {run.path}")
        main.append(results.cell(run.run.run_id, judge).main)
    gap = subtract_estimates(*main)
    return PairGap(run_id=public.run.run_id, mean=gap.mean, low=gap.low, high=gap.high, n=gap.n)


def add_gap(path: Path, gap: PairGap, committed: CommittedSeason, public: str, judge: str, count: int) -> SeasonGaps:
    """Return the gaps of a file with the gap of a pair; of a new file if there is none.

    Args:
        path: The file.
        gap: Of the pair.
        committed: The season.
        public: Identity of the public set.
        judge: Whose scores.
        count: Pictures that each pair plays.

    Raises:
        InputError: The file is of another season, set, judge or number of pictures.
    """
    new = no_gaps(committed, public, judge, count)
    known = read_season_gaps(path) if path.is_file() else new
    if not known.fits(new):
        raise InputError(f"{path}: is of another season, public set, judge or number of pictures", "Name another file.")
    return known.with_gaps([gap])


def no_gaps(committed: CommittedSeason, public: str, judge: str = JUDGE, count: int = PICTURES) -> SeasonGaps:
    """Return the gaps of a season that no pair has played yet; see ``add_gap``."""
    return SeasonGaps(season=committed.season, public=public, judge=judge, pictures=count, gaps=())


def _compute_digest(committed: CommittedSeason, run_id: str, instance_id: str) -> bytes:
    text = f"ircore slice\n{run_id}\n{instance_id}\n".encode()
    # With the salt as key, the pictures of a pair can be checked once the season is revealed, and not before.
    return hmac.new(bytes.fromhex(committed.salt), text, hashlib.sha256).digest()
