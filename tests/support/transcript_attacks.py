"""What strangers may try with packed transcripts, each with a part of the one line that it is refused with."""

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hostile_pictures import HEAD, PICTURES, PIXELS, TAIL, file
from hostile_texts import SECRETS
from transcripts import Handed

FIRST = "geometry-easy-01"
OTHER = "simple_shapes-hard-01"
Lines = list[dict[str, Any]]


class Attack(NamedTuple):
    """Something that is done to packed transcripts.

    Attributes:
        name: Of the test.
        act: Does it.
        verdict: A part of the one line that it is refused with.
    """

    name: str
    act: Callable[[Handed], object]
    verdict: str


def picture_attack(data: bytes) -> Callable[[Handed], object]:
    return lambda handed: handed.put_picture(data)


# Files.


def written(path: str, data: bytes, seal: bool = True) -> Callable[[Handed], None]:
    def act(handed: Handed) -> None:
        (handed.run / path).parent.mkdir(parents=True, exist_ok=True)
        (handed.run / path).write_bytes(data)
        if seal:
            handed.seal()

    return act


def removed(path: str, seal: bool = True) -> Callable[[Handed], None]:
    def act(handed: Handed) -> None:
        (handed.run / path).unlink()
        if seal:
            handed.seal()

    return act


def enlarged(path: str, size: int) -> Callable[[Handed], None]:
    """A file of many zeros, which takes no space."""

    def act(handed: Handed) -> None:
        with (handed.run / path).open("r+b") as opened:
            opened.truncate(size)

    return act


def index_edit(change: Callable[[dict[str, Any]], object]) -> Callable[[Handed], None]:
    def act(handed: Handed) -> None:
        index = json.loads((handed.run / "pack.json").read_text())
        change(index)
        (handed.run / "pack.json").write_text(json.dumps(index))

    return act


def listed(**entry: Any) -> Callable[[Handed], None]:
    """An entry of pack.json for a file that is not there."""
    return index_edit(lambda index: index["files"].append({"path": "x", "size": 1, "sha256": "0" * 64} | entry))


listed_twice = index_edit(lambda index: index["files"].append(index["files"][0]))
another_run = index_edit(lambda index: index.update(run="another-pair-00000000"))


def some_rendering(handed: Handed) -> Path:
    return sorted((handed.run / "renderings").iterdir())[0]


def forged(handed: Handed) -> None:
    some_rendering(handed).write_bytes(file(HEAD, PIXELS, TAIL))


def forged_and_sealed(handed: Handed) -> None:
    forged(handed)
    handed.seal()


def linked(handed: Handed) -> None:
    path = some_rendering(handed)
    path.unlink()
    path.symlink_to("/etc/passwd")


def linked_folder(handed: Handed) -> None:
    shutil.rmtree(handed.run / "renderings")
    (handed.run / "renderings").symlink_to(handed.instances / "images")


def pipe(handed: Handed) -> None:
    path = some_rendering(handed)
    path.unlink()
    os.mkfifo(path)


def without_renderings(handed: Handed) -> None:
    some_rendering(handed).unlink()
    handed.seal()


