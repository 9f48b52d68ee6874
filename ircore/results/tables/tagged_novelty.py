"""Word novelty of a reference game with a tagger's content words, by repetition."""

from collections.abc import Sequence

from ircore.games.base import Curve
from ircore.games.reference.language.messages import Tagger
from ircore.games.reference.measures import measured_novelty
from ircore.games.reference.records import Round
from ircore.results.game_curves import SteppedEpisode, by_step, curve_points
from ircore.results.hops import TOO_FEW_REACH
from ircore.results.model import Results
from ircore.results.tables.board_columns import measure_column
from ircore.results.tables.model import Column, Table, Value

_KEYS = ("message_wnr", "message_wnr_paper", "message_wnd", "message_wnd_paper", "message_overlap")


def tagged_novelty_table(results: Results, content_of: Tagger) -> Table:
    """Return word novelty by repetition, of content words that a tagger keeps.

    Args:
        results: Of one run of the reference game, or of several.
        content_of: Returns the content words of a message.
    """
    measures = [measure for measure in results.game.measures if measure.key in _KEYS]
    rows = []
    for run in results.every_run:
        episodes = [_measured(episode.steps, content_of) for episode in run.episodes]
        curves = {
            measure.key: curve_points(episodes, measure, Curve(measure.key, over="repetition")) for measure in measures
        }
        for repetition in curves["message_wnr"]:
            values = (
                Value.of(curves[measure.key][repetition])
                if repetition in curves[measure.key]
                else Value(None, missing=TOO_FEW_REACH)
                for measure in measures
            )
            rows.append((Value(run.run.slug), Value(repetition), *values))
    return Table(
        name="reference_tagged_novelty",
        title="Word novelty by repetition, with a tagger's words",
        caption="Mean over the same episodes at each repetition, with its 95 % interval over episodes.",
        columns=(
            Column("run", "Run", "Its folder's name.", digits=None),
            Column("repetition", "Repetition", "From 2: the first has no message before.", digits=0),
            *map(measure_column, measures),
        ),
        rows=tuple(rows),
    )


def _measured(steps: Sequence[object], content_of: Tagger) -> SteppedEpisode:
    rounds = [Round.model_validate(step) for step in steps]
    values = by_step(measured_novelty(rounds, content_of))
    # One stratum for all.
    return SteppedEpisode("", [played.model_dump() for played in rounds], values)
