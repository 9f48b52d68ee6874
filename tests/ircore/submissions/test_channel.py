"""The channel test: words that carry the picture are worth something to anybody, a code book only to its owners."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from code_books import BookGenerator, CodeBook, CodeDescriber, Copyist, WordingDescriber
from coded_messages import ENCODED, POINTING, UNLIKELY
from known_values import known
from openai_server import serving
from samples import sample_run

from ircore.commands.main import run as ircore
from ircore.games.reconstruction.records import Rules
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet
from ircore.instances.targets.categories import draw_target
from ircore.players.builtin_pairs import list_builtin_pairs
from ircore.players.submission import make_player, read_manifest
from ircore.results.ranking import find_held_runs
from ircore.results.statistics.intervals import Estimate
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, record_findings, write_provenance
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.scene_facts import Fact, list_facts
from ircore.submissions.channel_messages import (
    TOLD,
    ByList,
    count_numbers,
    drop_guessed,
    find_unstated_facts,
    is_named,
    paraphrase_messages,
)
from ircore.submissions.channel_test import (
    RULES,
    AskedGenerator,
    ChannelPlan,
    ChannelResult,
    find_drawer,
    play_words,
    run_channel_test,
)

pytestmark = pytest.mark.slow


PAIR = read_manifest(list_builtin_pairs()["classical+canvas"])
TARGETS = ("simple_shapes", "bar_graph")


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    made = find_builder("reconstruction")(BuildRequest(tmp_path_factory.mktemp("set") / "targets", 7, 1, TARGETS))
    assert isinstance(made, InstanceSet)
    return made


def played(folder: Path, targets: InstanceSet, describer: Any, generator: Any) -> RunFolder:
    """Play and score a run of two players that no manifest could name."""
    opened = sample_run(folder, targets, describer=describer, generator=generator, rules=Rules(max_turns=3))
    score_runs([opened], ScoringPlan(judges=("structural",), metrics=()))
    return opened


def result_of(run: RunFolder, out: Path, own: Any = None) -> ChannelResult:
    asking = ChannelPlan(find_drawer(PAIR), ByList(), None if own is None else AskedGenerator(PAIR, own))
    return run_channel_test(run, asking, out)


@pytest.mark.attack
def test_a_code_book_collapses_and_holds_the_run(
    tmp_path: Path, targets: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    book = CodeBook()
    run = played(tmp_path / "run", targets, CodeDescriber(book), BookGenerator(book))
    command = ["maintain", "channel-test", str(run.path), "--out", str(tmp_path / "channel"), "--no-own"]
    capsys.readouterr()
    assert ircore([*command, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["verdict"] == "collapsed"
    # It goes on where it stopped: nothing is left to do.
    journals = {path: path.read_bytes() for path in (tmp_path / "channel").rglob("journal.jsonl")}
    assert len(journals) == 3
    assert ircore([*command, "--record"]) == 2
    assert "nobody vouches for this run" in capsys.readouterr().err
    result = result_of(run, tmp_path / "channel")
    assert journals == {path: path.read_bytes() for path in journals}
    own, same = result.scores["own"].mean, result.scores["same"].mean
    assert own is not None
    assert same is not None
    assert own > 5 > 2 > same
    assert result.verdict == "collapsed"
    assert "a neutral generator gains 0 %" in result.flags[0].what
    # Much that the book's pictures have right stands in no message either.
    assert (result.unstated.share or 0) > 0.3
    write_provenance(run.path, make_provenance(PAIR.path))
    record_findings(run.path, RULES, result.flags)
    record_findings(run.path, RULES, result.flags)  # a second test takes the place of the first
    provenance = known(run.provenance())
    assert [flag.rule for flag in provenance.flags] == ["words_do_not_carry", *["unstated_facts"] * 5]
    assert find_held_runs([(run.run.run_id, provenance)]) == {run.run.run_id}


@pytest.mark.attack
def test_a_code_in_the_exact_wording_is_lost_in_paraphrases(tmp_path: Path, targets: InstanceSet) -> None:
    book = CodeBook()
    generator = BookGenerator(book)
    run = played(tmp_path / "run", targets, WordingDescriber(book), generator)
    result = result_of(run, tmp_path / "channel", own=generator)
    assert "own_paraphrase" in result.collapsed
    assert all(flag.grave for flag in result.flags)


@pytest.mark.attack
def test_a_bent_copy_beside_poor_words_holds_the_run(tmp_path: Path, targets: InstanceSet) -> None:
    cheats = Copyist()
    run = sample_run(tmp_path / "run", targets, describer=cheats, generator=cheats, rules=Rules(max_turns=2))
    hashes = {instance.instance_id: instance.pictures["target"].sha256 for instance in targets.instances}
    words = {hashes[episode.instance_id]: [str(episode.steps[0]["message"])] for episode in run.episodes()}
    unstated = find_unstated_facts(run, play_words(run, words, find_drawer(PAIR), "same", tmp_path / "same"))
    assert (unstated.share or 0) > 0.8
    flags = unstated.flags
    assert flags[0].where == "the run"
    assert all(flag.grave and known(flag.evidence).instance == flag.where for flag in flags[1:])
    # What another pair gets right without having told it can be guessed.
    assert drop_guessed(unstated, [unstated]).flags == ()


MESSAGES = (*ENCODED.values(), *UNLIKELY.values(), *POINTING.values())


def test_no_code_states_what_it_stands_for() -> None:
    facts = [
        fact
        for category in ("bar_graph", "line_graph", "pie_graph")
        for fact in list_facts(known(draw_target(category, "hard", seed=5).scene))
        if fact.attribute in TOLD
    ]
    shares = [sum(is_named(fact, [message]) for fact in facts) / len(facts) for message in MESSAGES]
    assert len(facts) > 100
    # Messages full of numbers name some of the labels of axes.
    assert max(shares) < 0.5
    assert sum(share > 0.1 for share in shares) < len(shares) / 3


@pytest.mark.parametrize(
    ("attribute", "expected", "tolerance", "message", "named"),
    [
        ("text", "Net income", None, "The title is NET INCOME.", True),
        ("text", "Net income", None, "The title is Net.", False),
        ("text", "2.5", None, "Ticks at 0, 2.5 and 5.", True),
        ("value", 12.5, 0.25, "The bar is about 12.7 high.", True),
        ("value", 12.5, 0.25, "The bar is about 13 high.", False),
        ("angle", 90.0, 2.0, "A quarter, 25 % of the pie.", True),
        ("size", 40.0, 4.0, "A large circle.", False),
    ],
)
def test_words_name_a_fact(attribute: str, expected: Any, tolerance: float | None, message: str, named: bool) -> None:
    fact = Fact("a/b", "a", "bar", attribute, "value", expected, tolerance, 1.0, "A fact.")
    assert is_named(fact, [message]) == named


def test_an_honest_pair_keeps_its_score(tmp_path: Path, targets: InstanceSet) -> None:
    run = played(tmp_path / "run", targets, make_player(PAIR, "describer"), make_player(PAIR, "generator"))
    result = result_of(run, tmp_path / "channel", own=make_player(PAIR, "generator"))
    assert result.verdict == "carried"
    assert result.flags == ()
    assert result.unstated.count == 0
    assert result.shares["same"].mean == pytest.approx(1)  # the neutral generator is its own
    assert (result.shares["own_paraphrase"].mean or 0) > 0.5


SAID = (
    "The picture has a grey background. A red circle of radius 40 px centred at (100, 120). It has a black outline. "
    'A #1f77b4 rectangle 20 px wide and 30.5 px high. The text "large grey picture" stands below.'
)


def test_a_paraphrase_keeps_numbers_quotations_and_what_leans_on_a_sentence() -> None:
    (text,) = paraphrase_messages([SAID], ByList())
    assert text != SAID
    assert count_numbers(text) == count_numbers(SAID) == {"40": 1, "100": 1, "120": 1, "#1f77b4": 1, "20": 1, "30.5": 1}
    assert '"large grey picture"' in text
    assert text.startswith("The image has a gray backdrop.")
    assert "(100, 120). It has a black outline." in text
    assert paraphrase_messages([SAID], ByList()) == [text]


def test_a_chat_model_paraphrases_and_may_change_no_number(tmp_path: Path) -> None:
    from ircore.submissions.channel_messages import ByModel

    answers = iter(["A crimson disc, radius 40 px.", "A crimson disc, radius 41 px."])
    with serving() as server:
        server.judge = lambda question: next(answers)
        model = ByModel(read_manifest(_manifest(tmp_path, server.base_url)))
        said = [asyncio.run(model.paraphrase("A red circle of radius 40 px, in grey.")) for _ in range(2)]
    assert said == ["A crimson disc, radius 40 px.", "A red circle of radius 40 px, in gray."]


def _manifest(folder: Path, address: str) -> Path:
    place = folder / "paraphraser" / "submission.yaml"
    place.parent.mkdir()
    seat = f"{{player: openai, model: judge-of-words, base_url: '{address}'}}"
    place.write_text(f"schema: 1\nname: words\ndescriber: {seat}\ngenerator: {{player: canvas}}\nlicence: CC0-1.0\n")
    return place


@pytest.mark.parametrize(("low", "high", "is_collapsed"), [(0.01, 0.05, True), (0.01, 0.9, False)])
def test_a_score_collapses_only_where_its_upper_end_does(low: float, high: float, is_collapsed: bool) -> None:
    known = Estimate(8.0, 7.5, 8.5, 42)
    result = ChannelResult("pair", {"own": known}, {"same": Estimate(0.03, low, high, 42)}, gain=4.0)
    assert (result.verdict == "collapsed") is is_collapsed
