"""Gallery view of an episode: a row of turns with picture, message and scores, and the outcome."""

from dataclasses import dataclass, field, replace
from typing import Any

from ircore.core.episode_records import Episode
from ircore.results.episodes import EpisodeResult, JudgedEpisode, VouchedScores, count_vouched_scores
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.model.turn_facts import Lines, TurnFacts, group_facts_by_turn
from leaderboard.model.xray import Xray, build_xrays
from leaderboard.storage.pictures import Shown
from leaderboard.words import REASONS, MarkedMessage, describe_rendering, mark_message

_NOTES = 20
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
            replace(_turn(site, pair, result, turn), facts=known.get(turn.turn), xray=rays.get(turn.turn))
            for turn in pair.steps(episode)
            # In such a turn nothing was said to the generator and nothing drawn.
            if turn.action != "done"
        ),
        ended={"converged": "Converged", "turn_limit": "Turn limit", "aborted": "Aborted"}[episode.outcome],
        why=_explain_end(episode),
        vouched=count_vouched_scores(result, pair.result.provenance),
    )


def _explain_end(episode: Episode) -> str:
    if episode.abort_reason is not None:
        return REASONS[episode.abort_reason]
    return "the describer was satisfied" if episode.outcome == "converged" else "all turns were played"


def _turn(site: Site, pair: Pair, result: EpisodeResult, turn: Any) -> TurnView:
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
        notes=turn.notes[:_NOTES],
    )
