"""Conversations: rules played by scripted seats, and the import of ConvGenVisMo's files."""

import asyncio
import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image
from target_instances import instance_by_hand

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import Difficulty, PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.games.base import Ending, EpisodeSetup, Seat, SeatTable
from ircore.games.conversation.dialogues import APOLOGY, CHAT, build, import_convgenvismo, write_dialogue
from ircore.games.conversation.game import HOP_MEANS, TABLE_1, ConversationGame, ConversationRules
from ircore.games.conversation.measures import compute_share_named
from ircore.games.conversation.records import Dialogue, Exchange, Hop
from ircore.instances.requests import BuildRequest, ImportRequest
from ircore.instances.store import InstanceSet, may_be_published, select_published_pictures
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.library.playing import play, score
from ircore.players.base import GeneratorView, PictureAnswer, Question, TextAnswer
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.extractive import write_summary
from ircore.results.model import Results
from ircore.runs.conformance import build_setups, check_game
from ircore.runs.folder import read_facts
from ircore.scorers.game_measures import EpisodeInstruments
from ircore.scorers.verification.judge import VerifiedJudge
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection
from leaderboard.rendering.render import Renderer

TALK = Dialogue(
    dialogue=(
        Exchange(asked="What can you see?", answered="A girl."),
        Exchange(asked="Where is she?", answered="She lies\non the snow."),
        Exchange(asked="Bright clothes?", answered="No, dark ones."),
    ),
    elements=("girl", "snow"),
)
PHOTO = Picture.from_pixels(np.full((32, 32, 3), 90, np.uint8))
WHITE = Picture.from_pixels(np.full((32, 32, 3), 255, np.uint8))


@dataclass
class Scripted:
    """Seats that say the same whenever they are asked, and every question that they were asked."""

    says: Mapping[str, str] = field(default_factory=lambda: {"summariser": "A girl on the snow."})
    asked: list[tuple[str, Any]] = field(default_factory=list)

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        self.asked.append((seat.name, question))
        return PictureAnswer(WHITE) if seat.name == "generator" else TextAnswer(self.says[seat.name])

    def questions(self, seat: str) -> list[Any]:
        return [question for name, question in self.asked if name == seat]


def setup_of(rules: ConversationRules, dialogue: Dialogue = TALK) -> EpisodeSetup[ConversationRules]:
    instance = instance_by_hand("conversation", "human", dialogue.model_dump(mode="json"))
    return EpisodeSetup(instance, dialogue, {"target": PHOTO}, rules, ConversationGame().read_prompts(None), seed=1)


def played(seats: Scripted, rules: ConversationRules, dialogue: Dialogue = TALK) -> Ending:
    return asyncio.run(ConversationGame().play(cast(SeatTable, seats), setup_of(rules, dialogue)))


def hops_of(ending: Ending) -> list[Hop]:
    return [step for step in ending.steps if isinstance(step, Hop)]


def test_the_summariser_reads_the_dialogue_up_to_the_hop_and_sees_no_picture() -> None:
    seats = Scripted()
    ending = played(seats, ConversationRules())
    assert (ending.outcome, [hop.hop for hop in hops_of(ending)]) == ("completed", [1, 2, 3])
    first, second, third = seats.questions("summariser")
    assert "Jill: A girl." in first.prompt
    assert "snow" not in first.prompt
    assert "Joe: Where is she?\nJill: She lies on the snow." in second.prompt  # a message is one line
    assert "dark" not in second.prompt
    assert "dark" in third.prompt
    assert not any(question.pictures for question in (first, second, third))


def test_the_generator_is_given_the_prompt_alone() -> None:
    seats = Scripted()
    hops = hops_of(played(seats, ConversationRules()))
    view: GeneratorView
    for view in seats.questions("generator"):
        assert (view.message, view.earlier, view.previous) == ("A girl on the snow.", (), None)
    assert {hop.drawing.sha256 for hop in hops} == {WHITE.sha256}


