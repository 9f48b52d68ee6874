"""What the listener sees in each round: ICCA's settings, and its published program's draws."""

import json
import os
import random
from pathlib import Path

import pytest
from pydantic import ValidationError

from ircore.games.reference.order import labels_of, listener_orders
from ircore.games.reference.rules import PRESETS, ReferenceRules

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
TRANSCRIPTS = SHARED / "lang" / "icca" / "transcripts"
CONTEXT = ("w", "x", "y", "z")


def test_labels_stay_where_nothing_shuffles() -> None:
    orders = listener_orders(CONTEXT, 24, 3, ReferenceRules())
    assert len({order.labelled for order in orders}) == 1
    assert all(order.shown == order.labelled for order in orders)


def test_every_round_has_its_own_order_where_pictures_change_places() -> None:
    orders = listener_orders(CONTEXT, 24, 3, ReferenceRules(shuffle=True))
    assert len({order.labelled for order in orders}) > 10
    assert all(sorted(order.labelled) == sorted(CONTEXT) for order in orders)


def test_only_a_misleading_round_shows_other_pictures_at_the_labels_that_count() -> None:
    orders = listener_orders(CONTEXT, 24, 3, ReferenceRules(preset="L7"))
    moved = [number for number, order in enumerate(orders, start=1) if order.shown != order.labelled]
    assert set(moved) <= {21, 22, 23, 24}
    assert moved


def test_masked_pictures_stand_in_the_speakers_order() -> None:
    (first, *_) = listener_orders(CONTEXT, 24, 3, ReferenceRules(masked=True))
    assert first.labelled == CONTEXT


def test_labels_are_letters_or_numbers() -> None:
    assert labels_of(3, ReferenceRules()) == ("A", "B", "C")
    assert labels_of(3, ReferenceRules(labels="numbers")) == ("1", "2", "3")


def test_a_rule_that_contradicts_its_preset_is_refused() -> None:
    assert ReferenceRules.model_validate({"preset": "L1", "shuffle": True}).pictures == "every_round"
    with pytest.raises(ValidationError, match="shuffle is True in the preset L1"):
        ReferenceRules.model_validate({"preset": "L1", "shuffle": False})


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="needs ICCA's golden transcripts")
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_orders_are_those_of_the_published_program(preset: str) -> None:
    seeds = random.Random(0).sample(range(1000), 54)
    paths = sorted(TRANSCRIPTS.glob(f"*_{preset}.json"))
    for path in paths:
        played = json.loads(path.read_text())
        context = sorted(played["trials"][0]["label_order"])
        random.Random(played["game_index"]).shuffle(context)
        assert played.get("speaker_image_order") in (None, context)
        orders = listener_orders(context, 24, seeds[played["game_index"]], ReferenceRules(preset=preset))
        assert [list(order.labelled) for order in orders] == [trial["label_order"] for trial in played["trials"]]
        assert [list(order.shown) for order in orders] == [trial["shown_order"] for trial in played["trials"]]
        labels = labels_of(4, ReferenceRules())
        for trial, order in zip(played["trials"], orders, strict=True):
            assert trial["gold_label"] in labels
            assert order.labelled
    assert len(paths) == 12
