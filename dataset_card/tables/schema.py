"""The columns of the tables of reconstruction, defined once.

From these come the Arrow schema of the files, the features that ``datasets`` reads, the YAML and the column tables of
the card, and what ``release check`` demands.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dataset_card.tables.columns import Column, Config, Kind
from ircore.games.base import Game, Seat
from ircore.games.reconstruction.records import RECONSTRUCTION
from ircore.games.registry import load_game
from ircore.results.tables.board_columns import board_columns, primary_key
from ircore.results.tables.formats import FlatColumn, flat_columns

GAME = Column("game", "string", "The game: always `reconstruction` in these tables.")
"""The first column of every table but the transcripts, whose rows are of one game by their config."""

_RUN = (
    Column("run_id", "string", "The run: one pair under one set of rules; its settings are in `runs.jsonl`."),
    Column("submission", "string", "Slug of the describer–generator pair."),
)
_RULES = Column(
    "rules",
    "string",
    "Key of the rules played by: token budget, turn limit and what happens over the budget, such as `b200-t10-allow`.",
)
"""The last column of every table of runs."""

_PAIR = (
    Column("describer", "string", "Model that sees the target and writes."),
    Column("generator", "string", "Model that reads and draws."),
)
_EPISODE = Column("episode_id", "string", "One instance played by one pair; unique within its run.")
_INSTANCE = (
    Column("instance_id", "string", "The target picture; joins with `instances`."),
    Column("category", "string", "Category of the target, such as `bar_graph`."),
    Column("difficulty", "string", "`easy` or `hard`."),
)


def _hash(of: str, nullable: bool = False) -> Column:
    return Column(f"{of}_sha256", "string", f"SHA-256 of the pixels of `{of}`, as 64 hex digits.", nullable)


INSTANCES = Config(
    "instances",
    "one target picture",
    (
        GAME,
        *_INSTANCE,
        Column("image", "image", "The target, the bytes of its original PNG or JPEG file."),
        _hash("image"),
        Column("width", "int32", "Pixels."),
        Column("height", "int32", "Pixels."),
        Column(
            "scene", "string", "What was drawn (elements, boxes, colours, values) as JSON; null if not drawn.", True
        ),
        Column("source", "string", "`procedural`, or the work and its author."),
        Column("licence", "string", "SPDX identifier of the picture, or `LicenseRef-…` for a public-domain statement."),
        Column("seed", "int64", "Seed it was drawn from; null if it was not drawn.", nullable=True),
        Column("file", "string", "The picture's file in the instance set."),
    ),
)

TRANSCRIPTS = Config(
    "transcripts",
    "one turn",
    (
        *_RUN,
        *_PAIR,
        _EPISODE,
        *_INSTANCE,
        Column("turn", "int32", "1-based."),
        Column("action", "string", "`describe`, or `done` when the describer ends the episode."),
        Column("message", "string", "What the generator was told; null on a done turn.", nullable=True),
        Column("target", "image", "What the describer sees and the generator does not.", repeats=True),
        _hash("target"),
        Column(
            "rendering", "image", "What the generator drew; null on a done turn or where nothing was drawn.", True, True
        ),
        _hash("rendering", nullable=True),
        Column("rendering_width", "int32", "Pixels; null where nothing was drawn.", nullable=True),
        Column("rendering_height", "int32", "Pixels; null where nothing was drawn.", nullable=True),
        Column("message_tokens", "int32", "Length of the message as written, in o200k_base tokens."),
        Column("over_budget", "bool", "Whether that is more than the run's token budget."),
        Column("leniencies", "strings", "Deviations from the protocol that were accepted."),
        Column("notes", "strings", "What the generator said it could not follow."),
        Column("seconds", "float64", "Time both players took to answer, seconds."),
        _RULES,
    ),
    default=True,
)

EPISODES = Config(
    "episodes",
    "one episode",
    (
        GAME,
        *_RUN,
        *_PAIR,
        _EPISODE,
        *_INSTANCE,
        Column("outcome", "string", "`converged` (the describer said done), `turn_limit` or `aborted`."),
        Column("abort_reason", "string", "Why it was aborted, such as `describer_format`.", nullable=True),
        Column("abort_detail", "string", "What was seen that led to the abort.", nullable=True),
        Column("turns", "int32", "Rows it has in `transcripts`."),
        Column("renderings", "int32", "Of these, turns with a rendering."),
        Column("first_rendering", "image", "Of the first turn; null if nothing was drawn.", nullable=True),
        _hash("first_rendering", nullable=True),
        Column("final_rendering", "image", "Of the last turn that has one.", nullable=True),
        _hash("final_rendering", nullable=True),
        Column("message_tokens", "int32", "Tokens of all messages."),
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
        *_INSTANCE,
        Column(
            "step",
            "int32",
            "The step that was scored, 1-based; the last one for a preference; null for the whole episode.",
            nullable=True,
        ),
        Column("measure", "string", "`similarity`, `preference`, an image metric, or a measure of the game."),
        Column("by", "string", "Who gave it: a judge, the metric itself, or the game for its own measures."),
        Column(
            "value",
            "float64",
            "similarity: 0–10; preference: 1 final, 0 first rendering, 0.5 tie; others: in the measure's unit.",
            nullable=True,
        ),
        Column("reason", "string", "Why there is no value.", nullable=True),
        Column("note", "string", "The value explained in words.", nullable=True),
        Column("rendering_sha256", "string", "SHA-256 of the scored picture; null for the game's own measures.", True),
        Column("annotator", "string", "Pseudonym of the person, where `by` is `human`.", nullable=True),
        Column(
            "first_leading",
            "float64",
            "preference asked in both orders: the answer with the first rendering shown first.",
            nullable=True,
        ),
        Column("final_leading", "float64", "The same with the final rendering shown first.", nullable=True),
        Column("leniencies", "strings", "Deviations in a model's answer that were accepted."),
        Column(
            "version",
            "string",
            "metric: version of its definition, with the weights that it computed with.",
            nullable=True,
        ),
        Column(
            "loading",
            "string",
            "metric: `upstream` (as published values were computed) or `native` (as a viewer shows the pictures).",
            nullable=True,
        ),
        Column(
            "lowest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is wrong.",
            nullable=True,
        ),
        Column(
            "highest",
            "float64",
            "similarity by `verified`: the value if everything that could not be told is right.",
            nullable=True,
        ),
        Column(
            "undecided",
            "float64",
            "similarity by `verified`: share of the facts, by weight, that could not be told, 0–1.",
            nullable=True,
        ),
        Column(
            "unread",
            "bool",
            "similarity by `verified`: whether labels were left unread, since no reader of texts was installed.",
            nullable=True,
        ),
        _RULES,
    ),
)


def _kind_of_part(flat: FlatColumn) -> Kind:
    """Return the type of a column of a leaderboard."""
    # Columns of a board state their decimals: None for a text, zero for a count.
    whole: Kind = "string" if flat.column.digits is None else "int32" if flat.column.digits == 0 else "float64"
    return whole if flat.part == "value" else "int32" if flat.part == "n" else "float64"


def _words_of_part(flat: FlatColumn) -> str:
    """Return the meaning of a column of a leaderboard: of a value, a mean, an end of its interval, or its count."""
    about = flat.column
    if flat.part == "n":
        return f"Episodes that `{about.key}` rests on."
    return f"{_PARTS[flat.part]}{about.description}{f' ({about.unit})' if about.unit else ''}"


_PARTS = {
    "value": "",
    "mean": "Mean over episodes: ",
    "low": "Lower end of the 95 % interval: ",
    "high": "Upper end of the 95 % interval: ",
}


def leaderboard_config(game: Game[Any], seats: Sequence[Seat[Any, Any]]) -> Config:
    """Return the table of a game's boards: the columns that its boards have everywhere.

    Args:
        game: The game, with a measure for each judge that rated.
        seats: Those with a column.
    """
    columns = tuple(filled.column for filled in board_columns(game, seats))
    flat = (
        Column(
            part.name,
            _kind_of_part(part),
            _words_of_part(part),
            nullable={"value": part.column.nullable, "n": False}.get(part.part, True),
        )
        for part in flat_columns(columns, primary_key(game))
    )
    return Config("leaderboard", "one run under one condition by one headline", (GAME, *flat))


_OWN_GAME = load_game(RECONSTRUCTION)
LEADERBOARD = leaderboard_config(_OWN_GAME, _OWN_GAME.seats)


PREVIEW_SIDE = 256
"""Width and height of a preview at most, pixels; smaller originals are not made larger."""

PREVIEWS = Config(
    "previews",
    "one turn, its pictures small",
    (
        *_RUN,
        _EPISODE,
        *_INSTANCE,
        Column("turn", "int32", "1-based; joins with `transcripts`."),
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
        _EPISODE,
        *_INSTANCE,
        Column("turn", "int32", "1-based; joins with `transcripts` and `scores`."),
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
        Column("credit", "float64", "−1 to 1: 1 if it holds, between if nearly right, −1 for another mark's colour."),
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

CONFIGS = (TRANSCRIPTS, INSTANCES, EPISODES, SCORES, LEADERBOARD)
"""Tables of every release, the default first, in the order of the card."""

OPTIONAL_CONFIGS = (FACTS, PREVIEWS)
"""Tables of some releases: facts where ``verified`` rated, and small pictures where they are asked for."""

ALL_CONFIGS = (*CONFIGS, *OPTIONAL_CONFIGS)
"""All tables."""

OPTIONAL_NAMES = frozenset(config.name for config in OPTIONAL_CONFIGS)
"""Names of the tables that a release may lack; they have no part in its layout."""

_TRANSCRIPTS_OF = f"{TRANSCRIPTS.name}_"


def transcripts_name(game: str) -> str:
    """Return the name of the table of a game's turns or steps.

    >>> transcripts_name("reconstruction"), transcripts_name("reference")
    ('transcripts', 'transcripts_reference')
    """
    return TRANSCRIPTS.name if game == RECONSTRUCTION else f"{_TRANSCRIPTS_OF}{game}"


def is_transcripts(config: str) -> bool:
    """Return whether a table holds the turns or steps of a game.

    >>> is_transcripts("transcripts"), is_transcripts("transcripts_reference"), is_transcripts("scores")
    (True, True, False)
    """
    return config == TRANSCRIPTS.name or config.startswith(_TRANSCRIPTS_OF)


def holds_records(config: str) -> bool:
    """Return whether a run's records can be read back from a table: transcripts, episodes or scores."""
    return is_transcripts(config) or config in (EPISODES.name, SCORES.name)


def game_of(config: str, row: Mapping[str, object]) -> str:
    """Return the game that a row of a table is of."""
    # Only reconstruction has previews, and its transcripts carry no suffix.
    if config in (TRANSCRIPTS.name, PREVIEWS.name):
        return RECONSTRUCTION
    if is_transcripts(config):
        return config.removeprefix(_TRANSCRIPTS_OF)
    return str(row[GAME.name])
