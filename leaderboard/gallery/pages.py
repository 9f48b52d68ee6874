"""The gallery: an index of all targets, a page per instance with a row per pair, and an episode's replay."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ircore.core.episode_records import Episode
from ircore.core.untrusted_text import format_one_line
from ircore.results.episodes import CONVERGENCES, Doubt, EpisodeResult, JudgedEpisode, VouchedScores
from leaderboard.components.episodes import dump_marks
from leaderboard.gallery.fragments import (
    FIRST,
    FOLDER,
    EpisodeView,
    Fragments,
    TurnView,
    list_ranked_pairs,
    view_episode,
)
from leaderboard.gallery.same_words import FAULTS, FILE, BlameShares, group_same_words
from leaderboard.model.alt_texts import describe_target_picture
from leaderboard.model.messages import MarkedMessage, Segment
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.model.xray import FactGroup, TurnFacts
from leaderboard.pages.cannot_draw import load_pair_facts
from leaderboard.pages.finding import describe_best_on_target, describe_outcome
from leaderboard.pages.selections import (
    STRIP_SELECTION,
    Chosen,
    choose_example_episode,
    choose_selections,
    find_best_episode,
    strip_episodes,
    strip_page,
    strip_path,
)
from leaderboard.storage.pictures import Shown
from leaderboard.words import OUTCOMES


def build_gallery_pages(site: Site) -> Iterator[Page]:
    """Yield the index, one page per instance, and the replay of an illustrative episode."""
    yield Page(
        "gallery/index",
        "Gallery",
        "gallery_index",
        {"shards": FOLDER},
        later=partial(_collect_index, site),
        found_by="episodes pictures",
    )
    strips = strip_episodes(site)
    galleries = list(site.galleries.values())
    pairs, fragments = list_ranked_pairs(site), Fragments(site)
    faults = BlameShares(site, pairs)
    for index, gallery in enumerate(galleries):
        yield Page(
            f"gallery/{gallery.instance.instance_id}",
            gallery.title,
            "instance",
            {
                "gallery": gallery,
                "marks": dump_marks(gallery.drawn),
                "seen": describe_target_picture(gallery.instance),
                "before": galleries[index - 1] if index else None,
                "after": galleries[index + 1] if index + 1 < len(galleries) else None,
                "pairs": len(pairs),
                # The sample is of a pair outside the page, so that no id occurs twice.
                "sample": sample_episode(pairs[FIRST]) if len(pairs) > FIRST else None,
                "shards": FOLDER,
                "best": find_best_episode(site, gallery),
                "strips": {chosen.pair.key: strip_page(chosen) for chosen in strips if chosen.gallery is gallery},
            },
            later=partial(_collect_sections, site, fragments, faults, pairs, index),
            finding=partial(describe_best_on_target, site.judge),
        )
    example = _build_replay_page(site, "replay", "One episode, turn by turn", choose_example_episode(site))
    yield replace(example, found_by="replay")
    for chosen in strips:
        yield _build_replay_page(site, strip_page(chosen), _name_episode(chosen), chosen)


def _build_replay_page(site: Site, path: str, title: str, chosen: Chosen | None) -> Page:
    values, later = {"heading": title, "chosen": chosen}, partial(_collect_replay, site, chosen)
    return Page(path, title, "replay", values, later=later, finding=partial(_describe_end, site.judge))


def _name_episode(chosen: Chosen) -> str:
    return f"{chosen.gallery.title} by {format_one_line(chosen.pair.name, 80)}"


def _describe_end(judge: str, values: Mapping[str, Any]) -> str:
    """Return how an episode ended, and whose it is where the heading does not say that."""
    chosen: Chosen | None = values["chosen"]
    if chosen is None:
        return ""
    whose, outcome = _name_episode(chosen), describe_outcome(chosen, judge)
    return outcome if values["heading"] == whose else f"{whose}, {outcome}"


def _collect_index(site: Site) -> dict[str, Any]:
    return {"groups": _group_targets(site), "selections": _list_selections(site)}


def _collect_sections(
    site: Site, fragments: Fragments, faults: BlameShares, pairs: Sequence[Pair], index: int
) -> dict[str, Any]:
    gallery = list(site.galleries.values())[index]
    groups = group_same_words(site, gallery, pairs)
    return {
        "sections": [fragments.sections(pair)[index] for pair in pairs[:FIRST]],
        "groups": groups,
        "faults": {pair.key: said for pair in pairs[:FIRST] if (said := faults.sentence(pair, gallery))},
        "faults_file": FAULTS if len(pairs) > FIRST else "",
        "words_file": FILE,
    }


def _collect_replay(site: Site, chosen: Chosen | None) -> dict[str, Any]:
    if chosen is None:
        return {"row": None}
    return {
        "row": view_episode(site, chosen.pair, chosen.gallery, load_pair_facts(site, chosen.pair)),
        "gallery": chosen.gallery,
        "seen": describe_target_picture(chosen.gallery.instance),
        "strip": strip_path(chosen),
    }


def _group_targets(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "category": category,
            "entries": [
                _build_entry(site, gallery)
                for gallery in site.galleries.values()
                if gallery.instance.category == category
            ],
        }
        for category in site.results.categories
    ]


def _build_entry(site: Site, gallery: Gallery) -> dict[str, Any]:
    results = [site.episode(run_id, gallery.instance.instance_id) for run_id in site.pairs]
    played = [result for result in results if result is not None]
    finals = [score for result in played if (score := _find_final_score(site, result)) is not None]
    changes = {judged.convergence for result in played if (judged := site.judged(result)) is not None}
    outcomes = {result.episode.outcome for result in played}
    return {
        "gallery": gallery,
        "seen": describe_target_picture(gallery.instance),
        "number": gallery.title.rpartition(" ")[2],
        "outcomes": [outcome for outcome in OUTCOMES if outcome in outcomes],
        "changes": [change for change in CONVERGENCES if change in changes],
        "best": max(finals, default=None),
        "worst": min(finals, default=None),
    }


def _find_final_score(site: Site, result: EpisodeResult) -> float | None:
    judged = site.judged(result)
    return judged.final if judged else None


def _list_selections(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "selection": selection,
            "entries": [_describe_selected(site, chosen) for chosen in selection.chosen],
            "animated": selection.name == STRIP_SELECTION,
        }
        for selection in choose_selections(site)
    ]


def _describe_selected(site: Site, chosen: Chosen) -> dict[str, Any]:
    first, final = chosen.first.rendering, chosen.final.rendering
    assert first is not None and final is not None  # noqa: S101, PT018 - rendered turns
    return {
        "chosen": chosen,
        "seen": describe_target_picture(chosen.gallery.instance),
        "first": site.rendering(chosen.pair.run_id, first) if chosen.final.turn > chosen.first.turn else None,
        "final": site.rendering(chosen.pair.run_id, final),
        "share": strip_page(chosen),
    }


_ANY = "…"
"""Stands where a script puts words."""


def sample_episode(pair: Pair) -> EpisodeView:
    """Return a sample episode that contains every element a gallery row can show.

    Its judges are one with a change and one of a single rendering, its turns one with a rendering and one without.

    Args:
        pair: A pair without a row in the page, so that no id is there twice.
    """
    judged = partial(JudgedEpisode, _ANY, 0.0, 0.0, convergence=None, preference=None, trajectory={})
    message = MarkedMessage((Segment(_ANY, ("position",)),), 1, ("position",))
    facts = TurnFacts(0, 0, 1, 1, Doubt(0, 0, 1, unread=True), (FactGroup(_ANY, (("presence", _ANY),)),))
    turn = partial(
        TurnView, alt=_ANY, scores=((_ANY, 0.0), (_ANY, None)), message=message, tokens=0, over_budget=True, facts=facts
    )
    picture = Shown("index.html", "index.html", 1, 1)
    return EpisodeView(
        pair=pair,
        episode=Episode(
            episode_id="sample",
            instance_id="sample",
            category="sample",
            difficulty="easy",
            outcome="aborted",
            abort_reason="given_up",
            detail=_ANY,
            steps=(),
        ),
        judged=(judged(0.0), judged(None)),
        turns=(turn(1, picture, notes=(_ANY,)), turn(2, None, notes=(_ANY,))),
        ended=_ANY,
        why=_ANY,
        vouched=VouchedScores(1, 1),
    )
