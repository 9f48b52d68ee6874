"""Serves the page of a demo: the game as it is played, then the finished site."""

import threading
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ircore.games.registry import load_game
from leaderboard.live.demo.feed import Feed
from leaderboard.live.loopback import LoopbackHandler, serve_locally

PAGE = Path(__file__).parent / "page"


class State:
    """The state of a demo, as the page shows it.

    >>> state = State(Path("demo"), ["draw targets", "play"])
    >>> state.begin(1)
    >>> state.as_dict()["stage"], state.as_dict()["site"]
    (1, False)

    Args:
        folder: The demo's.
        stages: Labels of the stages.
    """

    def __init__(self, folder: Path, stages: list[str]) -> None:
        self.folder = folder
        self.stages = stages
        self.stage = 0
        self.failed: str | None = None
        self.feed = Feed(folder / "runs")
        self.lock = threading.Lock()

    def begin(self, stage: int) -> None:
        """Note that a stage begins; ``len(stages)`` when all are done."""
        self.stage = stage

    @property
    def site(self) -> Path | None:
        """The finished site; None while there is none."""
        folder = self.folder / "site"
        return folder if self.stage >= len(self.stages) and (folder / "index.html").is_file() else None

    def as_dict(self, since: int = 0) -> dict[str, Any]:
        """Return the state and the events from a number on, as JSON."""
        # The server answers requests in threads, and reading on moves the place in each journal.
        with self.lock:
            events = self.feed.since(since)
            games = [_introduce_game(name) for name in self.feed.games]
        known = {"stages": self.stages, "stage": self.stage, "failed": self.failed, "site": self.site is not None}
        return {**known, "games": games, "events": events, "next": since + len(events)}


@cache
def _introduce_game(name: str) -> dict[str, str]:
    """Return what the page says about a game, from the game's own declarations."""
    game = load_game(name)
    return {"name": name, "title": game.title, "introduction": game.pages.introduction}


class DemoHandler(LoopbackHandler):
    """Answers with the live page until the site is there; the live page stays at ``/live/``.

    >>> DemoHandler.is_allowed("localhost:8000", None)
    True
    """

    def __init__(self, *args: Any, state: State, **options: Any) -> None:
        self._state = state
        super().__init__(*args, directory=str(state.site or PAGE), **options)

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        """Answer a request."""
        if self.refused():
            return
        address = urlsplit(self.path)
        path = unquote(address.path)
        if path == "/live/feed.json":
            since = parse_qs(address.query).get("since", ["0"])[0]
            self.send_json(self._state.as_dict(int(since) if since.isdigit() else 0))
        elif path.startswith("/live/picture/"):
            run, _, picture = path.removeprefix("/live/picture/").partition("/")
            with self._state.lock:
                file = self._state.feed.picture(run, picture)
            self.send_own(file)
        elif path.startswith("/live/") or (path == "/" and self._state.site is None):
            self.send_own(PAGE / (Path(path).name if path not in ("/", "/live/") else "live.html"))
        elif self._state.site is None:
            self.send_error(404)
        else:
            super().do_GET()


def serve_demo(state: State, port: int) -> AbstractContextManager[str]:
    """Serve a demo while the block runs; yields the address; raises as ``serving``."""
    return serve_locally(partial(DemoHandler, state=state), port)
