"""Writing the animated turn strips; a strip comes from the build cache while its run is unchanged."""

from ircore.core.files import write_bytes
from ircore.runs.animation import animate
from leaderboard.building.tree import Tree
from leaderboard.model.site import Site
from leaderboard.pages.selections import Chosen
from leaderboard.pages.turn_strips import strip_episodes, strip_path
from leaderboard.storage.build_cache import content_key


def write_strips(site: Site | None, tree: Tree) -> None:
    """Write the strip of every episode that has one; a site without the reconstruction game has none.

    Raises:
        WorkError: The disk is full.
    """
    if site is None:
        return
    for chosen in strip_episodes(site):
        _write(site, chosen, tree)


def _write(site: Site, chosen: Chosen, tree: Tree) -> None:
    file = tree.files / strip_path(chosen)
    name = f"strips/{content_key(site.key(chosen.pair), chosen.gallery.instance.instance_id)}"
    kept = site.cache.load(name) if site.cache else None
    file.parent.mkdir(parents=True, exist_ok=True)
    if kept is not None:
        write_bytes(file, kept)
        return
    run = site.runs[chosen.pair.run_id].source
    animate(run, chosen.result.episode.episode_id, file, (site.judge,))
    if site.cache:
        site.cache.store(name, file.read_bytes())
