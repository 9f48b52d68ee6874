"""The episodes of a pair as the gallery shows them, in its pages and in the files that its scripts fetch.

An episode is a row of turns with picture, message and scores, and the outcome; it is rendered once. A pair that stands
in every instance's page itself has sections of these pages; of the others data is made, which the browser fetches.
Neither depends on other runs. A pair's fragments are cached together while the run is unchanged, one line an instance
in the order of the set, and the outcomes of all its episodes in an entry of their own, which is a tenth as large.

``data/gallery/pairs.json`` names every pair once, in the order of the overall board. The first ``FIRST`` of them stand
in every instance's page; the others lie in ``data/gallery/<instance>/<n>.json``, ``SHARD`` pairs a file, n from 0. How
a pair's episodes ended, with scores, faults and pictures, is in ``data/gallery/pairs/<pair>.json``, for the index of
the gallery; ``data/gallery/extremes.json`` holds those of all pairs that a filter there may bring to the top.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import Any

from markupsafe import Markup

from ircore.core.episode_records import Episode
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.core.workers import run_shares
from ircore.results.corrections import Correction
from ircore.results.episodes import EpisodeResult, JudgedEpisode, VouchedScores, count_vouched_scores
from leaderboard.components.episodes import build_xray_data
from leaderboard.model.alt_texts import describe_rendering
from leaderboard.model.messages import MarkedMessage, mark_message
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.model.xray import Lines, TurnFacts, Xray, build_xrays, group_facts_by_turn
from leaderboard.pages.cannot_draw import load_pair_facts, store_fates
from leaderboard.rendering.render import render_block
from leaderboard.storage.build_cache import BuildCache, load_or_make
from leaderboard.storage.output_folder import dump_compact
from leaderboard.storage.pictures import Shown
from leaderboard.words import CORRECTION_WORDS, REASONS, open_words

Outcomes = dict[str, list[Any]]
"""By instance: outcome, change, final and first score by the site's judge, number of facts wrong in the end, and the
final and the first picture, each ``[file, width, height, turn]``; null where something is not known or not there."""

_PAIR, _FINAL, _FIRST, _LAST, _BEGUN = 0, 3, 4, 6, 7
"""Places in an outcome behind the pair's key."""

FIRST = 6
"""Number of pairs whose episodes stand in an instance's page itself."""

_LONGEST_NOTE = 400
"""Characters shown of a generator's note."""

_MANY = 4
"""Number of pairs from which fragments are rendered in several processes."""

_ROOT = "../"
"""Relative address of the site's root from an instance's page."""

SHARD = 20
"""Pairs in one file."""

FOLDER = "data/gallery"
"""Folder of the files, relative to the site's root."""

PAIRS = f"{FOLDER}/pairs.json"
"""File with the pairs whose episodes a script shows, relative to the site's root."""

_MOST_NOTES = 20
"""Notes shown of a turn at most; further notes of the generator are left out."""


@dataclass(frozen=True)
class TurnView:
    """A turn, ready to be shown.

    Example:
        >>> turn = TurnView(1, None, "a rendering", (("structural", 8.5),), None, 42, over_budget=False, notes=())
        >>> dict(turn.scores)["structural"]
        8.5
    """

    number: int
    """1-based."""

    picture: Shown | None
    """None where no rendering was made."""

    alt: str
    """Alternative text of the picture; empty without a picture."""

    scores: tuple[tuple[str, float | None], ...]
    """Every judge of the episode with its similarity, 0–10; None where it gave none."""

    message: MarkedMessage | None
    """The describer's message; None if there is none."""

    tokens: int
    """Tokens of the message."""

    over_budget: bool
    """Whether the message exceeds the token budget."""

    notes: tuple[str, ...]
    """Instructions that the generator reported as not followed."""

    facts: TurnFacts | None = None
    """What is right of the target's facts; None if that is not known."""

    xray: Xray | None = None
    """Fates of the target's marks; None if they are not known."""


@dataclass(frozen=True)
class EpisodeView:
    """Episode of one pair on one instance, ready to be shown.

    Example:
        >>> view = EpisodeView(pair=None, episode=None, judged=(), turns=(), ended="not played", why="not begun yet")
        >>> view.ended
        'not played'
    """

    pair: Pair
    """Pair that played the episode."""

    episode: Episode | None
    """None if it was not played."""

    judged: tuple[JudgedEpisode, ...]
    """Scores by every judge that rated the final rendering."""

    turns: tuple[TurnView, ...]
    """All turns but a last turn in which the describer only says that it is done."""

    ended: str
    """Outcome, in a word or two."""

    why: str
    """Explanation of the outcome; empty where the outcome needs none."""

    vouched: VouchedScores = field(default_factory=lambda: VouchedScores(0, 0))
    """Numbers of scores shown and of those among them that the maintainers vouch for."""


