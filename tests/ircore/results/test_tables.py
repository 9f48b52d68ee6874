"""Tables in every format, in the paper's layouts, and the paper's claims."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import get_type_hints

import pytest
from invented import InventedRun, invented_run, invented_set, preferring
from samples import rating_of, sample_instances

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.games.declarations import check_of_people
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.paper_claims import check_by_count, list_claims
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.games.reference.naming import PIECES, Annotation
from ircore.instances.store import InstanceSet
from ircore.results.conformance import sample_results
from ircore.results.model import Results
from ircore.results.statistics.intervals import estimate_clustered_share
from ircore.results.tables.catalogue import TABLES, TableFunction, TableQuestion, find_table_entry, find_tables
from ircore.results.tables.formats import (
    Format,
    format_csv,
    format_json,
    format_latex,
    format_markdown,
    format_text,
    list_flat_columns,
    list_flat_records,
    number,
    render,
    use_standard_errors,
)
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.paper_claims import check_paper
from ircore.results.tables.targets import naming_means_table, naming_table

PAIR = Column("pair", "pair", "Who.", digits=None)
SCORE = Column("score", "score", "How alike.", "0–10", "higher", estimated=True)
DELTA = Column("delta", "ΔQ", "Final minus first.", signed=True, estimated=True)
RUN = Column("run_id", "Run", "Which.", digits=None, audience="programs")
RANK = Column("rank", "rank", "Where.", digits=None, audience="readers")
TABLE = Table(
    "board",
    "Leaderboard",
    "Two pairs.",
    (RUN, RANK, PAIR, SCORE, DELTA),
    (
        (
            Value("r1"),
            Value("1–2"),
            Value("a + b"),
            Value(7.255, 6.5, 8.0, 10, episodes=Selection(("r1",), "rated", judge="eye")),
            Value(-0.25, -1.0, 0.5, 8, marks=("own",)),
        ),
        (Value("r2"), Value("1–2"), Value("c + d"), Value(None, n=0, missing="no rated episode"), Value(0.5, n=1)),
    ),
    ("A remark.",),
    {"unused": "Nobody carries this.", "own": "Judged by its own family."},
    primary="score",
)


def test_text_shows_half_intervals_and_only_the_marks_that_are_carried() -> None:
    lines = format_text(TABLE).splitlines()
    assert lines[0].split("  ")[0] == "rank"
    assert lines[2].split() == ["1–2", "a", "+", "b", "7.25", "±", "0.75", "−0.25", "±", "0.75*"]
    assert lines[3].split() == ["1–2", "c", "+", "d", "–", "+0.50", "n", "1:", "too", "few"]
    assert lines[5:] == ["Two pairs.", "* Judged by its own family.", "– no rated episode", "A remark."]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json"])
@pytest.mark.parametrize(("n", "said"), [(4, True), (5, False)])
def test_intervals_of_fewer_than_five_pictures_are_said_to_be_too_few(form: Format, n: int, said: bool) -> None:
    table = Table("few", "Few", "One pair.", (PAIR, SCORE), ((Value("a + b"), Value(7.0, 5.0, 9.0, n)),))
    assert ("too few to say anything" in render(table, form)) is said


def test_programs_get_full_precision_under_flat_names() -> None:
    first, second = csv.DictReader(io.StringIO(format_csv(TABLE)))
    names = ["run_id", "pair", "mean", "low", "high", "n", "delta_mean", "delta_low", "delta_high", "delta_n"]
    assert list(first) == names == [flat.name for flat in list_flat_columns(TABLE.columns, "score")]
    assert (first["mean"], first["low"], first["n"], first["delta_mean"]) == ("7.255", "6.5", "10", "-0.25")
    assert (second["mean"], second["n"]) == ("", "0")
    assert [record["mean"] for record in list_flat_records(TABLE)] == [7.255, None]


def test_json_says_direction_interval_reason_and_episodes() -> None:
    document = json.loads(format_json(TABLE))
    score = document["columns"][2]
    assert score == {"key": "score", "title": "score", "unit": "0–10", "better": "higher", "description": "How alike."}
    first, second = document["rows"]
    assert first["score"] == {"mean": 7.255, "low": 6.5, "high": 8.0, "n": 10}
    assert first["about"]["score"]["episodes"]["which"] == "rated"
    assert second["about"]["score"] == {"missing": "no rated episode"}
    assert document["marks"] == {"own": "Judged by its own family."}


@pytest.mark.parametrize(
    ("name", "markdown", "latex", "flat"),
    [
        ("=HYPERLINK(1)", "=HYPERLINK(1)", "=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("<b>x|y</b>", r"\<b\>x\|y\</b\>", "<b>x|y</b>", "<b>x|y</b>"),
        (r"50% & \input{f}_1", r"50% \& \\input{f}\_1", r"50\% \& \textbackslash{}input\{f\}\_1", r"50% & \input{f}_1"),
        ("a\nb", "a b", "a b", "a\nb"),
        ("κ, ρ ≥ 0", "κ, ρ ≥ 0", r"$\kappa$, $\rho$ $\ge$ 0", "κ, ρ ≥ 0"),
    ],
)
def test_a_strangers_name_stays_text_in_every_format(name: str, markdown: str, latex: str, flat: str) -> None:
    table = Table("t", "T", "C.", (PAIR,), ((Value(name),),))
    assert format_markdown(table).splitlines()[2] == f"| {markdown} |"
    assert f"{latex} \\\\" in format_latex(table)
    assert next(iter(csv.DictReader(io.StringIO(format_csv(table)))))["pair"] == flat


def test_a_narrow_terminal_leaves_out_columns_that_can_be_spared_and_names_them() -> None:
    table = replace(TABLE, spare=("delta", "score"))
    assert format_text(table, columns=45).splitlines()[:4] == format_text(table).splitlines()[:4]
    lines = format_text(table, columns=40).splitlines()
    assert lines[:4] == [
        "rank  pair   score (0–10)",
        "─────────────────────────",
        " 1–2  a + b   7.25 ± 0.75",
        " 1–2  c + d             –",
    ]
    # A column narrower, the long heading is broken, and short ones stand beside its last word.
    headings = [line.split() for line in format_text(table, columns=24).splitlines()[:2]]
    assert headings == [["score"], ["rank", "pair", "(0–10)"]]
    # The mark's meaning leaves with the only entry that carries the mark.
    assert not any("Judged by its own family" in line for line in lines)
    assert " ".join(lines[-3:]) == (
        "Left out, since the terminal is narrow: ΔQ. A terminal of 44 columns shows everything; so does --format csv."
    )


def test_a_table_without_columns_to_spare_stands_as_blocks_in_a_narrow_terminal() -> None:
    lines = format_text(TABLE, columns=40).splitlines()
    assert lines[:5] == [
        "rank          1–2",
        "pair          a + b",
        "score (0–10)  7.25 ± 0.75",
        "ΔQ            −0.25 ± 0.75*",
        "─" * 40,
    ]
    assert max(map(len, lines)) <= 40


def test_terminals_are_not_steered() -> None:
    table = replace(TABLE, rows=tuple((Value("r"), Value("1"), Value("\x1b[31mred"), *row[3:]) for row in TABLE.rows))
    assert "\x1b" not in format_text(table)


def test_numbers_have_a_true_minus_and_no_negative_zero() -> None:
    numbers = [number(value, 2, signed=True) for value in (-1.005, -0.001, 0.0, 0.004, 2.5)]
    assert numbers == ["−1.00", "0.00", "0.00", "0.00", "+2.50"]


def test_a_lopsided_interval_shows_its_ends_where_plus_minus_would_mislead() -> None:
    row = (Value("a"), Value(0.81, -0.66, 0.94, 15), Value(0.55, -0.047, 1.261, 9))
    line = format_text(Table("t", "T", "C.", (PAIR, SCORE, DELTA), (row,))).splitlines()[2]
    assert line.split() == ["a", "0.81", "[−0.66,", "0.94]", "+0.55", "[−0.05,", "+1.26]"]
    row = (Value("a"), Value(0.81, 0.31, 1.3, 15), Value(1.0, 0.5, 1.52, 9))
    line = format_text(Table("t", "T", "C.", (PAIR, SCORE, DELTA), (row,))).splitlines()[2]
    assert line.split() == ["a", "0.81", "±", "0.50", "+1.00", "±", "0.52"]


def test_plus_minus_does_not_reach_over_0_where_the_interval_does_not() -> None:
    row = (Value("a"), Value(5.0, 4.0, 6.0, 15), Value(0.8, 0.1, 1.7, 9))
    assert (
        format_text(Table("t", "T", "C.", (PAIR, SCORE, DELTA), (row,)))
        .splitlines()[2]
        .endswith("+0.80 [+0.10, +1.70]")
    )
    row = (Value("a"), Value(5.0, 4.0, 6.0, 15), Value(0.8, -0.1, 1.7, 9))
    assert format_text(Table("t", "T", "C.", (PAIR, SCORE, DELTA), (row,))).splitlines()[2].endswith("+0.80 ± 0.90")


@pytest.mark.slow
def test_the_names_of_tables_are_known_without_a_library() -> None:
    code = (
        "import sys; from ircore.results.tables.catalogue import list_table_names as names; assert 'board' in names();"
        "print(*{'numpy', 'pydantic', 'ircore.results.model'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.slow
def test_every_function_of_the_catalogue_is_there_and_takes_its_arguments(tmp_path: Path) -> None:
    results = sample_results(tmp_path)
    functions = [entry.build for entry in TABLES.values() if isinstance(entry.build, TableFunction)]
    assert len(functions) > 30
    for function in functions:
        named = resolve_name(f"ircore.results.tables.{function.name}")
        assert get_type_hints(named)["return"] is Table, function.name
        signature(named).bind(*function.arguments(results, TableQuestion(judge="structural")))


@pytest.mark.slow
def test_the_columns_that_a_narrow_terminal_leaves_out_are_columns_of_their_table(tmp_path: Path) -> None:
    results = sample_results(tmp_path)
    tables = {name: TABLES[name].table(results, TableQuestion(judge="structural")) for name in TABLES}
    spared = {name: table for name, table in tables.items() if table.spare}
    assert {"board", "outcomes", "facts", "messages", "agreement", "targets", "published"} <= spared.keys()
    for name, table in spared.items():
        assert len(table.spare_places) == len(table.spare), name


BODY = dict.fromkeys(PIECES, "body")


def named(*wholes: str, part: dict[str, str] | None = None) -> list[Annotation]:
    return [Annotation(whole=whole, part=part or {}) for whole in wholes]


NAMES = {
    "dog": named("a dog", "the dog", "dog", part=BODY),  # all alike: 0
    "blob": named("cat", "boat", "tree", part=BODY),  # nothing shared: 1
    # dog: shared with one of two others, ½; cat and its tail: 1 each; so (½ + ½ + 1) / 3.
    "half": named("dog", "dog", "cat tail"),
    "alone": named("fish"),
}


@pytest.mark.slow
def test_the_hardest_to_name_stands_first_and_a_picture_that_cannot_be_measured_last() -> None:
    table = naming_table("ours", NAMES)
    assert [cell.value for cell in table.column("picture")] == ["blob", "half", "dog", "alone"]
    assert [cell.value for cell in table.column("snd")] == [1, pytest.approx(2 / 3), 0, None]
    assert [cell.value for cell in table.column("difficulty")] == ["hard", "easy", "easy", None]


def test_what_is_missing_says_why() -> None:
    table = naming_table("ours", NAMES)
    reasons = [cell.missing for cell in table.column("pnd")]
    assert reasons == [None, "not everybody named the pieces", None, "fewer than two names"]


def test_means_and_the_populations_deviation_are_over_pictures_with_a_value() -> None:
    means = naming_means_table({"ours": naming_table("ours", {name: NAMES[name] for name in ("dog", "blob", "alone")})})
    ((name, pictures, snd, snd_sd, *_, psa, psa_sd),) = means.rows
    assert (name.value, pictures.value, snd.value, snd_sd.value) == ("ours", 3, 0.5, 0.5)
    assert (psa.value, psa_sd.value) == (7, 0)  # all seven pieces are one part for everybody


def test_a_game_has_the_tables_of_a_paper_only_if_it_is_the_papers() -> None:
    class Sketching(ReconstructionGame):
        name = "sketching"
        supports = frozenset[str]()

    papers = {"paper", "published", "published_means", "published_judges", "published_humans", "published_annotators"}
    assert find_tables(ReconstructionGame()).keys() - find_tables(Sketching()).keys() == papers
    assert find_table_entry("paper", "--table", ReconstructionGame()) is TABLES["paper"]
    with pytest.raises(InputError, match="--table paper: the game sketching has no such table"):
        find_table_entry("paper", "--table", Sketching())


INSTANCES = invented_set(1, ("geometry",))


def rated(run: InventedRun, scores: dict[str, dict[str, tuple[float, ...]]]) -> InventedRun:
    """The same run with these scores by judge and episode, one a rendering: the first, then the final."""
    given = [
        rating_of(episode, turn, value, judge)
        for judge, by_episode in scores.items()
        for episode in run.played
        for value, turn in zip(
            by_episode[episode.episode_id],
            [list_rendered_turns(episode)[0], *list_rendered_turns(episode)[1:][-1:]],
            strict=False,
        )
        if turn.rendering is not None
    ]
    return replace(run, given=tuple(given))


@pytest.fixture
def results() -> Results:
    """Results of one pair that played easy and hard geometry, each in several turns."""
    runs = (invented_run(INSTANCES, "seer", "painter", skill, 0.3) for skill in range(3, 9))
    run = next(
        run for run in runs if all(len(list_rendered_turns(episode)) > 1 and episode.played for episode in run.played)
    )
    scores: dict[str, dict[str, tuple[float, ...]]] = {
        "structural": {"geometry-easy-01": (4.0, 6.0), "geometry-hard-01": (5.0, 5.0)},
        "gpt": {"geometry-easy-01": (4.0, 7.0), "geometry-hard-01": (5.0, 3.0)},
        "claude": {"geometry-easy-01": (6.0, 8.0), "geometry-hard-01": (5.0, 4.0)},
    }
    return Results.from_runs([rated(run, scores)])


def table(results: Results, name: str, judge: str | None = None) -> Table:
    return find_table_entry(name).table(results, TableQuestion(judge=judge))


def test_conditions_are_one_grid_of_pair_category_difficulty_and_judge(results: Results) -> None:
    grid = table(results, "conditions")
    assert [value.value for value in grid.column("difficulty")] == ["easy", "hard"]
    assert [value.value for value in grid.column("gpt")] == [7.0, 3.0]
    assert [value.value for value in grid.column("claude")] == [8.0, 4.0]


def test_who_only_compares_has_a_share_and_no_score() -> None:
    run = preferring(invented_run(invented_set(6, ("geometry",)), "seer", "painter", 5, 0.3))
    lipsim = [score.model_copy(update={"by": "lipsim"}) for score in run.given if score.task == "preference"]
    grid = table(Results.from_runs([replace(run, given=(*run.given, *lipsim))]), "conditions")
    keys = [column.key for column in grid.columns]
    assert "lipsim" not in keys
    ended = {episode.episode_id for episode in run.played if episode.played and episode.difficulty == "easy"}
    preferred = [score.value or 0.0 for score in lipsim if score.episode_id in ended]
    assert grid.entry(0, "lipsim_preferred").value == pytest.approx(sum(preferred) / len(preferred))


def test_outcomes_pool_the_judges_that_are_models(results: Results) -> None:
    # gpt and claude: both see easy improve and hard regress; structural, a formula, is left out.
    pooled = table(results, "outcomes_pooled")
    assert [pooled.entry(0, key).value for key in ("improved", "stable", "regressed", "ratings")] == [0.5, 0, 0.5, 4]
    assert "gpt" in pooled.notes[0]
    assert "structural" not in pooled.notes[0]
    # Two pictures stand behind four ratings.
    assert pooled.entry(0, "improved").n == 2


def test_pooled_intervals_do_not_take_judges_of_one_picture_as_independent() -> None:
    run = invented_run(invented_set(12, ("geometry",)), "seer", "painter", 5, 0.3, judge="gpt")
    for judge in ("claude", "qwen3"):
        # The same ratings again: three judges that always agree are worth one.
        run = replace(
            run, given=(*run.given, *(s.model_copy(update={"by": judge}) for s in run.given if s.by == "gpt"))
        )
    results = Results.from_runs([run])
    pooled, alone = table(results, "outcomes_pooled"), table(results, "outcomes", "gpt")
    improved = pooled.entry(0, "improved")
    assert improved.value == pytest.approx(alone.entry(0, "improved").value)
    assert pooled.entry(0, "ratings").value == 3 * (alone.entry(0, "improved").n or 0)
    outcomes = [result.judged["gpt"].convergence for result in results.episodes[run.run.run_id] if result.judged]
    hits = [3 * (outcome == "improved") for outcome in outcomes]
    expected = estimate_clustered_share(hits, [3] * len(hits))
    assert (improved.low, improved.high) == pytest.approx((expected.low, expected.high))


def test_a_standard_error_is_the_deviation_over_the_root_of_n(results: Results) -> None:
    # Final scores 7 and 3: mean 5, s = √8, s / √2 = 2. ΔQ 3 and −2: mean 0.5, s = 5 / √2, s / √2 = 2.5.
    board = use_standard_errors(table(results, "board", "gpt"), results)
    score, delta = board.entry(0, "score"), board.entry(0, "delta")
    assert (score.value, score.low, score.high) == pytest.approx((5.0, 3.0, 7.0))
    assert (delta.value, delta.low, delta.high) == pytest.approx((0.5, -2.0, 3.0))
    # A main score is no mean of one number an episode, so it has no bar.
    assert board.entry(0, "main_score").low is None
    assert score.marks[-1] == "sem"
    assert "one standard error" in board.marks["sem"]
    assert not any("half the 95 %" in note for note in board.notes)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of a built-in pair, as a folder."""
    folder = tmp_path_factory.mktemp("paper")
    instances = sample_instances(folder / "set", per_condition=2)
    out = folder / "run"
    assert ircore(["play", "classical+sketch", "--instances", str(instances.folder), "--out", str(out)]) == 0
    assert ircore(["score", str(out), "--judge", "structural"]) == 0
    return out


