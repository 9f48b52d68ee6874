"""The page of each retired target: what it shows, why it was retired, and the board with and without it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import select_published_pictures
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.subsets import list_board_rows
from ircore.submissions.pending_work import cleared_runs
from leaderboard.model.site import Page, Site


def build_retired_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each target that was retired from the set of a game, where its page stood before.

    Args:
        site: The game's.
    """
    whole = next(iter(site.runs.values())).source.instances
    known = {instance.instance_id: instance for instance in whole.instances}
    for target in site.results.retired:
        # A run may hold a part of its set.
        if (instance := known.get(target.instance_id)) is None:
            continue
        pictures = [
            site.pictures.add(path, file.sha256, file.width, file.height)
            for file in select_published_pictures(instance).values()
            if (path := whole.folder / file.image).is_file()
        ]
        values = {"target": target, "instance": instance, "target_pictures": pictures}
        name = site.path(f"gallery/{target.instance_id}")
        title = f"Retired: {target.instance_id}"
        yield Page(name, title, "retired", values, later=partial(_compare_boards, site, target))


def _compare_boards(site: Site, target: RetiredTarget) -> dict[str, Any]:
    """Return the board with the target, beside the board of now: runs, scores and ranks."""
    runs = [PlayedRun(run.source) for run in site.results.every_run]
    others = [other for other in site.results.retired if other != target]
    before = Results.from_runs(runs, cleared_runs(site.submitted), retired=others)
    judge = site.judge
    former = {row.submission.run_id: row for row in list_board_rows(before, judge)}
    now = list_board_rows(site.results, judge)
    return {"judge": judge, "rows": [(former.get(row.submission.run_id), row) for row in now]}