def build_pair_outcomes(site: Site, views: Iterable[EpisodeView]) -> Outcomes:
    """Return the outcomes of a pair's episodes that were played.

    Args:
        site: What is shown.
        views: Views of the pair's episodes.
    """
    return {view.episode.instance_id: _list_outcome_fields(site, view) for view in views if view.episode is not None}


def select_extreme_episodes(outcomes: Mapping[str, Outcomes]) -> dict[str, list[list[Any]]]:
    """Return the episodes that may be best, worst, most improved or most regressed under some filter.

    Args:
        outcomes: By key of each pair, the outcomes of its episodes.

    Returns:
        By instance the extreme episodes of all that ended and changed the same way: the pair's key, then the outcome.
    """
    groups: dict[str, dict[tuple[str, str], list[list[Any]]]] = {}
    for key, of_pair in sorted(outcomes.items()):
        for instance_id, outcome in of_pair.items():
            same_end = groups.setdefault(instance_id, {}).setdefault((outcome[0], outcome[1]), [])
            same_end.append([key, *outcome])
    return {
        instance_id: [episode for episodes in by_end.values() for episode in _select_extremes(episodes)]
        for instance_id, by_end in groups.items()
    }


def list_ranked_pairs(site: Site) -> list[Pair]:
    """Return the pairs in the order of the overall board: the same order on every page."""
    return [site.pairs[row.submission.run_id] for row in site.results.board(site.judge)]


class Fragments:
    """The fragments of a site's episodes.

    Args:
        site: The site; without a build cache, fragments are rendered at every call.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> site = Site([SiteRun(Path("run"))])
        >>> len(Fragments(site).of(next(iter(site.pairs.values()))))
        2
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._first = {pair.run_id for pair in list_ranked_pairs(site)[:FIRST]}
        self._sections: dict[str, list[Markup]] = {}

    def make(self) -> None:
        """Render the fragments missing in the build cache, and register the pictures that all fragments show.

        Raises:
            WorkError: The disk is full.
        """
        # Cached fragments name pictures without asking for them, so the pictures of all turns are registered here.
        for run_id, results in self._site.results.episodes.items():
            for rendering in (drawn for result in results for drawn in result.episode.renderings.values()):
                self._site.rendering(run_id, rendering)
        cache = self._site.cache
        if cache is not None:
            pairs = self._site.pairs.values()
            todo = [
                pair for pair in pairs if not (cache.has(self._name(pair)) and cache.has(self._name_outcomes(pair)))
            ]
            run_shares(partial(self._make_share, todo, cache), len(todo) >= _MANY)

    def sections(self, pair: Pair) -> list[Markup]:
        """Return the HTML sections of one of the first ``FIRST`` pairs, one per instance, in the set's order."""
        if pair.run_id not in self._sections:
            # Made by a template, which has escaped what was to be escaped.
            self._sections[pair.run_id] = [Markup(json.loads(line)) for line in self.of(pair)]  # noqa: S704
        return self._sections[pair.run_id]

    def of(self, pair: Pair) -> list[str]:
        """Return a pair's fragments as JSON texts, one per instance, in the set's order."""
        cached = self._site.cache.load(self._name(pair)) if self._site.cache else None
        lines = cached.decode().split("\n") if cached is not None else []
        # A line for each instance; another number means a damaged cache entry.
        return (
            lines
            if len(lines) == len(self._site.galleries)
            else self._render_fragments(pair, self._view_episodes(pair))
        )

    def outcomes(self, pair: Pair) -> str:
        """Return ``build_pair_outcomes`` of a pair's episodes as a JSON text."""
        return load_or_make(
            self._site.cache, self._name_outcomes(pair), lambda: self._dump_outcomes(self._view_episodes(pair))
        ).decode()

    def _make_share(self, todo: list[Pair], cache: BuildCache, share: int, shares: int) -> None:
        for pair in todo[share::shares]:
            facts = load_pair_facts(self._site, pair)
            views = self._view_episodes(pair, facts)
            cache.store(self._name(pair), "\n".join(self._render_fragments(pair, views)).encode())
            cache.store(self._name_outcomes(pair), self._dump_outcomes(views))
            store_fates(self._site, pair, facts)

    def _dump_outcomes(self, views: Sequence[EpisodeView]) -> bytes:
        return dump_compact(build_pair_outcomes(self._site, views)).encode()

    def _view_episodes(self, pair: Pair, facts: Lines | None = None) -> list[EpisodeView]:
        known = load_pair_facts(self._site, pair) if facts is None else facts
        return [view_episode(self._site, pair, gallery, known) for gallery in self._site.galleries.values()]

    def _render_fragments(self, pair: Pair, views: Sequence[EpisodeView]) -> list[str]:
        if pair.run_id in self._first:
            return [dump_compact(render_block("episode", {"row": view, "root": _ROOT})) for view in views]
        return [dump_compact(build_episode_json(view)) for view in views]

    def _name(self, pair: Pair) -> str:
        # The place on the board decides the form, so both forms of a run are cached apart.
        return f"{'sections' if pair.run_id in self._first else 'fragments'}/{self._site.key(pair)}"

    def _name_outcomes(self, pair: Pair) -> str:
        return f"outcomes/{self._site.key(pair)}"


