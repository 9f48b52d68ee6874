"""Editing and understanding: the truth is perfect, an untouched picture worth nothing, a planted fault costs."""

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from known_values import known

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.reasoning.attributes import Above, Areas, Shows, Within
from ircore.games.reasoning.dimensions.entity import (
    CHOICES,
    ENTITIES,
    REFERENCES,
    EntityDescribed,
    EntityNamed,
    Recognition,
)
from ircore.games.reasoning.dimensions.jigsaw import Jigsaw
from ircore.games.reasoning.dimensions.painting import (
    LEAST_SHARE,
    PAINT,
    SCENES,
    SIZE,
    Painting,
    PaintingScene,
    Region,
    compute_corrected_paint_iou,
    compute_paint_iou,
    describe_region,
    find_green,
    list_descriptions,
)
from ircore.games.reasoning.dimensions.sudoku import EMPTIES, SIZES, Sudoku, compute_layout, draw_sudoku, make_sudoku
from ircore.games.reasoning.tasks import Dimension, Task
from ircore.players.builtin.editor import edit_for, find_described_region
from ircore.seeing.grids import EMPTY, cut_tiles, deduce_sudoku, find_grid, join_tiles, list_units, read_cells

pytestmark = pytest.mark.slow


EDITS: tuple[Dimension, ...] = (Jigsaw(), Sudoku(), Painting())
EACH = pytest.mark.parametrize("dimension", EDITS, ids=lambda dimension: dimension.name)
DIFFICULTIES = pytest.mark.parametrize("difficulty", ["easy", "hard"])


def made(dimension: Dimension, difficulty: str, seed: int = 1) -> Task:
    return dimension.build(difficulty, random.Random(seed))


def score(dimension: Dimension, task: Task, answer: Picture) -> float:
    return known(dimension.verify(task.payload, task.pictures, answer).corrected)


@EACH
@DIFFICULTIES
def test_the_truth_is_perfect_and_the_untouched_picture_worth_nothing(dimension: Dimension, difficulty: str) -> None:
    task = made(dimension, difficulty)
    verdict = dimension.verify(task.payload, task.pictures, task.pictures["truth"])
    assert (verdict.corrected, verdict.correct) == (1, True)
    untouched = dimension.verify(task.payload, task.pictures, task.pictures["input"])
    assert (untouched.corrected, untouched.correct) == (0, False)


@pytest.mark.parametrize("dimension", [Jigsaw(), Sudoku()], ids=["jigsaw", "sudoku"])
@DIFFICULTIES
def test_the_editor_solves_the_task_from_prompt_and_picture(dimension: Dimension, difficulty: str) -> None:
    task = made(dimension, difficulty, seed=2)
    solved = edit_for(task.prompt)(task.pictures["input"].pixels, task.prompt)
    assert score(dimension, task, Picture.from_pixels(solved)) == 1


# Jigsaw


def rearranged(task: Task, change: Callable[[list[int]], None]) -> Picture:
    """Return the whole picture with its tiles in a changed order."""
    count = task.payload["tiles"]
    order = list(range(count * count))
    change(order)
    return Picture.from_pixels(join_tiles(cut_tiles(task.pictures["truth"].pixels, count), order))


def test_two_exchanged_tiles_cost_two_of_the_moved_ones() -> None:
    task = made(Jigsaw(), "hard")
    order = task.payload["order"]
    first, second = [place for place, tile in enumerate(order) if place != tile][:2]

    def exchange(places: list[int]) -> None:
        places[first], places[second] = places[second], places[first]

    moved = sum(place != tile for place, tile in enumerate(order))
    assert score(Jigsaw(), task, rearranged(task, exchange)) == pytest.approx((moved - 2) / moved)


def test_a_tile_that_leaves_its_place_costs_too() -> None:
    task = next(task for seed in range(20) if len(kept(task := made(Jigsaw(), "hard", seed))) >= 2)
    first, second = kept(task)[:2]

    def exchange(places: list[int]) -> None:
        places[first], places[second] = places[second], places[first]

    moved = len(task.payload["order"]) - len(kept(task))
    verdict = Jigsaw().verify(task.payload, task.pictures, rearranged(task, exchange))
    assert verdict.corrected == pytest.approx(moved / (moved + 2))
    assert not verdict.correct
    assert verdict.reasons[1].startswith("2 of")


def kept(task: Task) -> list[int]:
    return [place for place, tile in enumerate(task.payload["order"]) if place == tile]


def turned_over(task: Task) -> Picture:
    return Picture.from_pixels(task.pictures["truth"].pixels[:, ::-1])


