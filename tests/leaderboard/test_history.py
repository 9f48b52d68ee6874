"""History of ranks: places at each merge, and movements between versions, worked out by hand."""

from pathlib import Path

from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.feed import changes
from leaderboard.pages.history import entries
from leaderboard.pages.version_moves import Standing, Track, tracks
from leaderboard.versions.archive import FrozenBoard

FIRST = {"seer": 5.0, "poet": 7.0, "teller": 6.0}
"""First score of each pair, in the order in which they were played; each later turn scores as much."""


def site_of(folder: Path) -> Site:
    instances = sample_instances(folder / "instances", per_condition=2)
    runs = []
    for day, (describer, first) in enumerate(FIRST.items(), start=1):
        run = sample_run(folder / describer, instances, named_submission(describer, describer, "painter"))
        record = folder / describer / "run.json"
        began = run.run.started
        record.write_text(record.read_text().replace(began, f"2026-01-0{day}T00:00:00+00:00"))
        runs.append(rate_turns(run, first, 0.1 * day).path)
    return Site(read_runs(runs))


def test_a_pair_enters_among_those_that_were_there_by_then(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    entered = {entry.pair.describer: entry for entry in entries(site).values()}
    places = {name: (entry.place, entry.pairs, entry.moved) for name, entry in entered.items()}
    assert places == {"seer": (1, 1, 0), "poet": (1, 2, 1), "teller": (2, 3, 1)}
    teller = entered["teller"]
    assert teller.ahead is not None
    assert teller.behind is not None
    assert (teller.ahead.describer, teller.behind.describer) == ("poet", "seer")
    # Scores rise by 0.3 and 0.1 an episode: the lead is largest on the last target.
    assert teller.telling[0][0].instance.instance_id == list(site.galleries)[-1]
    assert round(teller.telling[0][1], 3) == round(1 + 0.2 * (len(site.galleries) - 1), 3)
    assert "place 2 of 3" in teller.words
    assert "1 pair moved down" in teller.words


def test_what_changed_tells_it_in_words_and_so_do_the_feeds(tmp_path: Path) -> None:
    words = {change.title: change.words for change in changes(site_of(tmp_path))}
    assert "It entered at place 1 of 2 by main score, ahead of seer + painter" in words["New pair: poet + painter"]


def test_movements_between_versions_need_ranges_that_do_not_overlap() -> None:
    assert Track(("a", "b"), (Standing(4, 5, 20.0), Standing(1, 2, 90.0))).words == "down from 1–2 to 4–5"
    assert Track(("a", "b"), (Standing(2, 4, 20.0), Standing(1, 2, 90.0))).words.startswith("not clearly moved")
    assert Track(("a", "b"), (None, Standing(1, 2, 90.0))).words == "no longer there"


def test_frozen_boards_are_laid_beside_the_live_one(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    about = {"category": "all", "difficulty": "all", "judge": site.judge, "generator": "painter"}
    rows = (
        {**about, "describer": "seer", "rank_low": 1, "rank_high": 1, "main_score_mean": 88.0},
        {**about, "describer": "gone", "rank_low": 2, "rank_high": 2, "main_score_mean": 10.0},
        {**about, "describer": 7, "rank_low": "x"},
    )
    board = FrozenBoard(record=None, folder=tmp_path, rows=rows)  # type: ignore[arg-type]
    told = {track.name[0]: track for track in tracks(site, [board])}
    assert told["seer"].standings[1] == Standing(1, 1, 88.0)
    assert told["gone"].standings[0] is None
    assert told["poet"].words == "new"