def build_episode_json(view: EpisodeView) -> dict[str, Any]:
    """Return an episode as ``gallery-rows.js`` reads it; strangers' hidden characters are shown by their code."""
    detail = view.episode.detail if view.episode else None
    return {
        "pair": view.pair.key,
        "ended": view.ended,
        "outcome": view.episode.outcome if view.episode else None,
        "why": view.why,
        "detail": make_visible(detail) if detail else None,
        "vouched": [view.vouched.vouched, view.vouched.scores],
        "judged": [[judged.judge, judged.first, judged.final, judged.delta] for judged in view.judged],
        "turns": [_dump_turn(turn) for turn in view.turns],
    }


def build_gallery_shards(
    site: Site, fragments: Fragments, share: int = 0, shares: int = 1
) -> Iterator[tuple[str, str]]:
    """Yield every file of the gallery's data: its path below the site's root, and its text.

    Args:
        site: What is shown.
        fragments: Its episodes.
        share: Number of the share of the files to make, 0-based.
        shares: Number of shares.
    """
    pairs = list_ranked_pairs(site)
    yield (
        PAIRS,
        dump_compact({"first": FIRST, "shard": SHARD, "pairs": [pair.shown for pair in pairs]}) + "\n",
    )
    for pair in islice(pairs, share, None, shares):
        yield f"{FOLDER}/pairs/{pair.key}.json", fragments.outcomes(pair) + "\n"
    if share == 0:
        outcomes = {pair.key: json.loads(fragments.outcomes(pair)) for pair in pairs}
        yield f"{FOLDER}/extremes.json", dump_compact(select_extreme_episodes(outcomes)) + "\n"
    later = pairs[FIRST:]
    # Minus twice rounds the number of files up.
    for number in range(share, -(-len(later) // SHARD), shares):
        columns = [fragments.of(pair) for pair in later[number * SHARD : (number + 1) * SHARD]]
        # Fragments are JSON texts already, so they are joined without being parsed again.
        for instance_id, *lines in zip(site.galleries, *columns, strict=True):
            yield f"{FOLDER}/{instance_id}/{number}.json", f"[{','.join(lines)}]\n"


def view_episode(site: Site, pair: Pair, gallery: Gallery, facts: Lines | None = None) -> EpisodeView:
    """Return the view of a pair's episode on an instance, for pages and shards.

    Args:
        site: What is shown; the renderings are added to its pictures.
        pair: One of its pairs.
        gallery: One of its instances.
        facts: Of the pair's renderings; none are shown if None.
    """
    result = site.episode(pair.run_id, gallery.instance.instance_id)
    if result is None:
        return EpisodeView(pair, None, (), (), "Not played", "")
    episode = result.episode
    known = group_facts_by_turn(gallery.instance.scene, episode, facts or {})
    rays = build_xrays(gallery.drawn, site.results.game, episode, facts) if facts else {}
    return EpisodeView(
        pair=pair,
        episode=episode,
        judged=tuple(judged for judged in result.judged.values() if judged.final is not None),
        turns=tuple(
            _build_turn_view(site, pair, result, turn, known.get(turn.turn), rays.get(turn.turn))
            for turn in pair.steps(episode)
            # In such a turn nothing was said to the generator and nothing drawn.
            if turn.action != "done"
        ),
        ended={"converged": "Converged", "turn_limit": "Turn limit", "aborted": "Aborted"}[episode.outcome],
        why=_explain_end(episode),
        vouched=count_vouched_scores(result, pair.result.provenance),
    )


def _list_outcome_fields(site: Site, view: EpisodeView) -> list[Any]:
    assert view.episode is not None  # noqa: S101 - the caller leaves others out
    judged = next((judged for judged in view.judged if judged.judge == site.judge), None)
    change, final, first = (judged.convergence or "", judged.final, judged.first) if judged else ("", None, None)
    drawn = [turn for turn in view.turns if turn.picture is not None]
    last = drawn[-1] if drawn else None
    wrong = last.facts.decided - last.facts.held if last and last.facts else None
    # With a single rendering, first and final are the same picture.
    pictures = [_list_picture_fields(last), _list_picture_fields(drawn[0]) if len(drawn) > 1 else None]
    return [view.episode.outcome, change, final, first, wrong, *pictures]


def _select_extremes(episodes: Sequence[list[Any]]) -> list[list[Any]]:
    """Return those of the lowest and highest final score and of the largest loss and gain, each once, as listed."""
    shown = [episode for episode in episodes if episode[_FINAL] is not None and episode[_LAST]]
    moved = [episode for episode in shown if episode[_FIRST] is not None and episode[_BEGUN]]
    among = ((shown, _get_final), (moved, _compute_gain))
    pairs = {choose(some, key=value)[_PAIR] for some, value in among if some for choose in (min, max)}
    return [episode for episode in shown if episode[_PAIR] in pairs]


def _get_final(episode: Sequence[Any]) -> float:
    return float(episode[_FINAL])


def _compute_gain(episode: Sequence[Any]) -> float:
    return float(episode[_FINAL] - episode[_FIRST])


def _list_picture_fields(turn: TurnView | None) -> list[Any] | None:
    if turn is None or turn.picture is None:
        return None
    return [turn.picture.small, turn.picture.width, turn.picture.height, turn.number]


def _dump_turn(turn: TurnView) -> dict[str, Any]:
    picture = turn.picture
    return {
        "turn": turn.number,
        "picture": [picture.small, picture.large, picture.width, picture.height] if picture else None,
        "alt": turn.alt,
        "scores": [list(score) for score in turn.scores],
        "message": _build_message(turn.message) if turn.message else None,
        "tokens": turn.tokens,
        "over": turn.over_budget,
        "notes": [format_one_line(note, _LONGEST_NOTE) for note in turn.notes],
        "facts": _build_facts(turn.facts) if turn.facts else None,
        "xray": build_xray_data(turn.xray) if turn.xray else None,
    }


def _build_facts(facts: TurnFacts) -> dict[str, Any]:
    return {
        "counts": [facts.held, facts.decided, facts.gained, facts.lost],
        "open": None if facts.doubt is None else open_words(facts.doubt),
        "groups": [[group.heading, [list(part) for part in group.parts]] for group in facts.groups],
    }


def _build_message(message: MarkedMessage) -> dict[str, Any]:
    return {
        "text": [
            [make_visible(segment.text), segment.corrections[0], _join_corrections(segment.corrections)]
            if segment.corrections
            else make_visible(segment.text)
            for segment in message.segments
        ],
        "more": message.left_out,
        "fired": [[name, CORRECTION_WORDS[name]] for name in message.corrections],
    }


@cache
def _join_corrections(corrections: tuple[Correction, ...]) -> str:
    return ", ".join(CORRECTION_WORDS[name] for name in corrections)


def _explain_end(episode: Episode) -> str:
    if episode.abort_reason is not None:
        return REASONS[episode.abort_reason]
    return "the describer was satisfied" if episode.outcome == "converged" else "all turns were played"


def _build_turn_view(
    site: Site, pair: Pair, result: EpisodeResult, turn: Any, facts: TurnFacts | None, xray: Xray | None
) -> TurnView:
    main = site.judged(result)
    score = main.trajectory.get(turn.turn) if main else None
    alt = describe_rendering(turn.turn, f"{pair.describer} + {pair.generator}", score, site.judge)
    return TurnView(
        number=turn.turn,
        picture=site.rendering(pair.run_id, turn.rendering) if turn.rendering else None,
        alt=alt if turn.rendering else "",
        scores=tuple((judge, judged.trajectory.get(turn.turn)) for judge, judged in result.judged.items()),
        message=mark_message(turn.message, turn.turn) if turn.message else None,
        tokens=turn.message_tokens,
        over_budget=turn.over_budget,
        notes=turn.notes[:_MOST_NOTES],
        facts=facts,
        xray=xray,
    )
