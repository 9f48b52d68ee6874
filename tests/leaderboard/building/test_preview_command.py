"""``ircore maintain preview`` and the list of submissions that nobody played here."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest
from hub_server import HubServer, running_hub
from pages import read_page
from PIL import Image
from samples import sample_instances, sample_run, sample_submission
from transcripts import REVISION, SLUG, Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.instances.store import read_instances
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.decisions import DECISIONS, Decision, add_decision, format_decisions
from ircore.submissions.pending_work import read_merged_submissions
from ircore.submissions.rescoring import fetch as fetching
from leaderboard.building.content import Options
from leaderboard.building.preview import preview
from leaderboard.building.site_build import build_site
from leaderboard.building.site_check import check_site
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.maintainers_work import build_waiting_page

pytestmark = pytest.mark.slow


PLAN = ScoringPlan(("structural",), ("psnr", "ssim"))


class World(NamedTuple):
    """A clone with a pull request, what it names on the Hub, and what is published."""

    repo: Path
    hub: HubServer
    handed: Handed
    published: Path

    def preview(self, out: Path, *more: str, instances: Path | None = None) -> int:
        sets = str(instances or self.handed.instances)
        known = ["--published", str(self.published), "--instances", sets, "--out", str(out)]
        return ircore(["maintain", "preview", "main", "mine", "--repo", str(self.repo), *known, *more])


def git(repo: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(repo), *who, *words], check=True, capture_output=True)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setattr(fetching, "WAITS", (0.01,))
        handed = hand_in(tmp_path / "handed")
        published = tmp_path / "published"
        (published / "runs").mkdir(parents=True)
        former = tmp_path / "handed" / "run"
        score_runs([RunFolder(former)], PLAN)
        former.rename(published / "runs" / "former")
        repo = tmp_path / "repo"
        git(tmp_path, "init", "-q", "-b", "main", str(repo))
        (repo / "README.md").write_text("x")
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "base")
        git(repo, "switch", "-qc", "mine")
        yield World(repo, hub, handed, published)


def propose(world: World) -> None:
    """Upload what was packed, and open a pull request that names it."""
    uploaded = world.hub.add_repo("me/mine", files=world.handed.files())
    reference = {"repo": "me/mine", "revision": uploaded.head, "run": world.handed.run.name}
    write_manifest(world.repo / "submissions" / SLUG, reference)
    git(world.repo, "add", "-A")
    git(world.repo, "commit", "-qm", "change")


def test_transcripts_are_scored_and_a_copied_target_is_shown_to_whoever_reviews_the_pull_request(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The summary says that the run is held and lists why; the artefact has both pictures side by side.

    The run takes the place of the pair's former one; a run of a former version of the benchmark is not beside it.
    """
    runs = world.published / "runs"
    shutil.copytree(runs / "former", runs / "other")
    known = runs / "other" / "run.json"
    prompts = RunFolder(runs / "other").run.prompts
    known.write_text(known.read_text().replace(SLUG, "another-pair").replace(prompts, "built-in 0123456789ab"))
    instances = read_instances(world.handed.instances)
    target = instances.instances[0]
    data = BytesIO()
    Image.fromarray(instances.picture(target, "target").pixels).save(data, "PNG")
    world.handed.draw(data.getvalue(), (target.instance_id,), *instances.picture(target, "target").pixels.shape[1::-1])
    propose(world)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert world.preview(tmp_path / "site", "--rescore", "--github") == 0
    out = capsys.readouterr().out
    assert "me/mine: 4 episodes hold by the rules" in out
    # The sample's second renderings are their targets, pixel by pixel.
    assert "place  none (held: its findings wait for a maintainer) by structural: main score " in out
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("### Preview\n\n<pre>page ")
    assert "### Findings\n\n**Held**: " in summary
    row = next(line for line in summary.splitlines() if "`identical_to_target`" in line)
    name = row.split("`")[-2]
    with Image.open(tmp_path / "site" / name) as sheet:
        left, right = sheet.crop((0, 0, 96, 96)), sheet.crop((104, 0, 200, 96))
        assert sheet.size == (200, 96)
        assert left.tobytes() == right.tobytes() == instances.picture(target, "target").pixels.tobytes()
    assert f"]({name})" in (tmp_path / "site" / "findings.md").read_text()
    page = (tmp_path / "site" / "pairs" / f"{SLUG}.html").read_text()
    assert "This run is <strong>held</strong>" in page
    assert "A rendering like a target, pixel by pixel" in page


