"""``ircore export inspect``: a run as a log that inspect_ai reads (``read_eval_log``, ``inspect view``).

One sample an episode. Its messages are the describer's conversation, as the game held it: the game master's words with
the target and, later, every rendering; the describer's answers as they came. inspect_ai knows one model a sample, so
what the generator did stands in ``metadata["turns"]``; a rendering that no message shows, since the episode ended with
it, is in ``metadata["unseen"]``. Judges are scorers.

The log holds recorded values only: no events, since the time and the exact form of single requests are not recorded,
and no tokens or cost where they are not known. Written against inspect_ai 0.3.285, log version 2: a zip file of
``header.json``, ``summaries.json`` and one file a sample, of which one at a time is in memory.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ircore.core.episode_records import Episode, Usage
from ircore.core.errors import InputError
from ircore.core.files import write_new_file
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.games.reconstruction.records import Rules, list_turns
from ircore.results.episodes import EpisodeResult
from ircore.results.model import Results
from ircore.runs.events import Call, CallKey
from ircore.runs.folder import RunFolder

TASK = "image_reconstruction_game"
VERSION = 2
"""Of inspect_ai's log format."""

PNG = "image/png"
MIME = {"png": PNG, "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif"}

Document = dict[str, Any]


@dataclass(frozen=True)
class _Logged:
    """Log that was written."""

    path: Path
    """The log."""

    samples: int
    """Episodes in it."""


def export_log(run: RunFolder, out: Path) -> _Logged:
    """Write a run as a log of inspect_ai.

    Args:
        run: The run.
        out: Folder for the log; made if it is not there.

    Raises:
        InputError: The run's answers were not recorded (it was pulled from a release), or no episode has ended, or the
            log is there already.
        WorkError: The place cannot be written.
    """
    results = Results.from_runs([run])
    export = _Export(run)
    episodes = results.episodes[run.run.run_id]
    if not episodes:
        raise InputError(f"{run.path}: no episode has ended", "Play it first: ircore play")
    path = out / _format_file_name(run.run)
    if path.exists():
        raise InputError(f"{path}: exists already", "Choose another --out, or remove it first.")
    with write_new_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as log:
        summaries = []
        for episode in episodes:
            sample = export.sample(episode)
            _add_document(log, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_build_summary(sample))
        _add_document(log, "summaries.json", summaries)
        _add_document(
            log,
            "header.json",
            export.header() | {"results": _build_results(results, summaries), "stats": export.stats()},
        )
    return _Logged(path, len(summaries))


def _add_document(log: ZipFile, name: str, document: object) -> None:
    """Add a document with a constant time stamp, so that the same run gives the same bytes."""
    info = ZipInfo(name)
    info.compress_type = ZIP_DEFLATED
    log.writestr(info, json.dumps(document, ensure_ascii=False))


def _build_summary(sample: Document) -> Document:
    """Return the summary of a sample: no pictures, and only the words of the input."""
    words = (
        [part["text"] for part in sample["input"][0]["content"] if part["type"] == "text"] if sample["input"] else []
    )
    about = {name: sample["metadata"][name] for name in ("category", "difficulty", "outcome", "abort_reason")}
    copied_fields = {
        name: sample[name] for name in ("id", "epoch", "target", "scores", "role_usage", "total_time", "turn_count")
    }
    ending = {"error": sample["error"]["message"]} if "error" in sample else {}
    ending |= {"limit": sample["limit"]["type"]} if "limit" in sample else {}
    counts = {"message_count": len(sample["messages"]), "completed": True}
    return copied_fields | {"input": " ".join(words)[:1000], "metadata": about} | ending | counts


