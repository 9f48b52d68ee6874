"""Language of messages: their corrections, their length and novelty, by turn and by repetition of a target.

Corrections, length and new words are of describers. Whether messages get shorter and keep their words over turns and
over repetitions of a target is a table of every game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ircore.games.base import Curve, Game, list_messages
from ircore.games.reference.measures import (
    Tagger,
    compare_words,
    count_message_words,
    list_content_words,
    measure_novelty,
)
from ircore.games.reference.records import Round
from ircore.results.arrays import select_condition, strata
from ircore.results.corrections import BUILT_IN, CORRECTIONS, Choice, load_lexicon
from ircore.results.curves import (
    SAME_EPISODES,
    TOO_FEW_REACH,
    SteppedEpisode,
    compute_curve_points,
    group_by_step,
)
from ircore.results.episodes import EpisodeResult
from ircore.results.language import (
    CorrectionProfile,
    MessageResult,
    RunLanguage,
    analyse_messages,
    count_corrections,
    run_language,
    select_messages,
)
from ircore.results.model import Results
from ircore.results.statistics.complete_cases import select_same_episodes
from ircore.results.statistics.intervals import AMOUNT, SHARE, Estimate, Scale, estimate
from ircore.results.tables.board import measure_column
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import format_caption, pair_columns, pair_values

NO_CORRECTION = "no message after turn 1"

_CORRECTION_COLUMNS = tuple(
    Column(
        correction, correction.replace("_", " "), f"Share of these about {correction.replace('_', ' ')}.",
        estimated=True, implied="0–1",
    )
    for correction in CORRECTIONS
)  # fmt: skip

_KEYS = ("message_wnr", "message_wnr_paper", "message_wnd", "message_wnd_paper", "message_overlap")

Over = Literal["turn", "repetition"]

COMPARED: Mapping[str, Scale] = {
    "wnr": AMOUNT,
    "wnr_paper": AMOUNT,
    "wnd": AMOUNT,
    "wnd_paper": AMOUNT,
    "overlap": SHARE,
}
"""Measures that compare a message with an earlier one, and their possible values."""

_COMPARED = {
    "wnr": ("novelty rate", "Word novelty rate (WNR) as ICCA's published code computes it."),
    "wnr_paper": ("novelty rate, paper", "WNR as ICCA's paper defines it: dropped words are free."),
    "wnd": ("novelty distance", "Word novelty distance (WND), published code, words."),
    "wnd_paper": ("novelty distance, paper", "WND, paper, words."),
    "overlap": ("words kept", "Content words that both messages have, of those that one has; 1: all kept."),
}


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
        profile = _analyse_language(results, run_id, category, difficulty, lexicon).profile
        behind = Selection((run_id,), "played", category, difficulty)
        rows.append((*who, Value(profile.messages), *_list_shares(profile, behind)))
    return Table(
        "corrections",
        "Correction language",
        format_caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (
            "Shares of messages, 0–1; a message may be about several things. n counts episodes.",
            _describe_patterns(lexicon),
        ),
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
        for turn, profile in _analyse_language(results, run_id, category, difficulty, lexicon).by_turn.items():
            rows.append((*who, Value(turn), Value(profile.messages), *_list_shares(profile, behind, TOO_FEW_REACH)))
    return Table(
        "corrections_by_turn",
        "Correction language by turn",
        format_caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (f"Shares of messages, 0–1. {SAME_EPISODES}", _describe_patterns(lexicon)),
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
        message
        for run_id in results.episodes
        for message in _select_run_messages(results, run_id, category, difficulty, lexicon)
    ]
    rows = tuple(
        (Value(correction), Value(token), Value(count))
        for correction, tokens in count_corrections(every, lexicon).top_tokens.items()
        for token, count in tokens
    )
    words = format_caption(results, None, category, difficulty)
    return Table("words", "Correction words", words, columns, rows, (_describe_patterns(lexicon),))


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
        for turn in _analyse_language(results, run_id, category, difficulty).turns:
            estimates = (turn.tokens, turn.words, turn.novelty, turn.similarity)
            missing = "first turn" if turn.turn == 1 else TOO_FEW_REACH
            values = (Value.of(estimate, behind, missing) for estimate in estimates)
            rows.append((*who, Value(turn.turn), Value(turn.messages), *values))
    return Table(
        "messages",
        "Messages by turn",
        format_caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (SAME_EPISODES,),
        spare=("words", "messages", "similarity", "novelty"),
    )


def tagged_novelty_table(results: Results, content_of: Tagger) -> Table:
    """Return word novelty by repetition, of content words that a tagger keeps.

    Args:
        results: Of one run of the reference game, or of several.
        content_of: Returns the content words of a message.
    """
    measures = [measure for measure in results.game.measures if measure.key in _KEYS]
    rows = []
    for run in results.every_run:
        episodes = [_measure_episode(episode.steps, content_of) for episode in run.episodes]
        curves = {
            measure.key: compute_curve_points(episodes, measure, Curve(measure.key, over="repetition"))
            for measure in measures
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


class ConventionPoint(NamedTuple):
    """Messages at one place, such as turn 2 of all episodes.

    Attributes:
        over: Order of the messages.
        place: Turn, or number of the episode about the same target, from 1.
        words: Whitespace words a message.
        compared: Novelty against the message before and content words shared with it, by the keys of ``COMPARED``;
            without a value at place 1.
    """

    over: Over
    place: int
    words: Estimate
    compared: Mapping[str, Estimate]


def measure_convention(
    game: Game[Any], episodes: Sequence[EpisodeResult], targets: Mapping[str, str]
) -> tuple[ConventionPoint, ...]:
    """Return length and novelty of a run's messages by turn, then by repetition of a target where targets recur.

    Args:
        game: Of the run.
        episodes: Of one run, in the order in which targets are counted; those that were not played are left out.
        targets: SHA-256 of each instance's target, by the instance's id.
    """
    played = [result.episode for result in episodes if result.episode.played]
    labels = strata(played)
    spoken = [[message.text for message in list_messages(game, episode)] for episode in played]
    opening: dict[str, list[str]] = {}
    label_of: dict[str, str] = {}
    for episode, messages, label in zip(played, spoken, labels, strict=True):
        if messages:
            opening.setdefault(targets[episode.instance_id], []).append(messages[0])
            label_of.setdefault(targets[episode.instance_id], label)
    # Sets whose targets all differ have no repetition: a point of place 1 alone says nothing.
    repeated = any(len(messages) > 1 for messages in opening.values())
    turns = _compute_points("turn", zip(spoken, labels, strict=True))
    return (
        *turns,
        *(_compute_points("repetition", zip(opening.values(), label_of.values(), strict=True)) if repeated else ()),
    )


def convention_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return length and novelty of messages by turn, and by repetition of a target; a row for each pair and place."""
    columns = (
        *pair_columns(results),
        Column("over", "over", "Turns of an episode, or repetitions of a target.", digits=None),
        Column("place", "place", "Number of the turn or of the repetition.", digits=0),
        Column("words", "words", "Whitespace words a message.", digits=1, estimated=True),
        *(Column(key, title, about, estimated=True) for key, (title, about) in _COMPARED.items()),
    )
    targets = {instance.instance_id: instance.pictures["target"].sha256 for instance in results.instances}
    rows, repeated = [], False
    for run_id, who in pair_values(results).items():
        behind = Selection((run_id,), "played", category, difficulty)
        for point in measure_convention(
            results.game, select_condition(results.episodes[run_id], category, difficulty), targets
        ):
            repeated = repeated or point.over == "repetition"
            values = (Value.of(point.compared[key], behind, "no message before") for key in _COMPARED)
            length = Value.of(point.words, behind)
            rows.append((*who, Value(point.over), Value(point.place), length, *values))
    return Table(
        "convention",
        "Conventions",
        format_caption(results, None, category, difficulty),
        columns,
        tuple(rows),
        (SAME_EPISODES,) if repeated else (SAME_EPISODES, "No target of this set occurs twice: no repetitions."),
        spare=("wnd_paper", "wnr_paper", "wnd", "wnr", "overlap"),
    )


