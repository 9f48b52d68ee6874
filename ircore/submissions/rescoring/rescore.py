"""Re-scoring: a submitter's transcripts, checked and kept as a run folder that is scored like any other.

Nothing that the submitter states is believed: the manifest is the one that was merged, the instance set the one at
hand, the rules are played again, and scores are computed from the pictures afterwards. What remains the submitter's
word is that these models gave these answers; tokens, seconds and cost are theirs too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ircore.core.errors import InputError
from ircore.core.files import write_new_folder
from ircore.core.private_text import find_leaks, redact_leaks
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run, TranscriptsReference
from ircore.games.base import Game
from ircore.games.registry import find_step_word, load_game
from ircore.instances.requests import BuildRequest, find_builder, list_names
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.submission import LoadedSubmission, read_manifest
from ircore.players.traits import select_deciding_settings
from ircore.runs.answers import build_known_picture
from ircore.runs.events import Call, End, Event, EventEntry, Failure
from ircore.runs.folder import RunFolder, RunWriter, create_run
from ircore.runs.play import add_run_id
from ircore.runs.provenance import (
    MAX_FLAGS,
    Flag,
    Provenance,
    RegisteredCommitment,
    compute_commitment,
    compute_seed,
    make_provenance,
    write_provenance,
)
from ircore.runs.setup import merge_rules
from ircore.submissions.commitments import number_of, register_of
from ircore.submissions.reproduce import build_submission, load_offline_players
from ircore.submissions.rescoring.fetch import fetch
from ircore.submissions.rescoring.flags import Replayed, find_flags
from ircore.submissions.rescoring.packed_transcripts import INDEX, PackedRun, TranscriptError, read_packed
from ircore.submissions.rescoring.pictures import PackedPictures, make_text_reader
from ircore.submissions.rescoring.rules import MAX_FAULTS, TranscriptReplay
from ircore.submissions.services import refuse_self_reported

DEADLINE = 3600.0
FAST_CLOCK = timedelta(minutes=10)

MAX_NOTES = 50
MAX_NOTE_CHARACTERS = 2000
MAX_TEXT_CHARACTERS = 200_000
"""Longest text answer, in characters: what this project's own players keep of an answer."""

LARGEST = {
    "requests": 10**5,
    "received": 10**12,
    "prompt_tokens": 10**8,
    "completion_tokens": 10**8,
    "reasoning_tokens": 10**8,
    "cost_usd": 10**4,
    "seconds": 10**5,
}
"""Largest counts of one answer by its submitter's word: more would drown every mean and chart that holds them."""

_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,63}")
_REMEDY = "Nothing was kept. Play what is at fault again, pack it, upload it, and name the new commit."


class RefusedError(TranscriptError):
    """Transcripts that cannot be the outcome of a game.

    Attributes:
        faults: All that was found, one line each.

    >>> refused = _build_refusal("org/name@0123456789ab", "my-run", ["turn 1: no answer", "turn 2: no answer"])
    >>> refused.problem
    'org/name@0123456789ab my-run: refused: turn 1: no answer (2 findings in all)'
    >>> len(refused.faults)
    2
    """

    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rescored:
    """Result of re-scoring.

    Attributes:
        folder: The run, ready for ``ircore score``.
        flags: Findings for people to look at.
        provenance: Who vouches for the run; None after a rehearsal with files that were not fetched.
        committed: The commitment that seed and order of the run follow from; None if there is none.

    >>> Rescored(RunFolder(Path("run")), flags=(), provenance=None).folder.run.slug
    'builtin-classical-canvas'
    """

    folder: RunFolder
    flags: tuple[Flag, ...]
    provenance: Provenance | None
    committed: RegisteredCommitment | None = None


