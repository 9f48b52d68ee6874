"""Facts stated and shown at each turn: file ``said.jsonl`` of a run, one line a turn and reader, append only.

Facts are those of ``list_facts`` on the target's scene, in its order. A line holds one letter a fact: ``1`` it is so,
``0`` it is not, ``?`` it cannot be told.
"""

from collections.abc import Iterable, Sequence

from pydantic import Field, TypeAdapter

from ircore.core.journal import JournalWriter, read_records
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.score_records import Letters
from ircore.runs.folder import RunFolder

SAID = "said.jsonl"

GRAMMAR = "grammar"
"""The reader that is a program: the grammar of the built-in players."""


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


_TURNS = TypeAdapter(SaidTurn)


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