BOMB = gzip.compress(b"\0" * 5_000_000)
FILES = [
    Attack("a picture that is another file than listed", forged, "is not what pack.json says (size or SHA-256)"),
    Attack("a picture under another's name", forged_and_sealed, "is not named by the SHA-256 of its pixels"),
    Attack(
        "a journal that was changed afterwards", written("journal.jsonl", b"{}\n", seal=False), "journal.jsonl is not"
    ),
    Attack("scores of their own", written("scores.jsonl", b"{}\n"), "'scores.jsonl' has no place in transcripts"),
    Attack("provenance of their own", written("provenance.json", b"{}"), "'provenance.json' has no place"),
    Attack("instances of their own", written("instances/instances.jsonl", b"{}\n"), "has no place in transcripts"),
    Attack("a judge of their own", written("judges/structural.json", b"{}"), "'judges/structural.json' has no place"),
    Attack("a web page", written("index.html", b"<script>"), "'index.html' has no place in transcripts"),
    Attack("a hidden file", written(".env", b"KEY=1"), "'.env' has no place in transcripts"),
    Attack("a table", written("data.parquet", b"PAR1"), "'data.parquet' has no place in transcripts"),
    Attack("a module", written("conftest.py", b"raise SystemExit"), "'conftest.py' has no place in transcripts"),
    Attack("a folder in the folder", written(f"renderings/x/{'0' * 64}.png", b"x"), "has no place in transcripts"),
    Attack("another letter case", written(f"renderings/{'AB' * 32}.png", b"x"), "has no place in transcripts"),
    Attack("a name that turns around", written("renderings/\u202egnp.exe", b"x"), r"\u202e"),
    Attack("a Windows name", written("renderings\\evil.png", b"x"), "has no place in transcripts"),
    Attack("a link to a secret", linked, "is a link or no plain file"),
    Attack("a link to the targets", linked_folder, "'renderings' is a link or no plain file"),
    Attack("a pipe that never ends", pipe, "is a link or no plain file"),
    Attack("no identity", removed("run.json"), "run.json is missing"),
    Attack("no journal", removed("journal.jsonl"), "journal.jsonl is missing"),
    Attack("no list", removed("pack.json", seal=False), "pack.json is missing"),
    Attack("a picture is missing", without_renderings, "is missing"),
    Attack("a picture of no turn", written(f"renderings/{hashlib.sha256(b'x').hexdigest()}.png", b"x"), "in no turn"),
    Attack("a list that leaves the folder", listed(path="../../../etc/passwd"), "is listed and not there"),
    Attack("a list of an absolute path", listed(path="/etc/passwd"), "'/etc/passwd' is listed and not there"),
    Attack("a list of a Windows path", listed(path="C:\\Windows\\win.ini"), "is listed and not there"),
    Attack("a list of a reserved name", listed(path="NUL"), "'NUL' is listed and not there"),
    Attack("a list that breaks the line", listed(path="a\nb"), "files.10.path"),
    Attack("a negative size", listed(size=-1), "files.10.size"),
    Attack("no hash", listed(sha256="md5"), "files.10.sha256"),
    Attack("a file listed twice", listed_twice, "is listed twice"),
    Attack("a list of another run", another_run, "is of the run another-pair-00000000"),
    Attack("a list of 20 MB", enlarged("pack.json", 20 * 2**20), "pack.json is larger than 16 MiB"),
    Attack("an identity of 1 MB", enlarged("run.json", 2**20), "run.json is larger than 0.25 MiB"),
    Attack("a journal of 600 MB", enlarged("journal.jsonl", 600 * 2**20), "journal.jsonl is larger than 128 MiB"),
    Attack("a journal that is a gzip bomb", written("journal.jsonl", BOMB + b"\n"), "journal.jsonl:1"),
]


# JSON.


def line(text: str) -> Callable[[Handed], None]:
    """One more line of the journal."""

    def act(handed: Handed) -> None:
        handed.journal.write_bytes(handed.journal.read_bytes() + text.encode("utf-8", "surrogatepass"))
        handed.seal()

    return act


def call(**more: Any) -> str:
    plain = {"event": "call", "episode_id": FIRST, "turn": 9, "role": "describer", "text": "x", "seconds": 1}
    return json.dumps(plain | more) + "\n"


def parameters(text: str) -> Callable[[Handed], None]:
    """Parameters of the describer as raw text in run.json."""

    def act(handed: Handed) -> None:
        run = handed.run / "run.json"
        run.write_text(run.read_text().replace('"parameters": {}', f'"parameters": {text}', 1))
        handed.seal()

    return act


