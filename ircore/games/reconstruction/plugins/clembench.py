"""The folders of clembench: names, places and the events of an episode, and reading the files of a stranger.

As clemcore 3.7 writes them (``clemgame/callbacks/files.py`` and ``recorder.py`` there): one folder a pair of models, in
it one a game, an experiment and an instance, with ``instance.json``, ``interactions.json`` and ``scores.json``. A round
is a turn; an event names sender, receiver, text and pictures, the pictures as paths below the results. Sizes are
bounded when they are read, and no path leads out of the folder.

Fields that clembench lacks stand under the key ``ircore``, as records of this project, so that nothing is lost. Times
of single events are not known here: each event carries the time when the run began.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.images import ImageError, read_image_bytes
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.core.validation import describe_validation_error
from ircore.games.reconstruction.records import Rules, Turn, list_turns
from ircore.players.base import Role
from ircore.runs.events import Call, CallKey, Failure

GAME = "image_reconstruction_game"
"""Name of the game in clembench."""

RUN, EXPERIMENT, INSTANCE = "run.json", "experiment.json", "instance.json"
INTERACTIONS, SCORES, COMPLETED = "interactions.json", "scores.json", "completed.json"
IMAGES = "images"

OURS = "ircore"
"""Key of our own fields, for which clembench has no place."""

MASTER, DESCRIBER, GENERATOR = "GM", "Player 1", "Player 2"

ABORTED, LOSE, SUCCESS, MAIN = "Aborted", "Lose", "Success", "Main Score"
REQUESTS, PARSED, VIOLATED, RATIO = (
    "Request Count",
    "Parsed Request Count",
    "Violated Request Count",
    "Request Success Ratio",
)

Event = dict[str, Any]
Document = dict[str, Any]

T = TypeVar("T")

MAX_BYTES = 64 * 1024 * 1024
MAX_EPISODES = 100_000


@dataclass(frozen=True)
class ResultPlace:
    """The place of an instance below the results.

    >>> ResultPlace("a--b", "bar_graph_easy", 3).folder
    'a--b/image_reconstruction_game/bar_graph_easy/instance_00003'
    """

    pair: str
    experiment: str
    game_id: int
    """Number within its experiment, from 0."""

    @property
    def folder(self) -> str:
        """Path of the instance's folder, with forward slashes."""
        return f"{self.pair}/{GAME}/{self.experiment}/instance_{self.game_id:05d}"

    def image(self, name: str) -> str:
        """Return the path of a picture of the instance."""
        return f"{self.folder}/{IMAGES}/{name}"


@dataclass(frozen=True)
class Played:
    """An episode together with all records of the answers.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> folder = RunFolder(Path("run"))
    >>> (instance, *_), (episode, *_) = folder.instances.instances, folder.episodes()
    >>> place = list_places(folder.run, [instance])[instance.instance_id]
    >>> build_interactions(Played(folder.run, instance, episode, folder.calls(), place))["Success"]
    1
    """

    run: Run
    instance: Instance
    episode: Episode
    calls: Mapping[CallKey, Call]
    """Recorded answers of this episode."""

    place: ResultPlace

    def call(self, turn: int, role: Role) -> Call | None:
        """Return an answer; None if no answer was recorded."""
        return self.calls.get(CallKey(self.episode.episode_id, turn, role))


def collect_answers(events: Iterable[Call | Failure]) -> dict[CallKey, Call]:
    """Return the answers of an episode by key; of two answers the later, as in a run folder."""
    return {CallKey(call.episode_id, call.turn, call.role): call for call in events if isinstance(call, Call)}


def pair_folder(run: Run) -> str:
    """Return the name of a pair's folder: both models with ``--`` between them, as clembench has it.

    As clembench puts the temperature behind a model's name, the rules' key stands there: a pair under other rules is
    another pair.
    """
    seats = (run.submission.players["describer"], run.submission.players["generator"])
    return "--".join(f"{_make_safe_name(seat.label)}-{Rules.of(run).key}" for seat in seats)


def list_places(run: Run, instances: Sequence[Instance]) -> dict[str, ResultPlace]:
    """Return the folder of each instance by the instance's id: an experiment for each category and difficulty.

    Args:
        run: The run.
        instances: The set, in its order.
    """
    counts: dict[str, int] = {}
    folder = pair_folder(run)
    places = {}
    for instance in instances:
        experiment = f"{instance.category}_{instance.difficulty}"
        places[instance.instance_id] = ResultPlace(folder, experiment, counts.get(experiment, 0))
        counts[experiment] = counts.get(experiment, 0) + 1
    return places


