"""The tables of a release and their columns, defined once for every game.

From these come the Arrow schema of the files, the features that ``datasets`` reads, the YAML and the column tables of
the card, what ``release check`` demands, the rows that records make, and the records that rows are read back to. Only
the transcripts differ between games: their columns are the fields of a game's record of a step.
"""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from dataset_card.tables.columns import Column, Config, Kind
from ircore.core.records import DEFAULT_GAME
from ircore.games.base import Game, list_picture_fields

GAME = Column("game", "string", "Name of the game.")
"""The first column of every table."""

_RUN = (
    Column("run_id", "string", "The run: the players of a submission under one set of rules; joins with `runs`."),
    Column("submission", "string", "Slug of the submission."),
)
_RULES = Column("rules", "string", "Key of the rules played by, such as `b200-t10-allow` or `rounds=3`.")
"""The last column of every table of runs."""

_EPISODE = Column(
    "episode_id",
    "string",
    "One instance played by one submission: the run and the instance, unique in the release.",
    field="episode_id",
)
_INSTANCE = (
    Column(
        "instance_id",
        "string",
        "What was played: game, instance set and instance, unique in the release; joins with `instances`.",
        field="instance_id",
    ),
    Column("category", "string", "Category of the instance, such as `bar_graph`.", field="category"),
    Column("difficulty", "string", "`easy` or `hard`.", field="difficulty"),
)
_LABELS = tuple(Column(column.name, column.kind, column.description) for column in _INSTANCE)
"""The same columns where a row is of something else, such as a score."""


def _make_picture_columns(
    name: str, about: str, field: str = "", nullable: bool = True, repeats: bool = False
) -> tuple[Column, ...]:
    """Return the columns of a picture: the picture, the hash of its pixels, and its size where it is read back."""
    size = (
        Column(f"{name}_width", "int32", "Pixels.", nullable, field=f"{field}.width"),
        Column(f"{name}_height", "int32", "Pixels.", nullable, field=f"{field}.height"),
    )
    words = f"SHA-256 of the pixels of `{name}`, as 64 hex digits."
    return (
        Column(name, "image", about, nullable, repeats),
        Column(f"{name}_sha256", "string", words, nullable, field=field and f"{field}.sha256"),
        *(size if field else ()),
    )


INSTANCES = Config(
    "instances",
    "one instance: a target picture, a context, a task",
    (
        GAME,
        Column("instance_set", "string", "Identity of the instance set, as in `runs`: SHA-256 of its index."),
        *_INSTANCE,
        *_make_picture_columns(
            "image", "The first of its pictures, such as the target; null if none may be published."
        ),
        Column("pictures", "images", "All of its pictures, the bytes of their files; none if not to be published."),
        Column("picture_names", "strings", "Their names, such as `target`."),
        Column("pictures_sha256", "strings", "SHA-256 of the pixels of each."),
        Column("picture_widths", "int32s", "Pixels."),
        Column("picture_heights", "int32s", "Pixels."),
        Column("picture_files", "strings", "The files in the instance set."),
        Column("scene", "string", "What was drawn (elements, boxes, colours) as JSON; null if not drawn.", True),
        Column("payload", "string", "The game's own fields, such as texts and answers, as JSON; of a scene the place."),
        Column("source", "string", "`procedural`, or the work and its author.", field="source"),
        Column(
            "licence",
            "string",
            "SPDX identifier of the pictures, or `LicenseRef-…` for a public-domain statement.",
            field="licence",
        ),
        Column("seed", "int64", "Seed it was made from; null if it was not drawn.", nullable=True, field="seed"),
        Column("retired", "string", "Day from which on it counts on no board, since something is wrong with it.", True),
        Column("retired_in", "string", "Version of the benchmark that goes without it.", True),
        Column("retired_reason", "string", "Why it was retired.", True),
    ),
)