JSON = [
    Attack("seconds that are no number", line(call(seconds=float("nan"))), "seconds"),
    Attack("seconds without end", line(call(seconds=float("inf"))), "seconds"),
    Attack("negative seconds", line(call(seconds=-1)), "seconds"),
    Attack("a number of 400 digits", line(call(turn=10**400)), "turn"),
    Attack("a turn that is a text", line(call(turn="first")), "turn"),
    Attack("turn 0", line(call(turn=0)), "turn"),
    Attack("lists 100,000 deep", line("[" * 100_000 + "\n"), "record"),
    Attack("mappings 50,000 deep", line('{"a":' * 50_000 + "\n"), "record"),
    Attack("a line of 5 MB", line(call(text="x" * 5 * 2**20)), "a line that is too long"),
    Attack("a line that is cut off", line(call()[:-10]), "a line that is cut off"),
    Attack("an empty line", line("\n"), "record"),
    Attack("half a character", line('{"event": "call", "episode_id": "\\ud800"}\n'), "record"),
    Attack("bytes that are no text", written("journal.jsonl", b"\xff\xfe{}\n"), "journal.jsonl:1"),
    Attack("zero bytes", line("\0\0\n"), "record"),
    Attack("an unknown event", line('{"event": "score"}\n'), "event"),
    Attack("an unknown key", line(call(score=10)), "score"),
    Attack("a key of objects", line(call(__class__="os.system")), "__class__"),
    Attack("an episode that is a path", line(call(episode_id="../../etc")), "episode_id"),
    Attack("a rendering that is a path", line(call(rendering={"sha256": "../x", "width": 1, "height": 1})), "sha256"),
    Attack("a number that is none in run.json", parameters('{"temperature": NaN}'), "{'temp"),
    Attack("run.json 5,000 deep", parameters('{"a":' * 5_000 + "1" + "}" * 5_000), "run.json"),
    Attack("run.json of another version", lambda h: h.edit_run(lambda run: run.update(schema=2)), "run.json: schema"),
]


# Rules.


def each(lines: Lines, event: str, role: str = "", turn: int = 0) -> Iterator[dict[str, Any]]:
    return (
        line for line in lines
        if line["event"] == event and (not role or line["role"] == role) and (not turn or line["turn"] == turn)
    )  # fmt: skip


def edit(change: Callable[[Lines], object]) -> Callable[[Handed], None]:
    return lambda handed: handed.edit(change)


def run_edit(**changed: Any) -> Callable[[Handed], None]:
    return lambda handed: handed.edit_run(lambda run: run.update(changed))


def drop(event: str, role: str, turn: int) -> Callable[[Handed], None]:
    return edit(lambda lines: lines.remove(next(each(lines, event, role, turn))))


def ending(**changed: Any) -> Callable[[Handed], None]:
    """The first ended episode says something else."""
    return edit(lambda lines: next(each(lines, "end"))["episode"].update(changed))


def first_turn(**changed: Any) -> Callable[[Handed], None]:
    return edit(lambda lines: next(each(lines, "end"))["episode"]["steps"][0].update(changed))


def answer(role: str, **changed: Any) -> Callable[[Handed], None]:
    return edit(lambda lines: next(each(lines, "call", role, 1)).update(changed))


def done_at_once(lines: Lines) -> None:
    """Everything says that the describer was content on turn 1."""
    ended = next(each(lines, "end"))["episode"]
    name = ended["episode_id"]
    lines[:] = [line for line in lines if line["event"] == "end" or line["episode_id"] != name]
    ended["steps"] = [ended["steps"][-1] | {"turn": 1}]
    lines.insert(0, json.loads(call(episode_id=name, turn=1, text="<DONE>", seconds=0)))


def without_done(lines: Lines) -> None:
    """Ten turns, and then some: the last rendering again and again."""
    ended = next(each(lines, "end"))["episode"]
    second = ended["steps"][1]
    ended["steps"] = [ended["steps"][0]] + [second | {"turn": turn} for turn in range(2, 13)]
    ended["outcome"] = "turn_limit"
    name = ended["episode_id"]
    both = [line for line in lines if line.get("episode_id") == name and line.get("turn") == 2]
    lines[:] = [line for line in lines if not (line.get("episode_id") == name and line.get("turn") == 3)]
    lines[:0] = [run | {"turn": turn} for turn in range(3, 13) for run in both]


