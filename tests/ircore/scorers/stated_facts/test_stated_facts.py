"""Said, drawn, corrected: what messages state of a hand-made chart, and the shares that follow from it."""

from pathlib import Path

import pytest
from charts import chart_instances
from hand_made import short_episode
from known_values import known
from openai_server import Judged, serving

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Episode
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.reader import read
from ircore.results.fact_shares import compare_readers, compute_said_points
from ircore.runs.folder import RunFolder, SaidTurn, add_facts, read_facts, read_said
from ircore.runs.judge_answers import AnswerError
from ircore.scorers.stated_facts import GrammarReader, parse_reading
from ircore.scorers.verification.scene_facts import list_facts

BARS = (
    "The picture is 200 by 200 pixels with a white background. Bars standing on y 160: #d62828 from x 20 to 50 up to y "
    "120; #1d4ed8 from x 70 to 100 up to y 80; #d62828 from x 120 to 150 up to y 140. A black y axis, 2 px, from (10, "
    "160) to (10, 10)."
)
WRONG_FISH = BARS.replace("up to y 140", "up to y 60")
FISH_MENDED = "Change the bar at (135, 110) to reach y 140."
BLANK = "The picture is 200 by 200 pixels with a white background."


@pytest.fixture
def pets(tmp_path: Path) -> tuple[InstanceSet, Instance]:
    """Cats 40 red, dogs 80 blue, fish 20 red."""
    charts = chart_instances(tmp_path / "charts")
    return charts, next(instance for instance in charts.instances if instance.instance_id == "pets")


def facts_stated(pets: tuple[InstanceSet, Instance], *messages: str, drawn: str = BARS) -> dict[str, tuple[str, str]]:
    """Return the letters stated and named of each fact after the last message."""
    charts, instance = pets
    reader = GrammarReader(instance, charts.picture(instance, "target"))
    canvas, notes = read((drawn,))
    turn = reader.turn("pets", len(messages), messages, answer(canvas, notes).picture)
    keys = [fact.key for fact in list_facts(known(instance.scene))]
    return dict(zip(keys, zip(turn.stated, turn.named, strict=True), strict=True))


@pytest.mark.slow
def test_a_description_of_the_bars_states_their_values_and_colours(pets: tuple[InstanceSet, Instance]) -> None:
    stated = facts_stated(pets, BARS)
    for bar in (1, 2, 3):
        assert stated[f"bar-{bar}/value"][0] == "1"
        assert stated[f"bar-{bar}/colour"][0] == "1"


@pytest.mark.slow
def test_a_wrong_value_is_not_stated_and_the_others_are(pets: tuple[InstanceSet, Instance]) -> None:
    stated = facts_stated(pets, WRONG_FISH)
    assert [stated[f"bar-{bar}/value"][0] for bar in (1, 2, 3)] == ["1", "1", "0"]


@pytest.mark.slow
def test_nothing_is_stated_of_a_blank_page(pets: tuple[InstanceSet, Instance]) -> None:
    stated = facts_stated(pets, BLANK)
    assert all(stated[f"bar-{bar}/{what}"][0] != "1" for bar in (1, 2, 3) for what in ("presence", "value", "colour"))


@pytest.mark.slow
def test_a_correction_states_and_names_what_it_changes_alone(pets: tuple[InstanceSet, Instance]) -> None:
    stated = facts_stated(pets, WRONG_FISH, FISH_MENDED)
    assert stated["bar-3/value"] == ("1", "1")
    assert stated["bar-1/value"] == ("1", "0")


def turn_of(number: int, stated: str, named: str, shown: str) -> SaidTurn:
    sha256 = f"{number:064x}"
    return SaidTurn(
        episode_id="pets", turn=number, rendering=sha256, reader="grammar", version="1", stated=stated, named=named,
        shown=shown,
    )  # fmt: skip


def episode_of(turns: int) -> Episode:
    return short_episode("pets", [f"{number:064x}" for number in range(1, turns + 1)], category="bar_graph")


def letters(instance: Instance, true: set[str], rest: str = "0") -> str:
    return "".join("1" if fact.key in true else rest for fact in list_facts(known(instance.scene)))


def test_shares_are_of_the_facts_that_can_be_told_by_weight(pets: tuple[InstanceSet, Instance]) -> None:
    charts, instance = pets
    weight = {fact.key: fact.weight for fact in list_facts(known(instance.scene))}
    two = {"bar-1/value", "bar-1/colour"}
    first = turn_of(1, letters(instance, two), letters(instance, two), letters(instance, {"bar-1/value"}))
    (last, point) = compute_said_points([first], [episode_of(1)], charts.instances)
    assert (last.turn, point.turn) == (None, 1)
    assert point.said.mean == pytest.approx(sum(weight[key] for key in two) / sum(weight.values()))
    assert point.drawn.mean == pytest.approx(weight["bar-1/value"] / sum(weight[key] for key in two))
    assert point.corrected.mean is None


