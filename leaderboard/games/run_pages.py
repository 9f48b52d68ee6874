"""The page of a run of another game: its place, measures, conditions and episodes, and how it was played."""

from collections.abc import Mapping
from typing import Any

from ircore.core.episode_records import Episode, repeat_id
from ircore.games.base import Measure
from ircore.results.subsets import count_ranked
from ircore.submissions.decisions import open_dispute
from leaderboard.components.players import describe_player
from leaderboard.games.episodes import find_compared_picture
from leaderboard.games.figures import compute_similarity, scale_ends
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.model.trust import list_trust_lines
from leaderboard.pages.pairs import list_commands, list_credits, list_run_facts
from leaderboard.storage.pictures import Shown
from leaderboard.words import choose_digits, format_category, number, place_words

_BEST = 9.995
"""Headline from 0 to 10 that is written as the best value."""


def describe_place(values: Mapping[str, Any]) -> str:
    """Return the rank and the main score of a run."""
    return place_words(values["row"], values["rivals"])


def collect_run_values(section: GameSection, pair: Pair) -> dict[str, Any]:
    """Return the values of a run's page.

    Args:
        section: The game.
        pair: The run.
    """
    run, shown = pair.result.run, section.results.shown
    twice = [section.game.headline] if section.repeats_headline([pair]) else []
    history = section.history(pair.result.slug)
    return {
        "total": section.cell(pair),
        "rivals": count_ranked(section.results, pair.result.rules, section.judge),
        "measures": [_measure_run(section, pair, each) for each in shown if each not in twice],
        "others": [_measure_run(section, pair, each) for each in section.game.measures if each not in shown],
        "examples": _select_examples(section, pair),
        "conditions": {
            category: [
                {"title": f"{format_category(category)}, {difficulty}", "anchor": f"{category}-{difficulty}",
                 "mean": section.results.mean(pair.run_id, section.game.headline.key, category, difficulty),
                 "links": _link_episodes(section, pair, category, difficulty)}
                for of, difficulty in section.conditions if of == category
            ]
            for category in dict.fromkeys(category for category, _ in section.conditions)
        },
        "trust": list_trust_lines(pair.result),
        "settings": [
            ("Name", run.submission.name),
            *((seat.title, describe_player(run.submission.players[seat.name]))
              for seat in section.seats if seat.name in run.submission.players),
            ("Rules", pair.result.rules.describe([pair.result.rules]).removeprefix("rules ")),
            *list_run_facts(run),
            *list_credits(run.submission),
        ],
        "commands": list_commands(pair.result),
        "history": history,
        "disputed": open_dispute(history, pair.run_id),
    }  # fmt: skip


def _measure_run(section: GameSection, pair: Pair, measure: Measure) -> dict[str, Any]:
    """Return a run's mean of a measure with the scale that it is drawn on."""
    mean = section.mean(pair, measure)
    return {
        "measure": measure,
        "mean": mean,
        "digits": choose_digits(measure),
        "ends": scale_ends(measure, [mean]),
        "per": section.game.per_word(measure),
    }


def _select_examples(section: GameSection, pair: Pair) -> list[dict[str, Any]]:
    """Return a run's worst episode and its best, each with what was drawn; one where all are equal."""
    ranked = sorted(_rate_episodes(section, pair), key=lambda entry: (entry[0], entry[1].episode_id))
    if len(ranked) < 2:
        return []
    (low, worst), (high, best) = ranked[0], ranked[-1]
    chosen = [("Worst", worst), ("Best", best)] if low < high else [("As all others", worst)]
    return [{"label": label, **_show_episode(section, pair, episode)} for label, episode in chosen]


def find_worst_episodes(section: GameSection, most: int) -> list[dict[str, Any]]:
    """Return the worst episodes of a game with what was drawn, one an instance; none where all went alike.

    Args:
        section: The game.
        most: Maximum of episodes; of few instances half are shown.
    """
    # Of equal episodes that of the better run is shown: what it fails at is hard.
    rated = [
        (similarity, place, episode.instance_id, pair, episode)
        for place, pair in enumerate(section.ranked)
        for similarity, episode in _rate_episodes(section, pair)
    ]
    if len({similarity for similarity, *_ in rated}) < 2:
        return []
    worst: dict[str, dict[str, Any]] = {}
    for similarity, _, instance_id, pair, episode in sorted(rated, key=lambda entry: entry[:3]):
        if similarity < _BEST and instance_id not in worst:
            worst[instance_id] = {"pair": pair, **_show_episode(section, pair, episode)}
    return [*worst.values()][: min(most, -(-len(section.instances) // 2))]


def _rate_episodes(section: GameSection, pair: Pair) -> list[tuple[float, Episode]]:
    """Return a run's episodes that have a headline, each with it on the scale from 0, worst, to 10."""
    run, headline = section.get_run(pair), section.game.headline
    values = run.values(headline)
    return [
        (compute_similarity(headline, values[episode.episode_id]) or 0.0, episode)
        for episode in run.episodes
        if episode.episode_id in values
    ]


def _show_episode(section: GameSection, pair: Pair, episode: Episode) -> dict[str, Any]:
    headline, gallery = section.game.headline, section.galleries[episode.instance_id]
    value = section.get_run(pair).values(headline)[episode.episode_id]
    return {
        "anchor": repeat_id(pair.key, episode.repeat),
        "value": value,
        "similarity": compute_similarity(headline, value),
        "gallery": gallery,
        "compared": find_compared_picture(section, gallery.instance),
        "drawn": _find_last_drawing(section, pair, episode),
    }


def _find_last_drawing(section: GameSection, pair: Pair, episode: Episode) -> Shown | None:
    """Return what a run drew last in an episode; None of a game that does not draw, and where it is withheld."""
    published = section.renderings_are_published(section.galleries[episode.instance_id].instance)
    drawn = list(episode.renderings.values()) if published else []
    return section.rendering(pair.run_id, drawn[-1]) if drawn else None


def _link_episodes(section: GameSection, pair: Pair, category: str, difficulty: str) -> list[dict[str, Any]]:
    """Return the episodes of a condition, each with its value of the headline."""
    run = section.get_run(pair)
    values = run.values(section.game.headline)
    instances = {instance.instance_id: instance for instance in section.instances}
    digits = choose_digits(section.game.headline)
    return [
        {
            "path": section.instance_path(instances[episode.instance_id]),
            "anchor": repeat_id(pair.key, episode.repeat),
            "value": compute_similarity(section.game.headline, value := values.get(episode.episode_id)),
            "title": f"{section.titles[episode.instance_id]}: {episode.outcome.replace('_', ' ')}"
            + ("" if value is None else f", {number(value)}"),
            "text": "" if value is None else number(value, digits),
        }
        for episode in run.episodes
        if (episode.category, episode.difficulty) == (category, difficulty)
    ]
