"""The pages of the benchmark's versions: their list, and the frozen boards of earlier versions."""

from collections.abc import Iterator, Sequence

from ircore.results.benchmark_version import Version
from leaderboard.frozen_boards.archive import FOLDER, FrozenBoard
from leaderboard.frozen_boards.frozen_views import build_values, list_frozen_views
from leaderboard.model.site import Page


def build_version_pages(current: Version, frozen: Sequence[FrozenBoard]) -> Iterator[Page]:
    """Yield the list of versions and a page for each frozen board, of other games too."""
    values = {"current": current, "frozen": frozen}
    yield Page(f"{FOLDER}/index", "Versions of the benchmark", "versions", values, searchable=True)
    for board in frozen:
        views = list_frozen_views(board.rows)
        for view in views:
            shown = {**build_values(board.record, views, view), "site_root": "../../"}
            yield Page(f"{board.path}/{view.name}", f"Benchmark {board.record.name}", "frozen", shown)
        for game in board.games:
            shown = {"record": board.record, "game": game, "site_root": "../../../", "up": "../"}
            title = f"Benchmark {board.record.name}: {game.name}"
            yield Page(f"{board.path}/{game.path}", title, "frozen_game", shown)
