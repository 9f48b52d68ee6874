"""The table ``dialogues``: each episode as one of its seats saw it, in the form that chat templates take."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from dataset_card.tables.calls import ANSWERED, CallRecord, list_calls
from dataset_card.tables.rows import Row, build_episode_columns
from ircore.core.score_records import VERIFIED
from ircore.players.openai.conversations import CHOOSE
from ircore.results.played_run import PlayedRun

Message = dict[str, object]
"""A message: ``role``, and ``content``, a list of texts and of places of pictures."""

IMAGE: dict[str, object] = {"type": "image", "text": None}
"""The place of a picture in a message; pictures stand beside the messages, in the same order."""


def build_dialogue_rows(run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``dialogues`` of a run: by episode, then by seat in the order in which seats were asked.

    A seat of whose questions not all words and pictures are known has no row.
    """
    results = {result.episode.episode_id: result for result in run.results}
    by_episode: defaultdict[str, defaultdict[str, list[CallRecord]]] = defaultdict(lambda: defaultdict(list))
    for call in list_calls(run):
        if call.seat is not None:
            by_episode[call.episode_id][call.seat].append(call)
    for episode in run.episodes:
        judged = results[episode.episode_id].judged
        # The order of judges is that of this run alone: other runs must not change its rows.
        judge = min(judged, key=lambda name: (name != VERIFIED, name), default=None)
        for seat, calls in by_episode[episode.episode_id].items():
            asked = select_last_calls(calls)
            if all(is_known(call) for call in asked):
                messages = [message for call in asked for message in list_messages(call)]
                yield build_episode_columns(run, episode) | {
                    "seat": seat,
                    "messages": messages,
                    "images_sha256": [sha256 for call in asked for sha256 in list_pictures(call)],
                    "outcome": episode.outcome,
                    "judge": judge,
                    "score": None if judge is None else judged[judge].final,
                }


def is_known(call: CallRecord) -> bool:
    """Return whether words and pictures of a question are known."""
    return call.prompt is not None and call.pictures is not None


def select_last_calls(calls: Sequence[CallRecord]) -> list[CallRecord]:
    """Return the last question of each step: one that brought no answer may have been asked again."""
    return [*{call.step: call for call in calls}.values()]


def list_messages(call: CallRecord) -> Iterator[Message]:
    """Yield a question, and the answer if there is one, as messages."""
    yield {"role": "user", "content": build_question_parts(call)}
    if call.outcome == ANSWERED:
        yield {"role": "assistant", "content": answer_parts(call)}


def build_question_parts(call: CallRecord) -> list[dict[str, object]]:
    """Return a question as parts of a message: the words, each picture behind its caption, the choices."""
    pictures = [part for caption in call.captions or () for part in (*_build_text_parts([caption]), IMAGE)]
    offered = ["\n".join([CHOOSE, *call.choices])] if call.choices else []
    return [*_build_text_parts([call.prompt or ""]), *pictures, *_build_text_parts(offered)]


def answer_parts(call: CallRecord) -> list[dict[str, object]]:
    """Return an answer as parts of a message."""
    return [IMAGE] if call.rendering is not None else _build_text_parts([call.answer or ""])


def list_pictures(call: CallRecord) -> tuple[str, ...]:
    """Return the SHA-256 of the pictures of question and answer, in order."""
    return (*(call.pictures or ()), *(() if call.rendering is None else (call.rendering,)))


def _build_text_parts(texts: Iterable[str]) -> list[dict[str, object]]:
    return [{"type": "text", "text": text} for text in texts if text]
