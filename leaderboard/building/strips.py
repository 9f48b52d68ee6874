"""Writing the animated turn strips; a strip comes from the build cache while its run is unchanged."""

from ircore.core.files import write_bytes
from ircore.runs.animation import animate
from leaderboard.building.tree import Tree
from leaderboard.model.site import Site
from leaderboard.pages.selections import Chosen
from leaderboard.pages.turn_strips import strip_episodes, strip_path
from leaderboard.storage.build_cache import content_key, load_or_make


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
    file.parent.mkdir(parents=True, exist_ok=True)

    def drawn() -> bytes:
        animate(site.runs[chosen.pair.run_id].source, chosen.result.episode.episode_id, file, (site.judge,))
        return file.read_bytes()

    name = f"strips/{content_key(site.key(chosen.pair), chosen.gallery.instance.instance_id)}"
    strip = load_or_make(site.cache, name, drawn)
    if not file.exists():
        write_bytes(file, strip)
