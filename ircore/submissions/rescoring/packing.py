"""Packing a run for upload to the submitter's own dataset repository, and naming the upload in the manifest.

Pictures are encoded anew, so that they hold nothing but pixels. Keys, and paths of the submitter's machine, stop the
packing where they stand in what was played; in error messages, which nobody plays by, they are replaced. The manifest
names the Hub's newest commit, and the run in that commit.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import yaml
from pydantic import ValidationError

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.files import compute_file_sha256, write_bytes, write_new_folder, write_text
from ircore.core.images import Picture, read_image_bytes
from ircore.core.plain_words import format_count
from ircore.core.private_text import Leak, find_leaks, redact_leaks
from ircore.core.submission_records import Run, TranscriptsReference
from ircore.games.registry import find_step_word, find_title, load_game
from ircore.instances.store import refuse_withheld
from ircore.players.submission import MANIFEST, read_manifest
from ircore.runs.episode import list_drawn_over
from ircore.runs.events import Call, End, Event, Failure, format_event, get_episode_id
from ircore.runs.folder import JOURNAL, RUN_FILE, RunFolder, RunWriter
from ircore.submissions.check.submission import Purpose, check_bytes
from ircore.submissions.rescoring.fetch import Hub, check_repository, list_files, read_endpoint
from ircore.submissions.rescoring.packed_transcripts import (
    INDEX,
    README,
    PackedFile,
    PackIndex,
    check_listing,
    get_size_limit,
    name_rendering,
)

SHOWN = 20
"""Findings that an error lists."""

MOST_BYTES = 1024**2
"""Largest answer of the Hub that is read, in bytes."""

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Packed:
    """Result of packing a run.

    Attributes:
        folder: Folder to upload, with the run's folder and a README.md.
        index: Files, sizes and hashes.
        removed: Leaks that were replaced in error messages, as ``where: rule at position``.
        run: The run as packed.

    >>> packed = pack(Path("run"), Path("packed"))
    >>> packed.index.files[0].path
    'journal.jsonl'
    """

    folder: Path
    index: PackIndex
    removed: tuple[str, ...]
    run: Run


def pack(path: Path, out: Path) -> Packed:
    """Pack a run; ``out`` appears only when it is complete.

    Args:
        path: The run folder.
        out: Folder to make; it must not exist or be empty.

    Raises:
        InputError: There is no run, an instance of it was not played to its end, a key or a path of the machine stands
            in what was played, a rendering is damaged, or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    source = RunFolder(path)
    _refuse_unfinished(source)
    refuse_withheld(list_drawn_over(load_game(source.run.game), source.instances), "pack")
    events = list(source.events())
    run_text = _run_text(source.run)
    _refuse_leaks(source, run_text, events)
    removed: list[str] = []
    with write_new_folder(out) as temporary:
        folder = temporary / source.run.run_id
        for rendering in _list_renderings(events):
            _write_rendering(source, rendering, folder)
        lines = [format_event(_remove_leaks(event, removed)) for event in events]
        journal = b"".join(line + b"\n" for line in lines)
        write_bytes(folder / JOURNAL, journal)
        write_text(folder / RUN_FILE, run_text)
        index = PackIndex(run=source.run.run_id, instance_set=source.run.instance_set, files=tuple(_list_files(folder)))
        write_text(folder / INDEX, index.model_dump_json(indent=1, by_alias=True) + "\n")
        write_text(temporary / README, _build_readme(source.run))
    return Packed(out, index, tuple(dict.fromkeys(removed)), source.run)


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
    hub = Hub(read_endpoint(), monotonic() + deadline)
    commit = revision or _find_newest(hub, repo)
    name = run or _find_only_run(hub, repo, commit)
    try:
        reference = TranscriptsReference(repo=repo, revision=commit, run=name)
    except ValidationError as error:
        raise InputError(f"{repo}: {name[:200]!a} is no run", "Name one that ircore submission pack packed.") from error
    # A reference to files that would be refused later is not written at all.
    check_listing(dict(list_files(hub, reference)), f"{repo}/{reference.run}")
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


def _refuse_unfinished(run: RunFolder) -> None:
    """Refuse a run that re-scoring would refuse, before anything is uploaded."""
    ended = RunWriter.finished_episodes(run)
    planned = run.episode_ids
    missing = [name for name in planned if name not in ended]
    if missing:
        names = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise InputError(
            f"{run.path}: not packed, since {len(missing)} of {format_count(len(planned), 'episode')} were not played "
            f"to their end: {names}",
            f"Play them, then pack again: ircore play {run.run.slug} --instances DIR --out {run.path}",
        )