def test_fewer_hops_may_be_played_than_were_recorded() -> None:
    assert len(played(Scripted(), ConversationRules(hops=2)).steps) == 2
    one = TALK.model_copy(update={"dialogue": TALK.dialogue[:1]})
    assert len(played(Scripted(), ConversationRules(), one).steps) == 1


def test_a_prompt_over_the_budget_is_cut_and_the_cut_is_recorded() -> None:
    words = "A girl lies on the snow in dark clothes and looks up at the grey sky of the evening."
    seats = Scripted({"summariser": words})
    hop = hops_of(played(seats, ConversationRules(token_budget=10, hops=1)))[0]
    assert hop.cut
    assert hop.tokens == count_tokens(words) > 10
    assert words.startswith(hop.prompt)
    assert count_tokens(hop.prompt) <= 10
    assert seats.questions("generator")[0].message == hop.prompt


def test_a_player_that_says_nothing_aborts_the_episode_and_keeps_the_hops_before() -> None:
    class Silent(Scripted):
        async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
            if seat.name == "summariser" and question.step == 2:
                return TextAnswer("  ")
            return await super().ask(seat, question)

    ending = played(Silent(), ConversationRules())
    assert (ending.outcome, ending.reason, len(ending.steps)) == ("aborted", "answer_empty", 1)


def test_in_the_live_form_two_players_talk_and_only_the_answerer_sees_the_picture() -> None:
    seats = Scripted({"summariser": "A dog.", "asker": "What is it?", "answerer": "A dog."})
    hops = hops_of(played(seats, ConversationRules(live=True, hops=2)))
    assert [(hop.asked, hop.answered) for hop in hops] == [("What is it?", "A dog.")] * 2
    assert [name for name, _ in seats.asked] == ["asker", "answerer", "summariser", "generator"] * 2
    answered: Question
    for answered in seats.questions("answerer"):
        assert [shown.picture for shown in answered.pictures] == [PHOTO]
        assert "What is it?" in answered.prompt
    asked_first, asked_second = seats.questions("asker")
    assert not asked_first.pictures + asked_second.pictures
    assert "Jill: A dog." not in asked_first.prompt
    assert "Jill: A dog." in asked_second.prompt
    assert "A girl" not in seats.questions("summariser")[0].prompt  # the recorded dialogue is not used


def test_seats_of_the_live_form_are_asked_under_its_rule_alone() -> None:
    game = ConversationGame()
    assert [seat.name for seat in game.list_seats(ConversationRules())] == ["summariser", "generator"]
    assert len(game.list_seats(ConversationRules(live=True))) == 4


@pytest.mark.parametrize("live", [False, True])
def test_the_game_keeps_to_the_contract(live: bool) -> None:
    class Says:
        async def answer(self, question: Question) -> TextAnswer:
            return TextAnswer(f"A dog, {question.step}.")

    class Draws:
        async def render(self, view: GeneratorView) -> PictureAnswer:
            return PictureAnswer(WHITE)

    players = {"summariser": Says(), "generator": Draws(), "asker": Says(), "answerer": Says()}
    check_game(ConversationGame, [setup_of(ConversationRules(live=live, hops=3))], players)


def test_elements_named_in_a_prompt_by_hand() -> None:
    elements = ("Mickey Mouse", "present box", "hat", "three balloons")
    assert compute_share_named("mickey mouse wears a HAT and holds three red balloons", elements) == 0.75
    assert compute_share_named("A mouse.", elements) == 0
    assert compute_share_named("A mouse.", ()) is None


def test_measures_of_prompts() -> None:
    ending = played(Scripted(), ConversationRules())
    values = {(value.measure, value.step): value.value for value in ConversationGame().measure(TALK, ending)}
    assert values["final_named", None] == 1
    assert values["named", 1] == 1
    assert values["cut", None] == 0
    assert values["prompt_tokens", None] == count_tokens("A girl on the snow.")


