"""The gallery: an index of all targets, a page per instance with a row per pair, and an episode's replay."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ircore.results.episodes import CONVERGENCES, EpisodeResult
from leaderboard.components.xray_data import marks_data
from leaderboard.gallery.episode_view import view_episode
from leaderboard.gallery.fragments import FIRST, Fragments, ranked_pairs
from leaderboard.gallery.same_words import FILE, same_words, whose_fault
from leaderboard.gallery.sample_episode import sample_episode
from leaderboard.gallery.shards import FOLDER
from leaderboard.model.final_fates import facts_of_pair
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.pages.selections import Chosen, selections, telling_episode
from leaderboard.pages.turn_strips import SELECTION, strip_path
from leaderboard.words.alt_text import target_words
from leaderboard.words.labels import OUTCOMES


def gallery_pages(site: Site) -> Iterator[Page]:
    """Yield the index, one page per instance, and the replay of an illustrative episode."""
    yield Page("gallery/index", "Gallery", "gallery_index", {"shards": FOLDER}, later=partial(_index, site))
    galleries = list(site.galleries.values())
    pairs, fragments = ranked_pairs(site), Fragments(site)
    for index, gallery in enumerate(galleries):
        yield Page(
            f"gallery/{gallery.instance.instance_id}",
            gallery.title,
            "instance",
            {
                "gallery": gallery,
                "marks": marks_data(gallery.drawn),
                "seen": target_words(gallery.instance),
                "before": galleries[index - 1] if index else None,
                "after": galleries[index + 1] if index + 1 < len(galleries) else None,
                "pairs": len(pairs),
                # The sample is of a pair outside the page, so that no id occurs twice.
                "sample": sample_episode(pairs[FIRST]) if len(pairs) > FIRST else None,
                "shards": FOLDER,
            },
            later=partial(_sections, site, fragments, pairs, index),
        )
    yield Page("replay", "One episode, turn by turn", "replay", later=partial(_replay, site))


def _index(site: Site) -> dict[str, Any]:
    return {"groups": _groups(site), "selections": _selections(site)}


def _sections(site: Site, fragments: Fragments, pairs: Sequence[Pair], index: int) -> dict[str, Any]:
    gallery = list(site.galleries.values())[index]
    groups = same_words(site, gallery, pairs)
    return {
        "sections": [fragments.sections(pair)[index] for pair in pairs[:FIRST]],
        "groups": groups,
        "fault": whose_fault(site, gallery, pairs, groups),
        "words_file": FILE,
    }


def _replay(site: Site) -> dict[str, Any]:
    chosen = telling_episode(site)
    if chosen is None:
        return {"row": None}
    return {
        "row": view_episode(site, chosen.pair, chosen.gallery, facts_of_pair(site, chosen.pair)),
        "gallery": chosen.gallery,
        "seen": target_words(chosen.gallery.instance),
        "strip": strip_path(chosen),
    }


def _groups(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "category": category,
            "entries": [
                _entry(site, gallery) for gallery in site.galleries.values() if gallery.instance.category == category
            ],
        }
        for category in site.results.categories
    ]


def _entry(site: Site, gallery: Gallery) -> dict[str, Any]:
    results = [site.episode(run_id, gallery.instance.instance_id) for run_id in site.pairs]
    played = [result for result in results if result is not None]
    finals = [score for result in played if (score := _final(site, result)) is not None]
    changes = {judged.convergence for result in played if (judged := site.judged(result)) is not None}
    outcomes = {result.episode.outcome for result in played}
    return {
        "gallery": gallery,
        "seen": target_words(gallery.instance),
        "number": gallery.title.rpartition(" ")[2],
        "outcomes": [outcome for outcome in OUTCOMES if outcome in outcomes],
        "changes": [change for change in CONVERGENCES if change in changes],
        "best": max(finals, default=None),
        "worst": min(finals, default=None),
    }


def _final(site: Site, result: EpisodeResult) -> float | None:
    judged = site.judged(result)
    return judged.final if judged else None


def _selections(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "selection": selection,
            "entries": [_selected(site, chosen) for chosen in selection.chosen],
            "animated": selection.name == SELECTION,
        }
        for selection in selections(site)
    ]


def _selected(site: Site, chosen: Chosen) -> dict[str, Any]:
    first, final = chosen.first.rendering, chosen.final.rendering
    assert first is not None and final is not None  # noqa: S101, PT018 - rendered turns
    return {
        "chosen": chosen,
        "seen": target_words(chosen.gallery.instance),
        "first": site.rendering(chosen.pair.run_id, first) if chosen.final.turn > chosen.first.turn else None,
        "final": site.rendering(chosen.pair.run_id, final),
        "strip": strip_path(chosen),
    }
