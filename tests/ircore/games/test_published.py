"""The published figures to their printed digits, and the two claims that the published table does not bear out."""

from collections import Counter

import pytest

from ircore.core.records import DIFFICULTIES
from ircore.core.score_records import Score
from ircore.core.submission_records import Run
from ircore.games.reconstruction.paper_claims import compare_describers, compare_hard_with_easy
from ircore.games.reconstruction.paper_tables import (
    PublishedPair,
    compute_mean_scores,
    list_published_pairs,
    read_published_agreement,
    read_published_scores,
)
from ircore.games.reconstruction.records import CATEGORIES
from ircore.results.cells import Cell
from ircore.results.played_run import PlayedRun


def test_table_3_has_every_pair_under_every_condition_once() -> None:
    keys = Counter((score.pair, score.category, score.difficulty) for score in read_published_scores())
    assert len(keys) == keys.total() == 56
    assert {key[1] for key in keys} == set(CATEGORIES)
    assert {key[2] for key in keys} == set(DIFFICULTIES)


def test_rows_are_as_printed() -> None:
    last = read_published_scores()[-1]
    assert last.pair == PublishedPair("gpt-5.2", "gpt-image-1.5")
    assert (last.category, last.difficulty) == ("photos", "hard")
    assert (last.gpt, last.claude, last.qwen3, last.final_preferred, last.human) == (7.6, 7.1, 7.7, 0.556, 6.83)
    first = read_published_scores()[0]
    assert (first.gpt, first.claude, first.qwen3, first.final_preferred, first.human) == (8.7, 8.7, 9.0, None, None)
    assert sum(score.human is not None for score in read_published_scores()) == 14


def test_recomputed_means_to_the_printed_digits() -> None:
    assert [
        (pair.describer, pair.generator, *(f"{mean:.2f}" for mean in means.values()))
        for pair, means in compute_mean_scores().items()
    ] == [
        ("Qwen-3", "gemini-3.1", "7.02", "6.94", "7.41"),
        ("Qwen-3", "gpt-image-1.5", "6.69", "6.66", "7.25"),
        ("gpt-5.2", "gemini-3.1", "8.09", "7.68", "8.29"),
        ("gpt-5.2", "gpt-image-1.5", "7.09", "6.69", "7.54"),
    ]


def test_tables_of_agreement() -> None:
    between_judges = read_published_agreement("table1")
    assert [(judge.one, judge.other, judge.kappa) for judge in between_judges] == [
        ("gpt", "claude", 0.24), ("gpt", "qwen3", 0.06), ("claude", "qwen3", -0.02),
        ("gpt", "lipsim", 0.22), ("claude", "lipsim", 0.05), ("qwen3", "lipsim", 0.15),
    ]  # fmt: skip
    assert [judge.pearson for judge in between_judges] == [0.76, 0.65, 0.63, None, None, None]
    with_people = read_published_agreement("table2")
    assert [f"{100 * person.agreement:.2f}" for person in with_people] == ["60.90", "54.89", "48.87", "54.89"]
    between_people = read_published_agreement("table4")
    # Its last row is the mean of the three: 0.479, 0.486, 65.2, 0.290.
    assert sum(person.pearson or 0 for person in between_people) / 3 == pytest.approx(0.479, abs=5e-4)
    assert sum(person.spearman or 0 for person in between_people) / 3 == pytest.approx(0.486, abs=1e-3)
    assert sum(person.agreement for person in between_people) / 3 == pytest.approx(0.652, abs=5e-4)
    assert sum(person.kappa for person in between_people) / 3 == pytest.approx(0.290, abs=5e-4)


def test_every_record_says_that_the_paper_reports_it_and_none_can_pass_for_a_result() -> None:
    tables = (
        read_published_agreement("table1"),
        read_published_agreement("table2"),
        read_published_agreement("table4"),
    )
    kinds = (read_published_scores(), compare_hard_with_easy(), compare_describers(), *tables)
    needed = {name for name in dir(PlayedRun) if not name.startswith("_")}
    assert {"run", "episodes", "scores"} <= needed
    for records in kinds:
        assert {record.origin for record in records} == {"reported by the paper"}
        assert not isinstance(records[0], Cell | Score | Run)
        assert not any(hasattr(records[0], name) for name in needed)
    assert len(list_published_pairs()) == 4
