"""The tables of a release and their columns, defined once for every game.

From these come the Arrow schema of the files, the features that ``datasets`` reads, the YAML and the column tables of
the card, what ``release check`` demands, the rows that records make, and the records that rows are read back to. Only
the transcripts differ between games: their columns are the fields of a game's record of a step.
"""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from dataset_card.tables.columns import Config, Kind, ReleaseColumn
from ircore.core.records import DEFAULT_GAME
from ircore.games.base import Game, list_picture_fields

GAME = ReleaseColumn("game", "string", "Name of the game.")
"""The first column of every table."""

_RUN = (
    ReleaseColumn(
        "run_id", "string", "The run: the players of a submission under one set of rules; joins with `runs`."
    ),
    ReleaseColumn("submission", "string", "Slug of the submission."),
)
_RULES = ReleaseColumn("rules", "string", "Key of the rules played by, such as `b200-t10-allow` or `rounds=3`.")
"""The last column of every table of runs."""

_EPISODE = ReleaseColumn(
    "episode_id",
    "string",
    "One instance played by one submission: the run and the instance, unique in the release.",
    field="episode_id",
)
_INSTANCE = (
    ReleaseColumn(
        "instance_id",
        "string",
        "What was played: game, instance set and instance, unique in the release; joins with `instances`.",
        field="instance_id",
    ),
    ReleaseColumn("category", "string", "Category of the instance, such as `bar_graph`.", field="category"),
    ReleaseColumn("difficulty", "string", "`easy` or `hard`.", field="difficulty"),
)
_LABELS = tuple(ReleaseColumn(column.name, column.kind, column.description) for column in _INSTANCE)
"""The same columns where a row is of something else, such as a score."""