EPISODES = Config(
    "episodes",
    "one episode",
    (
        GAME,
        *_RUN,
        _EPISODE,
        *_INSTANCE,
        Column("outcome", "string", "How it ended, such as `converged`, `completed` or `aborted`.", field="outcome"),
        Column("abort_reason", "string", "Why it was aborted, such as `describer_format`.", True, field="abort_reason"),
        Column("abort_detail", "string", "What was seen that led to the abort.", True, field="detail"),
        Column("turns", "int32", "Turns or steps: its rows in the game's transcripts."),
        Column("renderings", "int32", "Of these, those with a rendering."),
        *_make_picture_columns("first_rendering", "Of the first turn that has one; null if nothing was drawn."),
        *_make_picture_columns("final_rendering", "Of the last turn that has one."),
        Column("message_tokens", "int32", "Tokens of all messages; null for games without any.", nullable=True),
        Column("seconds", "float64", "Time until its answers were there, seconds; null if unknown.", nullable=True),
        Column("cost_usd", "float64", "US dollars that its answers cost; null if one is not known.", nullable=True),
        _RULES,
    ),
)

SCORES = Config(
    "scores",
    "one value",
    (
        GAME,
        *_RUN,
        _EPISODE,
        *_LABELS,
        Column(
            "step",
            "int32",
            "The step that was scored, 1-based; the last one for a preference; null for the whole episode.",
            nullable=True,
            field="step",
        ),
        Column(
            "measure",
            "string",
            "`similarity`, `preference`, an image metric, or a measure of the game.",
            field="measure",
        ),
        Column(
            "by", "string", "Who gave it: a judge, the metric itself, or the game for its own measures.", field="by"
        ),
        Column(
            "value",
            "float64",
            "similarity: 0–10; preference: 1 final, 0 first rendering, 0.5 tie; others: in the measure's unit.",
            nullable=True,
            field="value",
        ),
        Column("reason", "string", "Why there is no value.", nullable=True, field="reason"),
        Column("note", "string", "The value explained in words.", nullable=True, field="note"),
        Column(
            "rendering_sha256",
            "string",
            "SHA-256 of the scored picture; null for the game's own measures.",
            nullable=True,
            field="rendering",
        ),
        Column("annotator", "string", "Pseudonym of the person, where `by` is `human`.", True, field="annotator"),
        Column(
            "first_leading",
            "float64",
            "preference asked in both orders: the answer with the first rendering shown first.",
            nullable=True,
            field="orders.first_leading",
        ),
        Column(
            "final_leading",
            "float64",
            "The same with the final rendering shown first.",
            nullable=True,
            field="orders.final_leading",
        ),
        Column("leniencies", "strings", "Deviations in a model's answer that were accepted.", field="leniencies"),
        Column(
            "version",
            "string",
            "metric: version of its definition, with the weights that it computed with.",
            nullable=True,
            field="version",
        ),
        Column(
            "loading",
            "string",
            "metric: `upstream` (as published values were computed) or `native` (as a viewer shows the pictures).",
            nullable=True,
            field="loading",
        ),
        Column(
            "lowest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is wrong.",
            nullable=True,
            field="low",
        ),
        Column(
            "highest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is right.",
            nullable=True,
            field="high",
        ),
        Column(
            "undecided",
            "float64",
            "similarity by `verified`: share of the facts, by weight, that could not be told, 0–1.",
            nullable=True,
            field="undecided",
        ),
        Column(
            "unread",
            "bool",
            "similarity by `verified`: whether labels were left unread, since no reader of texts was installed.",
            field="unread",
        ),
        _RULES,
    ),
)

