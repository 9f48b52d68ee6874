"""Ratings by people: a file of them is imported whole or not at all, and a study from sampling to agreement."""

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from known_pictures import blank, run_of
from samples import sample_instances, sample_run, sample_submission

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.records import RECONSTRUCTION, list_rendered_turns, list_turns
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.tables.judges import people_table
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.annotation_tasks import TaskPlan, choose_tasks
from ircore.scorers.judge_test.test_run import open_test
from ircore.scorers.ratings import (
    COLUMNS,
    HUMAN_JUDGE,
    MAX_ROWS,
    MAX_TOLD,
    AnnotatorSummary,
    RowFaults,
    import_ratings,
    read_ratings,
)
from ircore.scorers.scoring import ScoringPlan, score_runs

pytestmark = pytest.mark.slow


HEADER = "annotator,episode_id,turn,task,value"
REASONS = f"{HEADER},reason"
ONE = "a1,geometry-easy-01,2,similarity,7"
EPISODES = ("geometry-easy-01", "geometry-hard-01", "simple_shapes-easy-01", "simple_shapes-hard-01")


def table(folder: Path, *lines: str, name: str = "ratings.csv") -> Path:
    """Write a file as a careful person would: UTF-8, one row a line."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return path


def values(run: RunFolder) -> list[tuple[str, str, int, str, float | None]]:
    return [
        (score.annotator or "", score.episode_id, score.step or 0, score.task, score.value) for score in run.scores()
    ]


def refused(path: Path, *runs: RunFolder) -> InputError:
    """Import a file that is wrong; nothing may have been written."""
    with pytest.raises(InputError) as caught:
        import_ratings(path, runs)
    for run in runs:
        assert run.scores() == ()
        assert run.judges() == {}
    return caught.value


def test_five_columns_are_enough(tmp_path: Path, run: RunFolder) -> None:
    done = import_ratings(table(tmp_path, HEADER, ONE, "a1,geometry-easy-01,2,preference,0.5"), [run])
    assert (done.added, done.kept, done.by_run) == (2, 0, {run.run.run_id: 2})
    assert done.annotators == (AnnotatorSummary("a1", answered=2, without_value=0, items=2),)
    assert values(run) == [
        ("a1", "geometry-easy-01", 2, "similarity", 7.0),
        ("a1", "geometry-easy-01", 2, "preference", 0.5),
    ]
    assert {score.by for score in run.scores()} == {"human"}
    assert run.judges() == {"human": HUMAN_JUDGE}


def test_the_columns_of_an_export_in_any_order(tmp_path: Path, run: RunFolder) -> None:
    rendering = list_rendered_turns(run.episodes()[0])[-1].rendering
    assert rendering is not None
    row = {
        "study": "0123456789abcdef", "annotator": "a1", "run_id": run.run.run_id, "episode_id": EPISODES[0],
        "turn": "2", "task": "preference", "rendering": rendering.sha256, "first_leading": "true", "value": "1",
        "reason": "", "seconds": "3.2", "answered_at": "2026-01-01T10:00:00.000Z",
    }  # fmt: skip
    assert tuple(row) == COLUMNS
    backwards = tuple(reversed(row))
    import_ratings(table(tmp_path, ",".join(backwards), ",".join(row[key] for key in backwards)), [run])
    assert values(run) == [("a1", EPISODES[0], 2, "preference", 1.0)]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("a1,nowhere,2,similarity,7", "episode_id: the run has no episode 'nowhere'"),
        ("a1,Geometry,2,similarity,7", "episode_id: 'Geometry' is not an episode's id"),
        (",geometry-easy-01,2,similarity,7", "annotator: '' is not a pseudonym"),
        ("Ann Smith,geometry-easy-01,2,similarity,7", "annotator: 'Ann Smith' is not a pseudonym"),
        ("a1,geometry-easy-01,2,rating,7", "task: 'rating' is not a task (similarity or preference)"),
        ("a1,geometry-easy-01,0,similarity,7", "turn: '0' is not a turn"),
        ("a1,geometry-easy-01,2.0,similarity,7", "turn: '2.0' is not a turn"),
        # The describer was done on turn 3, so nothing was drawn on it.
        ("a1,geometry-easy-01,3,similarity,7", "turn: geometry-easy-01 has no rendering of turn 3, only of 1, 2"),
        ("a1,geometry-easy-01,1,preference,1", "turn: a preference belongs to the final turn, 2, not 1"),
        ("a1,geometry-easy-01,2,similarity,11", "value: '11' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,-1", "value: '-1' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,7.5", "value: '7.5' is not an integer 0–10"),
        ('a1,geometry-easy-01,2,similarity,"7,5"', "value: '7,5' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,nan", "value: 'nan' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,seven", "value: 'seven' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,٧", "value: '٧' is not an integer 0–10"),
        ("a1,geometry-easy-01,2,similarity,=3+4", "value: '=3+4' is not an integer 0–10"),
        ("=cmd|' /C calc'!A0,geometry-easy-01,2,similarity,7", "is not a pseudonym"),
        ("a1,geometry-easy-01,2,preference,2", "value: '2' is not a preference (1 final, 0 first, 0.5 tie)"),
        ("a1,geometry-easy-01,2,preference,0.7", "value: '0.7' is not a preference"),
        ("a1,geometry-easy-01,2,similarity", "4 cells, the header has 5"),
        ("a1,geometry-easy-01,2,similarity,7,8", "6 cells, the header has 5"),
    ],
)
def test_one_bad_row_and_nothing_is_written(row: str, fault: str, tmp_path: Path, run: RunFolder) -> None:
    path = table(tmp_path, HEADER, ONE, row)
    error = refused(path, run)
    assert error.problem.startswith(f"{path}: 1 fault, nothing was imported\n  row 3: ")
    assert fault in error.problem
    assert error.remedy == "Mend these rows and import again."


def test_whole_numbers_as_a_spreadsheet_may_write_them(tmp_path: Path, run: RunFolder) -> None:
    rows = ("a1,geometry-easy-01,1,similarity,0", "a1,geometry-easy-01,2,similarity,10.0",
            "a1,geometry-easy-01,2,preference,1.00", "a2,geometry-easy-01,2,preference,.5")  # fmt: skip
    import_ratings(table(tmp_path, HEADER, *rows), [run])
    assert [value[-1] for value in values(run)] == [0.0, 10.0, 1.0, 0.5]


def test_all_faults_are_told_at_once_in_the_order_of_the_rows(tmp_path: Path, run: RunFolder) -> None:
    path = table(
        tmp_path, HEADER, "a1,nowhere,2,similarity,7", ONE, "A,geometry-easy-01,x,similarity,7", f"{ONE[:-1]}12"
    )
    assert refused(path, run).problem.splitlines()[1:] == [
        "  row 2: episode_id: the run has no episode 'nowhere'",
        "  row 4: annotator: 'A' is not a pseudonym (lower-case letters, digits, _ . and -)",
        "  row 4: turn: 'x' is not a turn (1, 2, …)",
        "  row 5: value: '12' is not an integer 0–10",
    ]


def test_a_file_that_is_wrong_throughout_is_told_in_short(tmp_path: Path, run: RunFolder) -> None:
    error = refused(table(tmp_path, HEADER, *[f"a1,{'x' * 90},2,similarity,{'9' * 9000}"] * 1200), run)
    lines = error.problem.splitlines()
    assert lines[0].endswith("1,200 faults, nothing was imported")
    assert lines[-1] == f"  and {1200 - MAX_TOLD:,} more"
    assert len(lines) == MAX_TOLD + 2
    assert max(map(len, lines[1:])) < 140


def test_the_same_twice_counts_once(tmp_path: Path, run: RunFolder) -> None:
    path = table(tmp_path, HEADER, ONE, "a2,geometry-easy-01,2,similarity,3", ONE)
    done = import_ratings(path, [run])
    assert (done.added, done.kept, len(run.scores())) == (2, 1, 2)
    assert (import_ratings(path, [run]).added, len(run.scores())) == (0, 2)


def test_two_answers_of_one_annotator_are_refused_with_both_rows(tmp_path: Path, run: RunFolder) -> None:
    error = refused(table(tmp_path, HEADER, ONE, "a1,geometry-easy-01,2,similarity,8"), run)
    assert "row 3: a1 on geometry-easy-01, turn 2, similarity: 8 here, 7 in row 2" in error.problem


def test_an_answer_that_contradicts_an_earlier_import_is_refused(tmp_path: Path, run: RunFolder) -> None:
    import_ratings(table(tmp_path, HEADER, "a0,geometry-easy-01,1,similarity,1", ONE), [run])
    before = (run.path / SCORES).read_bytes()
    later = table(tmp_path, HEADER, "a1,geometry-easy-01,1,similarity,2", "a1,geometry-easy-01,2,similarity,8")
    with pytest.raises(InputError) as caught:
        import_ratings(later, [run])
    assert f"row 3: a1 on geometry-easy-01, turn 2, similarity: 8 here, 7 in {run.path / SCORES}:2" in str(caught.value)
    assert (run.path / SCORES).read_bytes() == before


def test_a_file_that_has_grown_adds_what_is_new(tmp_path: Path, run: RunFolder) -> None:
    """An annotator exports half-way, then at the end: rows without an answer wait."""
    half = table(
        tmp_path, REASONS, f"{ONE},", "a1,geometry-easy-01,1,similarity,,", "a1,geometry-easy-01,2,preference,,"
    )
    done = import_ratings(half, [run])
    assert (done.added, done.annotators) == (1, (AnnotatorSummary("a1", 1, 0, 3),))
    whole = (f"{ONE},", "a1,geometry-easy-01,1,similarity,4,", "a1,geometry-easy-01,2,preference,,cannot tell: alike")
    done = import_ratings(table(tmp_path, REASONS, *whole), [run])
    assert (done.added, done.kept, done.annotators) == (2, 1, (AnnotatorSummary("a1", 3, 1, 3),))
    given = [(score.value, score.reason) for score in run.scores()]
    assert given == [(7, None), (4, None), (None, "cannot tell: alike")]


@pytest.mark.parametrize(("mark", "separator", "end"), [("\ufeff", ";", "\r\n"), ("", ",", "\n"), ("", "\t", "\r")])
def test_what_spreadsheets_make_of_a_file(mark: str, separator: str, end: str, tmp_path: Path, run: RunFolder) -> None:
    reason = f'a "b" c{" " if separator == chr(9) else separator} é'
    cells = ['"a1"', '"geometry-easy-01"', "2", " similarity ", "", '"' + reason.replace('"', '""') + '"']
    rows = (REASONS.upper().replace(",", separator), separator.join(cells), separator * 5)
    path = tmp_path / "ratings.csv"
    path.write_bytes((mark + end.join(rows) + end).encode())
    import_ratings(path, [run])
    assert [(score.annotator, score.task, score.reason) for score in run.scores()] == [("a1", "similarity", reason)]


def test_rows_are_counted_as_a_spreadsheet_counts_them(tmp_path: Path, run: RunFolder) -> None:
    """Empty rows count; a cell may hold a line break, which no answer does."""
    path = table(tmp_path, REASONS, "", f'{ONE.removesuffix("7")},"two', 'lines"', "a1,nowhere,2,similarity,7,")
    assert refused(path, run).problem.splitlines()[1:] == [
        "  row 3: reason: 'two\\nlines' is not a line of at most 500 characters",
        "  row 4: episode_id: the run has no episode 'nowhere'",
    ]


def test_text_that_would_be_a_formula_stays_text(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page writes an apostrophe before it; either way it is only a reason."""
    path = table(tmp_path, REASONS, "a1,geometry-easy-01,2,similarity,,'=HYPERLINK(1)",
                 "a2,geometry-easy-01,2,similarity,,@SUM(1)")  # fmt: skip
    assert ircore(["ratings", "import", str(path), "--run", str(run.path)]) == 0
    assert [score.reason for score in run.scores()] == ["'=HYPERLINK(1)", "@SUM(1)"]
    assert "HYPERLINK" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("a1,é\n".encode("utf-16"), "is UTF-16, not UTF-8"),
        (b"\xfe\xff" + HEADER.encode("utf-16-be"), "is UTF-16, not UTF-8"),
        (HEADER.encode("utf-16-le"), "row 1: holds a NUL character"),
        (f"{REASONS}\n{ONE},\na1,geometry-easy-01,1,similarity,,caf\xe9\n".encode("latin-1"), "row 3, byte 118: 0xe9"),
        (b"PK\x03\x04 and so on", "is a spreadsheet or an archive, not a CSV file"),
        (f'{HEADER}\n{ONE}\n"a1,'.encode(), "row 3: is not valid CSV"),
    ],
)
def test_another_encoding_is_told_with_its_place(data: bytes, problem: str, tmp_path: Path, run: RunFolder) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    error = refused(path, run)
    assert error.problem.startswith(f"{path}: {problem}")
    assert error.remedy == "Save the file as CSV in UTF-8: in a spreadsheet, 'CSV UTF-8'."


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "row 1: the header is empty"),
        (("",), "row 1: the header is empty"),
        ((HEADER,), "no rows below the header"),
        ((HEADER, ",,,,"), "no rows below the header"),
        ((f"{HEADER},notes", f"{ONE},"), "row 1: unknown column 'notes'"),
        ((f"{HEADER},seconds,seconds", f"{ONE},1,1"), "row 1: the column seconds occurs twice"),
        (("annotator,episode_id,value", "a1,geometry-easy-01,7"), "row 1: lacks the columns turn, task"),
        ((ONE,), "row 1: unknown column 'a1'"),
    ],
)
def test_a_header_that_is_none_of_ratings(lines: tuple[str, ...], problem: str, tmp_path: Path, run: RunFolder) -> None:
    path = table(tmp_path, *lines)
    error = refused(path, run)
    assert problem in error.problem
    assert error.remedy or "nearest" in error.problem