SCORES = Config(
    "scores",
    "one value",
    (
        GAME,
        *_RUN,
        _EPISODE,
        *_LABELS,
        ReleaseColumn(
            "step",
            "int32",
            "The step that was scored, 1-based; the last one for a preference; null for the whole episode.",
            nullable=True,
            field="step",
        ),
        ReleaseColumn(
            "measure",
            "string",
            "`similarity`, `preference`, an image metric, or a measure of the game.",
            field="measure",
        ),
        ReleaseColumn(
            "by", "string", "Who gave it: a judge, the metric itself, or the game for its own measures.", field="by"
        ),
        ReleaseColumn(
            "value",
            "float64",
            "similarity: 0–10; preference: 1 final, 0 first rendering, 0.5 tie; others: in the measure's unit.",
            nullable=True,
            field="value",
        ),
        ReleaseColumn("reason", "string", "Why there is no value.", nullable=True, field="reason"),
        ReleaseColumn("note", "string", "The value explained in words.", nullable=True, field="note"),
        ReleaseColumn(
            "rendering_sha256",
            "string",
            "SHA-256 of the scored picture; null for the game's own measures.",
            nullable=True,
            field="rendering",
        ),
        ReleaseColumn(
            "annotator", "string", "Pseudonym of the person, where `by` is `human`.", True, field="annotator"
        ),
        ReleaseColumn(
            "first_leading",
            "float64",
            "preference asked in both orders: the answer with the first rendering shown first.",
            nullable=True,
            field="orders.first_leading",
        ),
        ReleaseColumn(
            "final_leading",
            "float64",
            "The same with the final rendering shown first.",
            nullable=True,
            field="orders.final_leading",
        ),
        ReleaseColumn(
            "leniencies", "strings", "Deviations in a model's answer that were accepted.", field="leniencies"
        ),
        ReleaseColumn(
            "version",
            "string",
            "metric: version of its definition, with the weights that it computed with.",
            nullable=True,
            field="version",
        ),
        ReleaseColumn(
            "loading",
            "string",
            "metric: `upstream` (as published values were computed) or `native` (as a viewer shows the pictures).",
            nullable=True,
            field="loading",
        ),
        ReleaseColumn(
            "lowest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is wrong.",
            nullable=True,
            field="low",
        ),
        ReleaseColumn(
            "highest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is right.",
            nullable=True,
            field="high",
        ),
        ReleaseColumn(
            "undecided",
            "float64",
            "similarity by `verified`: share of the facts, by weight, that could not be told, 0–1.",
            nullable=True,
            field="undecided",
        ),
        ReleaseColumn(
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
        ReleaseColumn("category", "string", "A category, or `all`."),
        ReleaseColumn("difficulty", "string", "`easy`, `hard`, or `all`."),
        ReleaseColumn(
            "by", "string", "The judge, or the measure, that heads the board; the game for what is on all boards."
        ),
        ReleaseColumn(
            "measure", "string", "What the number is: `main_score`, which ranks are by, or a row of `measures`."
        ),
        ReleaseColumn(
            "mean", "float64", "The mean over episodes, or the number; null without any value.", nullable=True
        ),
        ReleaseColumn("low", "float64", "Lower end of the 95 % interval; null where there is none.", nullable=True),
        ReleaseColumn("high", "float64", "Upper end of the 95 % interval; null where there is none.", nullable=True),
        ReleaseColumn("n", "int32", "Episodes that it rests on; null for a plain count.", nullable=True),
        ReleaseColumn("rank_low", "int32", "main_score: best rank that the paired intervals allow.", nullable=True),
        ReleaseColumn("rank_high", "int32", "main_score: worst rank that they allow.", nullable=True),
        ReleaseColumn(
            "unranked", "string", "main_score: why there is no rank, such as `held` or `too_few`.", nullable=True
        ),
        _RULES,
    ),
)

MEASURES = Config(
    "measures",
    "one measure of a game's boards",
    (
        GAME,
        ReleaseColumn("measure", "string", "Its key in `leaderboard`."),
        ReleaseColumn("title", "string", "Its name for people."),
        ReleaseColumn("unit", "string", "Unit or range; null if it has none.", nullable=True),
        ReleaseColumn("better", "string", "`higher`, `lower`, or null where neither is better.", nullable=True),
        ReleaseColumn("description", "string", "What it means."),
    ),
)

RUNS = Config(
    "runs",
    "one run: the players of a submission under one set of rules",
    (
        GAME,
        *_RUN,
        ReleaseColumn("name", "string", "The submission's name as stated."),
        ReleaseColumn("seats", "strings", "The seats that were taken, as the game names them."),
        ReleaseColumn("players", "strings", "Who took each of them."),
        ReleaseColumn("settings", "string", "The rules, each with its value, as JSON."),
        ReleaseColumn("instance_set", "string", "Identity of the instance set that was played, as in `instances`."),
        ReleaseColumn("prompts", "string", "Version of the prompts."),
        ReleaseColumn("seed", "int64", "Seed of players that draw lots."),
        ReleaseColumn("version", "string", "Version of ircore that played it."),
        ReleaseColumn("started", "string", "When play began, ISO 8601 in UTC."),
        ReleaseColumn("licence", "string", "SPDX identifier of what the players wrote and drew."),
        ReleaseColumn(
            "reference", "bool", "Whether a player saw what no player may see: a ceiling or a floor, never ranked."
        ),
        ReleaseColumn(
            "vouched_by", "string", "`maintainers` (played here), `rescored` (scored here) or null.", nullable=True
        ),
        _RULES,
    ),
)

JUDGES = Config(
    "judges",
    "one judge of a game's pictures",
    (
        GAME,
        ReleaseColumn("judge", "string", "Its name, as in the column `by` of `scores`."),
        ReleaseColumn("label", "string", "Its name on boards."),
        ReleaseColumn("kind", "string", "`computed`, `model` or `human`."),
        ReleaseColumn("family", "string", "Of a model: its maker's line, such as `gpt`.", nullable=True),
        ReleaseColumn("model", "string", "Of a model: which one was asked.", nullable=True),
        ReleaseColumn("prompts", "string", "Of a model: version of the judge's prompts.", nullable=True),
        ReleaseColumn("version", "string", "Version of the code or checkpoint that computes it.", nullable=True),
        ReleaseColumn("categories", "strings", "The categories that it rates; empty for all."),
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
        ReleaseColumn("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        ReleaseColumn("step", "int32", "1-based; joins with `transcripts`."),
        ReleaseColumn("action", "string", "`describe` or `done`."),
        ReleaseColumn("message", "string", "What the generator was told; null on a done turn.", nullable=True),
        ReleaseColumn(
            "target", "image", f"The target as a JPEG of at most {PREVIEW_SIDE} × {PREVIEW_SIDE} pixels.", repeats=True
        ),
        ReleaseColumn("target_sha256", "string", "SHA-256 of the original, as in `transcripts`."),
        ReleaseColumn(
            "rendering", "image", "The rendering, made as small; null where nothing was drawn.", nullable=True
        ),
        ReleaseColumn("rendering_sha256", "string", "SHA-256 of the original, as in `transcripts`.", nullable=True),
        _RULES,
    ),
)

FACTS = Config(
    "facts",
    "one fact of a drawn target as one rendering shows it",
    (
        GAME,
        *_RUN,
        ReleaseColumn("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        ReleaseColumn("step", "int32", "1-based; joins with `transcripts` and `scores`."),
        ReleaseColumn("rendering_sha256", "string", "SHA-256 of the rendering, as in `transcripts`."),
        ReleaseColumn(
            "fact",
            "string",
            "The fact, unique within its target, such as `bar-3/value`; `extra-1` … of extras, `planted-1` … of "
            "false sentences that a model was asked.",
        ),
        ReleaseColumn(
            "part", "string", "`presence`, `text`, `colour`, `value`, `place`, `count`, `extra` or `planted`."
        ),
        ReleaseColumn("kind", "string", "What it is about: `bar`, `wedge`, `line`, `tick_label` …"),
        ReleaseColumn("attribute", "string", "`presence`, `text`, `colour`, `value`, `size`, `place`, `relation` …"),
        ReleaseColumn("sentence", "string", "The fact in plain English."),
        ReleaseColumn("verdict", "string", "`holds`, `fails` or `undecided`."),
        ReleaseColumn(
            "credit",
            "float64",
            "−1.5 to 1: 1 if it holds, between if nearly right, −1 for another mark's colour, −1.5 if exchanged.",
        ),
        ReleaseColumn(
            "weight", "float64", "How much it counts: percent of all facts of the target; 0 if it is not asked."
        ),
        ReleaseColumn("expected", "string", "The true value as JSON; null for extras.", nullable=True),
        ReleaseColumn("seen", "string", "What was seen instead, as JSON; of extras the box in pixels.", nullable=True),
        ReleaseColumn("reason", "string", "Why it fails or cannot be told; null if it holds.", nullable=True),
        ReleaseColumn("eye_version", "string", "Version of the program that looked; of a model, of the list of facts."),
        ReleaseColumn("judge", "string", "Who looked: `verified`, the program, or a judge that is a model."),
        ReleaseColumn(
            "transform_cost",
            "float64",
            "Points that moving the rendering over the target costs; the same in every row of a rendering.",
        ),
        ReleaseColumn("texts_read_by", "string", "Who read labels; null if nobody.", nullable=True),
        _RULES,
    ),
)

CALLS = Config(
    "calls",
    "one question to a seat or a judge",
    (
        GAME,
        *_RUN,
        ReleaseColumn("episode_id", "string", "The episode; joins with `episodes`.", field="episode_id"),
        *_LABELS,
        ReleaseColumn("call", "int32", "1-based number of the question in its run, by episode and then by time."),
        ReleaseColumn("step", "int32", "The step that it was asked in, 1-based.", field="step"),
        ReleaseColumn("seat", "string", "The seat that was asked; null if a judge was.", True, field="seat"),
        ReleaseColumn("judge", "string", "The judge that was asked; null if a seat was.", True, field="judge"),
        ReleaseColumn(
            "task", "string", "judge: `similarity`, `preference`, `facts` or `sentences`.", True, field="task"
        ),
        ReleaseColumn(
            "order", "string", "judge: which rendering was shown first, as in `scores`.", True, field="order"
        ),
        ReleaseColumn(
            "repair", "bool", "judge: whether it sent an answer back that could not be read.", field="repair"
        ),
        ReleaseColumn(
            "again", "bool", "judge: whether it was asked once more, to see how far it agrees.", field="again"
        ),
        ReleaseColumn(
            "prompt",
            "string",
            "The words that were sent; null if they are not known, as of a judge with prompts of its own.",
            nullable=True,
            field="prompt",
        ),
        ReleaseColumn(
            "pictures_sha256",
            "strings",
            "SHA-256 of the pictures that came with it and not before, in order; null if they are not known.",
            nullable=True,
            field="pictures",
        ),
        ReleaseColumn("captions", "strings", "The caption of each; empty for none.", True, field="captions"),
        ReleaseColumn("choices", "strings", "What could be answered, where there was a choice.", True, field="choices"),
        ReleaseColumn(
            "answer", "string", "The raw answer: the words or the choice; null if none.", True, field="answer"
        ),
        ReleaseColumn(
            "rendering_sha256", "string", "SHA-256 of the picture that was the answer.", True, field="rendering"
        ),
        ReleaseColumn("notes", "strings", "Remarks of the player on its answer.", field="notes"),
        ReleaseColumn("outcome", "string", "`answered`, or why not, such as `provider_error`.", field="outcome"),
        ReleaseColumn("detail", "string", "What was seen instead of an answer.", True, field="detail"),
        ReleaseColumn("served", "string", "The model that answered, as the service names it.", True, field="served"),
        ReleaseColumn("requests", "int32", "Requests that it took, retries included.", field="requests"),
        ReleaseColumn("input_tokens", "int32", "Tokens read, as the service counts.", True, field="input_tokens"),
        ReleaseColumn("output_tokens", "int32", "Tokens written, reasoning included.", True, field="output_tokens"),
        ReleaseColumn(
            "reasoning_tokens", "int32", "Of these, tokens that are not shown.", True, field="reasoning_tokens"
        ),
        ReleaseColumn("cached_tokens", "int32", "Of the tokens read, those from a cache.", True, field="cached_tokens"),
        ReleaseColumn("cost_usd", "float64", "US dollars, where the service reports them.", True, field="cost_usd"),
        ReleaseColumn("seconds", "float64", "Time until the answer was there; null if unknown.", True, field="seconds"),
        ReleaseColumn("attempts", "string", "Each request with its outcome, as JSON.", field="attempts", as_json=True),
        _RULES,
    ),
)

DIALOGUES = Config(
    "dialogues",
    "one episode as one of its seats saw it",
    (
        GAME,
        *_RUN,
        ReleaseColumn("episode_id", "string", "The episode; joins with `episodes`."),
        *_LABELS,
        ReleaseColumn("seat", "string", "The seat: the user is who asks it, the assistant is who took it."),
        ReleaseColumn("messages", "messages", "Questions and raw answers as chat templates take them."),
        ReleaseColumn(
            "images_sha256", "strings", "SHA-256 of the pictures in the messages, in order, repeated ones too."
        ),
        ReleaseColumn("outcome", "string", "How the episode ended, as in `episodes`."),
        ReleaseColumn("judge", "string", "Who rated the result, as in `leaderboard`; null if nobody.", nullable=True),
        ReleaseColumn(
            "score", "float64", "The rating of the result, 0 (worst) to 10; null without any.", nullable=True
        ),
        _RULES,
    ),
)

PREFERENCES = Config(
    "preferences",
    "two answers to one question, the better one first",
    (
        GAME,
        ReleaseColumn("instance_set", "string", "Identity of the instance set, as in `instances`."),
        *_LABELS,
        ReleaseColumn("seat", "string", "The seat that was asked; the same players took the other seats."),
        ReleaseColumn("prompt", "messages", "The question, the first to the seat in its episode."),
        ReleaseColumn("images_sha256", "strings", "SHA-256 of the pictures in it, in order."),
        ReleaseColumn("chosen", "messages", "The answer that led to more."),
        ReleaseColumn("rejected", "messages", "The answer that led to less."),
        ReleaseColumn(
            "chosen_sha256", "string", "SHA-256 of the picture that the chosen answer is; null for words.", True
        ),
        ReleaseColumn("rejected_sha256", "string", "The same of the rejected answer.", True),
        ReleaseColumn("chosen_episode_id", "string", "The episode of the chosen answer, as in `episodes`."),
        ReleaseColumn("rejected_episode_id", "string", "The episode of the rejected answer."),
        ReleaseColumn("judge", "string", "Who rated what came of them: the first renderings, else the results."),
        ReleaseColumn("margin", "float64", "By how much the chosen one is better, above 0, at most 10."),
        _RULES,
    ),
)

OPTIONAL_NAMES = frozenset({JUDGES.name, CALLS.name, DIALOGUES.name, PREFERENCES.name, FACTS.name, PREVIEWS.name})
"""Tables that a release has only where there is something in them; they have no part in its layout."""

OF_GAMES = frozenset({MEASURES.name, JUDGES.name})
"""Of these, the tables of a game: the others are of an instance set of a game or of its runs."""

BY_STEP = frozenset({SCORES.name, FACTS.name, PREVIEWS.name})
"""Tables that join with transcripts on ``episode_id`` and ``step``; a row without a step is of a whole episode."""

_TRANSCRIPTS = "transcripts"

OWN_COLUMNS = frozenset({*(column.name for column in (GAME, *_RUN, _EPISODE, *_INSTANCE, _RULES)), "step"})
"""Columns of the transcripts that every game has: a field of a step of the same name is called otherwise."""


def _make_picture_columns(
    name: str, about: str, field: str = "", nullable: bool = True, repeats: bool = False
) -> tuple[ReleaseColumn, ...]:
    """Return the columns of a picture: the picture, the hash of its pixels, and its size where it is read back."""
    size = (
        ReleaseColumn(f"{name}_width", "int32", "Pixels.", nullable, field=f"{field}.width"),
        ReleaseColumn(f"{name}_height", "int32", "Pixels.", nullable, field=f"{field}.height"),
    )
    words = f"SHA-256 of the pixels of `{name}`, as 64 hex digits."
    return (
        ReleaseColumn(name, "image", about, nullable, repeats),
        ReleaseColumn(f"{name}_sha256", "string", words, nullable, field=field and f"{field}.sha256"),
        *(size if field else ()),
    )


INSTANCES = Config(
    "instances",
    "one instance: a target picture, a context, a task",
    (
        GAME,
        ReleaseColumn("instance_set", "string", "Identity of the instance set, as in `runs`: SHA-256 of its index."),
        *_INSTANCE,
        *_make_picture_columns(
            "image", "The first of its pictures, such as the target; null if none may be published."
        ),
        ReleaseColumn(
            "pictures", "images", "All of its pictures, the bytes of their files; none if not to be published."
        ),
        ReleaseColumn("picture_names", "strings", "Their names, such as `target`."),
        ReleaseColumn("pictures_sha256", "strings", "SHA-256 of the pixels of each."),
        ReleaseColumn("picture_widths", "int32s", "Pixels."),
        ReleaseColumn("picture_heights", "int32s", "Pixels."),
        ReleaseColumn("picture_files", "strings", "The files in the instance set."),
        ReleaseColumn("scene", "string", "What was drawn (elements, boxes, colours) as JSON; null if not drawn.", True),
        ReleaseColumn(
            "payload", "string", "The game's own fields, such as texts and answers, as JSON; of a scene the place."
        ),
        ReleaseColumn("source", "string", "`procedural`, or the work and its author.", field="source"),
        ReleaseColumn(
            "licence",
            "string",
            "SPDX identifier of the pictures, or `LicenseRef-…` for a public-domain statement.",
            field="licence",
        ),
        ReleaseColumn("seed", "int64", "Seed it was made from; null if it was not drawn.", nullable=True, field="seed"),
        ReleaseColumn(
            "retired", "string", "Day from which on it counts on no board, since something is wrong with it.", True
        ),
        ReleaseColumn("retired_in", "string", "Version of the benchmark that goes without it.", True),
        ReleaseColumn("retired_reason", "string", "Why it was retired.", True),
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
        ReleaseColumn(
            "outcome", "string", "How it ended, such as `converged`, `completed` or `aborted`.", field="outcome"
        ),
        ReleaseColumn(
            "abort_reason", "string", "Why it was aborted, such as `describer_format`.", True, field="abort_reason"
        ),
        ReleaseColumn("abort_detail", "string", "What was seen that led to the abort.", True, field="detail"),
        ReleaseColumn("turns", "int32", "Turns or steps: its rows in the game's transcripts."),
        ReleaseColumn("renderings", "int32", "Of these, those with a rendering."),
        *_make_picture_columns("first_rendering", "Of the first turn that has one; null if nothing was drawn."),
        *_make_picture_columns("final_rendering", "Of the last turn that has one."),
        ReleaseColumn("message_tokens", "int32", "Tokens of all messages; null for games without any.", nullable=True),
        ReleaseColumn(
            "seconds", "float64", "Time until its answers were there, seconds; null if unknown.", nullable=True
        ),
        ReleaseColumn(
            "cost_usd", "float64", "US dollars that its answers cost; null if one is not known.", nullable=True
        ),
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

OF_NO_RUN = frozenset({INSTANCES.name, LEADERBOARD.name, RUNS.name, MEASURES.name, JUDGES.name, PREFERENCES.name})
"""Tables that are written whole; every other table has files of its own for each run."""

JOINS = {"instance_id": INSTANCES.name, "episode_id": EPISODES.name, "run_id": RUNS.name}
"""The table that each id joins with, on that column alone."""

READING_ORDER = (INSTANCES.name, "", EPISODES.name, SCORES.name, CALLS.name, FACTS.name)
"""Tables in an order in which rows come after the rows that they refer to; "" for transcripts, others last."""


def make_transcripts_config(game: Game[Any]) -> Config:
    """Return the table of a game's turns or steps."""
    return Config(
        name_transcripts(game.name),
        f"one {game.step_word}",
        (
            GAME,
            *_RUN,
            *(
                ReleaseColumn(seat.name, "string", f"Who took the seat {seat.name}; null if nobody.", True)
                for seat in game.seats
            ),
            ReleaseColumn("episode_id", "string", "The episode; joins with `episodes`."),
            *_LABELS,
            ReleaseColumn("step", "int32", "1-based; joins with `scores`."),
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


def step_column(game: Game[Any], field: str) -> str:
    """Return the column for a field of a step: the field's name, prefixed where the table has that name already."""
    taken = {*OWN_COLUMNS, *(seat.name for seat in game.seats), *game.shown_pictures}
    return f"step_{field}" if field in taken else field


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


def _step_columns(game: Game[Any]) -> Iterator[ReleaseColumn]:
    pictures = list_picture_fields(game.step)
    for name, info in game.step.model_fields.items():
        about, column, form = info.description or name, step_column(game, name), _find_form(info.annotation)
        if name in pictures:
            yield from _make_picture_columns(column, about, name, form.nullable, repeats=True)
        else:
            yield ReleaseColumn(column, form.kind, about, form.nullable, field=name, as_json=form.as_json)


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
