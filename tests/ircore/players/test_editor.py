"""The built-in editor solves puzzles from the picture alone; its two floors solve nothing."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from known_values import known
from PIL import Image, ImageDraw, ImageFont

from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.games.reasoning.dimensions.jigsaw import draw_patchwork
from ircore.games.reasoning.dimensions.sudoku import draw_sudoku, make_sudoku
from ircore.players import human
from ircore.players.base import Captioned, ChoiceAnswer, GeneratorView, PictureAnswer, Question
from ircore.players.builtin import editor as editor
from ircore.players.builtin.editor import EditorPlayer, IdentityEditor, RandomEditor
from ircore.players.builtin.solver import Solver
from ircore.players.human import HumanPlayer
from ircore.seeing.grids import UNREADABLE, cut_tiles, find_grid, join_tiles, read_cells

SUDOKU = "Solve this sudoku."
JIGSAW = "The picture was cut into 3 × 3 tiles, and tiles were exchanged."
FONTS = [
    Path(f"/usr/share/fonts/truetype/dejavu/{name}.ttf") for name in ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif")
]


def asked(player: type, pixels: "Pixels | None", prompt: str, seed: int = 0) -> PictureAnswer:
    """Ask a player for a picture."""
    shown = () if pixels is None else (Captioned("The picture:", Picture.from_pixels(pixels)),)
    question = Question(1, prompt, shown, answers="picture", seed=seed)
    answer = asyncio.run(player(PlayerSpec(player="any")).answer(question))
    assert isinstance(answer, PictureAnswer)
    return answer


def cells_of(answer: PictureAnswer) -> str:
    grid = known(find_grid(answer.picture.pixels))
    return read_cells(answer.picture.pixels, grid)


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 9])
def test_the_editor_fills_in_a_sudoku(side: int) -> None:
    puzzle = make_sudoku(side, random.Random(11))
    assert cells_of(asked(EditorPlayer, draw_sudoku(puzzle.cells).pixels, SUDOKU)) == puzzle.solution


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_editor_puts_tiles_back(count: int, seed: int) -> None:
    whole = draw_patchwork(480, random.Random(seed))
    tiles = cut_tiles(whole, count)
    shuffled = join_tiles(tiles, random.Random(seed).sample(range(count * count), count * count))
    answer = asked(EditorPlayer, shuffled, f"The picture was cut into {count} × {count} tiles.")
    assert np.array_equal(answer.picture.pixels, whole)


@pytest.mark.parametrize(
    ("prompt", "note"), [("Make it nicer.", "no edit"), (SUDOKU, "no grid"), ("Paint it.", "not un")]
)
def test_the_editor_says_why_it_leaves_a_picture_alone(prompt: str, note: str) -> None:
    white = np.full((60, 60, 3), 255, np.uint8)
    answer = asked(EditorPlayer, white, prompt)
    assert np.array_equal(answer.picture.pixels, white)
    assert note in answer.notes[0]


def test_the_editor_draws_what_it_knows_by_name_and_what_words_say() -> None:
    assert asked(EditorPlayer, None, "Draw a stop sign.").picture.pixels[150, 256].tolist() == [255, 0, 0]
    words = "A blue circle of radius 50 px centred at (100, 100)."
    assert asked(EditorPlayer, None, words).picture.pixels[100, 100].tolist() == [0, 0, 255]


@pytest.mark.slow
def test_the_identity_editor_changes_nothing() -> None:
    pixels = draw_patchwork(60, random.Random(1))
    assert np.array_equal(asked(IdentityEditor, pixels, JIGSAW).picture.pixels, pixels)


@pytest.mark.parametrize("player", [RandomEditor, IdentityEditor])
def test_floors_take_a_choice_and_are_no_competitors(player: type) -> None:
    answer = asyncio.run(player(PlayerSpec(player="any")).answer(Question(1, "Which?", choices=("a", "b"))))
    assert isinstance(answer, ChoiceAnswer)
    assert answer.choice in ("a", "b")
    assert player.TRAITS.reference  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("path", FONTS, ids=lambda path: path.stem)
def test_digits_in_other_fonts_are_read_or_left_open_never_misread(path: Path) -> None:
    if not path.is_file():
        pytest.skip("needs the DejaVu fonts")
    wanted = "123456789" * 9
    read = read_in(ImageFont.truetype(path, 34), wanted)
    assert all(seen in (digit, UNREADABLE) for seen, digit in zip(read, wanted, strict=True))
    assert read.count(UNREADABLE) <= 9


def read_in(font: ImageFont.FreeTypeFont, cells: Sequence[str]) -> str:
    """Return what is read of digits in a 9 × 9 grid that Pillow alone drew, at another size than ours."""
    image = Image.new("RGB", (600, 600), "#fffdf5")
    draw = ImageDraw.Draw(image)
    for number in range(10):
        at, width = 30 + 60 * number, 4 if number % 3 == 0 else 2
        draw.line([(30, at), (570, at)], fill="#202020", width=width)
        draw.line([(at, 30), (at, 570)], fill="#202020", width=width)
    for place, digit in enumerate(cells):
        row, column = divmod(place, 9)
        draw.text((60 + 60 * column, 60 + 60 * row), digit, fill="#202020", font=font, anchor="mm")
    grid = known(find_grid(np.asarray(image)))
    return read_cells(np.asarray(image), grid)


@pytest.mark.slow
def test_a_picture_without_an_even_grid_has_none() -> None:
    assert find_grid(np.full((50, 50, 3), 255, np.uint8)) is None
    assert find_grid(draw_patchwork(100, random.Random(1))) is None


PICTURES = [Picture.from_pixels(np.full((32, 32, 3), level, np.uint8)) for level in (9, 200)]


def person(folder: Path) -> HumanPlayer:
    return HumanPlayer(PlayerSpec(player="human", parameters={"folder": str(folder), "timeout_s": 5, "poll_s": 0.02}))


def test_a_problem_with_a_picture_must_last_for_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half-saved at one look, another half at the next, whole at the third: nothing was ever wrong."""
    looks = iter(("cut off at 9 bytes", "cut off at 90 bytes", PICTURES[1]))
    monkeypatch.setattr(human, "_find_picture", lambda place: next(looks))
    answer = asyncio.run(person(tmp_path).render(GeneratorView(1, "m", (), None, 0, "m")))
    assert answer.picture is PICTURES[1]
    assert "cut off" not in capsys.readouterr().err


def test_a_riddle_with_several_solutions_is_not_understood() -> None:
    """Two ducks, a dog and two beetles have twenty legs, too: the solver says the task as it stands."""
    task = (
        "Draw every duck as a blue square, every dog as a red circle and every beetle as a green star. "
        "There are five animals, and they have twenty legs."
    )
    answered = asyncio.run(Solver(PlayerSpec(player="solver")).answer(Question(1, f"The task: {task}")))
    assert answered.text == task
    one = task.replace("five", "three").replace("twenty", "twelve")
    assert asyncio.run(Solver(PlayerSpec(player="solver")).answer(Question(1, f"The task: {one}"))).text != one


@pytest.mark.slow
def test_the_order_of_choices_does_not_decide_between_equally_similar_things(monkeypatch: pytest.MonkeyPatch) -> None:
    same = dict.fromkeys(("zebra", "antelope"), "A red circle of radius 40 px at (100, 100).")
    monkeypatch.setattr(editor, "load_known_things", lambda: same)
    for choices in (("zebra", "antelope"), ("antelope", "zebra")):
        assert editor.recognise_thing(PICTURES[1], choices) == "antelope"
