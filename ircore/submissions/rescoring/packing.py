"""Packing a run for upload to the submitter's own dataset repository.

Pictures are encoded anew, so that they hold nothing but pixels. Keys, and paths of the submitter's machine, stop the
packing where they stand in what was played; in error messages, which nobody plays by, they are replaced.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ircore.core.counted import counted
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_bytes, write_text
from ircore.core.images import Picture, read_image_bytes
from ircore.core.private_text import Leak, find_leaks, without_leaks
from ircore.core.submission_records import Run
from ircore.games.registry import load_game, step_word, title_of
from ircore.instances.withheld_pictures import refuse_withheld
from ircore.runs.episode import drawn_over
from ircore.runs.events import Call, End, Event, Failure, episode_id_of, event_line
from ircore.runs.folder import JOURNAL, RUN_FILE, RunFolder
from ircore.runs.writer import RunWriter
from ircore.submissions.rescoring.packed_transcripts import (
    INDEX,
    README,
    PackedFile,
    PackIndex,
    file_sha256,
    rendering_name,
    size_limit,
)

SHOWN = 20
"""Findings that an error lists."""


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
    refuse_withheld(drawn_over(load_game(source.run.game), source.instances), "pack")
    events = list(source.events())
    run_text = _run_text(source.run)
    _refuse_leaks(source, run_text, events)
    removed: list[str] = []
    with new_folder(out) as temporary:
        folder = temporary / source.run.run_id
        for rendering in _renderings(events):
            _write_rendering(source, rendering, folder)
        lines = [event_line(_without_leaks(event, removed)) for event in events]
        journal = b"".join(line + b"\n" for line in lines)
        write_bytes(folder / JOURNAL, journal)
        write_text(folder / RUN_FILE, run_text)
        index = PackIndex(run=source.run.run_id, instance_set=source.run.instance_set, files=tuple(_files(folder)))
        write_text(folder / INDEX, index.model_dump_json(indent=1, by_alias=True) + "\n")
        write_text(temporary / README, _readme(source.run))
    return Packed(out, index, tuple(dict.fromkeys(removed)), source.run)


def _refuse_unfinished(run: RunFolder) -> None:
    """Refuse a run that re-scoring would refuse, before anything is uploaded."""
    ended = RunWriter.finished_episodes(run)
    planned = run.episode_ids
    missing = [name for name in planned if name not in ended]
    if missing:
        names = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise InputError(
            f"{run.path}: not packed, since {len(missing)} of {counted(len(planned), 'episode')} were not played "
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
            where = f"{event.episode_id}, {step_word(run.game)} {event.turn}, {event.role}"
            leaks += [f"{where}, {name}: {leak}" for name, text in texts.items() for leak in find_leaks(text or "")]
    if leaks:
        more = f" ({len(leaks)} such places)" if len(leaks) > 1 else ""
        rest = [f"  {leak}" for leak in leaks[1:SHOWN]]
        remedy = "Revoke such a key. Mend the manifest or the server, and play into another folder."
        raise InputError(
            f"{run.path}: not packed, since this must not be published: {leaks[0]}{more}", "\n".join([remedy, *rest])
        )


def _renderings(events: list[Event]) -> Iterator[Rendering]:
    calls = (event for event in events if isinstance(event, Call))
    # A rendering that several turns share is written once.
    known = {call.rendering.sha256: call.rendering for call in calls if call.rendering}
    yield from known.values()


def _write_rendering(source: RunFolder, rendering: Rendering, folder: Path) -> None:
    path, name = source.rendering_path(rendering.sha256), rendering_name(rendering.sha256)
    recorded = Picture.from_own_file(read_image_bytes(path), rendering, str(path))
    # Encoded anew: the file of a player that writes its own may hold texts beside the pixels.
    data = Picture.from_pixels(recorded.pixels).data
    limit = size_limit(name) or 0
    if len(data) > limit:
        raise InputError(f"{path}: larger than {limit // 2**20} MiB as a plain PNG file", "Play with smaller pictures.")
    write_bytes(folder / name, data)


def _without_leaks(event: Event, removed: list[str]) -> Event:
    """Take leaks out of error messages."""
    where = episode_id_of(event)

    def plain(text: str | None, most: int) -> str | None:
        leaks: list[Leak] = list(find_leaks(text or ""))
        removed.extend(f"{where}: {leak.rule}" for leak in leaks)
        # What stands in place of a leak may be longer than the leak.
        return without_leaks(text)[:most] if text and leaks else text

    if isinstance(event, End):
        episode = event.episode
        return event.model_copy(update={"episode": episode.model_copy(update={"detail": plain(episode.detail, 2000)})})
    attempts = tuple(attempt.model_copy(update={"detail": plain(attempt.detail, 500)}) for attempt in event.attempts)
    if isinstance(event, Failure):
        return event.model_copy(update={"attempts": attempts, "detail": plain(event.detail, 2000)})
    return event.model_copy(update={"attempts": attempts})


def _files(folder: Path) -> Iterator[PackedFile]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name, size = path.relative_to(folder).as_posix(), path.stat().st_size
            yield PackedFile(path=name, size=size, sha256=file_sha256(path))


def _readme(run: Run) -> str:
    """Return a dataset card for the Hub; no program of this project reads the card."""
    import yaml

    # The Hub writes licences in lower case.
    front = yaml.safe_dump({"license": run.submission.licence.lower(), "tags": ["image-reconstruction-game"]})
    return (
        f"---\n{front}---\n\n# Transcripts of the game {title_of(run.game)}\n\n"
        f"The run `{run.run_id}`: every answer in `{run.run_id}/{JOURNAL}`, every rendering below "
        f"`{run.run_id}/renderings`. Packed by `ircore submission pack` to be scored again by the leaderboard; "
        f"files and hashes are listed in `{run.run_id}/{INDEX}`.\n"
    )