@pytest.mark.slow
def test_the_lexicon_and_the_bars_are_chosen_on_the_command_line(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ircore(["results", str(run), "--table", "corrections", "--lexicon", "paper", "--json"])
    assert "lexicon paper " in json.loads(capsys.readouterr().out)["notes"][1]
    ircore(["results", str(run), "--table", "corrections", "--json"])
    assert "lexicon built-in " in json.loads(capsys.readouterr().out)["notes"][1]
    ircore(["results", str(run), "--judge", "structural", "--bars", "sem", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert "one standard error" in document["marks"]["sem"]
    ircore(["results", str(run), "--table", "paper", "--judge", "structural", "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["here"] for row in rows} <= {"holds", "exceptions", "does not hold", "open", "no data"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--lexicon", "paper"), "--lexicon goes with --table corrections, corrections_by_turn or words"),
        (("--lexicon", "mine", "--table", "words"), "'mine' is not one of 'built-in', 'paper'"),
        (("--bars", "sem", "--format", "csv"), "--bars sem goes with text, json, markdown and latex, not with csv"),
        (("--bars", "sem", "--table", "targets"), "the table targets has no means of episodes"),
        (("--bars", "sem", "--out", "new"), "--bars sem goes with one --table, not with --out"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_a_line(
    run: Path, options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["results", str(run), "--judge", "structural", *options]) == 2
    assert said in capsys.readouterr().err


def test_what_the_papers_own_tables_say_of_its_sentences() -> None:
    verdicts = {claim.key: claim.in_paper.verdict for claim in list_claims()}
    # Worked out by hand from Tables 1 to 4 of arXiv 2606.01901.
    assert verdicts["hard"] == verdicts["ahead"] == verdicts["order"] == verdicts["tolerant"] == "exceptions"
    assert verdicts["ends"] == verdicts["generator"] == verdicts["hardest"] == "holds"
    assert verdicts["people"] == verdicts["nearest"] == "holds"
    # LipSim prefers the final pictures of gpt-5.2 + gpt-image-1.5 in 60 %, those of Qwen-3 + gemini-3.1 in 43 %.
    assert verdicts["preferred"] == "does not hold"
    assert verdicts["payoff"] == verdicts["budget"] == "not printed"


def test_describers_matter_more_by_two_judges_of_three() -> None:
    evidence = next(claim.in_paper for claim in list_claims() if claim.key == "dominant")
    assert evidence.verdict == "exceptions"
    # By Claude: (7.68 + 6.69 - 6.94 - 6.66) / 2 = 0.385 against (6.94 + 7.68 - 6.66 - 6.69) / 2 = 0.635.
    assert "claude 0.39 against 0.63" in evidence.evidence


def test_signs_decide_where_there_are_no_intervals() -> None:
    assert check_by_count([1.0, 0.1]).verdict == "holds"
    assert check_by_count([1.0, 0.1, -0.1]).verdict == "exceptions"
    assert check_by_count([1.0, -0.1]).verdict == "does not hold"
    assert check_of_people(0.48, 0.29, 3).verdict == "holds"
    assert check_of_people(0.48, 0.70, 3).verdict == "exceptions"


def scored(
    instances: InstanceSet, describer: str, generator: str, first: float, gain: float, hard: float = 0.0
) -> InventedRun:
    """A run of two turns an episode: scores near ``first``, then ``gain`` more, hard pictures ``hard`` lower."""
    run = invented_run(instances, describer, generator, 5, 0.3)
    random, given = Random(f"{describer}{generator}"), []
    for episode in run.played:
        start = first - (hard if episode.difficulty == "hard" else 0) + random.gauss(0, 0.3)
        turns = [turn for turn in list_turns(episode) if turn.rendering is not None]
        for turn in turns:
            value = start + (gain + random.gauss(0, 0.3) if turn.turn == turns[-1].turn and len(turns) > 1 else 0)
            given.append(rating_of(episode, turn, min(10.0, max(0.0, value)), "structural"))
    return replace(run, given=tuple(given))


def grid(per_condition: int, *lines: tuple[str, str, float, float, float]) -> Results:
    """Results of runs as ``scored`` makes them."""
    instances = invented_set(per_condition, ("geometry", "functions", "photos"))
    runs: list[InventedRun] = [scored(instances, *line) for line in lines]
    return Results.from_runs(runs)


@pytest.fixture(scope="module")
def planted() -> Results:
    # seer is 3.5 points better than mole; painter gains 1.5 by refinement, smudger loses 1; hard is 2.5 lower.
    return grid(
        14,
        ("seer", "painter", 7.5, 1.5, 2.5),
        ("seer", "smudger", 7.5, -1.0, 2.5),
        ("mole", "painter", 4.0, 1.5, 2.5),
        ("mole", "smudger", 4.0, -1.0, 2.5),
    )


@pytest.mark.slow
def test_planted_differences_are_found(planted: Results) -> None:
    checks = check_paper(planted, "structural")
    for key in ("hard", "ahead", "generator", "payoff", "turns"):
        assert checks[key].verdict == "holds", (key, checks[key])
    # The describers are 3.5 points apart, the generators 2.5 at most: pictures of one turn do not gain.
    assert checks["dominant"].verdict == "holds", checks["dominant"]
    assert "with seer" not in checks["ahead"].evidence
    # Both describers gain as much, and no category was made harder.
    assert checks["hardest"].verdict in {"open", "exceptions", "does not hold"}
    assert checks["steady"].verdict == "open"


@pytest.mark.slow
def test_what_runs_lack_is_said(planted: Results) -> None:
    checks = check_paper(planted, "structural")
    assert checks["budget"] == ("no data", "needs a pair that was played under several token budgets")
    assert checks["people"].verdict == checks["nearest"].verdict == checks["tolerant"].verdict == "no data"
    assert checks["ends"] == ("no data", "needs two judges that rank at least two pairs")


@pytest.mark.slow
def test_the_opposite_is_contradicted() -> None:
    # Hard pictures are 2 points easier, and refinement helps with both generators.
    results = grid(
        8,
        ("seer", "painter", 5.0, 1.0, -2.0),
        ("seer", "smudger", 5.0, 1.0, -2.0),
        ("mole", "painter", 3.0, 1.0, -2.0),
        ("mole", "smudger", 3.0, 1.0, -2.0),
    )
    checks = check_paper(results, "structural")
    assert checks["hard"].verdict == "does not hold"
    assert checks["payoff"].verdict == "does not hold"
    assert "0 of 12 categories of pairs" in checks["hard"].evidence


def test_few_pictures_leave_everything_open() -> None:
    results = grid(1, ("seer", "painter", 6.0, 1.0, 1.0), ("mole", "painter", 3.0, 1.0, 1.0))
    checks = check_paper(results, "structural")
    assert (checks["hard"].verdict, checks["ahead"].verdict) == ("open", "no data")


@pytest.mark.slow
def test_without_a_planted_effect_a_sentence_about_all_is_hardly_ever_contradicted() -> None:
    contradicted = 0
    for seed in range(40):
        results = grid(6, (f"seer{seed}", "painter", 6.0, 0.5, 0.0), (f"mole{seed}", "painter", 6.0, 0.5, 0.0))
        contradicted += check_paper(results, "structural")["hard"].verdict in {"exceptions", "does not hold"}
    # Bonferroni over 6 comparisons: at most 2.5 % of 40 are expected, 5 are four standard errors above.
    assert contradicted <= 5


@pytest.mark.slow
def test_the_table_has_a_row_a_sentence(planted: Results) -> None:
    table = find_table_entry("paper").table(planted, TableQuestion(judge="structural"))
    rows = dict(zip((value.value for value in table.column("claim")), table.column("here"), strict=True))
    assert list(rows) == [claim.key for claim in list_claims()]
    assert rows["hard"].value == "holds"
    assert all(value.value for row in table.rows for value in row)
