"""Answers of models that an earlier job has paid for, taken from its artefact into runs that are made anew.

An artefact is a file that somebody may have tampered with, so it is believed as little as possible. Where it comes
from, the service says (``GitHub.artefacts``). Nothing but answers is taken from it: what seats answered to questions
of the very run that is to be played now, and what judges that are models answered. Identity, provenance and instances
of the run are made here; ends of episodes follow from the rules, which are played again; scores, findings and
everything else in the artefact stay unread.
"""

import asyncio
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from lzma import LZMAError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from ircore.core.episode_records import TECHNICAL_REASONS, Rendering
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder
from ircore.core.images import MAX_BYTES as MAX_PICTURE_BYTES
from ircore.core.images import Picture, read_image_bytes
from ircore.core.journal import read_records
from ircore.core.records import Instance
from ircore.games.base import Seat
from ircore.instances.store import InstanceSet, set_of_game
from ircore.players.base import RECORDED
from ircore.players.submission import SLUG, LoadedSubmission
from ircore.runs.answers import (
    LONGEST_NOTE,
    LONGEST_TEXT,
    MAX_NOTES,
    MissingAnswerError,
    RecordedTable,
    hash_seat,
    is_answer_alone,
)
from ircore.runs.episode import build_setup, play_episode, record_ending
from ircore.runs.events import Call, CallKey, End, EventEntry, Failure
from ircore.runs.folder import JOURNAL, RUN_FILE, RunFolder, RunWriter, create_run
from ircore.runs.judge_questions import JUDGEMENTS, QUESTIONS, JudgeQuestion, format_questions
from ircore.runs.play import add_run_id, make_run
from ircore.runs.provenance import make_provenance, write_provenance
from ircore.runs.setup import prepare
from ircore.submissions.github import GitHub
from ircore.submissions.pending_work import read_merged_submissions
from ircore.submissions.reproduce import is_offline

ARTEFACT = "runs"
"""Name of the artefact in which the workflow keeps its runs, finished or not."""

WORKFLOW = "evaluate.yml"
JOB = "Play or re-score"
"""Name of the job that pays for answers."""

MOST_ARTEFACTS = 20
"""Artefacts that are looked through, the newest first: a later job may have evaluated other pairs."""

MOST_FILES = 500_000
MOST_UNPACKED = 16 * 1024**3
"""Bytes of all files that are taken from an artefact."""

LARGEST = {RUN_FILE: 1024**2, JOURNAL: 1024**3, JUDGEMENTS: 256 * 1024**2}
"""Largest file of each name that is taken, in bytes."""

_NAMES = "|".join(map(re.escape, LARGEST))
_WANTED = re.compile(
    rf"(?P<slug>{SLUG.pattern})"
    rf"(?:/(?P<name>{_NAMES})|/renderings/[0-9a-f]{{64}}\.png|~(?P<kept>{re.escape(JUDGEMENTS)}))"
)
"""Files of an artefact that are looked at; every other one stays in it, wherever its name leads."""


def find_kept_judgements(run: Path) -> Path:
    """Return the file beside a run folder that keeps judges' answers until the run has been made."""
    # No slug has a tilde, so that this is no other submission's run folder.
    return run.with_name(f"{run.name}~{JUDGEMENTS}")


def bring_back(service: GitHub, folder: Path, sets: Collection[InstanceSet], out: Path) -> Iterator[str]:
    """Make a run folder of each submission for which an earlier job has answers; yield a line about each.

    The newest artefact that has usable answers for a submission counts, whatever stands in newer ones.

    Args:
        service: The repository, whose workflow ``evaluate`` left the artefacts.
        folder: The merged submissions.
        sets: The sets that are played now; submissions to other games are left out.
        out: Folder of the run folders.

    Raises:
        InputError: A manifest is damaged.
        WorkError: The service cannot be asked, or the place cannot be written.
    """
    missing = {each.slug: each.loaded for each in read_merged_submissions(folder)}
    games = [instances.game for instances in sets]
    # A game with several sets is not evaluated, see set_of_game.
    missing = {slug: loaded for slug, loaded in missing.items() if games.count(loaded.submission.game) == 1}
    for number, artefact in enumerate(service.artefacts(ARTEFACT, WORKFLOW)):
        if number == MOST_ARTEFACTS or not missing:
            return
        with TemporaryDirectory() as work:
            archive, former = Path(work) / "artefact.zip", Path(work) / "former"
            if not service.download(artefact, archive):
                yield f"artefact of {artefact.created}: no longer there, or too large"
                continue
            try:
                slugs = unpack(archive, former, missing)
            except InputError as error:
                yield f"artefact of {artefact.created}: {error.problem}"
                continue
            for slug in slugs:
                try:
                    instances = set_of_game(sets, missing[slug].submission.game)
                    about = _bring_back(former / slug, missing[slug], instances, out / slug)
                except InputError as error:
                    yield f"{slug}: answers of {artefact.created} are left out: {error.problem}"
                    continue
                if about:
                    del missing[slug]
                    yield f"{slug}: {about} of {artefact.created}"


