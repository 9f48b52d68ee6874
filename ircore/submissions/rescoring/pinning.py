"""Naming uploaded transcripts in a manifest: the Hub's newest commit, and the run in that commit."""

import json
import re
from pathlib import Path
from time import monotonic
from typing import Any

import yaml
from pydantic import ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_text
from ircore.core.submission_records import TranscriptsReference
from ircore.players.submission import MANIFEST, read_manifest
from ircore.submissions.check.submission import Purpose, check_bytes
from ircore.submissions.rescoring.fetch import Hub, check_repository, endpoint, listing
from ircore.submissions.rescoring.packed_transcripts import check_listing

MOST_BYTES = 1024**2
"""Largest answer of the Hub that is read, in bytes."""

_COMMIT = re.compile(r"[0-9a-f]{40}")


def find_reference(repo: str, revision: str | None, run: str | None, deadline: float) -> TranscriptsReference:
    """Return a reference to packed transcripts in a public dataset repository; files are listed, not fetched.

    Args:
        repo: The repository.
        revision: The commit; the newest one if None.
        run: The run; the only one that is there if None.
        deadline: Seconds that all of it may take.

    Raises:
        InputError: There is no such public repository, commit or run; or several runs; or one that was not packed.
        WorkError: The Hub cannot be reached.
    """
    check_repository(repo, "--repo")
    if revision is not None and not _COMMIT.fullmatch(revision):
        raise InputError(f"--revision: {revision!a} is no commit", "Give its 40 hexadecimal digits, or leave it out.")
    hub = Hub(endpoint(), monotonic() + deadline)
    commit = revision or _newest(hub, repo)
    name = run or _only_run(hub, repo, commit)
    try:
        reference = TranscriptsReference(repo=repo, revision=commit, run=name)
    except ValidationError as error:
        raise InputError(f"{repo}: {name[:200]!a} is no run", "Name one that ircore submission pack packed.") from error
    # A reference to files that would be refused later is not written at all.
    check_listing(dict(listing(hub, reference)), f"{repo}/{reference.run}")
    return reference


def require_unnamed(folder: Path) -> None:
    """Raise ``InputError`` if the manifest in a folder names transcripts already, or cannot be read."""
    if read_manifest(folder).submission.transcripts is not None:
        raise InputError(
            f"{folder / MANIFEST}: names transcripts already",
            "Name the new ones with: ircore maintain update PATH --revision SHA --reason TEXT",
        )


def name_transcripts(folder: Path, reference: TranscriptsReference) -> None:
    """Write a reference into a manifest without a reference; the rest of the file stays unchanged.

    Args:
        folder: The submission's.
        reference: The reference.

    Raises:
        InputError: The manifest names transcripts already, cannot be read, or takes no more lines.
    """
    require_unnamed(folder)
    text = (folder / MANIFEST).read_text("utf-8")
    lines = yaml.safe_dump({"transcripts": reference.model_dump()}, sort_keys=False, width=200)
    changed = f"{text.rstrip()}\n{lines}"
    # A block of text at the file's end would swallow the lines, so that the changed file is read again.
    again = check_bytes(changed.encode(), MANIFEST, folder.name, purpose=Purpose(local=True)).submission
    if again is None or again.transcripts != reference:
        raise InputError(f"{folder / MANIFEST}: three lines cannot be added at its end", "Add them by hand.")
    write_text(folder / MANIFEST, changed)


def _newest(hub: Hub, repo: str) -> str:
    about = _answer(hub, f"/api/datasets/{repo}/revision/main", repo)
    commit = about.get("sha") if isinstance(about, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise WorkError(f"{repo}: the Hub does not say which commit is the newest", "Name it with --revision.")
    return commit


def _only_run(hub: Hub, repo: str, commit: str) -> str:
    entries = _answer(hub, f"/api/datasets/{repo}/tree/{commit}?limit=1000", repo)
    if not isinstance(entries, list):
        raise WorkError(f"{repo}: the Hub's listing cannot be read", "Name the run with --run.")
    # Files beside the folders, such as a README.md, are no runs.
    folders = [entry.get("path") for entry in entries if isinstance(entry, dict) and entry.get("type") == "directory"]
    if len(folders) != 1 or not isinstance(folders[0], str):
        names = f": {', '.join(ascii(folder)[:80] for folder in folders[:5])}" if folders else ""
        raise InputError(f"{repo}: holds {len(folders) or 'no'} runs{names}", "Name the one that counts with --run.")
    return folders[0]


def _answer(hub: Hub, address: str, repo: str) -> Any:
    with hub.open(address, repo) as answer:
        data = answer.read(MOST_BYTES + 1)
    try:
        return json.loads(data) if len(data) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return None