def format_target_name(instance: Instance) -> str:
    """Return the file name of a target among the pictures of the instance."""
    return f"target.{instance.pictures['target'].image.rpartition('.')[2]}"


def format_model_names(run: Run) -> tuple[str, str]:
    """Return the names of describer and generator in clembench: with the rules' key."""
    pair = run.submission
    return Rules.of(run).add_rules_key(pair.players["describer"].label), Rules.of(run).add_rules_key(
        pair.players["generator"].label
    )


def describe_player_models(names: tuple[str, str]) -> Document:
    """Return the two models in the words of clembench; their settings are ours and stay in ``run.json``."""
    return {str(at): {"model_spec": {"model_name": name}, "gen_args": {}} for at, name in enumerate(names)}


def describe_players(names: tuple[str, str]) -> Document:
    """Return the players in the form of ``interactions.json``."""
    return {
        MASTER: {"game_role": "Game Master", "model_name": "programmatic"},
        DESCRIBER: {"game_role": "Describer", "model_name": names[0]},
        GENERATOR: {"game_role": "Generator", "model_name": names[1]},
    }


def build_interactions(played: Played) -> Document:
    """Return the content of ``interactions.json``."""
    rounds = build_rounds(played)
    counts = [_count_requests(turn_events) for turn_events in rounds]
    outcome = played.episode.outcome
    names = format_model_names(played.run)
    return {
        "meta": {
            "game_name": GAME,
            "experiment_name": played.place.experiment,
            "game_id": played.place.game_id,
            "results_folder": played.place.pair,
            "clem_version": f"ircore {played.run.version}",
            "round_count": len(rounds),
            "completed": True,
        },
        "player_models": describe_player_models(names),
        "players": describe_players(names),
        "turns": rounds,
        REQUESTS: [requests for requests, _ in counts],
        VIOLATED: [violated for _, violated in counts],
        PARSED: [requests - violated for requests, violated in counts],
        ABORTED: int(outcome == "aborted"),
        LOSE: int(outcome == "turn_limit"),
        SUCCESS: int(outcome == "converged"),
    }


def build_rounds(played: Played) -> list[list[Event]]:
    """Return the events of an episode, a list for each turn."""
    turns = {turn.turn: turn for turn in list_turns(played.episode)}
    answered = {key.turn for key in played.calls}
    rounds = [_build_round(played, number, turns.get(number)) for number in sorted(turns.keys() | answered)]
    # An episode that was aborted before any answer has a round for its end.
    rounds = rounds or [[]]
    reason = played.episode.abort_reason
    ending = played.episode.outcome if reason is None else f"{reason}: {played.episode.detail or ''}"
    kind = "game end" if reason is None else "invalid format" if reason.startswith("describer") else "error"
    rounds[-1].append(_build_event(played, MASTER, MASTER, kind, ending))
    return rounds


class ResultsFolder:
    """A results folder of clembench, opened for reading.

    Args:
        folder: The results folder, or the folder of a pair in it.

    Raises:
        InputError: It holds no pair that played this game, or several.

    >>> ResultsFolder(Path("run"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ircore.core.errors.InputError: ...run: holds no results of image_reconstruction_game...
    """

    def __init__(self, folder: Path) -> None:
        self.pair = _format_pair_folder(folder)
        self.root = self.pair.parent

    def instances(self) -> Iterator[Path]:
        """Yield the folders of the instances, in the order of their names."""
        folders = sorted(path.parent for path in (self.pair / GAME).glob(f"*/*/{INSTANCE}"))
        if not 0 < len(folders) <= MAX_EPISODES:
            raise InputError(
                f"{self.pair}: {len(folders):,} instances", f"Between 1 and {MAX_EPISODES:,} can be read, one a folder."
            )
        return iter(folders)

    def image(self, where: Path, path: object) -> bytes:
        """Return the bytes of a picture that an event or an instance names.

        Args:
            where: The file that names it.
            path: As it stands there: below the results folder, or beside that file.

        Raises:
            InputError: It lies elsewhere, is missing, or is too large.
        """
        plain = PurePosixPath(str(path))
        if plain.is_absolute() or ".." in plain.parts or "://" in str(path) or "\\" in str(path):
            raise InputError(
                f"{where}: picture {str(path)[:120]!r} does not lie in this folder", "Copy the pictures into it."
            )
        # Below the results, as clembench writes paths; beside the file, where somebody moved the folder of an instance.
        for base in (self.root, where.parent):
            candidate = base / plain
            # A link within the folder may lead out of it.
            if candidate.is_file() and candidate.resolve().is_relative_to(self.root.resolve()):
                try:
                    return read_image_bytes(candidate)
                except ImageError as error:
                    raise InputError(f"{where}: {error.problem}", error.remedy) from error
        raise InputError(f"{where}: picture {str(path)[:120]!r} is missing", f"It is looked for below {self.root}.")


