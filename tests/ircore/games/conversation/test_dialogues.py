"""Dialogues of our own: deterministic and true, with chat and a correction where they are hard; drawings get better."""

import asyncio
import random
import re
from pathlib import Path

import pytest

from ircore.core.images import Picture
from ircore.core.records import Difficulty, PlayerSpec
from ircore.games.conversation.game import ConversationGame
from ircore.games.conversation.rules import ConversationRules
from ircore.games.reconstruction.build_targets import BUILDERS, draw
from ircore.instances.requests import BuildRequest
from ircore.library.playing import play, score
from ircore.players.base import GeneratorView, Question, TextAnswer
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.extractive import summary
from ircore.runs.conformance import check_game, episode_setups
from ircore.scorers.game_instruments import EpisodeInstruments
from ircore.scorers.references.dialogues import APOLOGY, CHAT, build, dialogue_about
from ircore.scorers.verification.judge import VerifiedJudge

PAIR = """\
{schema: 1, game: conversation, name: extractive + canvas, licence: Apache-2.0, rules: {token_budget: 400},
 summariser: {player: extractive}, generator: {player: canvas}}
"""


def words(category: str, difficulty: Difficulty, seed: int) -> list[str]:
    drawn = draw(category, difficulty, seed)
    return [hop.answered for hop in dialogue_about(drawn.scene, difficulty, random.Random(seed)).dialogue]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_set(tmp_path: Path) -> None:
    one, again = (build(BuildRequest(tmp_path / name, seed=3, per_condition=1)) for name in ("one", "again"))
    assert one.identity == again.identity
    assert build(BuildRequest(tmp_path / "other", seed=4, per_condition=1)).identity != one.identity
    assert {instance.licence for instance in one.instances} == {"CC0-1.0"}
    assert len(one.instances) == 6  # three categories, easy and hard


@pytest.mark.slow
@pytest.mark.parametrize("category", sorted(BUILDERS))
def test_every_category_can_be_talked_about(category: str) -> None:
    for difficulty, most in (("easy", 3), ("hard", 5)):
        answers = words(category, difficulty, seed=2)  # type: ignore[arg-type]  # one of the two
        assert 2 <= len(answers) <= most
        assert "background" in answers[0]


@pytest.mark.slow
def test_everything_that_an_easy_dialogue_tells_draws_the_target() -> None:
    drawn = draw("simple_shapes", "easy", seed=4)
    target = Picture.from_pixels(drawn.drawing.pixels)
    prompt = " ".join(words("simple_shapes", "easy", seed=4))
    view = GeneratorView(1, prompt, (), None, 0, prompt)
    image = asyncio.run(CanvasGenerator(PlayerSpec(player="canvas")).render(view)).picture
    assert VerifiedJudge(drawn.scene).rate(target, image).value == 10.0


@pytest.mark.parametrize("seed", range(5))
def test_hard_dialogues_chat_and_correct_a_colour_that_the_summariser_sets_right(seed: int) -> None:
    drawn = draw("simple_shapes", "hard", seed)
    talk = dialogue_about(drawn.scene, "hard", random.Random(seed)).dialogue
    said = " ".join(hop.answered for hop in talk)
    assert any(chat in said for chat in CHAT)
    right = said[said.index(APOLOGY) + len(APOLOGY) :]
    assert re.findall("#[0-9a-f]{6}", right)[0] in {element.colour for element in drawn.scene.elements}
    told = summary([(hop.asked, hop.answered) for hop in talk], 2000)
    assert APOLOGY not in told
    assert not any(chat in told for chat in CHAT)


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_easy_dialogues_hold_neither_chat_nor_corrections(difficulty: Difficulty) -> None:
    said = " ".join(words("simple_shapes", difficulty, seed=1))
    assert (APOLOGY in said) == (difficulty == "hard")


@pytest.mark.slow
def test_the_verified_share_rises_from_hop_to_hop(tmp_path: Path) -> None:
    build(BuildRequest(tmp_path / "talks", per_condition=1))
    (tmp_path / "pair.yaml").write_text(PAIR, encoding="utf-8")
    run = play(tmp_path / "pair.yaml", tmp_path / "talks", tmp_path / "run")
    score(run)
    values: dict[str, dict[int, float]] = {}
    for value in run.measured():
        if value.measure == "verified" and value.step is not None and value.value is not None:
            values.setdefault(value.episode_id, {})[value.step] = value.value
    assert len(values) == 6
    for of_episode in values.values():
        assert of_episode[max(of_episode)] > of_episode[1]
    shares = [[of_episode[1], of_episode[2], of_episode[max(of_episode)]] for of_episode in values.values()]
    first, second, last = (sum(column) / len(shares) for column in zip(*shares, strict=True))
    assert first + 0.2 < second
    assert second + 0.2 < last


@pytest.mark.slow
def test_the_built_in_pair_keeps_to_the_contract(tmp_path: Path) -> None:
    from ircore.players.builtin.extractive import ExtractivePlayer

    class Says:
        async def answer(self, question: Question) -> TextAnswer:
            return TextAnswer(f"A red wedge, {question.step}.")

    talks = build(BuildRequest(tmp_path / "talks", per_condition=1, categories=("pie_graph",)))
    game = ConversationGame()
    players = {
        "asker": Says(),
        "answerer": Says(),
        "summariser": ExtractivePlayer(PlayerSpec(player="extractive")),
        "generator": CanvasGenerator(PlayerSpec(player="canvas")),
    }
    assert episode_setups(game, talks)[0].rules == ConversationRules()
    check_game(game, episode_setups(game, talks)[:1], players, EpisodeInstruments)
