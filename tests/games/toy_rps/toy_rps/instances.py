"""Instances: which signs are shown, and their pictures."""

import random
from collections.abc import Iterator

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.instances.requests import BuildRequest
from ircore.instances.store import InstanceSet, write_instances

COLOURS = {(128, 128, 128): "rock", (255, 255, 0): "paper", (255, 0, 0): "scissors"}
"""The colour of each sign."""


def build(request: BuildRequest) -> InstanceSet:
    """Make an instance set."""
    return write_instances(request.out, _made(request))


def _made(request: BuildRequest) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    pictures = {
        sign: Picture.from_pixels(Drawing(16, 16, "#{:02x}{:02x}{:02x}".format(*colour)).pixels)
        for colour, sign in COLOURS.items()
    }
    for index in range(1, request.per_condition + 1):
        rng = random.Random(f"{request.seed}/{index}")
        signs = [rng.choice(sorted(pictures)) for _ in range(3)]
        instance = Instance(
            instance_id=f"signs-easy-{index:02d}",
            category="signs",
            difficulty="easy",
            game="rps",
            payload={"signs": signs, "human": ["rock", "rock", "rock"]},
            source="drawn for a test",
            licence="CC0-1.0",
            seed=request.seed,
        )
        yield instance, pictures