class _Export:
    def __init__(self, run: RunFolder) -> None:
        self._folder, self._run = run, run.run
        self._calls = run.calls()
        self._instances = {instance.instance_id: instance for instance in run.instances.instances}

    def header(self) -> Document:
        run, pair = self._run, self._run.submission
        describer = _describe_model(pair.players["describer"], Rules.of(run))
        return {
            "version": VERSION,
            "status": "success",
            "eval": {
                "eval_id": run.run_id,
                "run_id": run.run_id,
                "created": run.started,
                "task": TASK,
                "task_id": run.run_id,
                "task_version": run.prompts,
                "dataset": {
                    "name": run.instance_set,
                    "samples": len(self._instances),
                    "sample_ids": [*self._instances],
                },
                "model": describer["model"],
                "model_base_url": describer["base_url"],
                "model_args": describer["args"],
                "model_roles": {"generator": _describe_model(pair.players["generator"], Rules.of(run))},
                "config": {"epochs": run.repeats} if run.repeats > 1 else {},
                "packages": {"ircore": run.version},
                "metadata": {"rules": Rules.of(run).key, "run": run.model_dump(mode="json", by_alias=True)},
                "scorers": [{"name": judge.name} for judge in self._folder.judges().values()],
            },
            "plan": {"name": TASK, "steps": [{"solver": run.game, "params": run.rules}]},
        }

    def stats(self) -> Document:
        return {"started_at": self._run.started, "role_usage": _sum_role_usage(self._calls.values())}

    def sample(self, result: EpisodeResult) -> Document:
        episode = result.episode
        instance = self._instances[episode.instance_id]
        suffix = instance.pictures["target"].image.rpartition(".")[2].lower()
        target = _encode_data_address(self._folder.instances.picture_bytes(instance, "target"), MIME.get(suffix, PNG))
        pictures = {instance.pictures["target"].sha256: target}
        made = episode.renderings
        for rendering in made.values():
            pictures[rendering.sha256] = _encode_data_address(self._folder.rendering(rendering).data)
        # A picture stands once in the sample, and every message refers to it.
        drawn = {turn: f"attachment://{rendering.sha256}" for turn, rendering in made.items()}
        messages = list(self._build_messages(episode, f"attachment://{instance.pictures['target'].sha256}", drawn))
        # The prompt of a turn shows all earlier renderings, so the last prompt lacks the rendering of its own turn.
        prompt_count = sum(message["role"] == "user" for message in messages)
        unseen = {turn: pictures[rendering.sha256] for turn, rendering in made.items() if turn >= prompt_count}
        calls = [call for call in self._calls.values() if call.episode_id == episode.episode_id]
        limit = {"type": "turn", "limit": Rules.of(self._run).max_turns, "reason": "the turns are used up"}
        return {
            "id": episode.instance_id,
            "epoch": episode.repeat,
            "input": messages[:1],
            "target": f"sha256:{instance.pictures['target'].sha256}",
            "messages": messages,
            "output": self._build_output(messages),
            "scores": {
                name: _build_score(judged) for name, judged in result.judged.items() if judged.final is not None
            },
            "metadata": _build_metadata(result, unseen),
            "role_usage": _sum_role_usage(calls),
            "total_time": result.effort.seconds,
            **({"error": _describe_error(episode)} if not episode.finished else {}),
            **({"limit": limit} if episode.outcome == "turn_limit" else {}),
            "turn_count": len(list_turns(episode)),
            "attachments": pictures,
        }

    def _build_messages(self, episode: Episode, target: str, drawn: Mapping[int, str]) -> Iterator[Document]:
        """Yield the describer's prompts and answers, turn by turn, including an answer that broke the rules."""
        known = {turn.turn for turn in list_turns(episode)}
        # An answer that broke the rules makes no turn, and belongs to the conversation all the same.
        last = max(known | {key.turn for key in self._calls if key.episode_id == episode.episode_id}, default=0)
        for turn in range(1, last + 1):
            call = self._calls.get(CallKey(episode.episode_id, turn, "describer"))
            if call is None:
                raise InputError(
                    f"{self._folder.path}: the describer's answers as they came are not recorded",
                    "A run that was pulled from a release has no such log; ask whoever played it.",
                )
            shown = [target, *(drawn[earlier] for earlier in sorted(drawn) if earlier < turn)]
            words = [{"type": "text", "text": call.prompt}] if call.prompt else []
            yield {"role": "user", "content": [*words, *({"type": "image", "image": picture} for picture in shown)]}
            label = Rules.of(self._run).add_rules_key(self._run.submission.players["describer"].label)
            yield {"role": "assistant", "content": call.text or "", "source": "generate", "model": label}

    def _build_output(self, messages: Sequence[Document]) -> Document:
        label = Rules.of(self._run).add_rules_key(self._run.submission.players["describer"].label)
        last = [message for message in messages if message["role"] == "assistant"][-1:]
        # Why a model stopped is not recorded in a run.
        choices = [{"message": message, "stop_reason": "unknown"} for message in last]
        return {"model": label, "choices": choices, "completion": last[0]["content"] if last else ""}