def grey(task: Task) -> Picture:
    return Picture.from_pixels(np.full((480, 480, 3), 128, np.uint8))


@pytest.mark.parametrize("fault", [turned_over, grey])
def test_a_mirrored_or_grey_jigsaw_is_wrong(fault: Callable[[Task], Picture]) -> None:
    task = made(Jigsaw(), "hard")
    assert score(Jigsaw(), task, fault(task)) < 0.3


# Sudoku


def drawn(cells: str) -> Picture:
    return Picture.from_pixels(draw_sudoku(cells).pixels)


def changed(cells: str, place: int, digit: str) -> str:
    return f"{cells[:place]}{digit}{cells[place + 1 :]}"


@DIFFICULTIES
def test_each_planted_fault_in_a_sudoku_costs_a_cell(difficulty: str) -> None:
    task = made(Sudoku(), difficulty)
    cells, solution = task.payload["cells"], task.payload["solution"]
    empty = cells.count(".")
    hole, given = cells.index("."), next(place for place, cell in enumerate(cells) if cell != ".")
    other = {place: "2" if solution[place] == "1" else "1" for place in (hole, given)}
    faults = {
        "not filled": (changed(solution, hole, "."), (empty - 1) / empty),
        "wrong digit": (changed(solution, hole, other[hole]), (empty - 1) / empty),
        "given digit changed": (changed(solution, given, other[given]), empty / (empty + 1)),
        "given digit lost": (changed(solution, given, "."), empty / (empty + 1)),
    }
    for name, (answer, expected) in faults.items():
        verdict = Sudoku().verify(task.payload, task.pictures, drawn(answer))
        assert verdict.corrected == pytest.approx(expected), name
        assert not verdict.correct, name


# Painting


def painted(task: Task, change: Callable[[np.ndarray, np.ndarray], None]) -> Picture:
    """Return the picture after a change that is given its pixels and the region's mask."""
    pixels = np.array(task.pictures["input"].pixels)
    change(pixels, task.pictures["mask"].pixels[..., 0] > 127)
    return Picture.from_pixels(pixels)


GREEN = (0, 255, 0)


def everything(pixels: np.ndarray, mask: np.ndarray) -> None:
    pixels[:] = GREEN


def the_rest(pixels: np.ndarray, mask: np.ndarray) -> None:
    pixels[~mask] = GREEN


def upper_part(pixels: np.ndarray, mask: np.ndarray) -> None:
    rows = np.flatnonzero(mask.any(axis=1))
    middle = (rows[0] + rows[-1]) // 2
    pixels[:middle][mask[:middle]] = GREEN


def too_much(pixels: np.ndarray, mask: np.ndarray) -> None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    pixels[max(0, rows[0] - 60) : rows[-1] + 60, max(0, columns[0] - 60) : columns[-1] + 60] = GREEN


def in_red(pixels: np.ndarray, mask: np.ndarray) -> None:
    pixels[mask] = (255, 0, 0)


@pytest.mark.parametrize(
    ("fault", "most"), [(everything, 0.3), (the_rest, 0.01), (upper_part, 0.8), (too_much, 0.9), (in_red, 0)]
)
@DIFFICULTIES
def test_each_planted_fault_in_painting_costs(
    fault: Callable[[np.ndarray, np.ndarray], None], most: float, difficulty: str
) -> None:
    task = made(Painting(), difficulty)
    verdict = Painting().verify(task.payload, task.pictures, painted(task, fault))
    assert known(verdict.corrected) <= most
    assert known(verdict.published) <= most


