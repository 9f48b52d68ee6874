"""Language of describers: their corrections, and the length and novelty of their messages, turn by turn."""

from collections.abc import Sequence

from ircore.games.base import Curve
from ircore.games.reference.language.messages import Tagger
from ircore.games.reference.measures import measured_novelty
from ircore.games.reference.records import Round
from ircore.results.game_curves import SteppedEpisode, by_step, curve_points
from ircore.results.hops import SAME_EPISODES, TOO_FEW_REACH
from ircore.results.language.by_turn import (
    CorrectionProfile,
    MessageResult,
    RunLanguage,
    chosen,
    correction_profile,
    episode_messages,
    run_language,
)
from ircore.results.language.lexicon import BUILT_IN, CORRECTIONS, Choice, load_lexicon
from ircore.results.model import Results
from ircore.results.tables.board_columns import measure_column
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values

NO_CORRECTION = "no message after turn 1"

_CORRECTION_COLUMNS = tuple(
    Column(
        correction, correction.replace("_", " "), f"Share of these about {correction.replace('_', ' ')}.",
        estimated=True, implied="0–1",
    )
    for correction in CORRECTIONS
)  # fmt: skip


def _shares(profile: CorrectionProfile, behind: Selection, missing: str = NO_CORRECTION) -> list[Value]:
    return [Value.of(profile.usage[correction], behind, missing) for correction in CORRECTIONS]


def corrections_table(
    results: Results, category: str | None = None, difficulty: str | None = None, lexicon: Choice = BUILT_IN
) -> Table:
    """Return the share of correction messages (turn 2 and later) in which each category of correction fires."""
    columns = (
        *pair_columns(results),
        Column("messages", "messages", "Messages of turn 2 and later.", digits=0, implied="messages"),
        *_CORRECTION_COLUMNS,
    )
    rows = []
    for run_id, who in pair_values(results).items():
        profile = _language(results, run_id, category, difficulty, lexicon).profile
        behind = Selection((run_id,), "played", category, difficulty)
        rows.append((*who, Value(profile.messages), *_shares(profile, behind)))
    return Table(
        "corrections",
        "Correction language",
        caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        ("Shares of messages, 0–1; a message may be about several things. n counts episodes.", _patterns(lexicon)),
        spare=CORRECTIONS[::-1],
    )


def corrections_by_turn_table(
    results: Results, category: str | None = None, difficulty: str | None = None, lexicon: Choice = BUILT_IN
) -> Table:
    """Return the share of messages with each kind of correction by turn: data of the paper's Figure 13."""
    columns = (
        *pair_columns(results),
        Column("turn", "turn", "2 or later.", digits=0),
        Column("messages", "messages", "Episodes with a message at this turn.", digits=0, implied="episodes"),
        *_CORRECTION_COLUMNS,
    )
    rows = []
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        for turn, profile in _language(results, run_id, category, difficulty, lexicon).by_turn.items():
            rows.append((*who, Value(turn), Value(profile.messages), *_shares(profile, behind, TOO_FEW_REACH)))
    return Table(
        "corrections_by_turn",
        "Correction language by turn",
        caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (f"Shares of messages, 0–1. {SAME_EPISODES}", _patterns(lexicon)),
        spare=CORRECTIONS[::-1],
    )


def words_table(
    results: Results, category: str | None = None, difficulty: str | None = None, lexicon: Choice = BUILT_IN
) -> Table:
    """Return the commonest words behind each category of correction, over all pairs."""
    columns = (
        Column("correction", "correction", "What is corrected.", digits=None),
        Column("token", "word", "A word that made the category fire.", digits=None),
        Column("count", "times", "How often, in all messages of turn 2 and later.", digits=0),
    )
    every = [
        message for run_id in results.episodes for message in _messages(results, run_id, category, difficulty, lexicon)
    ]
    rows = tuple(
        (Value(correction), Value(token), Value(count))
        for correction, tokens in correction_profile(every, lexicon).top_tokens.items()
        for token, count in tokens
    )
    words = caption(results, None, category, difficulty)
    return Table("words", "Correction words", words, columns, rows, (_patterns(lexicon),))


