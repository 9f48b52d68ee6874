"""What a run of any game amounts to, in numbers and in words: the answer of ``ircore show``."""

from collections import Counter
from typing import Any

from ircore.core.terminal import printable
from ircore.games.registry import installed_games
from ircore.runs.costs.prices import Asked, RunPrices
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call
from ircore.runs.folder import GameRunFolder


def summarise_game_run(folder: GameRunFolder, prices: RunPrices) -> dict[str, Any]:
    """Count what happened in a run of a game other than reconstruction.

    Args:
        folder: The run.
        prices: What its answers cost.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (in the set; ended), ``outcomes`` (those that the game
        declares if it is installed), ``abort_reasons``, ``steps``, ``requests`` by seat, and the sums of ``Totals``.
    """
    episodes = folder.episodes()
    asked: list[Asked] = [*folder.calls().values(), *folder.failures()]
    game = installed_games()[0].get(folder.run.game)
    counts = Counter(episode.outcome for episode in episodes)
    declared = [outcome.name for outcome in game.outcomes] if game else []
    by_seat = {
        seat: Totals.of((question for question in asked if getattr(question, "role", "") == seat), prices).requests
        for seat in folder.run.submission.players
    }
    return {
        "run": folder.run.model_dump(mode="json", by_alias=True),
        "planned": len(folder.any_instances.instances),
        "episodes": len(episodes),
        "outcomes": {name: counts[name] for name in dict.fromkeys([*declared, *counts])},
        "abort_reasons": dict(Counter(episode.abort_reason for episode in episodes if episode.abort_reason)),
        "steps": sum(len(episode.steps) for episode in episodes),
        **Totals.of(asked, prices).as_dict(),
        "requests": by_seat,
    }


def summary_page(summary: dict[str, Any]) -> str:
    """Return the summary for people."""
    run = summary["run"]
    players = run["submission"]["players"]
    counts = {
        key: ", ".join(f"{count} {name}" for name, count in summary[key].items())
        for key in ("outcomes", "abort_reasons", "requests")
    }
    cost = "not known" if summary["cost_usd"] is None else f"{summary['cost_usd']:.4f} US$"
    rows = [
        ("game", run["game"]),
        ("players", ", ".join(f"{seat}: {spec['model'] or spec['player']}" for seat, spec in players.items())),
        ("run", f"{run['run_id']}, begun {run['started']}"),
        ("rules", ", ".join(f"{name}: {value}" for name, value in run["rules"].items())),
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("outcomes", counts["outcomes"]),
        ("aborted", counts["abort_reasons"]),
        ("steps", str(summary["steps"])),
        ("requests", counts["requests"]),
        ("waited", f"{summary['seconds']:.1f} s"),
        ("cost", cost),
    ]
    return printable("\n".join(f"{title:<9} {value}" for title, value in rows if value))


def episode_answers(folder: GameRunFolder, episode_id: str) -> list[dict[str, Any]]:
    """Return every answer of an episode in the order in which they came, renderings as paths.

    Raises:
        InputError: There is no such episode.
    """
    calls = [event for event in folder.events() if isinstance(event, Call)]
    if episode_id not in {call.episode_id for call in calls}:
        from ircore.core.plugins import unknown

        raise unknown("episode", episode_id, sorted({call.episode_id for call in calls}))
    return [
        {
            "step": call.turn,
            "seat": call.role,
            "prompt": call.prompt,
            "answer": call.text
            or call.choice
            or str(folder.rendering_path(call.rendering.sha256 if call.rendering else "")),
            "seconds": call.seconds,
        }
        for call in calls
        if call.episode_id == episode_id
    ]
