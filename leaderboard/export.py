"""The boards as files for other programs: every condition, full precision."""

import json

from ircore.results.model import Results
from ircore.tables.board import leaderboard_table
from ircore.tables.formats import as_csv, flat_records
from ircore.versions import version_of


def leaderboard_json(results: Results) -> str:
    """Return the boards as one JSON document of flat rows, the same as in the CSV and in the dataset."""
    document = {**version_of(results).as_dict(), "rows": list(flat_records(leaderboard_table(results)))}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def leaderboard_csv(results: Results) -> str:
    """Return the boards as CSV."""
    return as_csv(leaderboard_table(results))