def rescore(
    submission: Path,
    out: Path,
    instances: Path | None = None,
    transcripts: Path | None = None,
    deadline: float = DEADLINE,
    published: Sequence[Path] = (),
) -> Rescored:
    """Fetch the transcripts that a submission names, check them, and keep them as a run folder.

    Args:
        submission: The submission's folder or its submission.yaml.
        out: The run folder to make; it must not exist or be empty.
        instances: The instance set that counts; the benchmark's own, drawn anew, if None.
        transcripts: A folder of packed transcripts to take instead of fetching them, named in the manifest or not yet;
            nobody vouches for the run then.
        deadline: Seconds that fetching may take.
        published: Runs of other pairs: renderings that are theirs are flagged.

    Raises:
        InputError: The submission names no transcripts, is self-reported only, or ``out`` holds something.
        RefusedError: The transcripts cannot be the outcome of this pair's game on this set.
        TranscriptError: They are not in the format, or not what their hashes say.
        WorkError: The Hub cannot be reached, or the place cannot be written.
    """
    loaded = read_manifest(submission)
    refuse_self_reported(loaded)
    reference = loaded.submission.transcripts or (None if transcripts is None else _build_rehearsal(transcripts))
    if reference is None:
        raise InputError(f"{loaded.path}: names no transcripts", "Play the pair here, or add transcripts to it.")
    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    loaded = loaded._replace(submission=loaded.submission.in_order(seat.name for seat in game.seats))
    with write_new_folder(out) as temporary, TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as work:
        known = _load_instances(instances, game, Path(work))
        packed = _fetch_packed(reference, transcripts, Path(work), deadline)
        run = _run(loaded, packed.run, known, game)
        committed = check_opening(loaded, run)
        pictures = PackedPictures(packed)
        faults = [*_find_text_faults(packed), *_number_faults(packed), *(picture_faults := list(pictures.faults()))]
        # Damaged pictures let the rules be played without pixels and offline players: one answer names all faults.
        replay = TranscriptReplay(
            run, known, game, game.read_prompts(None), build_known_picture if picture_faults else pictures.load
        )
        replay.players = {} if picture_faults else load_offline_players(loaded)
        faults += replay.faults(packed.events)
        if faults:
            raise _build_refusal(_place(reference) if transcripts is None else str(transcripts), reference.run, faults)
        others = [RunFolder(path) for path in published]
        replayed = Replayed(replay.drawn_from, replay.reproduced, replay.differing)
        flags = find_flags(run, packed.events, known, pictures.load, others, replayed, make_text_reader())
        folder = create_run(temporary, run, known)
        pictures.store(folder.rendering_path("").parent)
        origin = (loaded.path, reference, flags, committed)
        provenance = make_provenance(*origin) if transcripts is None else None
        _write(folder, packed.events, provenance)
    return Rescored(RunFolder(out), flags, provenance, committed)


def _load_instances(folder: Path | None, game: Game[Any], work: Path) -> InstanceSet:
    """Return the instance set that counts: the named set, else the game's own set, drawn anew.

    Raises:
        InputError: There is no set there, or nothing draws instances of the game.
    """
    if folder is not None:
        return read_instances(folder)
    if game.name not in list_names("build"):
        raise InputError(f"nothing draws instances of the game {game.name}", "Name the set with --instances.")
    return find_builder(game.name)(BuildRequest(work / "instances"))


def _fetch_packed(reference: TranscriptsReference, folder: Path | None, work: Path, deadline: float) -> PackedRun:
    """Return the transcripts; errors call them by their address rather than by the folder they were fetched to."""
    if folder is not None:
        return read_packed(folder / reference.run, reference.run)
    place = fetch(reference, work / "fetched", deadline)
    try:
        return read_packed(place, reference.run)
    except TranscriptError as error:
        raise TranscriptError(error.problem.replace(str(place.parent), _place(reference)), error.remedy) from error


def _build_rehearsal(folder: Path) -> TranscriptsReference:
    """Return a stand-in for the reference to transcripts that are not uploaded yet.

    Raises:
        InputError: There is not one packed run.
    """
    runs = [index.parent.name for index in sorted(folder.glob(f"*/{INDEX}"))]
    if len(runs) != 1:
        problem = f"{folder}: holds {len(runs) or 'no'} packed runs"
        raise InputError(problem, "Name the folder that ircore submission pack made.")
    return TranscriptsReference(repo="rehearsal/here", revision="0" * 40, run=runs[0])


def _place(reference: TranscriptsReference) -> str:
    return f"{reference.repo}@{reference.revision[:12]}"