def _list_shares(profile: CorrectionProfile, behind: Selection, missing: str = NO_CORRECTION) -> list[Value]:
    return [Value.of(profile.usage[correction], behind, missing) for correction in CORRECTIONS]


def _select_run_messages(
    results: Results, run_id: str, category: str | None, difficulty: str | None, lexicon: Choice
) -> tuple[MessageResult, ...]:
    return select_messages(analyse_messages(results.game, results.episodes[run_id], lexicon), category, difficulty)


def _analyse_language(
    results: Results, run_id: str, category: str | None, difficulty: str | None, lexicon: Choice = BUILT_IN
) -> RunLanguage:
    # The whole run's language is computed once and kept; parts of the run are computed when they are asked for.
    if category is None and difficulty is None and lexicon == BUILT_IN:
        return results.runs[run_id].language
    return run_language(_select_run_messages(results, run_id, category, difficulty, lexicon), lexicon)


def _describe_patterns(lexicon: Choice) -> str:
    """Return the note that says by which patterns corrections were told."""
    whose = "those that the paper's Table 5 prints, alone" if lexicon == "paper" else "the paper's and ours"
    return f"Words of correction: {whose} (lexicon {load_lexicon(lexicon).version})."


def _measure_episode(steps: Sequence[object], content_of: Tagger) -> SteppedEpisode:
    rounds = [Round.model_validate(step) for step in steps]
    values = group_by_step(measure_novelty(rounds, content_of))
    # One stratum for all.
    return SteppedEpisode("", [played.model_dump() for played in rounds], values)


def _compute_points(over: Over, sequences: Iterable[tuple[Sequence[str], str]]) -> Iterator[ConventionPoint]:
    """Yield a point for each place, over the sequences that reach the last place (``select_same_episodes``).

    Args:
        over: Turns or repetitions.
        sequences: Messages in order, with the condition of their target.
    """
    lengths: dict[int, list[float]] = {}
    labels: dict[int, list[str]] = {}
    compared: dict[int, dict[str, list[float]]] = {}
    known = list(sequences)
    spoken = [dict(enumerate(messages, start=1)) for messages, _ in known]
    same = select_same_episodes(spoken)
    for number in same.episodes:
        messages, label = [spoken[number][place] for place in same.places], known[number][1]
        # Each message is compared twice, with the one before and the one after.
        content = [list_content_words(message) for message in messages]
        for place, message in enumerate(messages, start=1):
            lengths.setdefault(place, []).append(count_message_words(message))
            labels.setdefault(place, []).append(label)
            if place > 1:
                for key, value in compare_words(content[place - 2], content[place - 1]):
                    compared.setdefault(place, {}).setdefault(key, []).append(value)
    for place, of_place in sorted(lengths.items()):
        values = compared.get(place, {})
        yield ConventionPoint(
            over,
            place,
            estimate(of_place, AMOUNT, labels[place]),
            # Every message but the first is compared by every measure.
            {
                key: estimate(values[key], scale, labels[place]) if values else estimate([])
                for key, scale in COMPARED.items()
            },
        )
