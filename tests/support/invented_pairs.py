"""Names and marks of the pairs of invented results."""

from ircore.results.model import Results
from leaderboard.model.site import Pair


def pairs_of(results: Results) -> dict[str, Pair]:
    """Return the pairs by run_id; hues and shapes are numbered in the order of the players' names."""
    describers = sorted({submission.describer for submission in results.submissions})
    generators = sorted({submission.generator for submission in results.submissions})
    return {
        submission.run_id: Pair(
            describer=submission.describer,
            generator=submission.generator,
            apart="",
            hue=describers.index(submission.describer),
            shape=generators.index(submission.generator),
            result=submission,
            key=submission.run_id,
        )
        for submission in results.submissions
    }
