"""Pictures that judges and people rate, in runs of any game: each rendering with the original beside it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ircore.core.episode_records import Episode, Rendering, list_renderings
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import convert_plugin_errors
from ircore.core.records import Instance, Scene
from ircore.games.base import Game, RatedPicture, is_played, read_ending
from ircore.games.declarations import find_rating_fault
from ircore.games.registry import has_rated_pictures, load_game
from ircore.instances.store import InstanceSet
from ircore.runs.episode import parse_payload
from ircore.runs.folder import RunFolder


@dataclass(frozen=True)
class Original:
    """A picture of an instance that renderings are compared with.

    Attributes:
        instance_id: The instance.
        picture: Name among the instance's pictures.
        sha256: Of its file's bytes.
        scene: What it shows, where the game says so; see ``read_scene``.
    """

    instance_id: str
    picture: str
    sha256: str
    scene: Scene | None = None


@dataclass(frozen=True)
class RatedEpisode:
    """A played episode with the renderings that are rated.

    >>> target = Original("a", "target", sha256="a" * 64)
    >>> drawings = {step: Rendering(sha256=str(step) * 64, width=64, height=64) for step in (1, 2)}
    >>> RatedEpisode("a", "a", "photos", "easy", {1: target, 2: target}, drawings).compared
    (1, 2)

    Attributes:
        originals: By step; the steps are those of ``renderings``.
        renderings: By step, in order; the last one is final.
    """

    episode_id: str
    instance_id: str
    category: str
    difficulty: str
    originals: Mapping[int, Original]
    renderings: Mapping[int, Rendering]

    @property
    def compared(self) -> tuple[int, int] | None:
        """Steps of the first and the final rendering, where a preference can be asked: both of one original."""
        steps = tuple(self.renderings)
        alike = len(steps) > 1 and self.originals[steps[0]].sha256 == self.originals[steps[-1]].sha256
        return (steps[0], steps[-1]) if alike else None


def list_rated_episodes(run: RunFolder) -> list[RatedEpisode]:
    """Return the played episodes of a run with the pictures that judges and people rate.

    >>> from pathlib import Path
    >>> [(episode.episode_id, *episode.renderings) for episode in list_rated_episodes(RunFolder(Path("run")))]
    [('simple_shapes-easy-01', 1), ('simple_shapes-hard-01', 1, 2, 3, 4, 5)]

    Raises:
        InputError: No picture of the run's game is rated, the game is not installed, or an episode does not fit it.
        WorkError: The game is broken.
    """
    game = load_game(run.game, f"{run.path}/run.json: game")
    if not has_rated_pictures(game):
        raise InputError(
            f"{run.path}: the game {game.name} has no pictures that judges or people rate",
            "Name runs of a game whose method list_rated_pictures says which pictures are compared.",
        )
    return list(iterate_rated_episodes(game, run.instances, run.episodes()))


def iterate_rated_episodes(
    game: Game[Any], instances: InstanceSet, episodes: Iterable[Episode]
) -> Iterator[RatedEpisode]:
    """Yield the played episodes of a game; see ``list_rated_episodes``."""
    by_id = {instance.instance_id: instance for instance in instances.instances}
    for episode in episodes:
        if is_played(game, episode):
            instance = by_id[episode.instance_id]
            yield _build_rated_episode(game, episode, instance, parse_payload(game, instances, instance))


def read_original(run: RunFolder, original: Original) -> Picture:
    """Return an original.

    Raises:
        InputError: It is missing or damaged, or is in no release.
    """
    return run.instances.pictures(_find_instance(run.instances, original))[original.picture]


def read_scene(run: RunFolder, original: Original) -> Scene | None:
    """Return what an original shows; None if nobody knows."""
    # Read when it is asked for, since the scenes of many targets take far more memory than all the rest.
    return original.scene or _find_instance(run.instances, original).scene


def _find_instance(instances: InstanceSet, original: Original) -> Instance:
    return next(iter(instances.instances.select({original.instance_id})))


def _build_rated_episode(game: Game[Any], episode: Episode, instance: Instance, payload: Any) -> RatedEpisode:
    where, remedy = f"{episode.episode_id}: the game {game.name}", "Mend the game's package."
    with convert_plugin_errors(where, remedy=remedy):
        ending = read_ending(game, episode)
        rated = [RatedPicture(*picture) for picture in game.list_rated_pictures(payload, ending)]
        drawn = {
            (game.step_number(place, ending.steps[place - 1]), rendering)
            for place, rendering in list_renderings(episode)
        }
        fault = find_rating_fault(rated, instance.pictures, drawn)
    if fault:
        raise WorkError(f"{where}: {fault}", remedy)
    originals = {
        picture.step: Original(
            instance.instance_id, picture.original, instance.pictures[picture.original].sha256, picture.scene
        )
        for picture in rated
    }
    return RatedEpisode(
        episode.episode_id,
        episode.instance_id,
        episode.category,
        episode.difficulty,
        originals,
        {picture.step: picture.rendering for picture in rated},
    )
