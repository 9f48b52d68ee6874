"""Small sites for tests: pairs by name, ratings by rule, a site that is built once for all worker processes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from samples import rating_of
from shared_folders import made_once

from ircore.core.records import PlayerSpec
from ircore.core.score_records import Task
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.players.submission import LoadedSubmission
from ircore.runs.folder import RunFolder


def named_submission(slug: str, describer: str, generator: str, **more: object) -> LoadedSubmission:
    """A submission of built-in players that go by these names, so that the site tells them apart."""
    made = Submission.model_validate(
        {
            "schema": 1,
            "name": slug,
            "licence": "CC0-1.0",
            **more,
            "describer": PlayerSpec(player="classical", model=describer),
            "generator": PlayerSpec(player="canvas", model=generator),
        }
    )
    return LoadedSubmission(slug, made, Path("submissions") / slug / "submission.yaml")


def rate_turns(
    run: RunFolder,
    first: float,
    by_episode: float = 0.0,
    by_turn: float = 0.0,
    judge: str = "structural",
    annotator: str | None = None,
    task: Task = "similarity",
) -> RunFolder:
    """Give the first rendering of the n-th episode ``first`` + n · ``by_episode``, each later one ``by_turn`` more."""
    run.add_scores(
        rating_of(
            episode, turn, first + number * by_episode + (turn.turn - 1) * by_turn, judge, task, annotator=annotator
        )
        for number, episode in enumerate(run.episodes())
        for turn in list_rendered_turns(episode)
    )
    return run


def built_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder ``site`` that ``make`` leaves in the folder it is given: made once for all workers of a test run."""
    return made_once(factory, name, make) / "site"
