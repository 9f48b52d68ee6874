"""Invented runs of a game whose drawings judges and people rate."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from invented import InventedRun
from invented_games import Guessing, guessed

from ircore.core.episode_records import Episode, Rendering
from ircore.core.records import Instance, PictureFile, Record
from ircore.core.score_records import Score
from ircore.games.base import Curve, Ending, Measure, Pages, RatedPicture
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet

ONE = "one"


class Drawn(Record):
    """A step with a drawing."""

    drawing: Rendering


class Drawing(Guessing):
    """The invented game with a drawing a step, each compared with the picture of the instance."""

    step = Drawn
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("points", "Points", "points", (0, 10)),
        Measure("judged", "Judged", "points", (0, 10), per="step", needs="judge"),
        Measure("final_judged", "Judged, last", "points", (0, 10), needs="judge"),
        Measure("final_rated", "Rated, last", "points", (0, 10), needs="person"),
    )
    pages = Pages(columns=("final_judged", "final_rated"), figures=("final_judged",), curves=(Curve("judged"),))

    def list_rated_pictures(self, payload: Any, ending: Ending) -> Iterator[RatedPicture]:
        for number, step in enumerate(ending.steps, start=1):
            yield RatedPicture(number, "target", step.drawing)


def rendering(step: int) -> Rendering:
    return Rendering(sha256=f"{step}" * 64, width=8, height=8)


def drawn_run(*given: Score, steps: int = 2) -> InventedRun:
    """A run of one episode whose drawings were rated."""
    picture = PictureFile(image="images/target.png", sha256="f" * 64, width=8, height=8)
    instance = Instance(
        instance_id=ONE, game="guessing", category="beasts", difficulty="easy", source="invented for a test",
        licence="CC0-1.0", pictures={"target": picture},
    )  # fmt: skip
    instances = InstanceSet(Path("nowhere"), "0" * 64, Instances.of((instance,)))
    made = guessed("drawer", instances, [5.0])
    episode = Episode(
        episode_id=ONE, instance_id=ONE, category="beasts", difficulty="easy", outcome="completed",
        steps=tuple({"drawing": rendering(step).model_dump()} for step in range(1, steps + 1)),
    )  # fmt: skip
    return InventedRun(made.path, made.run, instances, (episode,), (*made.given, *given))
