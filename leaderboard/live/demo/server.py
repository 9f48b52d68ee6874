"""Serving the page of a demo: the game as it is played, then the finished site.

The events of runs that are being played are read from their journals as they grow.
"""

import json
import threading
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ircore.core.errors import InputError
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.folder import JOURNAL, RUN_FILE
from leaderboard.live.loopback import LoopbackHandler, serve_locally

LONGEST = 2000
"""Characters of a message that the page gets."""

MOST = 400
"""Events of an answer to the page, which asks again for those that follow."""

PAGE = Path(__file__).parent / "page"


@dataclass
class Feed:
    """Everything that has happened in the runs of a folder, in the order in which it was read.

    >>> Feed(Path("nothing-here")).since(0)
    []

    Attributes:
        folder: Holds run folders, which may appear later.
    """

    folder: Path
    _events: list[dict[str, Any]] = field(default_factory=list)
    _read: dict[Path, int] = field(default_factory=dict)
    _runs: dict[str, "_Run"] = field(default_factory=dict)
    _sets: dict[str, InstanceSet] = field(default_factory=dict)

    def since(self, number: int) -> list[dict[str, Any]]:
        """Return events from a number on; the journals are read on before."""
        for journal in sorted(self.folder.glob(f"*/{JOURNAL}")):
            self._read_on(journal)
        return self._events[number : number + MOST]

    @property
    def games(self) -> list[str]:
        """Names of the games of the runs read so far, each once."""
        return list(dict.fromkeys(run.game for run in self._runs.values()))

    def picture(self, run: str, name: str) -> Path | None:
        """Return the file of a rendering, or of an instance's first picture; None if there is no such picture."""
        if (self.folder / run / RUN_FILE).is_file() and run in self._runs:
            rendering = self.folder / run / "renderings" / f"{name}.png"
            # The name comes from the address: letters and digits alone cannot leave the folder.
            if name.isalnum() and rendering.is_file():
                return rendering
            return self._find_target(run, name)
        return None

    def _find_target(self, run: str, name: str) -> Path | None:
        if run not in self._sets:
            try:
                self._sets[run] = read_instances(self.folder / run / "instances")
            except InputError:
                return None
        known = self._sets[run]
        files = [file for instance in known.instances.select({name}) for file in instance.pictures.values()]
        path = known.folder / files[0].image if files else None
        return path if path is not None and path.is_file() else None

    def _read_on(self, journal: Path) -> None:
        run = journal.parent.name
        if run not in self._runs:
            self._runs[run] = _read_run(journal.parent / RUN_FILE)
        # Bytes, since the place to read on from is counted in bytes.
        with journal.open("rb") as file:
            file.seek(self._read.get(journal, 0))
            for line in file:
                if not line.endswith(b"\n"):
                    break  # still being written
                self._read[journal] = self._read.get(journal, 0) + len(line)
                event = self._describe_event(run, json.loads(line))
                if event is not None:
                    self._events.append(event)

    def _describe_event(self, run: str, event: dict[str, Any]) -> dict[str, Any] | None:
        known = {"run": run, **asdict(self._runs[run])}
        if event["event"] == "call":
            rendering = event.get("rendering") or {}
            said = event.get("text") or event.get("choice") or ""
            return {
                **known,
                "episode": event["episode_id"],
                "turn": event["turn"],
                "role": event["role"],
                "text": said[:LONGEST],
                "rendering": rendering.get("sha256"),
            }
        # A question that brought no answer has nothing to show.
        if event["event"] == "failure":
            return None
        episode = event["episode"]
        return {**known, "episode": episode["episode_id"], "outcome": episode["outcome"]}


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
        if self.refuse():
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


@dataclass(frozen=True)
class _Run:
    """What the page says about a run: the submission's name, and the game's."""

    name: str
    game: str


def _read_run(path: Path) -> _Run:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return _Run(name=str(document["submission"]["name"]), game=str(document["game"]))


@cache
def _introduce_game(name: str) -> dict[str, str]:
    """Return what the page says about a game, from the game's own declarations."""
    game = load_game(name)
    return {"name": name, "title": game.title, "introduction": game.pages.introduction}