def test_transcripts_that_no_rules_allow_are_refused_before_the_merge(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.handed.edit(lambda lines: lines.__delitem__(slice(-1, None)))
    propose(world)
    assert world.preview(tmp_path / "site", "--rescore") == 2
    err = capsys.readouterr().err
    assert "refused: 1 of 4 episodes were not played to their end" in err
    assert "ircore: me/mine " in err
    assert not (tmp_path / "site").exists()


def test_transcripts_of_other_pictures_are_refused_by_names_that_the_submitter_knows(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    propose(world)
    instances = sample_instances(tmp_path / "new-version", per_condition=2)
    assert world.preview(tmp_path / "site", "--rescore", instances=instances.folder) == 2
    told = f"ircore: submissions/{SLUG}/submission.yaml: instance_set: the transcripts were played with"
    assert told in capsys.readouterr().err


def test_without_published_runs_there_is_nothing_to_stand_beside(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["maintain", "preview", "main", "mine", "--repo", str(world.repo), "--out", str(tmp_path / "site")]
    assert ircore([*words, "--published", str(tmp_path / "none")]) == 2
    assert "ircore release pull" in capsys.readouterr().err


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of a pair."""
    folder = tmp_path_factory.mktemp("preview")
    sample_run(folder / "run", sample_instances(folder / "instances"))
    score_runs([RunFolder(folder / "run")], PLAN)
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
    page = build_waiting_page(site, (), sample_submission("new-pair"))
    assert page is not None
    assert (page.path, page.values["rivals"]) == ("pairs/new-pair", 1)
    assert build_waiting_page(site, (), sample_submission(next(iter(site.pairs.values())).result.slug)) is None


def test_without_runs_there_is_nothing_to_stand_beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).resolve().parents[3] / "submissions" / "builtin-classical-canvas"
    assert ircore(["submission", "check", str(folder), "--preview", str(tmp_path / "site")]) == 2
    out, err = capsys.readouterr()
    assert "valid" in out
    assert "--runs" in err


REASON = "the pictures look <b>traced</b>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One pair that was played and is disputed, one that was only handed in, one that was withdrawn."""
    folder = tmp_path_factory.mktemp("submitted")
    run = sample_run(folder / "run", sample_instances(folder / "instances"))
    score_runs([run], PLAN)
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
    disputed = '<a class="tier tier-disputed" href="../pairs/centre-block.html#history"'
    assert all(words in listed for words in (disputed, 'href="handed-in.html"', "withdrawn"))
    assert "builtin-one" not in listed
    assert "handed-in" not in (site / "boards" / "index.html").read_text()
    assert "handed-in" not in (site / "data" / "leaderboard.json").read_text()
    page = (site / "pairs" / "handed-in.html").read_text()
    address = f'href="https://huggingface.co/datasets/me/mine/tree/{REVISION}/other-01234567"'
    said = ("self-reported", f"me/mine at {REVISION}", address, "whose transcripts have not been scored here")
    assert [words for words in said if words not in page] == []


@pytest.mark.parametrize("board", ["index.html", "metric-ssim.html"])
def test_a_disputed_pair_is_marked_on_every_board(site: Path, board: str) -> None:
    page = (site / "boards" / board).read_text()
    mark = re.search(r'<a class="tier tier-disputed" href="([^"]+)" title="([^"]+)">disputed</a>', page)
    assert mark is not None
    assert mark[1] == "../pairs/centre-block.html#history"
    assert ("somebody objects" in page) == (board == "index.html")
    assert mark[2] == "since 2026-11-01: the pictures look &lt;b&gt;traced&lt;/b&gt;"


def test_only_a_preview_says_that_it_is_one(site: Path) -> None:
    assert not any("irg-notice" in path.read_text() for path in site.rglob("*.html"))


def test_what_happened_is_told_on_the_pairs_page_and_in_the_feed(site: Path) -> None:
    page = (site / "pairs" / "centre-block.html").read_text()
    assert all(words in page for words in ("disputed", "&lt;b&gt;traced", "<strong>Disputed</strong> since 2026-11-01"))
    assert "<b>traced" not in page
    withdrawn = (site / "pairs" / "taken-back.html").read_text()
    assert all(words in withdrawn for words in ("that was withdrawn", "by its authors"))
    assert not any(words in withdrawn for words in ("self-reported", "To play it"))
    feed = (site / "feed.atom").read_text()
    assert all(words in feed for words in ("Disputed: ", "Withdrawn: ", "2026-11-02T00:00:00Z"))
    assert "by its authors" in (site / "changes.html").read_text()


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        read_merged_submissions(tmp_path / "nowhere")
    assert read_merged_submissions(tmp_path) == ()


def test_what_waits_for_maintainers_is_a_page(site: Path) -> None:
    """``ircore maintain pending`` prints the same list."""
    page = read_page(site / "pending.html")
    rows = [[cell.text for cell in row.children if not isinstance(cell, str)] for row in page.find("tr")]
    assert ["handed-in", "to be re-scored: no run of it is published", "nothing to pay"] in rows
    assert "taken-back" not in page.text
    assert "centre-block, all runs, since 2026-11-01: the pictures look <b>traced</b>" in page.text
    assert 'href="../pending.html"' in (site / "pairs" / "index.html").read_text()