def test_published_figures_are_those_of_the_paper_and_its_repository() -> None:
    assert TABLE_1 == {"iou_common": 0.298925, "iou_precision": 0.223916, "iou_recall": 0.273368}
    assert all(len(means) == 5 for means in HOP_MEANS.values())
    clip = [figure.value for figure in ConversationGame.published if figure.measure == "clip"]
    assert clip == [0.652505, 0.692666, 0.689876, 0.705306, 0.689999]
    keys = {measure.key for measure in ConversationGame.measures}
    assert {figure.measure for figure in ConversationGame.published} <= keys


PAIR = """\
{schema: 1, game: conversation, name: extractive + canvas, licence: Apache-2.0, rules: {token_budget: 400},
 summariser: {player: extractive}, generator: {player: canvas}}
"""


def words(category: str, difficulty: Difficulty, seed: int) -> list[str]:
    drawn = draw_target(category, difficulty, seed)
    return [hop.answered for hop in write_dialogue(drawn.scene, difficulty, random.Random(seed)).dialogue]


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
    drawn = draw_target("simple_shapes", "easy", seed=4)
    target = Picture.from_pixels(drawn.drawing.pixels)
    prompt = " ".join(words("simple_shapes", "easy", seed=4))
    view = GeneratorView(1, prompt, (), None, 0, prompt)
    image = asyncio.run(CanvasGenerator(PlayerSpec(player="canvas")).render(view)).picture
    assert VerifiedJudge(drawn.scene).rate(target, image).value == 10.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_hard_dialogues_chat_and_correct_a_colour_that_the_summariser_sets_right(seed: int) -> None:
    drawn = draw_target("simple_shapes", "hard", seed)
    talk = write_dialogue(drawn.scene, "hard", random.Random(seed)).dialogue
    said = " ".join(hop.answered for hop in talk)
    assert any(chat in said for chat in CHAT)
    right = said[said.index(APOLOGY) + len(APOLOGY) :]
    known = {drawn.scene.background, *(element.colour for element in drawn.scene.elements)}
    assert re.findall("#[0-9a-f]{6}", right)[0] in known
    assert known.issuperset(re.findall(r"\((#[0-9a-f]{6})\)", talk[-1].answered))  # the wrong one stands before
    told = write_summary([(hop.asked, hop.answered) for hop in talk], 2000)
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
    for value in run.scores():
        if value.measure == "verified" and value.step is not None and value.value is not None:
            values.setdefault(value.episode_id, {})[value.step] = value.value
    assert len(values) == 6
    # What the judge saw stands in the run, and outlined on the pages of the game.
    facts = list(read_facts(run))
    score(run)
    assert list(read_facts(run)) == facts
    section = GameSection(Results.from_runs([run]))
    pages = {page.path: page for page in build_game_pages([section])}
    for name, of_episode in values.items():
        html = Renderer(None, {}).block(pages[f"games/conversation/gallery/{name}"])
        assert html.count("data-xray=") == len(of_episode)
        assert html.count("data-marks=") == 1
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
    assert build_setups(game, talks)[0].rules == ConversationRules()
    check_game(game, build_setups(game, talks)[:1], players, EpisodeInstruments)


def line(image_id: str = "9", source: str = "unique", **changed: Any) -> dict[str, Any]:
    """Return a conversation in the published form."""
    hops = [("What is it?", "A girl."), ("Where is she?", "On the snow.")]
    conversation = [[{"role": "Joe", "content": q}, {"role": "Jill", "content": a}] for q, a in hops]
    return {
        "conversation": conversation,
        "image": {"image_id": image_id, "source": source},
        "elements": ["girl", " snow"],
        "category": ["human"],
        "language": ["en"],
        "language_category": "C",
        **changed,
    }


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    """Write conversations and a white picture for each, in the repository's layout."""
    images = folder / "dataset" / "images"
    images.mkdir(parents=True)
    for conversation in lines:
        image_id = conversation.get("image", {}).get("image_id", "9")
        Image.new("RGB", (40, 30), "white").save(images / f"{image_id}.jpg")
    text = "".join(json.dumps(conversation) + "\n" for conversation in lines)
    (folder / "dataset" / "dataset.jsonl").write_text(text, encoding="utf-8")
    return folder


