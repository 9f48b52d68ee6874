"""Packed transcripts that tests change as a stranger could: a played run, its pack, its submission."""

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from PIL import Image
from samples import sample_instances, sample_run, sample_submission

from ircore.core.images import UNDECODABLE, hash_pixels
from ircore.core.tokens import count_tokens
from ircore.submissions.rescoring.packing import pack

REVISION = "0123456789abcdef0123456789abcdef01234567"
SLUG = "centre-block"


class Handed(NamedTuple):
    """What a stranger hands in.

    Attributes:
        submission: The folder with submission.yaml.
        packed: The folder that was packed.
        run: The packed run's folder in it.
        instances: The set that was played.
    """

    submission: Path
    packed: Path
    run: Path
    instances: Path

    @property
    def journal(self) -> Path:
        """The transcript."""
        return self.run / "journal.jsonl"

    def edit(self, change: Callable[[list[dict[str, Any]]], object]) -> None:
        """Change the lines of the transcript and write the hashes anew, as a forger would."""
        lines = [json.loads(line) for line in self.journal.read_text().splitlines()]
        change(lines)
        self.journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.seal()

    def edit_run(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change run.json likewise."""
        document = json.loads((self.run / "run.json").read_text())
        change(document)
        (self.run / "run.json").write_text(json.dumps(document))
        self.seal()

    def seal(self) -> None:
        """Write pack.json anew for the files that are there."""
        index = json.loads((self.run / "pack.json").read_text())
        files = [path for path in sorted(self.run.rglob("*")) if path.is_file() and path.name != "pack.json"]
        index["files"] = [
            {
                "path": path.relative_to(self.run).as_posix(),
                "size": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for path in files
        ]
        (self.run / "pack.json").write_text(json.dumps(index))

    def say(self, text: str, only: str = "") -> None:
        """Let the first message of every episode (or of ``only`` one) be another, as if it had been played."""

        def change(lines: list[dict[str, Any]]) -> None:
            for line in lines:
                if line["event"] == "call" and line["role"] == "describer" and line["turn"] == 1:
                    if only in (line["episode_id"], ""):
                        line["text"] = f"<DESCRIPTION>{text}</DESCRIPTION>"
                elif line["event"] == "end" and only in (line["episode"]["episode_id"], ""):
                    tokens = count_tokens(text)
                    said = {"message": text, "message_tokens": tokens, "over_budget": tokens > 200}
                    line["episode"]["steps"][0] |= said

        self.edit(change)

    def draw(self, data: bytes, episodes: tuple[str, ...], width: int = 96, height: int = 96) -> None:
        """Let the first rendering of some episodes be this file, as if it had been drawn."""
        sha256 = known_by(data)
        drawn = {"sha256": sha256, "width": width, "height": height}

        def change(lines: list[dict[str, Any]]) -> None:
            for line in lines:
                if line["event"] == "end" and line["episode"]["episode_id"] in episodes:
                    line["episode"]["steps"][0]["rendering"] = drawn
                elif (line["event"], line.get("role"), line.get("turn")) == ("call", "generator", 1):
                    line["rendering"] = drawn if line["episode_id"] in episodes else line["rendering"]

        (self.run / "renderings" / f"{sha256}.png").write_bytes(data)
        self.edit(change)
        self.tidy()

    def tidy(self) -> None:
        """Remove the renderings of no turn."""
        text = self.journal.read_text()
        for path in (self.run / "renderings").iterdir():
            if path.stem not in text:
                path.unlink()
        self.seal()

    def put_picture(self, data: bytes) -> str:
        """Let the first rendering of the transcript be another file, and return its hash."""
        sha256 = known_by(data)
        first = next(line for line in self.journal.read_text().splitlines() if '"rendering"' in line)
        old = json.loads(first)["rendering"]["sha256"]
        (self.run / "renderings" / f"{old}.png").unlink()
        (self.run / "renderings" / f"{sha256}.png").write_bytes(data)
        self.journal.write_text(self.journal.read_text().replace(old, sha256))
        self.seal()
        return sha256

    def files(self) -> dict[str, bytes]:
        """Return what is uploaded, by path."""
        return {
            path.relative_to(self.packed).as_posix(): path.read_bytes()
            for path in sorted(self.packed.rglob("*"))
            if path.is_file()
        }


def known_by(data: bytes) -> str:
    """Return what a picture is known by; of a file that cannot be decoded, a hash of its bytes."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            return hash_pixels(np.asarray(image.convert("RGB")))
    except (*UNDECODABLE, Image.DecompressionBombError):
        return hashlib.sha256(data).hexdigest()


def hand_in(folder: Path, repo: str = "me/mine", revision: str = REVISION) -> Handed:
    """Play a small run, pack it, and write the submission that names it."""
    instances = sample_instances(folder / "instances")
    loaded = sample_submission(SLUG)
    run = sample_run(folder / "run", instances, loaded)
    packed = pack(folder / "run", folder / "packed")
    submission = folder / "submissions" / SLUG
    write_manifest(submission, {"repo": repo, "revision": revision, "run": run.run.run_id})
    return Handed(submission, packed.folder, packed.folder / run.run.run_id, folder / "instances")


def write_manifest(submission: Path, transcripts: dict[str, Any] | None) -> None:
    """Write the manifest of the sample pair."""
    document = sample_submission(SLUG).submission.model_dump(mode="json", by_alias=True, exclude_none=True)
    submission.mkdir(parents=True, exist_ok=True)
    document.pop("transcripts", None)
    (submission / "submission.yaml").write_text(
        yaml.safe_dump(document | ({"transcripts": transcripts} if transcripts else {}))
    )
