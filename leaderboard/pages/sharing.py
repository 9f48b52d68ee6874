"""Parts of a page that leave with its reader: the link, the citation, and the source of the numbers."""

import json
import re

from markupsafe import Markup

from ircore.core.untrusted_text import format_one_line
from leaderboard.components.markup import macro
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import View, describe_origin
from leaderboard.pages.citation import format_misc_entry

NUMBERED = frozenset(
    {
        "ask", "board", "changes", "chart", "compare", "figures", "front", "frozen", "gallery_index", "game_figures",
        "game_gallery", "game_instance", "game_players", "game_run", "game_start", "history",
        "instance", "judge_card", "limits", "matrix", "metric_agreement", "metric_board", "pair", "pairs_index",
        "paper", "people", "player", "player_board", "replay", "targets",
    }
)  # fmt: skip
"""Templates of pages that have numbers."""


def render_share_strip(page: Page, site: Site | None) -> Markup:
    """Return the buttons that copy a page's link and its citation; empty for a page without numbers."""
    section = page.values.get("section")
    # A page of words alone is cited with the paper, on the page of citations.
    if page.template not in NUMBERED or (site is None and section is None):
        return Markup()
    # BibTeX ends a key at a comma or brace and does not allow spaces.
    key = re.sub(r"[^A-Za-z0-9-]", "-", f"image-reconstruction-game-{page.path}")
    address = f"{site.address}{page.path}.html" if site is not None and site.address else ""
    shown = page.values.get("site", site) if site is None or section is None else section
    source = _describe_source(shown, page)
    entry = format_misc_entry(key, f"{page.title}. The Image Reconstruction Game", source, address)
    # A site without the reconstruction game has no page on how to cite it.
    return macro("share_strip")(_dump_episode_links(page), entry, page.root, site is not None)


def _dump_episode_links(page: Page) -> str:
    """Return the page of each episode of a target that has a card of its own, by the pair's key, as JSON; or empty."""
    strips = {key: f"{page.root}{path}.html" for key, path in page.values.get("strips", {}).items()}
    return json.dumps(strips) if strips else ""


def dump_provenance(site: Site, view: View, metric: str = "") -> str:
    """Return where the numbers of a board come from, as JSON for files that a reader saves.

    Args:
        site: What is shown.
        view: Condition of the board.
        metric: Image metric that measured in the place of a judge; empty for none.
    """
    facts = collect_provenance(site, view)
    if metric:
        del facts["judge"]
        facts = {"metric": metric, **facts}
    return json.dumps(facts, ensure_ascii=False)


def collect_provenance(site: Site, view: View) -> dict[str, str]:
    """Return where the numbers of a board come from: each fact by its name."""
    return {
        "judge": view.judge,
        "category": view.category or "all",
        "difficulty": view.difficulty or "all",
        "rules": view.rules.key if view.rules else "all",
        "game": site.game.name,
        "benchmark": site.version.words,
        "instance_set": site.results.instance_set,
        "ircore": ", ".join(sorted({submission.run.version for submission in site.results.submissions})),
    }


def _describe_source(site: Site, page: Page) -> str:
    """Return where the numbers of a page come from: that of a frozen board, a board by its judge, or the site's."""
    values = page.values
    if page.template == "paper":
        return "scores as the paper reports them, not run here"
    version, instance_set = site.version.words, site.results.instance_set
    if page.template == "frozen":
        version, instance_set = f"benchmark {values['record'].name}", values["record"].instance_set
    game = f"{site.game.title}, " if site.folder else ""
    view = page.values.get("view")
    # What a board's own words leave out for readers belongs to its citation.
    origin = f"; {describe_origin(site, view)}" if isinstance(view, View) else ""
    return f"{game}{version}, instance set {instance_set[:12]}{_describe_rater(site, page)}{origin}"


def _describe_rater(site: Site, page: Page) -> str:
    if page.template in ("judge_card", "metric_agreement", "people"):
        # A test of one judge, and a comparison of all.
        return ""
    if page.template == "metric_board":
        return f", measured by {page.values['metric']}"
    if not site.game.is_judged:
        return ""
    view = page.values.get("view")
    return f", judged by {site.judge if view is None else format_one_line(view.judge, 60)}"