def imported(folder: Path, **options: Any) -> InstanceSet:
    return import_convgenvismo(ImportRequest(folder, folder.parent / "set", **options))


def test_a_conversation_becomes_an_instance(tmp_path: Path) -> None:
    (instance,) = imported(written(tmp_path / "repo", line())).instances
    assert (instance.instance_id, instance.category, instance.difficulty) == ("convgenvismo-9", "human", "easy")
    dialogue = Dialogue.model_validate(instance.payload)
    assert [hop.answered for hop in dialogue.dialogue] == ["A girl.", "On the snow."]
    assert dialogue.elements == ("girl", "snow")
    assert dialogue.scene is None


def test_the_folder_of_the_data_set_may_be_named_itself(tmp_path: Path) -> None:
    written(tmp_path / "repo", line())
    assert len(imported(tmp_path / "repo" / "dataset").instances) == 1


def test_longer_dialogues_are_hard(tmp_path: Path) -> None:
    hop = line()["conversation"][0]
    long = line("1", conversation=[hop] * 3)
    difficulties = [instance.difficulty for instance in imported(written(tmp_path / "r", line("2"), long)).instances]
    assert difficulties == ["easy", "hard"]


def test_pictures_that_are_not_the_authors_are_never_published(tmp_path: Path) -> None:
    pinterest = line("1", source="https://pin.it/5GGR8gB")
    made = imported(written(tmp_path / "r", line("2"), pinterest)).instances
    others, own = sorted(made, key=lambda instance: instance.instance_id)
    assert own.licence == "MIT"
    assert may_be_published(own.licence)
    assert not may_be_published(others.licence)
    assert not select_published_pictures(others)


def test_a_licence_cannot_be_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--licence CC0-1\.0"):
        imported(written(tmp_path / "r", line()), licence="CC0-1.0")


def test_a_category_may_be_chosen_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", line("1"), line("2", category=["nature"]))
    assert [instance.category for instance in imported(folder, category="nature").instances] == ["nature"]
    with pytest.raises(InputError, match="cats"):
        imported(folder, category="cats")


def test_a_conversation_without_a_picture_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "r", line("1"), line("49"))
    (folder / "dataset" / "images" / "49.jpg").unlink()
    assert len(imported(folder).instances) == 1
    assert "1 conversations have no picture and are left out: 49" in capsys.readouterr().err


def no_picture(folder: Path) -> None:
    (folder / "dataset" / "images" / "9.jpg").unlink()


def no_images(folder: Path) -> None:
    no_picture(folder)
    (folder / "dataset" / "images").rmdir()


def no_index(folder: Path) -> None:
    (folder / "dataset" / "dataset.jsonl").unlink()


def index_of(data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "dataset" / "dataset.jsonl").write_bytes(data)

    return write


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (no_picture, "holds no picture of these conversations"), (no_images, "no such folder"),
        (no_index, "no dataset.jsonl"), (index_of(b""), "holds no conversation"),
        (index_of(b"{"), r"dataset.jsonl:1: not JSON"), (index_of(b"\xff\xfe"), "not UTF-8"),
        (index_of(b"[]"), "dataset.jsonl:1:"),
    ],
)  # fmt: skip
def test_missing_and_unreadable_files_are_named(tmp_path: Path, spoil: Callable[[Path], None], said: str) -> None:
    folder = written(tmp_path / "r", line())
    spoil(folder)
    with pytest.raises(InputError, match=said):
        imported(folder)
    assert not (tmp_path / "set").exists()


