"""Giving recorded messages, or others in their place, to a generator: played and kept like any run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.counted import counted
from ircore.core.errors import WorkError
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.submission import LoadedSubmission, make_player
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import prices_of_run
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan

MOST_TOKENS = 10_000
"""Token budget of these runs: a paraphrase may be longer than its message."""

Words = Mapping[str, Sequence[str]]
"""The messages of an episode, turn by turn, by the hash of the target's picture."""


class Drawer(NamedTuple):
    """A generator that is asked.

    >>> from ircore.players.builtin_pairs import builtin_pairs
    >>> from ircore.players.submission import read_manifest
    >>> drawer_of(read_manifest(builtin_pairs()["classical+canvas"])).pair.slug
    'builtin-classical-canvas'
    """

    pair: LoadedSubmission
    """The submission that has it."""

    player: Any
    """The generator itself."""


def drawer_of(pair: LoadedSubmission) -> Drawer:
    """Return the generator of a submission.

    Raises:
        InputError: The generator does not take its settings.
    """
    return Drawer(pair, make_player(pair, "generator"))


class Speaker:
    """A describer that says given words to each target, and then is done.

    >>> import asyncio
    >>> import numpy as np
    >>> from ircore.core.images import Picture
    >>> target = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    >>> view = DescriberView(1, "Describe it.", target, (), (), (), (), token_budget=200, seed=0)
    >>> asyncio.run(Speaker({target.sha256: ["A red circle."]}).describe(view)).text
    '<DESCRIPTION>A red circle.</DESCRIPTION>'

    Args:
        words: By the hash of the target's picture.
    """

    def __init__(self, words: Words) -> None:
        self._words = words

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Return the words of this turn; ``<DONE>`` after the last."""
        # A describer is shown no name of its episode, so that words are found by the picture.
        messages = self._words[view.target.sha256]
        return TextAnswer(
            f"<DESCRIPTION>{messages[view.turn - 1]}</DESCRIPTION>" if view.turn <= len(messages) else "<DONE>"
        )


def play_words(
    run: RunFolder,
    words: Words,
    drawer: Drawer,
    words_name: str,
    out: Path,
    concurrency: int = 4,
    max_cost: float | None = None,
) -> RunFolder:
    """Let a generator draw from words in the place of the describer's.

    Args:
        run: The run whose targets are played.
        words: What is said to each target; other targets of the set are left out.
        drawer: Who draws, by the rule ``drawing`` of its own submission.
        words_name: Name of the words, which becomes part of the new run's identity.
        out: The run folder: created, or resumed if it exists.
        concurrency: Episodes at the same time.
        max_cost: US dollars that the new run may cost; no limit if None.

    Raises:
        InputError: The folder holds another run.
        WorkError: The generator failed for a technical reason, or the cost reached its limit.
    """
    pair = drawer.pair.submission
    speaker = PlayerSpec(player="replay", parameters={"run": run.run.run_id, "words": words_name})
    submission = Submission(
        schema_=1,
        # 300 characters is the longest name that the format takes.
        name=f"{words_name} of {run.run.slug}"[:300],
        licence="CC0-1.0",
        describer=speaker,
        generator=pair.players["generator"],
    )
    loaded = LoadedSubmission(f"channel-{words_name}", submission, drawer.pair.path)
    most = max(map(len, words.values()))
    game = load_game(run.game)
    rules = game.rules.model_validate(
        {"token_budget": MOST_TOKENS, "max_turns": max(1, most), "drawing": game.rules_of(pair).drawing}
    )
    prompts = game.prompts(None)
    identity = make_run(loaded, run.instances, rules, prompts, run.run.seed)
    instance_ids = {
        instance.instance_id for instance in run.instances.instances if instance.pictures["target"].sha256 in words
    }
    selected = run.instances.instances.where(lambda entry: entry.instance_id in instance_ids)
    folder = open_run(out, identity, run.instances, selected)
    plan = PlayPlan(identity, run.instances, selected, prompts, concurrency)
    play_all(plan, folder, game, {"describer": Speaker(words), "generator": drawer.player}, max_cost)
    return folder


def play_all(
    plan: PlayPlan, folder: RunFolder, game: Game[Any], players: Mapping[str, Any], max_cost: float | None
) -> None:
    """Play every episode of a plan to its end.

    Raises:
        WorkError: A player failed for a technical reason, or the cost reached its limit.
    """
    episodes = play(plan, folder, game, players, CostLimit(prices_of_run(folder), max_cost))
    if failed := [episode for episode in episodes if not episode.finished]:
        problem = (
            f"{folder.path}: {counted(len(failed), 'episode')} failed: {failed[0].abort_reason}: {failed[0].detail}"
        )
        raise WorkError(problem, "Give the same command again: it goes on where it stopped.")