def _run(loaded: LoadedSubmission, stated: Run, instances: InstanceSet, game: Game[Any]) -> Run:
    """Return the run with the merged manifest; only facts that cannot be known here come from the stated identity.

    Raises:
        TranscriptError: The transcripts are of another pair, set, game or prompts, or by other rules.
    """
    merged, rules = loaded.submission, merge_rules(game, loaded, {})
    for name, played, merged_value in (
        ("instance_set", stated.instance_set, instances.identity),
        ("game", stated.game, game.name),
        ("slug", stated.slug, loaded.slug),
        ("prompts", stated.prompts, game.read_prompts(None).version),
        ("rules", stated.rules, rules.model_dump(mode="json")),
        ("seats", sorted(stated.submission.players), sorted(merged.players)),
        *((seat, _select_settings(stated.submission.players.get(seat)), _select_settings(merged.players[seat]))
          for seat in merged.players),
    ):  # fmt: skip
        if played != merged_value:
            if isinstance(played, dict) and isinstance(merged_value, dict):
                # Of many settings those are shown that differ.
                keys = [key for key in {**played, **merged_value} if played.get(key) != merged_value.get(key)]
                played, merged_value = ({key: side.get(key) for key in keys} for side in (played, merged_value))
            raise TranscriptError(
                f"{loaded.path}: {name}: the transcripts were played with {_shorten_value(played)}, not "
                f"{_shorten_value(merged_value)}",
                f"Play the benchmark's own instances: ircore instances build --game {game.name} --out DIR"
                if name == "instance_set"
                else "Name transcripts of this pair, played by its manifest.",
            )
    if not _is_past(stated.started):
        raise TranscriptError(
            f"{loaded.path}: started: {_shorten_value(stated.started)} has not passed yet",
            "Name transcripts whose run.json is as ircore play wrote it: withdrawals and releases go by this time.",
        )
    # Tables of a release hold integers of 64 bits with a sign.
    if max(stated.seeds) >= 2**63:
        raise TranscriptError(f"{loaded.path}: seed: more than 63 bits", _REMEDY)
    # The version is published as it is stated.
    if not _VERSION.fullmatch(stated.version):
        raise TranscriptError(f"{loaded.path}: version: {_shorten_value(stated.version)} is none of ircore", _REMEDY)
    # The id is computed anew from what is stored: the stated one may be that of another run.
    return add_run_id(stated.model_copy(update={"slug": loaded.slug, "submission": merged}))


def _is_past(text: str) -> bool:
    """Return whether a time of a run has passed; clocks may be fast."""
    return datetime.fromisoformat(text) < datetime.now(UTC) + FAST_CLOCK


def _select_settings(player: PlayerSpec | None) -> object:
    """Return the settings that decide a player's answers; the name of the key and timeouts may differ."""
    return player and select_deciding_settings(player).model_dump()


def _find_text_faults(packed: PackedRun) -> Iterator[str]:
    """Yield texts that may not be published or are too long, by rule and position only."""
    for event in packed.events:
        if isinstance(event, End):
            texts, where = [event.episode.detail or ""], event.episode.episode_id
        else:
            where = f"{event.episode_id}, {find_step_word(packed.run.game)} {event.turn}, {event.role}"
            texts = [attempt.detail or "" for attempt in event.attempts]
            texts += [event.detail] if isinstance(event, Failure) else [event.prompt or "", event.text or ""]
        if isinstance(event, Call):
            texts += event.notes
            if len(event.text or "") > MAX_TEXT_CHARACTERS:
                yield f"{where}: an answer of more than {MAX_TEXT_CHARACTERS:,} characters"
            if len(event.notes) > MAX_NOTES or any(len(note) > MAX_NOTE_CHARACTERS for note in event.notes):
                yield f"{where}: notes of more than {MAX_NOTES} lines or {MAX_NOTE_CHARACTERS:,} characters"
        for leak in (leak for text in texts for leak in find_leaks(text)):
            yield f"{where}: holds {leak}: it must not be published"


def _number_faults(packed: PackedRun) -> Iterator[str]:
    """Yield the counts that no answer can have taken."""
    for event in packed.events:
        if isinstance(event, End):
            continue
        counted = (event, event.usage, *event.attempts) if isinstance(event, Call) else event.attempts
        where = f"{event.episode_id}, {find_step_word(packed.run.game)} {event.turn}, {event.role}"
        for name, most in LARGEST.items():
            # Event, usage and attempts each have some of these counts.
            if any((getattr(count, name, None) or 0) > most for count in counted):
                yield f"{where}: {name} of more than {most:,}"


