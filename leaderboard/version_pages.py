"""The pages of the benchmark's versions: their list, and the frozen boards of former ones."""

from collections.abc import Iterator, Sequence

from ircore.versions import Version
from leaderboard.site import Page
from leaderboard.versions import FOLDER, FrozenBoard


def version_pages(current: Version, frozen: Sequence[FrozenBoard]) -> Iterator[Page]:
    """Yield the list of versions and a page for each frozen board."""
    values = {"current": current, "frozen": frozen}
    yield Page(f"{FOLDER}/index", "Versions of the benchmark", "versions", values, searchable=True)
    for board in frozen:
        overall = [row for row in board.rows if (row.get("category"), row.get("difficulty")) == ("all", "all")]
        judges = sorted({str(row.get("judge")) for row in overall})
        by_judge = [(judge, [row for row in overall if row.get("judge") == judge]) for judge in judges]
        yield Page(
            f"{board.path}/index", f"Benchmark {board.record.name}", "frozen", {"board": board, "judges": by_judge}
        )
