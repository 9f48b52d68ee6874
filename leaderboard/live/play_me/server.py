"""Serves the page on which a person plays."""

import asyncio
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from leaderboard.live.loopback import LoopbackHandler, serve_locally
from leaderboard.live.play_me.seats import DescriberTable, DrawingTable

PAGE = Path(__file__).parent / "page"
MOST_DRAWN = 4 * 1024 * 1024
"""Bytes of a request's body that holds a drawing."""


class PlayHandler(LoopbackHandler):
    """Answers with the page, the state of the game, and pictures; takes messages, drawings and choices.

    >>> PlayHandler.is_allowed("127.0.0.1:8000", "http://127.0.0.1:8000")
    True
    """

    def __init__(self, *args: Any, table: DescriberTable, **options: Any) -> None:
        self._table = table
        if isinstance(table, DrawingTable):
            # A drawing is a PNG in Base64, much longer than any message.
            self.most_posted = MOST_DRAWN
        super().__init__(*args, directory=str(PAGE), **options)

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        """Answer a request."""
        if self.refused():
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/state.json":
            with self._table.lock:
                state = self._table.as_dict()
            self.send_json(state)
        elif path.startswith("/picture/"):
            question, _, name = path.removeprefix("/picture/").partition("/")
            self.send_own(self._table.file(question, name))
        elif path.startswith("/target/") and isinstance(self._table, DrawingTable):
            self.send_own(self._table.target(path.removeprefix("/target/")))
        else:
            self.send_own(PAGE / (self._table.PAGE if path == "/" else Path(path).name))

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        """Take an answer, or draw the typed words; JSON with the fields that the seat's table reads."""
        if self.refused():
            return
        said = self.read_posted()
        path = urlsplit(self.path).path
        try:
            if not isinstance(said, dict):
                raise ValueError("an object is needed")
            if path == "/drawn" and isinstance(self._table, DrawingTable):
                self.send_json({"picture": asyncio.run(self._table.drawn(said))})
                return
            with self._table.lock:
                taken = self._table.take(said)
        except ValueError:
            self.send_error(400)
            return
        self.send_json({"taken": taken})


def serve_table(table: DescriberTable, port: int) -> AbstractContextManager[str]:
    """Serve while the block runs; yields the address; raises as ``serving``."""
    return serve_locally(partial(PlayHandler, table=table), port)
