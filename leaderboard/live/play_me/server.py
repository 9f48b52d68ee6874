"""Serves the page on which a person plays."""

from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from leaderboard.live.loopback import LoopbackHandler, serving
from leaderboard.live.play_me.table import Table

PAGE = Path(__file__).parent / "page"


class PlayHandler(LoopbackHandler):
    """Answers with the page, the state of the game, and pictures; takes messages.

    >>> PlayHandler.allowed("127.0.0.1:8000", "http://127.0.0.1:8000")
    True
    """

    def __init__(self, *args: Any, table: Table, **options: Any) -> None:
        self._table = table
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
        else:
            self.send_own(PAGE / ("play.html" if path == "/" else Path(path).name))

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        """Take a message: JSON with ``question`` and ``text``."""
        if self.refused():
            return
        said = self.posted()
        if not isinstance(said, dict) or not all(isinstance(said.get(key), str) for key in ("question", "text")):
            self.send_error(400)
            return
        with self._table.lock:
            taken = self._table.answer(said["question"], said["text"])
        self.send_json({"taken": taken})


def serving_table(table: Table, port: int) -> AbstractContextManager[str]:
    """Serve while the block runs; yields the address; raises as ``serving``."""
    return serving(partial(PlayHandler, table=table), port)