def test_too_many_rows(tmp_path: Path, run: RunFolder) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"{HEADER}\n{ONE}\n" + ",,,,\n" * MAX_ROWS)
    assert refused(path, run).problem == f"{path}: has more than 200,000 rows"
    path.write_text(f"{HEADER}\n{ONE}\n" + ",,,,\n" * (MAX_ROWS - 1))
    assert len(read_ratings(path, RowFaults(path))) == 1


def test_another_picture_than_was_shown_is_refused(tmp_path: Path, run: RunFolder) -> None:
    """Played anew, an episode has other renderings; ratings of the old ones say nothing of them."""
    error = refused(table(tmp_path, f"{HEADER},rendering", f"{ONE},{'0' * 64}"), run)
    assert "row 2: rendering: not the picture of geometry-easy-01, turn 2, in this run" in error.problem
    error = refused(table(tmp_path, f"{HEADER},rendering", f"{ONE},abc"), run)
    assert "row 2: rendering: 'abc' is not a SHA-256" in error.problem


def test_an_aborted_episode_has_no_quality_to_rate(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances", per_condition=3))
    error = refused(table(tmp_path, HEADER, "a1,geometry-easy-03,1,similarity,7"), run)
    assert "row 2: episode_id: geometry-easy-03 was aborted and counts as not played" in error.problem


def test_a_run_that_names_another_judge_human(tmp_path: Path, run: RunFolder) -> None:
    run.keep_judge(JudgeIdentity(name="human", label="a model", kind="model"))
    with pytest.raises(InputError, match="human"):
        import_ratings(table(tmp_path, HEADER, ONE), [run])
    assert run.scores() == ()


def second_run(folder: Path, instances: InstanceSet) -> RunFolder:
    return sample_run(folder / "second", instances, sample_submission("second", "Second"))


def test_several_runs_in_one_file(tmp_path: Path, instances: InstanceSet, run: RunFolder) -> None:
    other = second_run(tmp_path, instances)
    rows = (f"{ONE},{run.run.run_id}", f"{ONE},{other.run.run_id}", f"{ONE.replace('a1', 'a2')},{other.run.run_id}")
    path = table(tmp_path, f"{HEADER},run_id", *rows)
    error = refused(path, run)
    assert f"row 3: run_id: '{other.run.run_id}' is none of {run.run.run_id}" in error.problem
    bad = table(tmp_path, f"{HEADER},run_id", f"{ONE},{run.run.run_id}", f"{ONE}0,{other.run.run_id}", name="bad.csv")
    assert "row 3: value: '70'" in refused(bad, run, other).problem
    error = refused(table(tmp_path, HEADER, ONE, name="unnamed.csv"), run, other)
    assert "row 1: the column run_id is missing, but several runs are named" in error.problem
    done = import_ratings(path, [run, other])
    assert done.by_run == {run.run.run_id: 1, other.run.run_id: 2}
    assert (len(run.scores()), len(other.scores())) == (1, 2)


def test_the_command_checks_first_then_imports(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, REASONS, f"{ONE},", "a1,geometry-easy-01,1,similarity,,cannot tell",
                 "a2,geometry-easy-01,2,similarity,,")  # fmt: skip
    command = ["ratings", "import", str(path), "--run", str(run.path)]
    before = sorted(run.path.rglob("*"))
    assert ircore([*command, "--check"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told == [
        f"{path}: 2 ratings would be added (nothing was written)",
        "  a1: 2 of 2 items, 1 of them without a value",
        "  a2: 0 of 2 items",
    ]
    assert sorted(run.path.rglob("*")) == before
    assert ircore([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": str(path),
        "checked_only": False,
        "added": 2,
        "kept": 0,
        "by_run": {run.run.run_id: 2},
        "annotators": [
            {"annotator": "a1", "answered": 2, "without_value": 1, "items": 2},
            {"annotator": "a2", "answered": 0, "without_value": 0, "items": 2},
        ],
    }
    assert ircore(command) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{path}: 0 ratings added, 2 kept as they were"


def test_the_command_tells_faults_without_steering_the_terminal(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, HEADER, "a1,\x1b[31mgeometry\u202e,2,similarity,7")
    assert ircore(["ratings", "import", str(path), "--run", str(run.path)]) == 2
    told = capsys.readouterr().err
    assert "row 2: episode_id" in told
    assert "\x1b" not in told
    assert "\u202e" not in told


def shown(name: str, run: RunFolder, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return a table's rows as ``ircore results --json`` prints them, each value by its column."""
    assert ircore(["results", str(run.path), "--table", name, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    return [dict(row) for row in document["rows"]]


def test_two_annotators_become_the_judge_human(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked by hand, from the final renderings' ratings 8 6 4 2 and 6 6 2 2, and the choices 1 1 0 1 and 1 0 0 1."""
    given = {"a1": ((8, 6, 4, 2), (1, 1, 0, 1)), "a2": ((6, 6, 2, 2), (1, 0, 0, 1))}
    rows = [
        f"{who},{episode},2,{task},{value}"
        for who, both in given.items()
        for task, column in zip(("similarity", "preference"), both, strict=True)
        for episode, value in zip(EPISODES, column, strict=True)
    ]
    import_ratings(table(tmp_path, HEADER, *rows), [run])

    results = Results.from_runs([run])
    judged = {episode.episode.episode_id: episode.judged["human"] for episode in results.episodes[run.run.run_id]}
    assert [judged[name].final for name in EPISODES] == [7.0, 6.0, 3.0, 2.0]
    assert [judged[name].preference for name in EPISODES] == [1.0, 0.5, 0.0, 1.0]

    [board] = shown("board", run, capsys)
    assert board["score"]["mean"] == pytest.approx(4.5)
    [pair] = shown("agreement", run, capsys)
    assert [pair[key] for key in ("kind", "one", "other")] == ["human × human", "a1", "a2"]
    # Deviations 3 1 −1 −3 and 2 2 −2 −2: r = 16 / √(20 · 16). Ranks 4 3 2 1 and 3.5 3.5 1.5 1.5: ρ = 4 / √(5 · 4).
    assert pair["pearson"]["mean"] == pytest.approx(16 / 320**0.5)
    assert pair["spearman"]["mean"] == pytest.approx(4 / 20**0.5)
    # Three of four agree; by chance 3/4 · 1/2 + 1/4 · 1/2 would: κ = (3/4 − 1/2) / (1 − 1/2).
    assert pair["agreement"]["mean"] == pytest.approx(3 / 4)
    assert pair["kappa"]["mean"] == pytest.approx(1 / 2)
    alphas = {(row["task"], row["level"]): row["alpha"]["mean"] for row in
              shown("annotators", run, capsys)}  # fmt: skip
    # Observed 2 (4 + 4) / 8; expected 2 (8 · 200 − 36²) / (8 · 7), from the sum 36 and the sum of squares 200.
    assert alphas["similarity", "interval"] == pytest.approx(1 - 2 / (608 / 56))
    # Observed 2 / 8; expected 2 · 5 · 3 / (8 · 7), five choices of the final rendering and three of the first.
    assert alphas["preference", "nominal"] == pytest.approx(1 - (2 / 8) / (30 / 56))


PICTURES = 30


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Six drawn targets with 30 pictures each, of which a judge gave half 8 to 10: nobody verified these."""
    folder = tmp_path_factory.mktemp("pool")
    drawn = BuildRequest(folder / "set", per_condition=1, categories=("bar_graph", "geometry", "pie_graph"))
    instances = find_builder(RECONSTRUCTION)(drawn)
    assert isinstance(instances, InstanceSet)
    random = Random(5)
    pictures = {
        instance.instance_id: [blank(64, 64, f"#{random.randrange(2**24):06x}") for _ in range(PICTURES)]
        for instance in instances.instances
    }
    run = run_of(folder / "run", instances, pictures)
    run.keep_judge(JudgeIdentity(name="verified", label="planted", kind="computed", version="0"))
    run.add_scores(
        Score(
            episode_id=name, step=turn, measure="similarity", by="verified", rendering=picture.sha256,
            # Of each target every second rendering is good; the others are spread over the whole scale.
            value=round(10 - 2 * random.random() if turn % 2 else 9.6 * (turn / 2 - random.random()) / 15, 2),
        )
        for name, several in pictures.items()
        for turn, picture in enumerate(several, start=1)
    )  # fmt: skip
    return run


def score_of(run: RunFolder) -> dict[str, float]:
    return {
        score.picture[1]: score.value for score in run.scores() if score.by == "verified" and score.value is not None
    }


def test_renderings_are_drawn_evenly_over_scores_and_categories(pool: RunFolder) -> None:
    plan = TaskPlan(every_turn=True, by_score="verified", items=40)
    study = choose_tasks([pool], plan)
    known, categories = score_of(pool), {entry.instance_id: entry.category for entry in pool.instances.instances}
    assert {item.task for item in study.items} == {"similarity"}
    classes = Counter(min(9, int(known[item.rendering])) for item in study.items)
    assert classes == Counter(dict.fromkeys(range(10), 4)) == Counter(dict(enumerate(study.strata)))
    best = Counter(categories[item.episode_id] for item in study.items if known[item.rendering] >= 9)
    assert max(best.values()) - min(best.values()) <= 1
    assert study.items == choose_tasks([pool], plan).items
    other = choose_tasks([pool], TaskPlan(every_turn=True, by_score="verified", items=40, seed=1))
    assert other.items != study.items


def test_classes_that_are_short_are_made_up_for(pool: RunFolder) -> None:
    study = choose_tasks([pool], TaskPlan(every_turn=True, by_score="verified"))
    assert len(study.items) == sum(study.strata) == min(200, 6 * PICTURES)
    assert study.strata[9] > study.strata[0] > 0


def test_a_judge_that_rated_nothing_draws_nothing(pool: RunFolder) -> None:
    with pytest.raises(InputError, match="no rendering has a score by structural"):
        choose_tasks([pool], TaskPlan(by_score="structural"))


def test_planted_ratings_give_the_r_kappa_and_bias_that_were_planted(
    pool: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--every-turn", "--by-score", "verified", "--items", "120", "--annotators", "a1", "--json"]
    assert ircore(["annotate", "build", str(pool.path), "--out", str(tmp_path / "study"), *asked]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["items"], made["preference"], len(made["items_by_score"])) == (120, 0, 10)
    text = (tmp_path / "study" / "study.js").read_text("utf-8")
    items = json.loads(text[text.index("{") : text.rindex("}") + 1])["items"]

    # People are two points stricter than the judge in the upper half, and do not see single hundredths.
    known, rows, judge, people = score_of(pool), [], [], []
    for item in items:
        value = known[item["rendering"]]
        given = round(value - 2 if value > 5 else value)
        rows.append({name: item[name] for name in ("run_id", "episode_id", "turn", "task", "rendering")}
                    | {"annotator": "a1", "value": given})  # fmt: skip
        judge.append(value)
        people.append(given)
    assert people_table(Results.from_runs([pool])).notes[0].startswith("No person has rated")
    path = tmp_path / "a1.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert ircore(["ratings", "import", str(path), "--run", str(pool.path)]) == 0
    capsys.readouterr()
    assert ircore(["results", str(pool.path), "--table", "people", "--json"]) == 0
    table = people_table(Results.from_runs([RunFolder(pool.path)]))
    row = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert (row["judge"].value, row["category"].value, row["renderings"].value) == ("verified", "all", 120)
    x, y = np.array(judge), np.array(people, dtype=float)
    assert row["pearson"].value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert row["bias"].value == pytest.approx((x - y).mean())
    weighted = 1 - ((x - y) ** 2).mean() / ((x[:, None] - y[None, :]) ** 2).mean()
    assert row["kappa"].value == pytest.approx(weighted)
    low, mean, high = row["bias"].low, row["bias"].value, row["bias"].high
    assert low is not None
    assert high is not None
    assert isinstance(mean, float)
    assert low < mean < high
    categories = [value.value for value in (entry[1] for entry in table.rows)]
    assert categories == ["all", "bar_graph", "geometry", "pie_graph"]


def test_a_study_of_a_judge_test_may_take_only_what_others_drew(tmp_path: Path) -> None:
    run = open_test(tmp_path / "run", drawn_targets(tmp_path / "set"), limit=1)
    (episode,) = run.episodes()
    score_runs([run], ScoringPlan(("structural",), (), every_turn=True, preferences=False), workers=1)
    study = choose_tasks([run], TaskPlan(foreign=True, by_score="structural"))
    asked = {item.turn for item in study.items}
    words = {turn.turn: turn.message for turn in list_turns(episode)}
    assert len(asked) > 15
    assert all((words[turn] or "").startswith("drawn by others: ") for turn in asked)
    assert any(turn not in asked for turn in words)


def test_foreign_pictures_are_those_of_judge_tests(pool: RunFolder) -> None:
    with pytest.raises(InputError, match="--foreign: is no judge test"):
        choose_tasks([pool], TaskPlan(foreign=True, by_score="verified"))


def drawn_targets(folder: Path) -> Path:
    """A set of one category, so that its judge test is small."""
    find_builder(RECONSTRUCTION)(BuildRequest(folder, per_condition=1, categories=("simple_shapes",)))
    return folder