def unpack(archive: Path, out: Path, slugs: Collection[str]) -> list[str]:
    """Unpack what may hold answers: journals, pictures, judges' answers, and whose they are.

    Args:
        archive: The ZIP file.
        out: The folder to make.
        slugs: Submissions whose files are wanted.

    Returns:
        The submissions of which there is something, sorted.

    Raises:
        InputError: It is no ZIP file, or holds too much, or a file twice.
    """
    try:
        with ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > MOST_FILES:
                raise InputError(f"holds more than {MOST_FILES:,} files")
            wanted = [(info, match) for info in members if (match := _WANTED.fullmatch(info.filename))]
            wanted = [(info, match) for info, match in wanted if match["slug"] in slugs]
            if len({info.filename for info, _ in wanted}) < len(wanted):
                raise InputError("holds a file twice")
            if sum(info.file_size for info, _ in wanted) > MOST_UNPACKED:
                raise InputError(f"holds more than {MOST_UNPACKED // 1024**3} GiB")
            for info, match in wanted:
                _take(opened, info, LARGEST.get(match["name"] or match["kept"] or "", MAX_PICTURE_BYTES), out)
    # What zipfile raises for a damaged file, an encrypted one, or a method that it does not know.
    except (BadZipFile, zlib.error, LZMAError, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(f"no ZIP file that can be read ({error})") from error
    return sorted({match["slug"] for _, match in wanted})


def _take(archive: ZipFile, info: ZipInfo, most: int, out: Path) -> None:
    if info.file_size > most:
        raise InputError(f"{info.filename}: larger than {most // 1024} KiB")
    with archive.open(info) as file:
        write_bytes(out / info.filename, file.read(most))


def _bring_back(former: Path, loaded: LoadedSubmission, instances: InstanceSet, out: Path) -> str:
    """Bring back what one artefact has of a submission, and return it in words; empty if it has nothing of use."""
    judged = _read_settled(former / JUDGEMENTS) + _read_settled(find_kept_judgements(former))
    answers = 0
    # Transcripts are fetched and re-scored anew, which asks no model. Pairs of programs ask none either.
    specs = loaded.submission.players.values()
    paid = any(spec.player != RECORDED and not is_offline(spec) for spec in specs)
    if loaded.submission.transcripts is None and paid and (former / RUN_FILE).is_file():
        answers = _make_anew(former, loaded, instances, out)
    if judged:
        data = b"".join(line + b"\n" for line in format_questions(judged))
        write_bytes(find_kept_judgements(out), data)
    parts = [f"{number} {word}" for number, word in ((answers, "answers"), (len(judged), "judges' answers")) if number]
    return " and ".join(parts)


def _read_settled(file: Path) -> list[JudgeQuestion]:
    return [question for question in read_records(file, QUESTIONS) if question.settled]


def _make_anew(former: Path, loaded: LoadedSubmission, instances: InstanceSet, out: Path) -> int:
    """Make the run that is played now, with the answers in a former run folder; return their number.

    Only answers to questions that the rules ask now are taken: the rules are played again on them.

    Raises:
        InputError: An answer or a picture is damaged, none belongs to a question of the run, or ``out`` exists already.
    """
    prepared = prepare(loaded.path, instances.folder, {})
    game, prompts = prepared.game, prepared.game.read_prompts(None)
    run = make_run(loaded, instances, prepared.rules, prompts, 0)
    folder = RunFolder(former)
    # Answers of other players, or by other rules, prompts or targets, answer other questions. The stated id is text.
    if add_run_id(folder.run).run_id != run.run_id:
        return 0
    calls = _read_answers(folder, {seat.name: seat for seat in game.seats}, instances.instances.ids)
    if not calls:
        return 0
    refusals = {failure.episode_id: failure for failure, _ in _find_refusals(folder, calls, instances)}
    seats = {seat: hash_seat(seat, spec) for seat, spec in run.submission.players.items()}
    with write_new_folder(out) as temporary:
        made = create_run(temporary, run, instances)
        write_provenance(made.path, make_provenance(loaded.path))
        taken = 0
        with RunWriter(made) as writer:
            for instance in instances.instances.select({key.episode_id for key in calls} | refusals.keys()):
                name = instance.instance_id
                entries = {
                    key: EventEntry(call, _read_picture(folder, call))
                    for key, call in calls.items()
                    if key.episode_id == name
                }
                pictures = {entry.picture.sha256: entry.picture for entry in entries.values() if entry.picture}
                failures = [refusals[name]] if name in refusals else []
                table = RecordedTable(name, calls, failures, lambda drawn: pictures[drawn.sha256], seats)  # noqa: B023
                ended = None
                with suppress(MissingAnswerError):
                    setup = build_setup(game, run, instances, instance, prompts)
                    ended = record_ending(game, instance, asyncio.run(play_episode(game, table, setup)))
                answered = [entry for key, entry in entries.items() if key in table.answered]
                writer.record(answered)
                taken += len(answered)
                # A model's refusal is its answer: the rules say how the episode ended.
                if failures and ended is not None and ended.finished:
                    writer.record([EventEntry(failures[0]), EventEntry(End(episode=ended))])
        if not taken:
            raise InputError("none of them belongs to a question of this run")
    return taken


def _read_answers(
    folder: RunFolder, seats: Mapping[str, Seat[Any, Any]], episode_ids: Collection[str]
) -> dict[CallKey, Call]:
    """Return the answers that seats of the game gave in episodes of the set.

    Raises:
        InputError: One is damaged, or no record of ours could hold it.
    """
    calls: dict[CallKey, Call] = {}
    for key, call in folder.calls().items():
        if key.episode_id not in episode_ids or key.role not in seats:
            continue
        too_long = len(call.text or "") > LONGEST_TEXT or any(len(note) > LONGEST_NOTE for note in call.notes)
        if too_long or len(call.notes) > MAX_NOTES or not is_answer_alone(seats[key.role], call):
            raise InputError(f"{key.episode_id}, {key.turn}, {key.role}: not an answer of this seat")
        calls[key] = call
    return calls


def _read_picture(folder: RunFolder, call: Call) -> Picture | None:
    """Return the picture of an answer, decoded and written as players' pictures are; None if it has none.

    Raises:
        InputError: It is missing, damaged, or another one than the answer names.
    """
    if call.rendering is None:
        return None
    path = folder.rendering_path(call.rendering.sha256)
    picture = Picture.read_untrusted(read_image_bytes(path), path.name)
    if Rendering.of(picture) != call.rendering:
        raise InputError(f"{path.name}: not the picture that the answer names")
    return picture


def _find_refusals(
    folder: RunFolder, calls: Mapping[CallKey, Call], instances: InstanceSet
) -> Iterator[tuple[Failure, Instance]]:
    """Yield the last refusal of each episode that says something about its players, with the episode's instance."""
    final = {
        failure.episode_id: failure
        for failure in folder.failures()
        if failure.reason != "stopped" and failure.reason not in TECHNICAL_REASONS
    }
    for instance in instances.instances.select(final):
        failure = final[instance.instance_id]
        # Asked once more, it was answered after all.
        if CallKey(failure.episode_id, failure.turn, failure.role) not in calls:
            yield failure, instance


def add_kept_judgements(run: Path) -> int:
    """Add the judges' answers that are kept beside a run to it, and return their number; the file beside it goes.

    Raises:
        InputError: A line is damaged.
    """
    kept, file = find_kept_judgements(run), run / JUDGEMENTS
    if not kept.is_file():
        return 0
    before = list(read_records(file, QUESTIONS))
    known = {question.key for question in before if question.settled}
    added = [question for question in _read_settled(kept) if question.key not in known]
    write_bytes(file, b"".join(line + b"\n" for line in format_questions([*before, *added])))
    kept.unlink()
    return len(added)


def keep_judgements(run: Path) -> None:
    """Keep the judges' answers of a run that is made anew beside it, with those that are kept already."""
    questions = {
        question.key: question
        for question in (*_read_settled(find_kept_judgements(run)), *_read_settled(run / JUDGEMENTS))
    }
    if questions:
        write_bytes(find_kept_judgements(run), b"".join(line + b"\n" for line in format_questions(questions.values())))