def _build_refusal(where: str, run: str, faults: Sequence[str]) -> RefusedError:
    more = f" ({len(faults)} findings in all)" if len(faults) > 1 else ""
    error = RefusedError(f"{where} {run}: refused: {faults[0]}{more}", _REMEDY)
    error.faults = tuple(faults[:MAX_FAULTS])
    return error


def _write(folder: RunFolder, events: Sequence[Event], provenance: Provenance | None) -> None:
    """Fill a new run folder, which holds the renderings; only checked data goes in."""
    calls = [event for event in events if not isinstance(event, End)]
    # The last end counts: an episode that failed for technical reasons was taken up again.
    ends = {event.episode.episode_id: event for event in events if isinstance(event, End)}
    with RunWriter(folder) as writer:
        writer.record([EventEntry(event) for event in (*calls, *ends.values())])
    if provenance is not None:
        write_provenance(folder.path, provenance)


def _shorten_value(value: object) -> str:
    text = redact_leaks(ascii(value))
    return text if len(text) <= 80 else f"{text[:77]}…"


def check_opening(loaded: LoadedSubmission, run: Run) -> RegisteredCommitment | None:
    """Check that a submitter's run follows from the commitment that the manifest states.

    Args:
        loaded: The submission as merged.
        run: Identity of the run, as the submitter states it.

    Returns:
        The merged commitment; None without one.

    Raises:
        TranscriptError: The run has another seed, another salt, no opening, or was begun before the merge.
    """
    stated, opening = loaded.submission.commitment, run.opening
    if stated is None:
        if opening is not None:
            raise _build_mismatch_error(loaded, "opening", "the manifest has no commitment that it opens")
        return None
    register = register_of(loaded.path.parent)
    entry = register.get((loaded.slug, stated))
    if entry is None:
        raise _build_mismatch_error(loaded, "commitment", "no merge has brought it to the branch main")
    if opening is None:
        raise _build_mismatch_error(loaded, "opening", "the transcripts do not open the commitment; play with --salt")
    if opening.nonce != entry.nonce or compute_commitment(loaded.slug, loaded.submission, opening.salt) != stated:
        raise _build_mismatch_error(loaded, "opening", "is not of this commitment")
    first = compute_seed(opening)
    # Further seeds of one's own choice would be as good as another first one.
    if run.seeds != tuple(range(first, first + run.repeats)):
        raise _build_mismatch_error(loaded, "seed", "does not follow from the commitment")
    # An earlier start would allow playing first and committing to the best of several runs.
    if datetime.fromisoformat(run.started) < datetime.fromisoformat(entry.when):
        raise _build_mismatch_error(loaded, "started", "is before the commitment was merged")
    return RegisteredCommitment(commitment=stated, when=entry.when, number=number_of(entry, register))


def _build_mismatch_error(loaded: LoadedSubmission, field: str, problem: str) -> TranscriptError:
    return TranscriptError(f"{loaded.path}: {field}: {problem}", "Play by the commitment: docs/commit-to-a-run.md.")


def flag_run(path: Path, published: Sequence[Path] = ()) -> tuple[Flag, ...]:
    """Find unlikely events in a finished run, and record the findings with its origin.

    Args:
        path: The run folder, played by the maintainers.
        published: Runs of other pairs, whose renderings these should not be.

    Raises:
        InputError: Nobody vouches for the run.
    """
    folder = RunFolder(path)
    known = folder.provenance()
    if known is None:
        raise InputError(f"{path}: nobody vouches for this run", "Play it with --as-maintainers.")
    run, events, game = folder.run, list(folder.events()), load_game(folder.game, f"{path}: game")
    players = load_offline_players(build_submission(folder))
    replay = TranscriptReplay(run, folder.instances, game, game.read_prompts(None), folder.rendering, players)
    # A run of the maintainers has no faults: it is played again for what the comparisons need.
    replay.faults(events)
    replayed = Replayed(replay.drawn_from, replay.reproduced, replay.differing)
    others = [RunFolder(other) for other in published]
    flags = find_flags(run, events, folder.instances, folder.rendering, others, replayed, make_text_reader())[
        :MAX_FLAGS
    ]
    write_provenance(path, known.model_copy(update={"flags": flags}))
    return flags
