"""What a game declares: the examples of the documentation run, and unsound declarations are named."""

import doctest
from typing import Any, ClassVar

import pytest
from rated_games import Drawing, drawn_run

from ircore.core import records
from ircore.core.errors import InputError
from ircore.core.records import GameRules, Record
from ircore.games import base, declarations
from ircore.games.base import (
    Curve,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    Measure,
    Pages,
    PublishedFigure,
    RatedPicture,
    Seat,
    SeatTable,
)
from ircore.games.registry import BOARD_COLUMNS, find_declaration_faults, require_support
from ircore.players import base as players
from ircore.results.model import Results
from ircore.results.tables.board import board_table


def test_the_examples_of_the_contract_run() -> None:
    for module in (base, declarations, players, records):
        outcome = doctest.testmod(module)
        assert outcome.attempted > 0
        assert outcome.failed == 0


class Nothing(Record):
    """A step or payload without fields."""


class Unsound(Game[GameRules]):
    name = "unsound"
    title = "Unsound"
    seats: ClassVar[tuple[Seat[Any, Any], ...]] = (
        Seat("one", "One", "nothing", "text"),
        Seat("one", "Also one", "nothing", "text", when="thinking"),
    )
    payload = step = Nothing
    outcomes: ClassVar[tuple[GameOutcome, ...]] = (GameOutcome("completed", played=True),)
    measures: ClassVar[tuple[Measure, ...]] = (Measure("waited", "Waited", "s", direction="lower"),)
    pages = Pages(columns=("points",), curves=(Curve("waited", over="round"),), matrix=("one", "two"))
    published: ClassVar[tuple[PublishedFigure, ...]] = (PublishedFigure("people", "points", 9, "javascript:1", low=10),)

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        return Ending("completed", ())


def test_unsound_declarations_are_named() -> None:
    assert find_declaration_faults(Unsound()) == (
        "two seats have one name", "the headline waited has no range with a lowest and a highest value",
        "there is no outcome aborted that does not count as played",
        "pages name the measure points, which is not declared", "a curve is of waited, which is no measure per step",
        "a curve is over round, no field of a step", "pages cross one, two in a matrix, which are not two seats",
        "the seat one is asked with thinking, which is no rule that is true or false",
        "the figure 'people' is of points, which is no measure",
        "the figure 'people' has an interval that does not hold its value",
        "the figure 'people' has the source 'javascript:1', which is no https address",
    )  # fmt: skip


def test_two_measures_with_one_title_are_named() -> None:
    class Twice(Unsound):
        measures = (
            Measure("right", "Right", range=(0, 1)),
            Measure("correct", "Right", range=(0, 1)),
            Measure("right_so_far", "Right", range=(0, 1), per="step"),
        )

    assert "2 measures per episode have the title 'Right'" in find_declaration_faults(Twice())
    assert not [fault for fault in find_declaration_faults(Twice()) if "per step have" in fault]


def test_declarations_of_another_kind_or_name_are_named() -> None:
    class Misnamed(Unsound):
        seats = (Seat("My Seat/..", "Mine", "nothing", "text"),)
        outcomes = (*Unsound.outcomes, GameOutcome("aborted", played=False))
        measures = (Measure("liked", "Liked", range=(1, 0), direction="up"),)  # type: ignore[arg-type]
        pages = Pages()
        published = ()

    assert find_declaration_faults(Misnamed()) == (
        "the seat 'My Seat/..' is not named by small letters, digits and underscores",
        "the measure liked has direction 'up'; known: higher, lower",
        "the range of liked does not ascend",
    )

    class OfOtherKinds(Misnamed):
        seats = ("guesser",)  # type: ignore[assignment]
        payload = int  # type: ignore[assignment]
        pages = None  # type: ignore[assignment]

    faults = find_declaration_faults(OfOtherKinds())
    assert faults == ("seats are not all of the class Seat", "payload is no class of Record", "pages are no Pages")


def test_columns_of_boards_are_nobodys_names() -> None:
    class Clashing(Unsound):
        seats = (Seat("played", "Player", "nothing", "text"), Seat("guesser", "Guesser", "nothing", "choise"))  # type: ignore[arg-type]
        outcomes = (*Unsound.outcomes, GameOutcome("aborted", played=False))
        measures = (Measure("rank", "Rank", range=(0, 1)), Measure("guesser", "Guesser"))
        pages = Pages()
        published = ()

    assert find_declaration_faults(Clashing()) == (
        "the seat 'played' has the name of a column of boards",
        "the measure 'rank' has the name of a column of boards",
        "the seat guesser and the measure guesser would share a column of boards",
        "the seat guesser answers 'choise'; known: text, picture, choice",
    )


def test_the_names_of_a_boards_own_columns_are_known() -> None:
    board = board_table(Results.from_runs(game=Drawing(), runs=[drawn_run()]), "points")
    plain = {column.key for column in board.columns if not column.key.startswith("outcome_")}
    assert {"game", "mean", "low", "high", "n", *plain} == {*BOARD_COLUMNS, "guesser", "points"}


def test_faults_of_measures_that_judges_and_people_give() -> None:
    class Judged(Unsound):
        seats = Unsound.seats[:1]
        outcomes = (*Unsound.outcomes, GameOutcome("aborted", played=False))
        measures: ClassVar[tuple[Measure, ...]] = (Measure("judged", "Judged", range=(0, 10), needs="judge"),)
        pages = Pages()
        published = ()

    assert find_declaration_faults(Judged()) == (
        "the measure judged needs a judge, and the game says in no method list_rated_pictures which pictures are rated",
        "the headline judged needs a judge; boards rank by a number that does not depend on who was asked",
    )

    class Rated(Judged):
        measures = (
            Measure("won", "Won", range=(0, 1)),
            Measure("judged", "Judged", range=(0, 10), needs="judge"),
            Measure("liked", "Liked", range=(0, 1), needs="person"),
        )

        def list_rated_pictures(self, payload: Any, ending: Ending) -> tuple[RatedPicture, ...]:
            return ()

    assert find_declaration_faults(Rated()) == (
        "the measure liked needs a person, so its range is 0–10 and higher is better",
    )


class Thinking(GameRules):
    """Rules under which a second seat may be asked."""

    thinking: bool = False


class Thoughtful(Unsound):
    seats = (Seat("one", "One", "nothing", "text"), Seat("thinker", "Thinker", "nothing", "text", when="thinking"))
    rules = Thinking


def test_a_seat_that_goes_with_a_rule_is_asked_under_that_rule_alone() -> None:
    game = Thoughtful()
    assert [seat.name for seat in game.list_seats(Thinking())] == ["one"]
    assert [seat.name for seat in game.list_seats(Thinking(thinking=True))] == ["one", "thinker"]


def test_a_feature_that_a_game_lacks_is_named_with_the_games_that_have_it() -> None:
    with pytest.raises(InputError) as told:
        require_support("comparison of prompts", "reference", "--prompts")
    assert told.value.problem == "--prompts: the game reference has no comparison of prompts"
    assert told.value.remedy.startswith("It works with reconstruction")
