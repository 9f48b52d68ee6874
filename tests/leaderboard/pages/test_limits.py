"""What the page of limits counts: the targets that the site's judge rates."""

import pytest
from invented import InventedRun, invented_run, invented_set

from ircore.core.score_records import JudgeIdentity
from leaderboard.model.site import Site
from leaderboard.pages.limits import limits_page


class NoPhotos(InventedRun):
    """A run whose judge rates geometry alone, though the set holds photos, too."""

    def judges(self) -> dict[str, JudgeIdentity]:
        own = JudgeIdentity(name="structural", label="structural", kind="computed", categories=("geometry",))
        return {own.name: own}


@pytest.mark.slow
def test_targets_that_the_judge_does_not_rate_are_not_counted() -> None:
    instances = invented_set(3, ("geometry", "photos"))
    made = (invented_run(instances, name, "painter", skill, 0.2) for name, skill in (("seer", 7.0), ("poet", 4.0)))
    site = Site([NoPhotos(run.path, run.run, run.instances, run.played, run.given) for run in made])  # type: ignore[misc]
    sizes = limits_page(site).complete().values["sizes"]
    counts = {size["category"]: [level["n"] for level in size["levels"]] for size in sizes}
    assert counts == {None: [6, 3, 3], "geometry": [6, 3, 3], "photos": [0, 0, 0]}