def _run_text(run: Run) -> str:
    """Return the run's identity without a reference to transcripts: these files are the transcripts."""
    plain = run.model_copy(update={"submission": run.submission.model_copy(update={"transcripts": None})})
    return plain.model_dump_json(indent=2, by_alias=True) + "\n"


def _refuse_leaks(run: RunFolder, run_text: str, events: list[Event]) -> None:
    """Refuse a run with keys or paths in its answers; the error names rule and position, never the text."""
    leaks = [f"{RUN_FILE}: {leak}" for leak in find_leaks(run_text)]
    for event in events:
        if isinstance(event, Call):
            texts = {"prompt": event.prompt, "answer": event.text, "notes": "\n".join(event.notes)}
            where = f"{event.episode_id}, {find_step_word(run.game)} {event.turn}, {event.role}"
            leaks += [f"{where}, {name}: {leak}" for name, text in texts.items() for leak in find_leaks(text or "")]
    if leaks:
        more = f" ({len(leaks)} such places)" if len(leaks) > 1 else ""
        rest = [f"  {leak}" for leak in leaks[1:SHOWN]]
        remedy = "Revoke such a key. Mend the manifest or the server, and play into another folder."
        raise InputError(
            f"{run.path}: not packed, since this must not be published: {leaks[0]}{more}", "\n".join([remedy, *rest])
        )


def _list_renderings(events: list[Event]) -> Iterator[Rendering]:
    calls = (event for event in events if isinstance(event, Call))
    # A rendering that several turns share is written once.
    known = {call.rendering.sha256: call.rendering for call in calls if call.rendering}
    yield from known.values()


def _write_rendering(source: RunFolder, rendering: Rendering, folder: Path) -> None:
    path, name = source.rendering_path(rendering.sha256), name_rendering(rendering.sha256)
    recorded = Picture.from_own_file(read_image_bytes(path), rendering, str(path))
    # Encoded anew: the file of a player that writes its own may hold texts beside the pixels.
    data = Picture.from_pixels(recorded.pixels).data
    limit = get_size_limit(name) or 0
    if len(data) > limit:
        raise InputError(f"{path}: larger than {limit // 2**20} MiB as a plain PNG file", "Play with smaller pictures.")
    write_bytes(folder / name, data)


def _remove_leaks(event: Event, removed: list[str]) -> Event:
    """Take leaks out of error messages."""
    where = get_episode_id(event)

    def plain(text: str | None, most: int) -> str | None:
        leaks: list[Leak] = list(find_leaks(text or ""))
        removed.extend(f"{where}: {leak.rule}" for leak in leaks)
        # What stands in place of a leak may be longer than the leak.
        return redact_leaks(text)[:most] if text and leaks else text

    if isinstance(event, End):
        episode = event.episode
        return event.model_copy(update={"episode": episode.model_copy(update={"detail": plain(episode.detail, 2000)})})
    attempts = tuple(attempt.model_copy(update={"detail": plain(attempt.detail, 500)}) for attempt in event.attempts)
    if isinstance(event, Failure):
        return event.model_copy(update={"attempts": attempts, "detail": plain(event.detail, 2000)})
    return event.model_copy(update={"attempts": attempts})


def _list_files(folder: Path) -> Iterator[PackedFile]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name, size = path.relative_to(folder).as_posix(), path.stat().st_size
            yield PackedFile(path=name, size=size, sha256=compute_file_sha256(path))


def _build_readme(run: Run) -> str:
    """Return a dataset card for the Hub; no program of this project reads the card."""
    import yaml

    # The Hub writes licences in lower case.
    front = yaml.safe_dump({"license": run.submission.licence.lower(), "tags": ["image-reconstruction-game"]})
    return (
        f"---\n{front}---\n\n# Transcripts of the game {find_title(run.game)}\n\n"
        f"The run `{run.run_id}`: every answer in `{run.run_id}/{JOURNAL}`, every rendering below "
        f"`{run.run_id}/renderings`. Packed by `ircore submission pack` to be scored again by the leaderboard; "
        f"files and hashes are listed in `{run.run_id}/{INDEX}`.\n"
    )


def _find_newest(hub: Hub, repo: str) -> str:
    about = _answer(hub, f"/api/datasets/{repo}/revision/main", repo)
    commit = about.get("sha") if isinstance(about, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise WorkError(f"{repo}: the Hub does not say which commit is the newest", "Name it with --revision.")
    return commit


def _find_only_run(hub: Hub, repo: str, commit: str) -> str:
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
