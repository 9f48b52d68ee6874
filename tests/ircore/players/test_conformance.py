"""The conformance checks of players: every player of this project passes, and a fault of another is named."""

from typing import Any

import pytest

from ircore.core.conformance import ConformanceError
from ircore.core.plugins import list_builtin, load_plugin
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView, PlayerError, TextAnswer, Traits, refuse_settings
from ircore.players.conformance import check_player
from ircore.players.traits import load_traits


@pytest.mark.parametrize("name", sorted(list_builtin("players")))
def test_players(name: str) -> None:
    check_player(load_plugin("players", name), traits=load_traits(name))


class Echo:
    """A describer that keeps the contract; those below break it in one place each."""

    TRAITS = Traits(needs="nothing", methods=("describe",), parameters=())

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)
        self.asked = 0

    async def describe(self, view: DescriberView) -> Any:
        return TextAnswer(f"<DESCRIPTION>{view.target.width} pixels wide</DESCRIPTION>")


class Forgetful(Echo):
    TRAITS = None  # type: ignore[assignment]


class Stateful(Echo):
    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        return TextAnswer(f"question {self.asked}")


class Silent(Echo):
    async def describe(self, view: DescriberView) -> Any:
        return "a square"


class Careless(Echo):
    def __init__(self, spec: PlayerSpec) -> None:
        pass


class Puzzled(Echo):
    async def describe(self, view: DescriberView) -> Any:
        return TextAnswer(view.messages[7])


class Drawing(Echo):
    TRAITS = Traits(needs="nothing", methods=("render",))


class Moody(Echo):
    """Refuses with another reason at every second question."""

    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        raise PlayerError("describer_refused" if self.asked % 2 else "given_up", f"Question {self.asked}.")


class Shy(Echo):
    """Refuses with the same reason in other words, which is no fault."""

    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        raise PlayerError("given_up", f"Question {self.asked} is too much.")


@pytest.mark.parametrize(
    ("player", "fault"),
    [
        (Forgetful, "player Forgetful: declares no TRAITS"),
        (Stateful, "player Stateful: describe: an answer depends on what was asked before"),
        (Moody, "player Moody: describe: an answer depends on what was asked before"),
        (Silent, "player Silent: describe: answers with a str, not a TextAnswer"),
        (Puzzled, r"describe: breaks with IndexError: .*when asked 'Describe the target.'.*questions={'describe': "),
        (Careless, "player Careless: takes parameters.no_such_setting"),
        (Drawing, "player Drawing: TRAITS.methods names render, which it does not have"),
    ],
)
def test_faults_of_players(player: type[Any], fault: str) -> None:
    check_player(Echo)
    check_player(Shy)
    with pytest.raises(ConformanceError, match=fault):
        check_player(player)