LEADERBOARD = Config(
    "leaderboard",
    "one number of one run under one condition",
    (
        GAME,
        *_RUN,
        Column("category", "string", "A category, or `all`."),
        Column("difficulty", "string", "`easy`, `hard`, or `all`."),
        Column("by", "string", "The judge, or the measure, that heads the board; the game for what is on all boards."),
        Column("measure", "string", "What the number is: `main_score`, which ranks are by, or a row of `measures`."),
        Column("mean", "float64", "The mean over episodes, or the number; null without any value.", nullable=True),
        Column("low", "float64", "Lower end of the 95 % interval; null where there is none.", nullable=True),
        Column("high", "float64", "Upper end of the 95 % interval; null where there is none.", nullable=True),
        Column("n", "int32", "Episodes that it rests on; null for a plain count.", nullable=True),
        Column("rank_low", "int32", "main_score: best rank that the paired intervals allow.", nullable=True),
        Column("rank_high", "int32", "main_score: worst rank that they allow.", nullable=True),
        Column("unranked", "string", "main_score: why there is no rank, such as `held` or `too_few`.", nullable=True),
        _RULES,
    ),
)

MEASURES = Config(
    "measures",
    "one measure of a game's boards",
    (
        GAME,
        Column("measure", "string", "Its key in `leaderboard`."),
        Column("title", "string", "Its name for people."),
        Column("unit", "string", "Unit or range; null if it has none.", nullable=True),
        Column("better", "string", "`higher`, `lower`, or null where neither is better.", nullable=True),
        Column("description", "string", "What it means."),
    ),
)

RUNS = Config(
    "runs",
    "one run: the players of a submission under one set of rules",
    (
        GAME,
        *_RUN,
        Column("name", "string", "The submission's name as stated."),
        Column("seats", "strings", "The seats that were taken, as the game names them."),
        Column("players", "strings", "Who took each of them."),
        Column("settings", "string", "The rules, each with its value, as JSON."),
        Column("instance_set", "string", "Identity of the instance set that was played, as in `instances`."),
        Column("prompts", "string", "Version of the prompts."),
        Column("seed", "int64", "Seed of players that draw lots."),
        Column("version", "string", "Version of ircore that played it."),
        Column("started", "string", "When play began, ISO 8601 in UTC."),
        Column("licence", "string", "SPDX identifier of what the players wrote and drew."),
        Column("reference", "bool", "Whether a player saw what no player may see: a ceiling or a floor, never ranked."),
        Column("vouched_by", "string", "`maintainers` (played here), `rescored` (scored here) or null.", nullable=True),
        _RULES,
    ),
)

JUDGES = Config(
    "judges",
    "one judge of a game's pictures",
    (
        GAME,
        Column("judge", "string", "Its name, as in the column `by` of `scores`."),
        Column("label", "string", "Its name on boards."),
        Column("kind", "string", "`computed`, `model` or `human`."),
        Column("family", "string", "Of a model: its maker's line, such as `gpt`.", nullable=True),
        Column("model", "string", "Of a model: which one was asked.", nullable=True),
        Column("prompts", "string", "Of a model: version of the judge's prompts.", nullable=True),
        Column("version", "string", "Version of the code or checkpoint that computes it.", nullable=True),
        Column("categories", "strings", "The categories that it rates; empty for all."),
    ),
)

PREVIEW_SIDE = 256
"""Width and height of a preview at most, pixels; smaller originals are not made larger."""

