"""The paper's sentences held against its own tables, and against runs with planted differences."""

from dataclasses import replace
from random import Random

import pytest
from invented import InventedRun, invented_run, invented_set
from samples import rating_of

from ircore.games.pages import check_of_people
from ircore.games.reconstruction.published.claims import check_by_count, list_claims
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.tables.catalogue import Question, find_table_entry
from ircore.results.tables.paper_claims import check_paper


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


def test_what_runs_lack_is_said(planted: Results) -> None:
    checks = check_paper(planted, "structural")
    assert checks["budget"] == ("no data", "needs a pair that was played under several token budgets")
    assert checks["people"].verdict == checks["nearest"].verdict == checks["tolerant"].verdict == "no data"
    assert checks["ends"] == ("no data", "needs two judges that rank at least two pairs")


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
    assert check_paper(results, "structural")["hard"].verdict == "open"
    assert check_paper(results, "structural")["ahead"].verdict == "no data"


@pytest.mark.slow
def test_without_a_planted_effect_a_sentence_about_all_is_hardly_ever_contradicted() -> None:
    contradicted = 0
    for seed in range(40):
        results = grid(6, (f"seer{seed}", "painter", 6.0, 0.5, 0.0), (f"mole{seed}", "painter", 6.0, 0.5, 0.0))
        contradicted += check_paper(results, "structural")["hard"].verdict in {"exceptions", "does not hold"}
    # Bonferroni over 6 comparisons: at most 2.5 % of 40 are expected, 5 are four standard errors above.
    assert contradicted <= 5


def test_the_table_has_a_row_a_sentence(planted: Results) -> None:
    table = find_table_entry("paper").table(planted, Question(judge="structural"))
    rows = dict(zip((value.value for value in table.column("claim")), table.column("here"), strict=True))
    assert list(rows) == [claim.key for claim in list_claims()]
    assert rows["hard"].value == "holds"
    assert all(value.value for row in table.rows for value in row)