def _encode_data_address(data: bytes, mime: str = PNG) -> str:
    """Return a picture as a ``data:`` address, the form in which inspect_ai keeps pictures."""
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def _describe_model(player: PlayerSpec, rules: Rules) -> Document:
    """Return a model under a name with the rules' key: logs of several runs are listed by this name."""
    return {
        "model": rules.add_rules_key(player.label),
        "config": {},
        "base_url": player.base_url,
        "args": player.parameters,
    }


def _build_metadata(result: EpisodeResult, unseen: Mapping[int, str]) -> Document:
    """Return our own fields, for which inspect_ai has no place; ``unseen`` are renderings that no message shows."""
    episode = result.episode
    return {
        "category": episode.category,
        "difficulty": episode.difficulty,
        "outcome": episode.outcome,
        "abort_reason": episode.abort_reason,
        "abort_detail": episode.detail,
        "turns": [turn.model_dump(mode="json") for turn in list_turns(episode)],
        "unseen": {str(turn): picture for turn, picture in unseen.items()},
        "metrics": {
            name: {str(turn): value for turn, value in values.items()} for name, values in result.metrics.items()
        },
    }


def _build_score(judged: Any) -> Document:
    about = {"first": judged.first, "delta": judged.delta, "preference": judged.preference}
    trajectory = {str(turn): value for turn, value in judged.trajectory.items()}
    return {"value": judged.final, "metadata": {**about, "trajectory": trajectory}}


def _describe_error(episode: Episode) -> Document:
    message = f"{episode.abort_reason}: {episode.detail or ''}"
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _sum_role_usage(calls: Iterable[Call]) -> Document:
    """Sum the tokens of each seat; only of seats for which every answer's tokens are known."""
    by_role: dict[str, list[Usage]] = {}
    for call in calls:
        by_role.setdefault(call.role, []).append(call.usage)
    return {role: usage for role, usages in by_role.items() if (usage := _sum_usage(usages)) is not None}


def _sum_usage(usages: Sequence[Usage]) -> Document | None:
    read = [usage.prompt_tokens for usage in usages if usage.prompt_tokens is not None]
    written = [usage.completion_tokens for usage in usages if usage.completion_tokens is not None]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    # A sum over some of the answers would look like the tokens of all.
    if len(read) < len(usages) or len(written) < len(usages):
        return None
    total = {"input_tokens": sum(read), "output_tokens": sum(written), "total_tokens": sum(read) + sum(written)}
    return total | ({"total_cost": fsum(costs)} if len(costs) == len(usages) else {})


def _build_results(results: Results, summaries: Sequence[Document]) -> Document:
    (run,) = results.submissions
    scores = []
    for judge in results.judges:
        cell = results.cell(run.run_id, judge)
        metrics = {"mean": cell.score.mean, "main_score": cell.main_score}
        named = {name: {"name": name, "value": value} for name, value in metrics.items() if value is not None}
        rated = {"scored_samples": cell.score.n, "unscored_samples": len(summaries) - cell.score.n}
        scores.append({"name": judge, "scorer": judge, **rated, "metrics": named})
    faults = sum("error" in summary for summary in summaries)
    return {"total_samples": len(summaries), "completed_samples": len(summaries) - faults, "scores": scores}


def _format_file_name(run: Run) -> str:
    """Return the name of a log in inspect_ai's pattern: time, task, and an id of letters and digits."""
    when = re.sub(r"[:+]", "-", run.started)
    return f"{when}_{TASK.replace('_', '-')}_{re.sub(r'[^a-z0-9]', '', run.run_id)}.eval"