def another_pair(handed: Handed) -> None:
    handed.edit_run(lambda run: run["submission"]["describer"].update(model="gpt-5.2"))


def swapped_in_the_end(lines: Lines) -> None:
    turns = next(each(lines, "end"))["episode"]["steps"]
    turns[0]["rendering"], turns[1]["rendering"] = turns[1]["rendering"], turns[0]["rendering"]


def of_nobody(lines: Lines) -> None:
    lines.append(json.loads(call(episode_id="geometry-easy-99")))


def twice_ended(lines: Lines) -> None:
    lines.append(next(each(lines, "end")))


def twice_answered(lines: Lines) -> None:
    lines.append(next(each(lines, "call", "generator", 1)) | {"seconds": 5.0})


LOST = {"outcome": "aborted", "abort_reason": "describer_format", "detail": "no tags"}
RULES = [
    Attack("another instance set", run_edit(instance_set="0" * 64), "names another instance set than pack.json"),
    Attack("other prompts", run_edit(prompts="mine-00000000"), "prompts: the transcripts were played with 'mine"),
    *(
        Attack(f"a start {name}", run_edit(started=started), "started: ")
        for name, started in {
            "in the future": "2999-01-01T00:00:00+00:00", "that is no time": "yesterday",
            "in another zone": "2026-11-20T23:30:00+14:00", "that sorts after every date": "20261120T100000+00:00",
            "without a zone": "2026-11-20T10:00:00", "of a week": "2026-W47-5T10:00:00+00:00",
        }.items()
    ),
    Attack("a version that turns around", run_edit(version="0.1\u202e"), "version: "),
    Attack("a version that is markup", run_edit(version="<b>1"), "version: "),
    Attack("another game", run_edit(game="chess"), "game is chess, that of the submission reconstruction"),
    Attack(
        "another pair's name", run_edit(slug="another-pair"), "slug: the transcripts were played with 'another-pair'"
    ),
    Attack("another pair's run", run_edit(run_id="another-pair-00000000"), "is of the run another-pair-00000000"),
    Attack(
        "another model",
        another_pair,
        "describer: the transcripts were played with {'model': 'gpt-5.2'}, not {'model': None}",
    ),
    Attack("a larger budget", run_edit(rules={"token_budget": 9000}), "rules: the transcripts were played with"),
    Attack("more turns", run_edit(rules={"max_turns": 50}), "rules: the transcripts were played with"),
    Attack("a missing picture", drop("call", "generator", 1), "turn 1: the generator's answer is missing"),
    Attack("a missing message", drop("call", "describer", 2), "turn 2: the describer's answer is missing"),
    Attack("a missing last word", drop("call", "describer", 3), "turn 3: the describer's answer is missing"),
    Attack("a missing episode", edit(lambda lines: lines.remove(next(each(lines, "end")))), "1 of 4 episodes were not"),
    Attack("nothing at all", edit(lambda lines: lines.clear()), "in no turn of the transcript"),
    Attack("done on turn 1", edit(done_at_once), "by the rules it is 'aborted'"),
    Attack("twelve turns", edit(without_done), "by the rules it has 10"),
    Attack("a good end to an aborted game", answer("describer", text="no tags"), "by the rules it is 'aborted'"),
    Attack("a bad game hidden", ending(**LOST), "outcome is 'aborted'; by the rules it is 'converged'"),
    Attack("a limit instead of done", ending(outcome="turn_limit"), "outcome is 'turn_limit'; by the rules it is"),
    Attack("an easier category", ending(category="simple_shapes"), "category is 'simple_shapes'; by the rules"),
    Attack("an easier difficulty", ending(difficulty="hard"), "difficulty is 'hard'; by the rules it is 'easy'"),
    Attack("a message that was not said", first_turn(message="a cat"), "message is 'a cat'; by the rules it is"),
    Attack("fewer tokens than said", first_turn(message_tokens=1), "message_tokens is 1; by the rules it is"),
    Attack("over budget by their word", first_turn(over_budget=True), "over_budget is True; by the rules it is False"),
    Attack(
        "a longer answer", answer("describer", text=f"<DESCRIPTION>{'red ' * 300}</DESCRIPTION>"), "by the rules it is"
    ),
    Attack("tags within tags", answer("describer", text="<DESCRIPTION><DONE></DESCRIPTION>"), "it is 'aborted'"),
    Attack("kept quiet about leniency", answer("describer", text="  <description>x</description>"), "leniencies is []"),
    Attack("quicker than it was", first_turn(seconds=0.0), "seconds is 0.0; by the rules it is"),
    Attack("notes nobody gave", first_turn(notes=["all followed"]), "notes is ['all followed']; by the rules"),
    Attack("the second picture first", edit(swapped_in_the_end), "rendering is the rendering"),
    Attack(
        "another prompt", answer("describer", prompt="You may see the scene."), "was told something else than the rules"
    ),
    Attack("two answers to one question", edit(twice_answered), "turn 1: two answers of the generator"),
    Attack("two ends of one episode", edit(twice_ended), "ended twice"),
    Attack("an answer after the end", line(call(turn=4)), "turn 4: an answer of the describer that the rules never"),
    Attack("an episode of nobody", edit(of_nobody), "geometry-easy-99: no episode of an instance of this set"),
    Attack("a judge among the players", line(call(role="judge")), "not an answer of a judge"),
    Attack(
        "a describer that draws", line(call(rendering={"sha256": "0" * 64, "width": 9, "height": 9})), "of a describer"
    ),
    Attack("a generator that speaks", line(call(role="generator")), "not an answer of a generator"),
    Attack("a message of a megabyte", answer("describer", text="red " * 250_000), "an answer of more than 200,000"),
    Attack("a cost without end", answer("describer", usage={"cost_usd": 1.7e308}), "cost_usd of more than 10,000"),
    Attack("tokens without end", answer("describer", usage={"prompt_tokens": 10**30}), "prompt_tokens of more than"),
    Attack("requests without end", answer("generator", usage={"requests": 10**30}), "requests of more than 100,000"),
    Attack(
        "an attempt without end", answer("generator", attempts=[{"kind": "answered", "seconds": 1e300}]), "seconds of"
    ),
    Attack("a seed without end", run_edit(seed=10**30), "seed: more than 63 bits"),
    Attack("notes without end", answer("generator", notes=["x"] * 51), "notes of more than 50 lines"),
    Attack("a note of a megabyte", answer("generator", notes=["x" * 2**20]), "or 2,000 characters"),
]  # fmt: skip


def told(secret: str) -> Callable[[Handed], None]:
    return lambda handed: handed.say(f"a circle {secret} left")


UNSEEN = {
    "words that turn around": "a \u202ered circle",
    "words without width": "a\u200b red\u2060 circle",
    "words as tags": "a \U000e0041 circle",
    "terminal commands": "a \x1b[2J circle",
}

LEAKS = [
    *(Attack(name, told(words), "must not be published") for name, words in UNSEEN.items()),
    *(Attack(f"a secret in a message: {name}", told(item), "must not be published") for name, item in SECRETS.items()),
    Attack("a secret in a note", answer("generator", notes=[SECRETS["hf"]]), "a Hugging Face token at character 1"),
    Attack("a secret in an error", line(json.dumps({
        "event": "failure", "episode_id": FIRST, "turn": 1, "role": "describer", "reason": "provider_error",
        "detail": SECRETS["openai"],
    }) + "\n"), "an API key (sk-…) at character 1"),
]  # fmt: skip

ATTACKS = [
    *(Attack(f"picture: {name}", picture_attack(data), verdict) for name, (data, verdict) in PICTURES.items()),
    *FILES, *JSON, *RULES, *LEAKS,
]  # fmt: skip
