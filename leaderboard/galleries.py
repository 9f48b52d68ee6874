"""The gallery: an index of all targets and a page per instance, pairs as rows and turns as columns."""

from collections.abc import Iterator
from typing import Any

from ircore.results.episodes import EpisodeResult
from leaderboard.site import Gallery, Page, Pair, Site


def gallery_pages(site: Site) -> Iterator[Page]:
    """Yield the index and one page an instance."""
    galleries = list(site.galleries.values())
    yield Page("gallery/index", "Gallery", "gallery_index", {"groups": _groups(site)})
    for index, gallery in enumerate(galleries):
        yield Page(
            f"gallery/{gallery.instance.instance_id}",
            gallery.title,
            "instance",
            {
                "gallery": gallery,
                "before": galleries[index - 1] if index else None,
                "after": galleries[index + 1] if index + 1 < len(galleries) else None,
                "rows": [_row(site, pair, gallery) for pair in ranked_pairs(site)],
            },
        )


def ranked_pairs(site: Site) -> list[Pair]:
    """Return the pairs in the order of the overall board: the same order on every page."""
    return [site.pairs[row.submission.run_id] for row in site.results.board(site.judge)]


def _groups(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "category": category,
            "entries": [_entry(site, one) for one in site.galleries.values() if one.instance.category == category],
        }
        for category in site.results.categories
    ]


def _entry(site: Site, gallery: Gallery) -> dict[str, Any]:
    results = [site.episode(run_id, gallery.instance.instance_id) for run_id in site.pairs]
    judged = [site.judged(one) for one in results]
    finals = [one.final for one in judged if one is not None and one.final is not None]
    return {
        "gallery": gallery,
        "number": gallery.title.rpartition(" ")[2],
        "outcomes": sorted({one.episode.outcome for one in results if one is not None}),
        "best": max(finals, default=None),
        "worst": min(finals, default=None),
    }


def _row(site: Site, pair: Pair, gallery: Gallery) -> dict[str, Any]:
    result = site.episode(pair.run_id, gallery.instance.instance_id)
    return {
        "pair": pair,
        "episode": result.episode if result else None,
        "detail": result.episode.detail if result else None,
        "judged": [one for one in result.judged.values() if one.final is not None] if result else [],
        "turns": _turns(site, pair, result) if result else [],
    }


def _turns(site: Site, pair: Pair, result: EpisodeResult) -> list[dict[str, Any]]:
    return [
        {
            "number": turn.turn,
            "picture": site.rendering(pair.run_id, turn.rendering) if turn.rendering else None,
            "scores": [
                {"judge": judge, "value": one.trajectory.get(turn.turn)} for judge, one in result.judged.items()
            ],
            "score": _main_score(site, result, turn.turn),
            "message": turn.message,
            "tokens": turn.message_tokens,
            "over_budget": turn.over_budget,
            "notes": turn.notes,
            "ended": "Done" if turn.action == "done" else "No picture",
        }
        for turn in result.episode.turns
    ]


def _main_score(site: Site, result: EpisodeResult, turn: int) -> float | None:
    judged = site.judged(result)
    return judged.trajectory.get(turn) if judged else None