def messages_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return length and novelty of messages, a row for each pair and turn."""
    columns = (
        *pair_columns(results),
        Column("turn", "turn", "1-based.", digits=0),
        Column("messages", "messages", "Episodes with a message at this turn.", digits=0, implied="episodes"),
        Column("tokens", "tokens", "Tokens a message.", digits=0, estimated=True, implied="tokens"),
        Column("words", "words", "Words a message.", digits=0, estimated=True, implied="words"),
        Column("novelty", "new words", "Share of content words that the episode has not used.", estimated=True,
               implied="0–1"),
        Column("similarity", "like the last", "Jaccard similarity to the message before.", estimated=True,
               implied="0–1"),
    )  # fmt: skip
    rows = []
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        for turn in _language(results, run_id, category, difficulty).turns:
            estimates = (turn.tokens, turn.words, turn.novelty, turn.similarity)
            missing = "first turn" if turn.turn == 1 else TOO_FEW_REACH
            values = (Value.of(estimate, behind, missing) for estimate in estimates)
            rows.append((*who, Value(turn.turn), Value(turn.messages), *values))
    return Table(
        "messages",
        "Messages by turn",
        caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (SAME_EPISODES,),
        spare=("words", "messages", "similarity", "novelty"),
    )


def _messages(
    results: Results, run_id: str, category: str | None, difficulty: str | None, lexicon: Choice
) -> tuple[MessageResult, ...]:
    return chosen(episode_messages(results.game, results.episodes[run_id], lexicon), category, difficulty)


def _language(
    results: Results, run_id: str, category: str | None, difficulty: str | None, lexicon: Choice = BUILT_IN
) -> RunLanguage:
    # The whole run's language is computed once and kept; parts of the run are computed when they are asked for.
    if category is None and difficulty is None and lexicon == BUILT_IN:
        return results.runs[run_id].language
    return run_language(_messages(results, run_id, category, difficulty, lexicon), lexicon)


def _patterns(lexicon: Choice) -> str:
    """Return the note that says by which patterns corrections were told."""
    whose = "those that the paper's Table 5 prints, alone" if lexicon == "paper" else "the paper's and ours"
    return f"Words of correction: {whose} (lexicon {load_lexicon(lexicon).version})."


_KEYS = ("message_wnr", "message_wnr_paper", "message_wnd", "message_wnd_paper", "message_overlap")


def tagged_novelty_table(results: Results, content_of: Tagger) -> Table:
    """Return word novelty by repetition, of content words that a tagger keeps.

    Args:
        results: Of one run of the reference game, or of several.
        content_of: Returns the content words of a message.
    """
    measures = [measure for measure in results.game.measures if measure.key in _KEYS]
    rows = []
    for run in results.every_run:
        episodes = [_measured(episode.steps, content_of) for episode in run.episodes]
        curves = {
            measure.key: curve_points(episodes, measure, Curve(measure.key, over="repetition")) for measure in measures
        }
        for repetition in curves["message_wnr"]:
            values = (
                Value.of(curves[measure.key][repetition])
                if repetition in curves[measure.key]
                else Value(None, missing=TOO_FEW_REACH)
                for measure in measures
            )
            rows.append((Value(run.run.slug), Value(repetition), *values))
    return Table(
        name="reference_tagged_novelty",
        title="Word novelty by repetition, with a tagger's words",
        caption="Mean over the same episodes at each repetition, with its 95 % interval over episodes.",
        columns=(
            Column("run", "Run", "Its folder's name.", digits=None),
            Column("repetition", "Repetition", "From 2: the first has no message before.", digits=0),
            *map(measure_column, measures),
        ),
        rows=tuple(rows),
    )


def _measured(steps: Sequence[object], content_of: Tagger) -> SteppedEpisode:
    rounds = [Round.model_validate(step) for step in steps]
    values = by_step(measured_novelty(rounds, content_of))
    # One stratum for all.
    return SteppedEpisode("", [played.model_dump() for played in rounds], values)
