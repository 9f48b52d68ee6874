"""Submissions that nobody played here are listed without numbers, and what happened to each is told."""

import re
from pathlib import Path

import pytest
from pages import read_page
from samples import sample_instances, sample_run
from transcripts import REVISION, write_manifest

from ircore.core.errors import InputError
from ircore.scorers.scoring import JUDGES, METRICS, ScoringPlan, score_runs
from ircore.submissions.decisions import DECISIONS, Decision, add_decision, format_decisions
from ircore.submissions.pending_work import merged_submissions
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site

pytestmark = pytest.mark.slow

REASON = "the pictures look <b>traced</b>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One pair that was played and is disputed, one that was only handed in, one that was withdrawn."""
    folder = tmp_path_factory.mktemp("submitted")
    run = sample_run(folder / "run", sample_instances(folder / "instances"))
    score_runs([run], ScoringPlan(JUDGES, METRICS, every_turn=False))
    reference = {"repo": "me/mine", "revision": REVISION, "run": "other-01234567"}
    for slug in ("builtin-one", "centre-block", "handed-in", "taken-back"):
        write_manifest(folder / "submissions" / slug, reference if slug == "handed-in" else None)
    # Such a reason would be refused today; what was decided before is shown as text all the same.
    disputed = Decision(date="2026-11-01", kind="disputed", reason=REASON)
    (folder / "submissions" / "centre-block" / DECISIONS).write_text(format_decisions([disputed]))
    add_decision(
        folder / "submissions" / "taken-back", Decision(date="2026-11-02", kind="withdrawn", reason="by its authors")
    )
    build_site(
        [run.path], folder / "site", Options(submissions=folder / "submissions", address="https://site.example/")
    )
    return folder / "site"


def test_what_was_only_handed_in_is_listed_and_not_ranked(site: Path) -> None:
    listed = (site / "pairs" / "index.html").read_text()
    assert 'href="handed-in.html"' in listed
    assert "withdrawn" in listed
    assert "builtin-one" not in listed
    assert "handed-in" not in (site / "boards" / "index.html").read_text()
    assert "handed-in" not in (site / "data" / "leaderboard.json").read_text()
    page = (site / "pairs" / "handed-in.html").read_text()
    assert "self-reported" in page
    assert f"me/mine at {REVISION}" in page
    assert f'href="https://huggingface.co/datasets/me/mine/tree/{REVISION}/other-01234567"' in page
    assert "whose transcripts have not been scored here" in page


@pytest.mark.parametrize("board", ["index.html", "metric-ssim.html"])
def test_a_disputed_pair_is_marked_on_every_board(site: Path, board: str) -> None:
    page = (site / "boards" / board).read_text()
    mark = re.search(r'<a class="tier tier-disputed" href="([^"]+)" title="([^"]+)">disputed</a>', page)
    assert mark is not None
    assert mark[1] == "../pairs/centre-block.html#history"
    assert ("somebody objects" in page) == (board == "index.html")
    assert mark[2] == "since 2026-11-01: the pictures look &lt;b&gt;traced&lt;/b&gt;"


def test_a_disputed_pair_is_marked_in_the_list_of_pairs(site: Path) -> None:
    (mark,) = read_page(site / "pairs" / "index.html").find("a", class_="tier-disputed")
    assert mark.attributes["href"] == "../pairs/centre-block.html#history"


def test_only_a_preview_says_that_it_is_one(site: Path) -> None:
    assert not any("irg-notice" in path.read_text() for path in site.rglob("*.html"))


def test_what_was_withdrawn_is_not_called_self_reported(site: Path) -> None:
    page = (site / "pairs" / "taken-back.html").read_text()
    assert "that was withdrawn" in page
    assert "self-reported" not in page
    assert "To play it" not in page


def test_what_happened_is_told_on_the_pairs_page_and_in_the_feed(site: Path) -> None:
    page = (site / "pairs" / "centre-block.html").read_text()
    assert "disputed" in page
    assert "&lt;b&gt;traced" in page
    assert "<strong>Disputed</strong> since 2026-11-01" in page
    assert "that was withdrawn" in (site / "pairs" / "taken-back.html").read_text()
    assert "<b>traced" not in page
    assert "by its authors" in (site / "pairs" / "taken-back.html").read_text()
    feed = (site / "feed.atom").read_text()
    assert "Disputed: " in feed
    assert "Withdrawn: " in feed
    assert "2026-11-02T00:00:00Z" in feed
    assert "by its authors" in (site / "changes.html").read_text()


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        merged_submissions(tmp_path / "nowhere")
    assert merged_submissions(tmp_path) == ()


def test_what_waits_for_maintainers_is_a_page(site: Path) -> None:
    """``ircore maintain pending`` prints the same list."""
    page = read_page(site / "pending.html")
    rows = [[cell.text for cell in row.children if not isinstance(cell, str)] for row in page.find("tr")]
    assert ["handed-in", "to be re-scored: no run of it is published", "nothing to pay"] in rows
    assert "taken-back" not in page.text
    assert "centre-block, all runs, since 2026-11-01: the pictures look <b>traced</b>" in page.text
    assert 'href="../pending.html"' in (site / "pairs" / "index.html").read_text()