def solutions(cells: str, side: int) -> Iterator[str]:
    """Yield every solution of a sudoku, by trying all digits that no row, column or box forbids."""
    if EMPTY not in cells:
        yield cells
        return
    box = round(side**0.5)

    def options(place: int) -> list[str]:
        row, column = divmod(place, side)
        taken = {
            cells[other]
            for other in range(side * side)
            if other // side == row
            or other % side == column
            or (other // side // box, other % side // box) == (row // box, column // box)
        }
        return [digit for digit in "123456789"[:side] if digit not in taken]

    place = min((place for place, cell in enumerate(cells) if cell == EMPTY), key=lambda place: len(options(place)))
    for digit in options(place):
        yield from solutions(f"{cells[:place]}{digit}{cells[place + 1 :]}", side)


@pytest.mark.parametrize(("side", "seed"), [(4, 0), (4, 1), (9, 2)])
def test_a_sudoku_has_exactly_the_solution_it_states(side: int, seed: int) -> None:
    puzzle = make_sudoku(side, random.Random(seed))
    assert puzzle.cells.count(EMPTY) == EMPTIES[side]
    assert list(solutions(puzzle.cells, side)) == [puzzle.solution]
    for unit in list_units(side):
        assert sorted(puzzle.solution[cell] for cell in unit) == list("123456789"[:side])


def test_a_puzzle_with_two_solutions_is_not_deduced_completely() -> None:
    # Columns 1 and 2 of the upper rows may be exchanged: both grids keep the rules.
    puzzle = "..34..123.....43"
    assert len(list(solutions(puzzle, 4))) > 1
    assert EMPTY in (deduce_sudoku(puzzle) or "")


@pytest.mark.parametrize("puzzle", ["11..............", "1234341221434322"])
def test_digits_that_contradict_each_other_have_no_solution(puzzle: str) -> None:
    assert deduce_sudoku(puzzle) is None


@pytest.mark.parametrize("side", [4, 9])
def test_a_drawn_sudoku_is_read_back_digit_by_digit(side: int) -> None:
    puzzle = make_sudoku(side, random.Random(3))
    for cells in puzzle:
        pixels = draw_sudoku(cells).pixels
        assert pixels.shape == (SIZES[side], SIZES[side], 3)
        grid = known(find_grid(pixels))
        assert grid.columns == pytest.approx(compute_layout(side).columns, abs=1)
        assert read_cells(pixels, grid) == cells


@DIFFICULTIES
@pytest.mark.parametrize("dimension", [EntityNamed(), EntityDescribed()], ids=["named", "described"])
def test_every_reference_picture_shows_the_thing(dimension: Dimension, difficulty: str) -> None:
    for seed in range(2):
        task = dimension.build(difficulty, random.Random(seed))
        assert len(task.pictures) == REFERENCES
        assert task.shown == ()  # nobody sees the references
        for reference in task.pictures.values():
            verdict = dimension.verify(task.payload, task.pictures, reference)
            assert (verdict.corrected, verdict.correct) == (1, True)


@DIFFICULTIES
def test_the_same_thing_is_told_by_name_described_and_to_be_recognised(difficulty: str) -> None:
    for seed in range(4):
        named, described, recognised = (
            dimension.build(difficulty, random.Random(seed))
            for dimension in (EntityNamed(), EntityDescribed(), Recognition())
        )
        name = named.payload["entity"]
        assert described.payload["entity"] == recognised.payload["entity"] == recognised.answer == name
        assert name in named.prompt
        assert name.lower() not in described.prompt.lower()
        assert ENTITIES[name].description in described.prompt


def lamps(*colours: str) -> Picture:
    """Return a dark housing with lamps from the top down."""
    drawing = Drawing(200, 300, "#dbeafe")
    drawing.rectangle(50, 20, 150, 280, fill="#111111")
    for number, colour in enumerate(colours):
        drawing.ellipse((100, 60 + 80 * number), (30, 30), fill=colour)
    return Picture.from_pixels(drawing.pixels)


RED, YELLOW, LAMP_GREEN = "#e02020", "#ffd60a", "#22a948"


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        (lamps(RED, YELLOW, LAMP_GREEN), 6 / 6),
        (lamps(LAMP_GREEN, YELLOW, RED), 4 / 6),  # upside down: neither above the other as asked
        (lamps(RED, YELLOW), 4 / 6),  # no green, and so not below yellow
        (lamps(RED), 2 / 6),
        (lamps(), 1 / 6),  # a dark upright box alone
        (Picture.from_pixels(np.full((200, 300, 3), 255, np.uint8)), 0),
    ],
    ids=["right", "upside down", "two lamps", "one lamp", "no lamp", "blank"],
)
def test_each_planted_fault_in_a_traffic_light_costs_an_attribute(answer: Picture, share: float) -> None:
    verdict = EntityNamed().verify({"entity": "traffic light"}, {}, answer)
    assert verdict.corrected == pytest.approx(share)
    assert verdict.correct == (share == 1)


@DIFFICULTIES
def test_choices_hold_the_answer_once_and_are_alike_when_hard(difficulty: str) -> None:
    for seed in range(12):
        task = Recognition().build(difficulty, random.Random(seed))
        choices, name = task.choices, task.payload["entity"]
        assert len(set(choices)) == CHOICES
        assert choices.count(name) == 1
        family = ENTITIES[name].family
        alike = sum(ENTITIES[choice].family == family for choice in choices)
        assert alike == (CHOICES if difficulty == "hard" else 1)


NAMES = pytest.mark.parametrize("name", list(ENTITIES))


@NAMES
def test_every_drawing_of_a_thing_shows_its_attributes_and_no_other_thing(name: str) -> None:
    for seed in range(2):
        areas = Areas(ENTITIES[name].draw(random.Random(seed)).pixels)
        assert all(ENTITIES[name].shown(areas).values()), ENTITIES[name].shown(areas)
        for other in ENTITIES.keys() - {name}:
            assert not all(ENTITIES[other].shown(areas).values()), other


