"""The boards as files for other programs: every condition, full precision."""

import json
from collections.abc import Iterator, Mapping

from ircore.results.benchmark_version import Version, find_version
from ircore.results.model import Results
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import describe_source, format_csv, list_flat_records, list_flat_units
from ircore.results.tables.model import Table
from leaderboard.model.site import LEADERBOARD
from leaderboard.model.trust import find_tier


def build_leaderboard_files(results: Results, version: Version | None = None) -> Iterator[tuple[str, str]]:
    """Yield both files: path below the site's root, and text.

    Args:
        results: Results that the boards show.
        version: Benchmark version of the boards; None for the version by the project's own records.
    """
    table, version = leaderboard_table(results), version or find_version(results)
    yield LEADERBOARD[0], format_csv(table, describe_source(table, version))
    yield LEADERBOARD[1], _dump_json(table, version, _collect_run_facts(results))


def _collect_run_facts(results: Results) -> dict[str, dict[str, str]]:
    """Return the facts on a board about each run, by run_id: trust, day of play, version, rules.

    ``rules`` are words for people; ``rules_key`` is their key, as in the rows.
    """
    return {
        submission.run_id: {
            "trust": find_tier(submission).label,
            "date": submission.run.started[:10],
            "ircore": submission.run.version,
            "rules": submission.rules.words,
            "rules_key": submission.rules.key,
        }
        for submission in results.submissions
    }


def _dump_json(table: Table, version: Version, runs: Mapping[str, Mapping[str, str]]) -> str:
    """Return a JSON document of flat rows, a row per line, equal to the rows of the dataset."""
    head = json.dumps({**version.as_dict(), "units": list_flat_units(table), "runs": runs}, ensure_ascii=False)
    # NaN is no JSON: a value that is not finite fails here instead of in a reader's program.
    rows = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in list_flat_records(table))
    return f'{head.removesuffix("}")}, "rows": [\n{rows}\n]}}\n'