def read_document(path: Path) -> dict[str, Any]:
    """Return a JSON document.

    Raises:
        InputError: It is missing, too large, or no JSON object.
    """
    if not path.is_file():
        raise InputError(f"{path}: is missing", "Give a folder as clembench writes it.")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB", "Restore it.")
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({type(error).__name__})", "Restore it.") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}: must be a JSON object", "Restore it.")
    return document


def parse_record(kind: TypeAdapter[T], path: Path, value: object) -> T:
    """Return a record that stands in a stranger's file.

    Raises:
        InputError: It is not a valid one.
    """
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Restore it.") from error


def _make_safe_name(name: str) -> str:
    # A dash becomes an underscore, so that two dashes stand between the models alone.
    return re.sub(r"[^A-Za-z0-9._]+", "_", name)


def _build_round(played: Played, number: int, turn: Turn | None) -> list[Event]:
    call = played.call(number, "describer")
    earlier = [
        turn.rendering for turn in list_turns(played.episode) if turn.turn < number and turn.rendering is not None
    ]
    drawn = [played.place.image(f"{rendering.sha256}.png") for rendering in earlier]
    shown_pictures = [played.place.image(format_target_name(played.instance)), *drawn]
    prompt = call.prompt if call is not None else None
    events = [
        _build_event(played, MASTER, DESCRIBER, "send message", prompt or "", shown_pictures),
        _build_event(played, DESCRIBER, MASTER, "get message", _format_reply(call, turn)),
    ]
    if turn is None:
        return events
    if turn.action == "done":
        return [*events, _build_event(played, MASTER, MASTER, "done", "the describer is content")]
    message = turn.message or ""
    events.append(_build_event(played, MASTER, MASTER, "parse", message))
    # The generator edits its latest picture, so it is sent with that picture and without the target.
    events.append(_build_event(played, MASTER, GENERATOR, "send message", message, drawn[-1:]))
    if turn.rendering is not None:
        picture = [played.place.image(f"{turn.rendering.sha256}.png")]
        events.append(_build_event(played, GENERATOR, MASTER, "get message", "\n".join(turn.notes), picture))
    return events


def _format_reply(call: Call | None, turn: Turn | None) -> str:
    """Return the raw answer; an unrecorded answer (of a pulled run) is made from the turn."""
    if call is not None:
        return call.text or ""
    if turn is None or turn.action == "done":
        return "<DONE>"
    return f"<DESCRIPTION>{turn.message}</DESCRIPTION>"


def _build_event(played: Played, source: str, to: str, kind: str, content: str, images: Sequence[str] = ()) -> Event:
    action: dict[str, Any] = {"type": kind, "content": content}
    # Words of the game master to itself are neither context nor response of a player.
    if source != to:
        action["label"] = "context" if source == MASTER else "response"
    if images:
        action["image"] = list(images)
    return {"from": source, "to": to, "timestamp": played.run.started, "action": action}


def _count_requests(events: Sequence[Event]) -> tuple[int, int]:
    """Return the numbers of answers and of violations in a round."""
    answers = sum(event["from"] in (DESCRIBER, GENERATOR) for event in events)
    return answers, sum(event["action"]["type"] == "invalid format" for event in events)


def _format_pair_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a results folder of clembench.")
    # The pair is told by the name of its folder, which a path such as "." does not show.
    folder = folder.resolve()
    if (folder / GAME).is_dir():
        return folder
    pairs = sorted(path.parent for path in folder.glob(f"*/{GAME}") if path.is_dir())
    if len(pairs) == 1:
        return pairs[0]
    if pairs:
        names = ", ".join(path.name for path in pairs[:8])
        raise InputError(f"{folder}: holds the results of {len(pairs)} pairs", f"Name the folder of one: {names}.")
    raise InputError(
        f"{folder}: holds no results of {GAME}", f"clembench's folders are PAIR/{GAME}/EXPERIMENT/instance_00000."
    )
