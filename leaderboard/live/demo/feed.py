"""The events of runs that are being played, read from their journals as they grow."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.folder import JOURNAL, RUN_FILE

LONGEST = 2000
"""Characters of a message that the page gets."""

MOST = 400
"""Events of an answer to the page, which asks again for those that follow."""


@dataclass(frozen=True)
class _Run:
    """What the page says about a run: the submission's name, and the game's."""

    name: str
    game: str


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
        instances: Any = self._sets[run]
        for instance in instances.instances.named({name}):
            files = list(instance.pictures.values())
            path: Path = instances.folder / files[0].image if files else Path()
            return path if files and path.is_file() else None
        return None

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


def _read_run(path: Path) -> _Run:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return _Run(name=str(document["submission"]["name"]), game=str(document["game"]))