PREVIEWS = Config(
    "previews",
    "one turn, its pictures small",
    (
        GAME,
        *_RUN,
        Column("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        Column("step", "int32", "1-based; joins with `transcripts`."),
        Column("action", "string", "`describe` or `done`."),
        Column("message", "string", "What the generator was told; null on a done turn.", nullable=True),
        Column(
            "target", "image", f"The target as a JPEG of at most {PREVIEW_SIDE} × {PREVIEW_SIDE} pixels.", repeats=True
        ),
        Column("target_sha256", "string", "SHA-256 of the original, as in `transcripts`."),
        Column("rendering", "image", "The rendering, made as small; null where nothing was drawn.", nullable=True),
        Column("rendering_sha256", "string", "SHA-256 of the original, as in `transcripts`.", nullable=True),
        _RULES,
    ),
)

FACTS = Config(
    "facts",
    "one fact of a drawn target as one rendering shows it",
    (
        GAME,
        *_RUN,
        Column("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        Column("step", "int32", "1-based; joins with `transcripts` and `scores`."),
        Column("rendering_sha256", "string", "SHA-256 of the rendering, as in `transcripts`."),
        Column(
            "fact",
            "string",
            "The fact, unique within its target, such as `bar-3/value`; `extra-1` … of extras, `planted-1` … of "
            "false sentences that a model was asked.",
        ),
        Column("part", "string", "`presence`, `text`, `colour`, `value`, `place`, `count`, `extra` or `planted`."),
        Column("kind", "string", "What it is about: `bar`, `wedge`, `line`, `tick_label` …"),
        Column("attribute", "string", "`presence`, `text`, `colour`, `value`, `size`, `place`, `relation` …"),
        Column("sentence", "string", "The fact in plain English."),
        Column("verdict", "string", "`holds`, `fails` or `undecided`."),
        Column(
            "credit",
            "float64",
            "−1.5 to 1: 1 if it holds, between if nearly right, −1 for another mark's colour, −1.5 if exchanged.",
        ),
        Column("weight", "float64", "How much it counts: percent of all facts of the target; 0 if it is not asked."),
        Column("expected", "string", "The true value as JSON; null for extras.", nullable=True),
        Column("seen", "string", "What was seen instead, as JSON; of extras the box in pixels.", nullable=True),
        Column("reason", "string", "Why it fails or cannot be told; null if it holds.", nullable=True),
        Column("eye_version", "string", "Version of the program that looked; of a model, of the list of facts."),
        Column("judge", "string", "Who looked: `verified`, the program, or a judge that is a model."),
        Column(
            "transform_cost",
            "float64",
            "Points that moving the rendering over the target costs; the same in every row of a rendering.",
        ),
        Column("texts_read_by", "string", "Who read labels; null if nobody.", nullable=True),
        _RULES,
    ),
)

CALLS = Config(
    "calls",
    "one question to a seat or a judge",
    (
        GAME,
        *_RUN,
        Column("episode_id", "string", "The episode; joins with `episodes`.", field="episode_id"),
        *_LABELS,
        Column("call", "int32", "1-based number of the question in its run, by episode and then by time."),
        Column("step", "int32", "The step that it was asked in, 1-based.", field="step"),
        Column("seat", "string", "The seat that was asked; null if a judge was.", True, field="seat"),
        Column("judge", "string", "The judge that was asked; null if a seat was.", True, field="judge"),
        Column("task", "string", "judge: `similarity`, `preference`, `facts` or `sentences`.", True, field="task"),
        Column("order", "string", "judge: which rendering was shown first, as in `scores`.", True, field="order"),
        Column("repair", "bool", "judge: whether it sent an answer back that could not be read.", field="repair"),
        Column("again", "bool", "judge: whether it was asked once more, to see how far it agrees.", field="again"),
        Column(
            "prompt",
            "string",
            "The words that were sent; null if they are not known, as of a judge with prompts of its own.",
            nullable=True,
            field="prompt",
        ),
        Column(
            "pictures_sha256",
            "strings",
            "SHA-256 of the pictures that came with it and not before, in order; null if they are not known.",
            nullable=True,
            field="pictures",
        ),
        Column("captions", "strings", "The caption of each; empty for none.", True, field="captions"),
        Column("choices", "strings", "What could be answered, where there was a choice.", True, field="choices"),
        Column("answer", "string", "The raw answer: the words or the choice; null if none.", True, field="answer"),
        Column("rendering_sha256", "string", "SHA-256 of the picture that was the answer.", True, field="rendering"),
        Column("notes", "strings", "Remarks of the player on its answer.", field="notes"),
        Column("outcome", "string", "`answered`, or why not, such as `provider_error`.", field="outcome"),
        Column("detail", "string", "What was seen instead of an answer.", True, field="detail"),
        Column("served", "string", "The model that answered, as the service names it.", True, field="served"),
        Column("requests", "int32", "Requests that it took, retries included.", field="requests"),
        Column("input_tokens", "int32", "Tokens read, as the service counts.", True, field="input_tokens"),
        Column("output_tokens", "int32", "Tokens written, reasoning included.", True, field="output_tokens"),
        Column("reasoning_tokens", "int32", "Of these, tokens that are not shown.", True, field="reasoning_tokens"),
        Column("cached_tokens", "int32", "Of the tokens read, those from a cache.", True, field="cached_tokens"),
        Column("cost_usd", "float64", "US dollars, where the service reports them.", True, field="cost_usd"),
        Column("seconds", "float64", "Time until the answer was there; null if unknown.", True, field="seconds"),
        Column("attempts", "string", "Each request with its outcome, as JSON.", field="attempts", as_json=True),
        _RULES,
    ),
)

DIALOGUES = Config(
    "dialogues",
    "one episode as one of its seats saw it",
    (
        GAME,
        *_RUN,
        Column("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        Column("seat", "string", "The seat: the user is who asks it, the assistant is who took it."),
        Column("messages", "messages", "Questions and raw answers as chat templates take them."),
        Column("images_sha256", "strings", "SHA-256 of the pictures in the messages, in order, repeated ones too."),
        Column("outcome", "string", "How the episode ended, as in `episodes`."),
        Column("judge", "string", "Who rated the result, as in `leaderboard`; null if nobody.", nullable=True),
        Column("score", "float64", "The rating of the result, 0 (worst) to 10; null without any.", nullable=True),
        _RULES,
    ),
)

PREFERENCES = Config(
    "preferences",
    "two answers to one question, the better one first",
    (
        GAME,
        Column("instance_set", "string", "Identity of the instance set, as in `instances`."),
        *_LABELS,
        Column("seat", "string", "The seat that was asked; the same players took the other seats."),
        Column("prompt", "messages", "The question, the first to the seat in its episode."),
        Column("images_sha256", "strings", "SHA-256 of the pictures in it, in order."),
        Column("chosen", "messages", "The answer that led to more."),
        Column("rejected", "messages", "The answer that led to less."),
        Column("chosen_sha256", "string", "SHA-256 of the picture that the chosen answer is; null for words.", True),
        Column("rejected_sha256", "string", "The same of the rejected answer.", True),
        Column("chosen_episode_id", "string", "The episode of the chosen answer, as in `episodes`."),
        Column("rejected_episode_id", "string", "The episode of the rejected answer."),
        Column("judge", "string", "Who rated what came of them: the first renderings, else the results."),
        Column("margin", "float64", "By how much the chosen one is better, above 0, at most 10."),
        _RULES,
    ),
)

TABLES = (
    INSTANCES,
    EPISODES,
    SCORES,
    LEADERBOARD,
    RUNS,
    MEASURES,
    JUDGES,
    CALLS,
    DIALOGUES,
    PREFERENCES,
    FACTS,
    PREVIEWS,
)
"""Tables that all games share, in the order of the card; before them stand the transcripts of each game."""

OPTIONAL_NAMES = frozenset({JUDGES.name, CALLS.name, DIALOGUES.name, PREFERENCES.name, FACTS.name, PREVIEWS.name})
"""Tables that a release has only where there is something in them; they have no part in its layout."""

OF_NO_RUN = frozenset({INSTANCES.name, LEADERBOARD.name, RUNS.name, MEASURES.name, JUDGES.name, PREFERENCES.name})
"""Tables that are written whole; every other table has files of its own for each run."""

OF_GAMES = frozenset({MEASURES.name, JUDGES.name})
"""Of these, the tables of a game: the others are of an instance set of a game or of its runs."""

JOINS = {"instance_id": INSTANCES.name, "episode_id": EPISODES.name, "run_id": RUNS.name}
"""The table that each id joins with, on that column alone."""

BY_STEP = frozenset({SCORES.name, FACTS.name, PREVIEWS.name})
"""Tables that join with transcripts on ``episode_id`` and ``step``; a row without a step is of a whole episode."""

READING_ORDER = (INSTANCES.name, "", EPISODES.name, SCORES.name, CALLS.name, FACTS.name)
"""Tables in an order in which rows come after the rows that they refer to; "" for transcripts, others last."""

_TRANSCRIPTS = "transcripts"

OWN_COLUMNS = frozenset({*(column.name for column in (GAME, *_RUN, _EPISODE, *_INSTANCE, _RULES)), "step"})
"""Columns of the transcripts that every game has: a field of a step of the same name is called otherwise."""


def make_transcripts_config(game: Game[Any]) -> Config:
    """Return the table of a game's turns or steps."""
    return Config(
        name_transcripts(game.name),
        f"one {game.step_word}",
        (
            GAME,
            *_RUN,
            *(
                Column(seat.name, "string", f"Who took the seat {seat.name}; null if nobody.", True)
                for seat in game.seats
            ),
            Column("episode_id", "string", "The episode; joins with `episodes`."),
            *_LABELS,
            Column("step", "int32", "1-based; joins with `scores`."),
            *(
                column
                for name in game.shown_pictures
                for column in _make_picture_columns(
                    name, f"The picture `{name}` of the instance.", nullable=False, repeats=True
                )
            ),
            *_step_columns(game),
            _RULES,
        ),
        default=game.name == DEFAULT_GAME,
    )


def _step_columns(game: Game[Any]) -> Iterator[Column]:
    pictures = list_picture_fields(game.step)
    for name, info in game.step.model_fields.items():
        about, column, form = info.description or name, step_column(game, name), _find_form(info.annotation)
        if name in pictures:
            yield from _make_picture_columns(column, about, name, form.nullable, repeats=True)
        else:
            yield Column(column, form.kind, about, form.nullable, field=name, as_json=form.as_json)


def step_column(game: Game[Any], field: str) -> str:
    """Return the column for a field of a step: the field's name, prefixed where the table has that name already."""
    taken = {*OWN_COLUMNS, *(seat.name for seat in game.seats), *game.shown_pictures}
    return f"step_{field}" if field in taken else field


class _Form(NamedTuple):
    """How a column holds the values of a field."""

    kind: Kind
    nullable: bool
    as_json: bool


def _find_form(annotation: Any) -> _Form:
    """Return the form of a column for a field's annotation; a type that no column has becomes JSON."""
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) in (Union, UnionType) and len(parts) == 1:
        return _find_form(parts[0])._replace(nullable=True)
    bare = _strip_limits(annotation)
    plain: Mapping[Any, Kind] = {str: "string", int: "int32", float: "float64", bool: "bool"}
    if get_origin(bare) is Literal:
        return _Form("string", False, not all(isinstance(value, str) for value in get_args(bare)))
    if get_origin(bare) is tuple and [*map(_strip_limits, get_args(bare))] == [str, Ellipsis]:
        return _Form("strings", False, False)
    return _Form(plain.get(bare, "string"), False, bare not in plain)


def _strip_limits(annotation: Any) -> Any:
    """Return the type of an annotation such as ``Annotated[str, StringConstraints(…)]``."""
    return get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation


def name_transcripts(game: str) -> str:
    """Return the name of the table of a game's turns or steps.

    >>> name_transcripts("reconstruction"), name_transcripts("reference")
    ('transcripts', 'transcripts_reference')
    """
    return _TRANSCRIPTS if game == DEFAULT_GAME else f"{_TRANSCRIPTS}_{game}"


def is_transcripts(config: str) -> bool:
    """Return whether a table holds the turns or steps of a game.

    >>> is_transcripts("transcripts"), is_transcripts("transcripts_reference"), is_transcripts("scores")
    (True, True, False)
    """
    return config == _TRANSCRIPTS or config.startswith(f"{_TRANSCRIPTS}_")


def holds_records(config: str) -> bool:
    """Return whether a run's records can be read back from a table: transcripts, episodes or scores."""
    return is_transcripts(config) or config in (EPISODES.name, SCORES.name)
