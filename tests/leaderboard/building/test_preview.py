"""A submission as the site will show it: its page, and the place it takes as far as it was played."""

from pathlib import Path

import pytest
from pages import read_page
from samples import sample_instances, sample_run, sample_submission

from ircore.commands.main import run as ircore
from leaderboard.building.preview import preview
from leaderboard.building.site_check import check_site
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.unplayed_submission import waiting_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of a pair."""
    folder = tmp_path_factory.mktemp("preview")
    sample_run(folder / "run", sample_instances(folder / "instances"))
    assert ircore(["score", str(folder / "run")]) == 0
    return folder / "run"


def test_every_page_of_a_preview_says_that_it_is_one(run: Path, tmp_path: Path) -> None:
    preview(sample_submission("new-pair"), [run], tmp_path / "site")
    paths = [path for path in (tmp_path / "site").rglob("*.html") if path.name != "404.html"]
    assert {"index.html", "submit.html", "new-pair.html"} <= {path.name for path in paths}
    for path in paths:
        page = read_page(path)
        (notice,) = page.find("aside", class_="irg-notice")
        assert "Preview, not the leaderboard" in notice.text
        (link,) = notice.find("a")
        assert (path.parent / link.attributes["href"]).resolve() == tmp_path / "site" / "pairs" / "new-pair.html"
    assert check_site(tmp_path / "site")[0] == []


def test_one_that_was_not_played_has_a_page_of_what_it_says(run: Path) -> None:
    site = Site(read_runs([run]))
    page = waiting_page(site, (), sample_submission("new-pair"))
    assert page is not None
    assert (page.path, page.values["rivals"]) == ("pairs/new-pair", 1)
    assert waiting_page(site, (), sample_submission(next(iter(site.pairs.values())).result.slug)) is None


def test_without_runs_there_is_nothing_to_stand_beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).resolve().parents[3] / "submissions" / "builtin-classical-canvas"
    assert ircore(["submission", "check", str(folder), "--preview", str(tmp_path / "site")]) == 2
    out, err = capsys.readouterr()
    assert "valid" in out
    assert "--runs" in err