@NAMES
def test_a_description_does_not_name_the_thing(name: str) -> None:
    words = set(ENTITIES[name].description.lower().replace(",", "").split())
    assert not words & set(name.lower().split()) - {"a", "of", "the", "that", "shows"}


def picture(*discs: tuple[int, int, int, str]) -> Areas:
    """Return the areas of discs (x, y, radius, colour) on a pale ground of 100 × 100 pixels."""
    drawing = Drawing(100, 100, "#dbeafe")
    for x, y, radius, colour in discs:
        drawing.ellipse((x, y), (radius, radius), fill=colour)
    return Areas(drawing.pixels)


BLACK = "#111111"


def test_above_needs_both_colours_in_that_order() -> None:
    lamps = picture((50, 20, 10, RED), (50, 60, 10, YELLOW))
    assert Above("red", "yellow").holds(lamps)
    assert not Above("yellow", "red").holds(lamps)
    assert not Above("red", "green").holds(lamps)


def test_parts_are_counted_within_the_largest_area_of_a_colour() -> None:
    beetle = picture((50, 50, 40, RED), (35, 40, 6, BLACK), (65, 40, 6, BLACK), (35, 65, 6, BLACK), (5, 5, 4, BLACK))
    assert Within("black", "red", least=3, most=3).holds(beetle)
    assert not Within("black", "red", least=4).holds(beetle)
    assert Shows("black", least=4, most=4).holds(beetle)


KINDS = pytest.mark.parametrize("kind", list(SCENES))


@KINDS
def test_the_painted_picture_is_right_and_the_unpainted_one_is_not(kind: str) -> None:
    scene = SCENES[kind](random.Random(1))
    before = scene.drawing.pixels
    for region in scene.regions:
        mask = scene.mask_of(region).astype(np.uint8) * 255
        painted = scene.paint(region)
        assert compute_paint_iou(painted, mask, before) == compute_corrected_paint_iou(painted, mask, before) == 1
        assert compute_paint_iou(before, mask, before) == compute_corrected_paint_iou(before, mask, before) == 0


@KINDS
def test_nothing_is_green_before_and_every_region_is_large_enough_to_count(kind: str) -> None:
    for seed in range(2):
        scene = SCENES[kind](random.Random(seed))
        assert not find_green(scene.drawing.pixels).any()
        for region in scene.regions:
            assert scene.mask_of(region).sum() > LEAST_SHARE * SIZE * SIZE  # GIR-Bench drops smaller areas


def test_a_later_region_covers_an_earlier_one() -> None:
    scene = PaintingScene("bars")
    scene.add(Region("back", "red"), "#d62828", lambda drawing, colour: drawing.rectangle(0, 0, 100, 100, colour))
    scene.add(Region("front", "blue"), "#1d4ed8", lambda drawing, colour: drawing.rectangle(50, 0, 150, 100, colour))
    assert scene.masks["back"].sum() == 50 * 100
    assert scene.masks["front"].sum() == 100 * 100
    assert scene.paint(scene.regions[0])[50, 25].tolist() == list(PAINT)


@pytest.mark.parametrize("kind", ["bars", "pie", "shapes"])
@pytest.mark.parametrize("hard", [False, True])
def test_a_solver_that_sees_the_picture_and_the_words_alone_finds_the_region(kind: str, hard: bool) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        scene = SCENES[kind](rng)
        text, region = describe_region(scene, hard, rng)
        seen = find_described_region(scene.drawing.pixels, f"Paint {text} pure green.")
        truth = scene.mask_of(region)
        assert seen is not None
        assert (seen & truth).sum() / (seen | truth).sum() > 0.95, (seed, text)


HEIGHTS = {"red": 150, "blue": 300, "yellow": 200, "pink": 400, "brown": 250}
"""Bars from left to right."""


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("the tallest bar", "pink"), ("the third tallest bar", "brown"), ("the second shortest bar", "yellow"),
        ("the bar directly to the left of the tallest bar", "yellow"),
        ("the bar directly to the right of the shortest bar", "blue"),
    ],
)  # fmt: skip
def test_descriptions_of_bars_mean_what_they_say(text: str, colour: str) -> None:
    bars = [Region(name, name, size=height, order=place) for place, (name, height) in enumerate(HEIGHTS.items())]
    by_text = {known.text: known for hard in (False, True) for known in list_descriptions("bars", hard)}
    assert [region.name for region in by_text[text].select(bars)] == [colour]