def test_corrected_is_of_what_was_wrong_and_then_named(pets: tuple[InstanceSet, Instance]) -> None:
    charts, instance = pets
    before = turn_of(1, letters(instance, set()), letters(instance, set()), letters(instance, {"bar-1/value"}))
    named = letters(instance, {"bar-1/value", "bar-2/value", "bar-3/value"})
    after = turn_of(2, named, named, letters(instance, {"bar-2/value"}))
    _, _, second = compute_said_points([before, after], [episode_of(2)], charts.instances)
    assert second.corrected.mean == pytest.approx(0.5)  # of bars 2 and 3, wrong and named, one is right


def test_a_turn_that_was_not_measured_leaves_its_episode_out(pets: tuple[InstanceSet, Instance]) -> None:
    charts, instance = pets
    first = turn_of(1, letters(instance, set()), letters(instance, set()), letters(instance, set()))
    (last,) = compute_said_points([first], [episode_of(2)], charts.instances)
    assert last.said.n == 0


@pytest.mark.slow
def test_runs_are_measured_once_and_shown_as_a_table(
    tmp_path: Path, pets: tuple[InstanceSet, Instance], capsys: pytest.CaptureFixture[str]
) -> None:
    charts, _ = pets
    played = ["play", "classical+canvas", "--instances", str(charts.folder), "--out", str(tmp_path / "run")]
    assert ircore(played) == 0
    command = ["score", str(tmp_path / "run"), "--metric", "psnr", "--facts"]
    assert ircore(command) == 0
    turns = read_said(RunFolder(tmp_path / "run"))
    assert {turn.episode_id for turn in turns} == {"pets", "drinks"}
    assert ircore(command) == 0
    assert ", 0 new and " in capsys.readouterr().err
    assert read_said(RunFolder(tmp_path / "run")) == turns
    assert ircore(["results", str(tmp_path / "run"), "--table", "said"]) == 0
    assert "classical + canvas  last" in capsys.readouterr().out


@pytest.mark.slow
def test_verdicts_that_scoring_stored_are_taken_without_a_second_look(
    tmp_path: Path, pets: tuple[InstanceSet, Instance]
) -> None:
    charts, _ = pets
    assert ircore(["play", "classical+canvas", "--instances", str(charts.folder), "--out", str(tmp_path / "run")]) == 0
    run = RunFolder(tmp_path / "run")
    assert ircore(["score", str(run.path), "--judge", "verified", "--metric", "psnr"]) == 0
    stored = {line.rendering: line for line in read_facts(run)}
    # As if the eye had been unable to tell anything: a second look would say more.
    add_facts(run, [line.model_copy(update={"verdicts": "?" * len(line.verdicts)}) for line in stored.values()])
    assert ircore(["score", str(run.path), "--judge", "verified", "--metric", "psnr", "--facts"]) == 0
    shown = {turn.rendering: turn.shown for turn in read_said(run) if turn.rendering in stored}
    assert shown == {rendering: "?" * len(line.verdicts) for rendering, line in stored.items()}


def test_readers_are_compared_fact_by_fact() -> None:
    item = turn_of(1, "1100?", "00000", "00000")
    other = item.model_copy(update={"reader": "gpt", "stated": "10011"})
    compared = compare_readers([item], [other])
    # Of the four facts that both can tell: 1-1 and 0-0 agree, 1-0 and 0-1 do not; half is what chance gives.
    assert compared.facts == 4
    assert compared.agreement.mean == 0.5
    assert compared.kappa == pytest.approx(0.0)


@pytest.mark.slow
def test_a_model_reads_each_turn_once_and_is_compared_with_the_grammar(
    tmp_path: Path,
    pets: tuple[InstanceSet, Instance],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    charts, _ = pets
    monkeypatch.setenv("TEST_API_KEY", "sk-planted")
    assert ircore(["play", "captioner+canvas", "--instances", str(charts.folder), "--out", str(tmp_path / "run")]) == 0
    judge = tmp_path / "judge.yaml"
    asked: list[str] = []

    def reads_two_facts(question: Judged) -> str:
        if "--- facts ---" not in question.words:
            return '{"score": 5}' if len(question.pictures) == 2 else '{"choice": "A"}'
        asked.append(question.words)
        return 'Facts: {"stated": [1, 2], "named": [1]}'

    with serving(turns=1) as server:
        server.judge = reads_two_facts
        judge.write_text(
            f"schema: 1\nname: reader\nlabel: Reads\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
            "api_key_env: TEST_API_KEY\n",
            encoding="utf-8",
        )
        command = ["score", str(tmp_path / "run"), "--metric", "psnr", "--judge", str(judge), "--facts"]
        assert ircore(command) == 0
        assert ircore(command) == 0
    turns = read_said(RunFolder(tmp_path / "run"))
    read = [turn for turn in turns if turn.reader == "reader"]
    assert len(asked) == len(read) == len(turns) / 2 > 0
    assert {turn.stated for turn in read} == {"11" + "0" * (len(turn.stated) - 2) for turn in read}
    assert "There is an upright bar" in asked[0]
    assert "facts: reader read 0 new turns" in capsys.readouterr().err
    assert ircore(["results", str(tmp_path / "run"), "--table", "readers"]) == 0
    assert "reader" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["none", '{"stated": [1]}', '{"stated": [9], "named": []}', '{"stated": 1}'])
def test_an_answer_that_names_no_facts_is_not_used(answer: str) -> None:
    with pytest.raises(AnswerError):
        parse_reading(turn_of(1, "00", "00", "00"), "gpt", answer)