SWAPPED = [[{"role": "Jill", "content": "A girl."}, {"role": "Joe", "content": "What is it?"}]]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"conversation": []}, "conversation"),  # no hop
        ({"conversation": SWAPPED}, "hop 1: Jill asks, Joe answers"),
        ({"conversation": [[{"role": "Joe", "content": "What?"}]]}, "conversation"),
        ({"conversation": [[{"role": "Joe", "content": "?"}, {"role": "Jill", "content": " "}]]}, "content"),
        ({"image": {"image_id": "../9", "source": "unique"}}, "image_id"),
        ({"image": {"image_id": "9"}}, "source"),
        ({"elements": "girl"}, "elements"),
        ({"category": ["robots"]}, "robots"),
        ({"category": []}, "category"),
    ],
)
def test_a_faulty_conversation_is_named_by_its_line_and_field(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    folder = written(tmp_path / "r", line("1"))
    index = folder / "dataset" / "dataset.jsonl"
    index.write_text(index.read_text() + json.dumps(line(**changed)) + "\n")
    with pytest.raises(InputError, match=said) as refusal:
        imported(folder)
    assert "dataset.jsonl:2" in refusal.value.problem


def test_a_picture_may_stand_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="image_id 9 is there twice"):
        imported(written(tmp_path / "r", line(), line()))
    # Files are called after ids, and some file systems do not tell capitals from small letters.
    with pytest.raises(InputError, match="image_id a is there twice"):
        imported(written(tmp_path / "s", line("a"), line("A")))


def picture_of(folder: Path, name: str, data: bytes) -> np.ndarray[Any, Any]:
    """Import one conversation whose picture is a file of this name and content, and return the picture's pixels."""
    written(folder, line())
    (folder / "dataset" / "images" / "9.jpg").unlink()
    (folder / "dataset" / "images" / f"9{Path(name).suffix}").write_bytes(data)
    made = imported(folder)
    return made.pictures(made.instances[0])["target"].pixels


def saved(image: Image.Image, form: str, folder: Path, **options: Any) -> bytes:
    path = folder / "saved"
    image.save(path, form, **options)
    return path.read_bytes()


@pytest.mark.slow
def test_large_photographs_are_reduced(tmp_path: Path) -> None:
    image = Image.new("RGB", (4096, 1024), "grey")
    assert picture_of(tmp_path / "r", "9.jpg", saved(image, "JPEG", tmp_path)).shape == (512, 2048, 3)


def test_a_jpeg_is_taken_before_a_heic_file_of_the_same_name(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", line())
    (folder / "dataset" / "images" / "9.HEIC").write_bytes(b"not read")
    assert len(imported(folder).instances) == 1


def test_heic_without_the_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(InputError, match="extra heif") as refusal:
        picture_of(tmp_path / "r", "9.HEIC", b"anything")
    assert "pip install 'ircore[heif]'" in refusal.value.remedy


def test_heic_pictures_are_read(tmp_path: Path) -> None:
    pillow_heif = pytest.importorskip("pillow_heif", reason="the extra heif is not installed")
    path = tmp_path / "made.heic"
    pillow_heif.from_pillow(Image.new("RGB", (64, 48), "red")).save(path)
    pixels = picture_of(tmp_path / "r", "9.HEIC", path.read_bytes())
    assert pixels.shape == (48, 64, 3)
    assert pixels[..., 0].min() > 200
    with pytest.raises(InputError, match="damaged or no HEIC"):
        picture_of(tmp_path / "second" / "r", "9.HEIC", path.read_bytes()[:200])


@pytest.mark.parametrize("size", [(1, 1), (10, 10), (128, 9)])
def test_pictures_too_small_for_the_metrics_are_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"{size[0]} × {size[1]} pixels"):
        picture_of(tmp_path / "r", "9.png", saved(Image.new("RGB", size, "red"), "PNG", tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [("9.jpg", b"", "the file is empty"), ("9.png", b"plain text", "not a PNG"), ("9.jpg", None, "truncated")],
)
def test_broken_pictures_are_refused(tmp_path: Path, name: str, data: bytes | None, said: str) -> None:
    whole = saved(Image.effect_noise((64, 64), 90).convert("RGB"), "JPEG", tmp_path)
    with pytest.raises(InputError, match=said):
        picture_of(tmp_path / "r", name, whole[: len(whole) // 2] if data is None else data)
    assert not (tmp_path / "set").exists()
