"""Which of two things counts in a game: the last and not the first, the label and not the picture."""

import asyncio
import json
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.images import MAX_PIXELS
from ircore.games.base import Game
from ircore.games.conversation import dialogues
from ircore.games.conversation.measures import METRICS, measure_drawings
from ircore.games.conversation.records import Dialogue, Exchange, Hop
from ircore.games.reasoning import measures
from ircore.games.reasoning.detections import MOST_BOXES, DetectionError, read_detections
from ircore.games.reasoning.dimensions.sudoku import Digit, score_sudoku
from ircore.games.reasoning.tasks import TaskVerdict
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reference.measures import measure_novelty
from ircore.games.reference.records import ReferenceRules, Round, draw_listener_orders
from ircore.games.registry import load_game
from ircore.games.synthesis.game import SynthesisGame
from ircore.players.base import PlayerError


def test_what_a_describer_writes_in_braces_is_not_filled_in() -> None:
    words = load_prompts("reconstruction").generator("Now {earlier}.", ["Once {message}."], "redraw")
    assert words.count("Once {message}.") == words.count("Now {earlier}.") == 1


def test_a_digit_that_is_drawn_twice_fills_one_cell() -> None:
    solution = [Digit("5", 10, 10), Digit("7", 50, 10)]
    assert score_sudoku([Digit("5", 10, 10), Digit("5", 11, 10)], solution, [], cell=20) == 0.5
    # And none of a neighbour: two cells with the same digit, one of them drawn twice.
    twins = [Digit("5", 10, 10), Digit("5", 50, 10)]
    assert score_sudoku([Digit("5", 10, 10), Digit("5", 11, 10)], twins, [], cell=20) == 0.5


def test_a_given_digit_that_was_wiped_out_counts_against_the_answer() -> None:
    given, empty = Digit("3", 90, 10), Digit("5", 10, 10)
    assert score_sudoku([empty, given], [empty, given], [given], cell=20) == 1
    assert score_sudoku([empty], [empty, given], [given], cell=20) == 0.5
    assert score_sudoku([empty, Digit("4", 90, 10)], [empty, given], [given], cell=20) == 0.5


@pytest.mark.parametrize("field", ["boxes", "missing_objects"])
def test_a_list_of_a_strangers_has_an_end(field: str) -> None:
    def answer(count: int) -> str:
        boxes = [[0, 0, 0.5, 0.5]] * count if field == "boxes" else []
        names = ["x"] * count if field == "missing_objects" else []
        return json.dumps({"objects": [{"label": "dog", "count": 1, "boxes": boxes}], "missing_objects": names})

    read_detections(answer(MOST_BOXES))
    with pytest.raises(DetectionError, match=f"no list of at most {MOST_BOXES}"):
        read_detections(answer(MOST_BOXES + 1))


def test_a_message_is_compared_with_the_last_one_about_the_picture() -> None:
    names = ("dog", "cat")
    rounds = [
        Round(
            repetition=number, target="dog", labelled=names, shown=names, message=message, answer="A", chosen="dog",
            correct=True,
        )
        for number, message in enumerate(("red circle", "blue square", "blue square"), start=1)
    ]  # fmt: skip
    shares = {m.step: m.value for m in measure_novelty(rounds) if m.measure == "message_overlap"}
    assert shares == {2: 0.0, 3: 1.0}


def test_in_a_misleading_round_labels_stay_and_pictures_move() -> None:
    context = tuple("abcdefgh")
    plain, misled = (draw_listener_orders(context, 3, 7, ReferenceRules(misleading=rounds)) for rounds in ((), (2,)))
    assert [order.labelled for order in misled] == [order.labelled for order in plain]
    assert [order.labelled == order.shown for order in misled] == [True, False, True]
    assert sorted(misled[1].shown) == sorted(context)


def test_a_verdict_that_is_unknown_is_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = TaskVerdict(None, None, correct=False, reasons=("OCR is not installed",))
    monkeypatch.setattr(measures, "judge_attempt", lambda *words: unknown)
    monkeypatch.setattr(measures, "_find_attempt", lambda ending: None)
    made = {m.measure: (m.value, m.reason) for m in islice(measures.measure_attempt(None, None, None), 2)}  # type: ignore[arg-type]
    assert made == {"verified": (None, "OCR is not installed"), "right": (None, "OCR is not installed")}


def test_two_people_of_a_dialogue_have_two_names() -> None:
    said = (Exchange(asked="What?", answered="That."),)
    assert Dialogue(dialogue=said, asker="Ann", answerer="ann").asker == "Ann"
    with pytest.raises(ValidationError, match="asker and answerer are both called Ann"):
        Dialogue(dialogue=said, asker="Ann", answerer="Ann")


def test_a_heic_header_of_many_pixels_is_refused_before_decoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(data: object, **options: object) -> object:
        return SimpleNamespace(size=(MAX_PIXELS // 100, 101), to_pillow=lambda: pytest.fail("was decoded"))

    (tmp_path / "a.heic").write_bytes(b"\0" * 100)
    monkeypatch.setitem(__import__("sys").modules, "pillow_heif", SimpleNamespace(open_heif=opened))
    with pytest.raises(InputError, match="is too large"):
        dialogues.read_any_picture(tmp_path / "a.heic")


def test_a_folder_of_words_that_no_question_would_hold_is_refused(tmp_path: Path) -> None:
    game = load_game("reasoning")
    assert game.read_prompts(None) is not None
    with pytest.raises(InputError, match="has no prompts to replace"):
        Game.read_prompts(game, tmp_path)


@pytest.mark.parametrize(("reason", "is_outage"), [("provider_error", True), ("describer_refused", False)])
def test_an_outage_is_no_figure_that_failed(reason: Any, is_outage: bool) -> None:
    class Refusing:
        async def ask(self, seat: object, question: object) -> object:
            raise PlayerError(reason, "No.")

    words = SimpleNamespace(describer=lambda *parts: "Plan a figure.")
    instance = SimpleNamespace(category="geometry", difficulty="easy")
    setup = SimpleNamespace(payload=SimpleNamespace(count=2), prompts=words, instance=instance, seed=1)
    playing = SynthesisGame(None).play(Refusing(), setup)  # type: ignore[arg-type]
    if is_outage:
        with pytest.raises(PlayerError):
            asyncio.run(playing)
    else:
        ending = asyncio.run(playing)
        assert [step.model_dump()["number"] for step in ending.steps] == [1, 2]


def test_the_final_values_are_those_of_the_last_hop() -> None:
    drawing = {"sha256": "0" * 64, "width": 64, "height": 64}
    hops = [
        Hop.model_validate(
            {"hop": hop, "asked": "a", "answered": "b", "prompt": "p", "tokens": 1, "cut": False, "drawing": drawing}
        )
        for hop in (1, 2, 3)
    ]
    values = iter(float(number) for number in range(100))
    instruments = SimpleNamespace(
        rendering=lambda drawing: None,
        metric=lambda *words: (next(values), None),
        judge=lambda *words: (next(values), None),
    )
    made = list(measure_drawings(hops, None, None, instruments))  # type: ignore[arg-type]
    per_hop = {(m.measure, m.step): m.value for m in made}
    for metric in METRICS:
        assert per_hop[f"final_{metric.key}", None] == per_hop[metric.key, 3]
