"""Learning curves of a game, in the charts' own grammar."""

from leaderboard.charts.catalogue import Chart
from leaderboard.games.section import GameSection


def curve_charts(section: GameSection) -> tuple[Chart, ...]:
    """Return a chart for each learning curve that the game declares."""
    return ()
