"""What players declare of themselves: nobody else keeps a list of their names."""

from ircore.core.plugins import builtin
from ircore.core.records import PlayerSpec
from ircore.players.traits import is_program, program_words, traits_of
from ircore.runs.costs.prices import Prices


def test_every_player_of_this_project_declares_seats_that_it_has() -> None:
    from ircore.core.plugins import load

    for name in builtin("players"):
        traits = traits_of(name)
        assert traits.methods, name
        assert all(hasattr(load("players", name), method) for method in traits.methods), name


def test_offline_players_cost_nothing_and_others_what_their_model_costs() -> None:
    prices = Prices({})
    assert [prices.seat(PlayerSpec(player=name)).offline for name in ("classical", "sketch", "human")] == [True] * 3
    assert not prices.seat(PlayerSpec(player="openai", model="m")).offline
    assert prices.seat(PlayerSpec(player="openai-responses", model="m")).images_apart


def test_a_player_that_is_not_installed_is_taken_to_ask_a_service() -> None:
    assert traits_of("nobody-has-it").needs == "service"


def test_recorded_answers_cost_nothing() -> None:
    assert Prices({}).seat(PlayerSpec(player="recorded", source="human")).offline


def test_programs_are_told_by_the_player_and_never_by_a_name_that_anybody_can_choose() -> None:
    program = PlayerSpec(player="classical")
    model = PlayerSpec(player="openai", model="classical", api_key_env="OPENAI_API_KEY")
    assert (is_program(program), is_program(model), is_program(PlayerSpec(player="human"))) == (True, False, False)
    assert program_words([model]) == ""
    assert program_words([program, model]) == "Programs that come with this project, no AI models: classical."
    assert program_words([PlayerSpec(player="classical", model="GPT-9")]).startswith("No AI model has played yet")
