"""A run folder: all answers of a submission on an instance set, and all scores of the renderings.

run.json          identity: submission, instance set, rules, prompts, seed, versions
instances/        a copy of the instance set, so that a run can be read on its own
journal.jsonl     answers (``Call``), questions without an answer (``Failure``), ends of episodes (``End``); append only
renderings/       each rendering once, named by the SHA-256 of its pixels
small.bin         each rendering that was drawn here, made small (``ircore.seeing.descriptors``); append only
scores.jsonl      what judges and metrics gave, and what the game measured of its episodes
facts.jsonl       which facts of drawn targets the renderings show; append only
said.jsonl        which facts were stated and shown at each turn, a line for each turn and reader; append only
retests.jsonl     what judges gave the same renderings when they were asked a second time; append only
judgements.jsonl  every question to a judge that is a model, and its answer (``judge_questions``); append only
judges/           NAME.json: who each judge of that name in scores.jsonl is
provenance.json   who vouches for the run (``ircore.runs.provenance``), if anybody does

Events are written into a run folder while the run is played. Facts are read line by line. Those of ``said.jsonl`` are
the facts of ``list_facts`` on the scene of the target, in its order. A line holds one letter a fact: ``1`` it is so,
``0`` it is not, ``?`` it cannot be told.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, TypeAdapter

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.files import lock_folder, sync_folder, write_bytes, write_new_folder, write_text
from ircore.core.images import ImageError, Picture, read_image_bytes
from ircore.core.journal import (
    DamagedLineError,
    JournalWriter,
    NumberedRecord,
    read_lines,
    read_numbered,
    read_records,
)
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.score_records import JudgeIdentity, Letters, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.core.validation import convert_validation_errors
from ircore.instances.records import Instances
from ircore.instances.store import INDEX, InstanceSet, read_instances
from ircore.runs.events import EVENTS, Call, CallKey, End, Event, EventEntry, Failure, format_event
from ircore.runs.provenance import Provenance, read_provenance
from ircore.seeing.descriptors import pack_small_picture, unpack_small_pictures

if TYPE_CHECKING:
    from PIL import Image

RUN_FILE = "run.json"
JOURNAL = "journal.jsonl"
SCORES = "scores.jsonl"
RETESTS = "retests.jsonl"
SMALL_PICTURES = "small.bin"
JUDGES = "judges"
_RESTORE = "Restore it from a copy of the run."
_EPISODE_ID = re.compile(rb'"episode_id":"([A-Za-z0-9][A-Za-z0-9._-]*)"')
_SCORES = TypeAdapter(Score)

FACTS = "facts.jsonl"

_FACTS = TypeAdapter(RenderingFacts)

SAID = "said.jsonl"

GRAMMAR = "grammar"
"""The reader that is a program: the grammar of the built-in players."""


class RunFolder:
    """A run folder opened for reading.

    >>> run = RunFolder(Path("run"))
    >>> run.game, list(run.read_endings())
    ('reconstruction', ['simple_shapes-easy-01', 'simple_shapes-hard-01'])

    Args:
        path: The folder.
        game: The only game whose runs are taken; None for any game.

    Raises:
        InputError: It holds no readable run, or one of another game.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = _read_run(path)
        self._held: tuple[Event, ...] | None = None
        self._is_locked = False

    @property
    def game(self) -> str:
        """Name of the game that was played."""
        return self.run.game

    @cached_property
    def instances(self) -> InstanceSet:
        """The instance set that is played, as copied into the run."""
        copied = read_instances(self.path / "instances", self.run.instance_set)
        # Answers and scores belong to the pictures of this set; another copy would give them other targets.
        if copied.identity != self.run.instance_set:
            raise InputError(
                f"{self.path / 'instances' / INDEX}: not the instance set that {RUN_FILE} names",
                "Restore the run folder.",
            )
        return copied

    @property
    def episode_ids(self) -> list[str]:
        """Ids of all episodes of the run, in the order of the instance set."""
        return self.run.episode_ids(self.instances.instances.ids)

    def rendering_path(self, sha256: str) -> Path:
        """Return where the rendering with this hash lies."""
        return self.path / "renderings" / f"{sha256}.png"

    def rendering(self, rendering: Rendering) -> Picture:
        """Return a rendering after checking its pixels.

        Raises:
            ImageError: The file is missing or damaged.
        """
        path = self.rendering_path(rendering.sha256)
        if not path.is_file():
            raise ImageError(f"{path}: missing", _RESTORE)
        return Picture.from_own_file(read_image_bytes(path), rendering, str(path), _RESTORE)

    def stored_rendering(self, rendering: Rendering) -> Picture:
        """Return a rendering that was just written or checked; its file is read on each access."""
        path = self.rendering_path(rendering.sha256)
        return Picture.stored(path, rendering.sha256, rendering.width, rendering.height)

    def events(self) -> Iterator[Event]:
        """Yield the events of the run in the order in which they happened."""
        if self._held is not None:
            return iter(self._held)
        return (numbered.record for numbered in self.numbered_events())

    def numbered_events(self) -> Iterator[NumberedRecord[Event]]:
        """Yield the events of the run with number and content of their lines.

        Raises:
            InputError: A line is damaged; the remedy names all lines of its episode.
        """
        try:
            yield from read_numbered(self.path / JOURNAL, EVENTS)
        except DamagedLineError as error:
            raise InputError(error.problem, self._remedy_for(error)) from error

    def _remedy_for(self, damaged: DamagedLineError) -> str:
        """Return what to do about a damaged line: without it, answers after it would belong to other questions."""
        name = _EPISODE_ID.search(damaged.line)
        # The damage may be in the id, which then names no episode.
        if name is None or name[1].decode() not in self.episode_ids:
            return "Remove this line: what it recorded is done again. Answers that no longer fit are then named."
        whose = (number for number, line in read_lines(self.path / JOURNAL) if name[0] in line)
        return f"Remove {describe_lines(whose)}, all of the episode {name[1].decode()}: it is played again."

    def hold_journal(self) -> Self:
        """Return a copy of this folder with the present journal in memory, for work that reads it several times."""
        snapshot = copy(self)
        snapshot._held = tuple(self.events())
        return snapshot

    def calls(self) -> dict[CallKey, Call]:
        """Return every recorded answer by its key."""
        calls = (event for event in self.events() if isinstance(event, Call))
        return {CallKey(call.episode_id, call.turn, call.role): call for call in calls}

    def questions(self) -> tuple[Call | Failure, ...]:
        """Return every question that was asked, answered or not, in order of time."""
        return tuple(event for event in self.events() if isinstance(event, Call | Failure))

    def refusals(self) -> dict[CallKey, Failure]:
        """Return the failures that are players' answers (``Failure.settled``) to questions without another answer."""
        settled: dict[CallKey, Failure] = {}
        for event in self.events():
            if isinstance(event, End):
                continue
            key = CallKey(event.episode_id, event.turn, event.role)
            if isinstance(event, Failure) and event.settled:
                settled[key] = event
            else:
                settled.pop(key, None)
        return settled

    def failures(self) -> tuple[Failure, ...]:
        """Return every question that brought no answer, in order of time."""
        return tuple(event for event in self.events() if isinstance(event, Failure))

    def episodes(self) -> tuple[Episode, ...]:
        """Return the episodes that have ended, in the order of the instance set, each once (the latest)."""
        return tuple(self.read_endings().values())

    def read_endings(self) -> dict[str, Episode]:
        """Return the latest end of each episode by the episode's id, in the order of the instance set."""
        # A later end takes the place of an earlier one: an episode that failed was played again.
        ended = {event.episode.episode_id: event.episode for event in self.events() if isinstance(event, End)}
        return {name: ended[name] for name in self.episode_ids if name in ended}

    def scores(self) -> tuple[Score, ...]:
        """Return every score so far, in the order in which they were given."""
        return tuple(read_records(self.path / SCORES, _SCORES))

    def add_scores(self, scores: Iterable[Score]) -> None:
        """Append scores.

        Raises:
            WorkError: They cannot be written; none of them is there then.
        """
        self._append_scores(SCORES, scores)

    def retests(self) -> tuple[Score, ...]:
        """Return what judges gave when they were asked a second time; none of it counts as a score."""
        return tuple(read_records(self.path / RETESTS, _SCORES))

    def add_retests(self, scores: Iterable[Score]) -> None:
        """Append scores of a second asking.

        Raises:
            WorkError: They cannot be written; none of them is there then.
        """
        self._append_scores(RETESTS, scores)

    def _append_scores(self, name: str, scores: Iterable[Score]) -> None:
        with JournalWriter(self.path / name) as journal:
            journal.append(score.model_dump_json().encode() for score in scores)

    def replace_measured(self, scores: Iterable[Score]) -> None:
        """Write all values of the game's own measures in place of earlier values.

        Raises:
            WorkError: They cannot be written; the earlier ones are there then.
        """
        given = (score for score in self.scores() if score.task != "game")
        lines = (score.model_dump_json().encode() + b"\n" for score in chain(scores, given))
        write_bytes(self.path / SCORES, b"".join(lines), durable=True)

    def judges(self) -> dict[str, JudgeIdentity]:
        """Return who the judges of the scores are, by name.

        Raises:
            InputError: A file of them is damaged.
        """
        judges = (_read_judge(path) for path in sorted((self.path / JUDGES).glob("*.json")))
        return {judge.name: judge for judge in judges}

    def provenance(self) -> Provenance | None:
        """Return who vouches for this run; None if nobody vouches.

        Raises:
            InputError: The file that says so is damaged.
        """
        return read_provenance(self.path)

    def keep_judge(self, judge: JudgeIdentity) -> None:
        """Store the identity of a judge before the judge's first score.

        Raises:
            InputError: Another judge has scored this run under the same name.
        """
        if not self.check_judge(judge):
            path = self.path / JUDGES / f"{judge.name}.json"
            write_text(path, judge.model_dump_json(indent=2) + "\n")
            sync_folder(path.parent)

    def replace_judge(self, judge: JudgeIdentity) -> None:
        """Store the identity of a judge in place of an earlier one, whose scores all have been given anew."""
        path = self.path / JUDGES / f"{judge.name}.json"
        write_text(path, judge.model_dump_json(indent=2) + "\n")
        sync_folder(path.parent)

    def check_judge(self, judge: JudgeIdentity) -> bool:
        """Return whether a judge is known to have scored this run.

        Raises:
            InputError: Another judge has scored it under the same name.
        """
        path = self.path / JUDGES / f"{judge.name}.json"
        if not path.is_file():
            return False
        known = _read_judge(path)
        if known != judge:
            field = next(name for name in JudgeIdentity.model_fields if getattr(judge, name) != getattr(known, name))
            raise InputError(
                f"{path}: {field}: the judge {judge.name} of this run is another one",
                "Give the judge another name, or score a copy of the run without judges, scores.jsonl and facts.jsonl.",
            )
        return True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the run folder against other processes that would write into it, unless this object holds the lock.

        Raises:
            InputError: Another process holds it.
        """
        if self._is_locked:
            yield
            return
        with lock_folder(self.path, "run"):
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False


def create_run(
    path: Path,
    run: Run,
    instances: InstanceSet,
    selected: Instances | None = None,
    complete: Callable[[Path], None] | None = None,
) -> RunFolder:
    """Make a run folder; the folder appears only when complete, and is on the disk itself then.

    Args:
        path: Where to.
        run: Identity of the run.
        instances: The set.
        selected: The instances whose pictures the folder holds from the beginning; None for all of them.
        complete: Writes what else a run begins with into the folder, before it appears.

    Raises:
        InputError: ``path`` exists and holds something else.
    """
    with write_new_folder(path, durable=True) as temporary:
        (temporary / "instances").mkdir()  # an instance of another game may have no picture
        # Copied, for an editor may write in place; a picture that is linked is compared with its hash.
        write_bytes(temporary / "instances" / INDEX, (instances.folder / INDEX).read_bytes())
        instances.hold(temporary / "instances", instances.instances if selected is None else selected)
        (temporary / "renderings").mkdir()
        write_text(temporary / RUN_FILE, run.model_dump_json(indent=2, by_alias=True) + "\n")
        if complete is not None:
            complete(temporary)
    return RunFolder(path)


def describe_lines(numbers: Iterable[int]) -> str:
    """Return numbers of lines in words, neighbours together.

    >>> describe_lines([3, 4, 5, 9]), describe_lines([7])
    ('the lines 3–5 and 9', 'line 7')
    """
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    words = [str(first) if first == last else f"{first}–{last}" for first, last in ranges]
    if len(words) == 1:
        return f"{'line' if words[0].isdigit() else 'the lines'} {words[0]}"
    return f"the lines {', '.join(words[:-1])} and {words[-1]}"


def read_facts(run: RunFolder) -> Iterator[RenderingFacts]:
    """Yield the facts of a run's renderings in the order of the file; nothing if the file is missing.

    Of two lines on one episode and rendering the later counts.

    Raises:
        InputError: A line is damaged.
    """
    return read_records(run.path / FACTS, _FACTS)


def add_facts(run: RunFolder, facts: Iterable[RenderingFacts]) -> None:
    """Append facts; the caller holds the run's lock.

    Raises:
        WorkError: They cannot be written; none of them is there then.
    """
    with JournalWriter(run.path / FACTS) as journal:
        journal.append(line.model_dump_json(exclude_defaults=True).encode() for line in facts)


class RunWriter:
    """Records a run while it is played; a context manager. The caller holds the run folder's lock.

    >>> from pathlib import Path
    >>> from ircore.runs.events import Call
    >>> from ircore.runs.folder import RunFolder
    >>> folder = RunFolder(Path("run"))
    >>> call = Call(episode_id="simple_shapes-easy-01", turn=9, role="describer", text="A red circle.", seconds=0.5)
    >>> with folder.lock(), RunWriter(folder) as writer:
    ...     writer.record([EventEntry(call)])
    >>> len(folder.calls()) - len(writer.known)
    1
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        journal = folder.hold_journal()  # read once
        self.known = journal.calls()
        self.refused = journal.refusals()
        self.finished = self.finished_episodes(journal)
        # The caller holds the lock, so such files are of a process that was killed while it wrote.
        for left_over in (folder.path / "renderings").glob(".*.part"):
            left_over.unlink()
        self._journal = JournalWriter(folder.path / JOURNAL)
        self._stored = {path.stem for path in (folder.path / "renderings").iterdir()}

    @staticmethod
    def finished_episodes(folder: RunFolder) -> dict[str, Episode]:
        """Return the episodes that need not be played again, by id."""
        return {name: episode for name, episode in folder.read_endings().items() if episode.finished}

    def record(self, entries: Sequence[EventEntry]) -> None:
        """Record all events, or none on failure; on return they are on the disk itself.

        The files of renderings are there before the journal names them, whatever happens in between.

        Raises:
            WorkError: It cannot be written.
        """
        self._stored |= store_pictures(self.folder, entries, self._stored)
        self._journal.append([format_event(entry.event) for entry in entries], durable=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._journal.__exit__(None, None, None)


def store_pictures(folder: RunFolder, entries: Iterable[EventEntry], stored: Set[str]) -> set[str]:
    """Write the renderings of entries through to the disk, except those already there.

    Args:
        folder: The run folder.
        entries: To be recorded.
        stored: Hashes of the renderings that are there.

    Returns:
        The hashes of those that were written.

    Raises:
        WorkError: One cannot be written.
    """
    pictures = {entry.picture.sha256: entry.picture for entry in entries if entry.picture is not None}
    new = pictures.keys() - stored
    for sha256 in new:
        write_bytes(folder.rendering_path(sha256), pictures[sha256].data, durable=True)
        # Scores, sites and releases read the file again, and know its bytes by then.
        pictures[sha256].remember()
    add_small_pictures(
        folder.path, {sha256: grey for sha256 in new if (grey := pictures[sha256].small_grey) is not None}
    )
    if new:
        # The names of new files survive a crash once their folder is on the disk, too.
        sync_folder(folder.path / "renderings")
    return new


def add_small_pictures(run: Path, pictures: Mapping[str, "Image.Image"]) -> None:
    """Append small pictures of renderings to those of a run folder; where they cannot be written, they are lacking."""
    records = b"".join(pack_small_picture(sha256, grey) for sha256, grey in pictures.items())
    if records:
        # In one call, so that the records of several processes stand one after the other.
        with suppress(OSError), (run / SMALL_PICTURES).open("ab", buffering=0) as file:
            file.write(records)


def read_small_pictures(run: Path) -> dict[str, "Image.Image"]:
    """Return the small pictures of renderings that were drawn in a run folder, by the hashes of their pixels."""
    path = run / SMALL_PICTURES
    return dict(unpack_small_pictures(path.read_bytes())) if path.is_file() else {}


class SaidTurn(Record):
    """The facts of one turn of an episode.

    Example:
        >>> turn = SaidTurn(episode_id="pie_graph-easy-01", turn=1, rendering="a" * 64, reader="grammar", version="1",
        ...                 stated="10", named="10", shown="11")
        >>> turn.stated
        '10'
    """

    episode_id: Name
    turn: int = Field(ge=1, description="1-based; the turn has a message and a rendering.")
    rendering: Sha256 = Field(description="What was drawn.")
    reader: Name = Field(description="Who read the messages: grammar, or a judge that is a model.")
    version: Line = Field(description="Of reader and eye: another one may read the same otherwise.")
    stated: Letters = Field(description="Facts that the messages up to this turn state, those since changed left out.")
    named: Letters = Field(description="Facts that this turn's message states or changes.")
    shown: Letters = Field(description="Facts that the rendering shows.")


def read_said(run: RunFolder) -> tuple[SaidTurn, ...]:
    """Return the stored readings of a run's turns, in the order of the file.

    Raises:
        InputError: A line is damaged.
    """
    return tuple(read_records(run.path / SAID, _TURNS))


def add_said(run: RunFolder, turns: Iterable[SaidTurn]) -> None:
    """Append turns; the caller holds the run's lock.

    Raises:
        WorkError: They cannot be written; none of them is there then.
    """
    with JournalWriter(run.path / SAID) as journal:
        journal.append(turn.model_dump_json().encode() for turn in turns)


def select_latest_turns(turns: Sequence[SaidTurn], reader: str = GRAMMAR) -> tuple[SaidTurn, ...]:
    """Return the turns that a reader has read; of several readings of a turn, the last."""
    known = {(turn.episode_id, turn.turn, turn.rendering): turn for turn in turns if turn.reader == reader}
    return tuple(known.values())


def _read_judge(path: Path) -> JudgeIdentity:
    with convert_validation_errors(path, _RESTORE):
        return JudgeIdentity.model_validate_json(path.read_bytes())


def _read_run(path: Path) -> Run:
    file = path / RUN_FILE
    if not file.is_file():
        missing = f"no run here (no {RUN_FILE})" if path.exists() else "there is no such folder"
        raise InputError(f"{path}: {missing}", "Name a folder made by: ircore play … --out DIR")
    with convert_validation_errors(file, _RESTORE):
        return Run.model_validate_json(file.read_bytes())


_TURNS = TypeAdapter(SaidTurn)
