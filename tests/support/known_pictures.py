"""Runs whose pictures are known, and a model that answers from that knowledge, with an error that is known too."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from openai_server import Judged
from samples import sample_submission

from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules, Turn
from ircore.instances.store import InstanceSet
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter
from ircore.runs.play import make_run, open_run
from ircore.scorers.verification.scene_facts import list_facts

SENTENCE = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)


def run_of(folder: Path, instances: InstanceSet, pictures: Mapping[str, Sequence[Picture]]) -> RunFolder:
    """A run in which each episode shows the given pictures, one a turn."""
    run = make_run(sample_submission(), instances, Rules(), load_prompts("reconstruction"), seed=0)
    opened = open_run(folder, run, instances)
    with opened.lock(), RunWriter(opened) as writer:
        for instance in instances.instances:
            shown = pictures[instance.instance_id]
            for picture in shown:
                opened.rendering_path(picture.sha256).write_bytes(picture.data)
            turns = tuple(
                Turn(
                    turn=number,
                    action="describe",
                    message="As it is.",
                    rendering=Rendering(sha256=picture.sha256, width=picture.width, height=picture.height),
                )
                for number, picture in enumerate(shown, start=1)
            )
            episode = Episode(
                episode_id=instance.instance_id, instance_id=instance.instance_id, category=instance.category,
                difficulty=instance.difficulty, outcome="turn_limit", steps=turns,
            )  # fmt: skip
            writer.record([EventEntry(End(episode=episode))])
    return opened


def blank(width: int, height: int, colour: str) -> Picture:
    """An empty page."""
    return Picture.from_pixels(np.full((height, width, 3), [*bytes.fromhex(colour[1:])], np.uint8))


def first_blank_then_right(folder: Path, instances: InstanceSet) -> tuple[RunFolder, dict[bytes, set[str]]]:
    """A run whose first renderings are empty pages and whose second ones are the targets; what is true of each."""
    pictures: dict[str, list[Picture]] = {}
    true: dict[bytes, set[str]] = {}
    for instance in instances.instances:
        target = instances.picture(instance, "target")
        page = blank(
            instance.pictures["target"].width,
            instance.pictures["target"].height,
            (instance.scene and instance.scene.background) or "#ffffff",
        )
        pictures[instance.instance_id] = [page, target]
        if instance.scene is not None:
            facts = list_facts(instance.scene)
            true[target.data] = {fact.sentence for fact in facts}
            grounds = {fact.sentence for fact in facts if fact.kind == "background"}
            true[page.data] = true.get(page.data, set()) | grounds
    return run_of(folder, instances, pictures), true


@dataclass
class KnowingModel:
    """Says of each sentence whether it is true of a known picture; errs by a hash of picture and sentence.

    Attributes:
        true: By picture, the sentences that are true of it.
        false_yes: Share of false sentences to which it says yes.
        false_no: Share of true ones to which it says no.
        asked: Every question.
    """

    true: Mapping[bytes, set[str]]
    false_yes: float = 0.0
    false_no: float = 0.0
    asked: list[Judged] = field(default_factory=list)

    def __call__(self, question: Judged) -> str:
        """Answer in the form that was asked for."""
        self.asked.append(question)
        (picture,) = question.pictures
        answers = {}
        for number, sentence in SENTENCE.findall(question.words):
            digest = hashlib.sha256(picture + sentence.encode()).digest()
            draw = int.from_bytes(digest[:6]) / 2**48
            right = sentence in self.true[picture]
            errs = draw < (self.false_no if right else self.false_yes)
            answers[number] = "yes" if right != errs else "no"
        return json.dumps(answers)
