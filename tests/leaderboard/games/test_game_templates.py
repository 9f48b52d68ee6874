"""Templates that a game brings: what they may use, and how their faults are named."""

import pytest
from invented_games import Guessing, guessed, guessing_set

from ircore.core.errors import WorkError
from ircore.games.base import Pages
from ircore.results.games import GameResults
from leaderboard.games.episodes import episode_html
from leaderboard.games.section import GameSection
from leaderboard.storage.pictures import PictureBook


def shown(template: str) -> str:
    """Render the first episode of a game of guessing with a template."""

    class Templated(Guessing):
        pages = Pages(episode=template)

    run = guessed("pair", guessing_set(1), [4.0, 6.0] * 2)
    section = GameSection(GameResults.from_runs(Templated(), [run]), PictureBook())
    (entry,), instance = section.entries, section.instances[0]
    episode = next(episode for episode in run.episodes() if episode.instance_id == instance.instance_id)
    return str(episode_html(section, entry, instance, episode, "../"))


def test_a_number_is_written_with_its_noun() -> None:
    assert shown("{{ 1|counted('token') }}, {{ 1200|counted('token') }}") == "1 token, 1,200 tokens"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("<p>\n{% if %}</p>", "is broken in line 2: Expected an expression, got 'end of statement block'"),
        ("<p>\n\n{{ nowhere }}</p>", "is broken in line 3: 'nowhere' is undefined"),
        ("<p>{{ 1|shout }}</p>", "is broken in line 1: No filter named 'shout'."),
        ("{{ 1 / 0 }}", "is broken in line 1: ZeroDivisionError: division by zero"),
        ("\n{{ payload.__class__.__mro__ }}", "is broken in line 2: access to attribute '__class__'"),
    ],
)
def test_a_fault_is_named_with_the_game_and_the_line(template: str, words: str) -> None:
    with pytest.raises(WorkError, match=r"the game guessing: its template of an episode") as caught:
        shown(template)
    assert words in caught.value.problem
