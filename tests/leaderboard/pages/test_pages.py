"""Pages of pairs, players, comparisons, changes, limits; feeds, badges, citations: made from runs by hand."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pages import read_page
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from ircore.commands.main import run
from ircore.instances.benchmark import BenchmarkVersion
from ircore.results.benchmark_version import Version
from ircore.results.effects import average_player
from ircore.runs.folder import RunFolder
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.citation import (
    build_badge_files,
    build_badges,
    build_citation_page,
    escape_bibtex,
    format_bibtex,
    format_pair_bibtex,
)
from leaderboard.pages.feed import list_changes, render_atom, render_json_feed
from leaderboard.pages.pair_comparison import Comparisons

pytestmark = pytest.mark.slow

RELEASED = Version(
    "a" * 64, "p 1", BenchmarkVersion(name="2026.1", instance_set="a" * 64, prompts="p 1", date="2026-01-31")
)
ADDRESS = "https://boards.example/game/"
ATOM = "{http://www.w3.org/2005/Atom}"

PAIRS = (("seer", "painter", 5.0), ("teller", "painter", 4.0), ("seer", "sketcher", 3.0), ("teller", "sketcher", 1.0))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = tmp_path_factory.mktemp("runs")
    instances = sample_instances(folder / "instances", per_condition=2)
    return [
        rate_turns(sample_run(folder / slug, instances, named_submission(slug, item, other)), first, 0.1, 2)
        for slug, item, other, first in ((f"{item}-{other}", item, other, first) for item, other, first in PAIRS)
    ]


@pytest.fixture(scope="module")
def site(runs: list[RunFolder]) -> Site:
    return Site(read_runs([run.path for run in runs]), address=ADDRESS)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pairs, one with an author and a link."""
    folder = tmp_path_factory.mktemp("built")
    instances = sample_instances(folder / "instances", per_condition=1)
    links = {"code": "https://example.org/code"}
    known = named_submission("seer-painter", "seer", "painter", authors=["Ada B."], links=links)
    made = [
        rate_turns(sample_run(folder / submission.slug, instances, submission), 4.0, 0.1, 2).path
        for submission in (named_submission("poet-painter", "poet", "painter"), known)
    ]
    build_site(made, folder / "site", Options(address=ADDRESS))
    return folder / "site"


def test_a_player_is_averaged_over_its_partners_on_the_same_pictures(site: Site) -> None:
    # The finals of two pairs differ by a constant, so the mean over both lies half-way between.
    seer = average_player(site.results, "describer", "seer", "structural")
    cells = [site.results.cell(run_id, "structural") for run_id in seer.run_ids]
    means = [cell.score.mean for cell in cells if cell.score.mean is not None]
    assert len(means) == 2
    assert seer.score.mean == pytest.approx(sum(means) / 2)
    assert seer.score.n == cells[0].score.n
    assert set(seer.by_category) == set(site.results.categories)
    for category, splits in seer.by_condition.items():
        assert set(splits) == {"easy", "hard"}
        for difficulty, split in splits.items():
            own = [site.results.cell(run_id, "structural", category, difficulty).score.mean for run_id in seer.run_ids]
            assert split.mean == pytest.approx(sum(mean or 0.0 for mean in own) / 2)
    nobody = average_player(site.results, "generator", "nobody", "structural")
    assert (nobody.run_ids, nobody.score.mean, nobody.score.n) == ((), None, 0)


def test_comparisons_are_known_once_and_hold_every_final_score(site: Site) -> None:
    files = {path: json.loads(text) for path, text in Comparisons(site).files()}
    index = files["data/compare/index.json"]
    order = [pair["key"] for pair in index["pairs"]]
    assert order == ["seer-painter", "teller-painter", "seer-sketcher", "teller-sketcher"]
    first = files["data/compare/structural/seer-painter.json"]
    last = files["data/compare/structural/teller-sketcher.json"]
    assert (list(first["against"]), last["against"]) == (order[1:], {})
    mean, low, high, n, wins, ties, losses, *main, counted, least, most, _, _ = first["against"]["teller-painter"][""]
    # Every final of the first is one point higher: no spread, all wins.
    assert mean == pytest.approx(1.0)
    assert low <= 1.0 <= high
    # Each gave up the same pictures; what they would have scored there could be anything.
    size = len(index["instances"])
    assert (main[0], counted) == (pytest.approx(10 * n / size), size)
    assert (least, most) == (
        pytest.approx((n - 10 * (size - n)) / size, abs=1e-4),
        pytest.approx((n + 10 * (size - n)) / size, abs=1e-4),
    )
    assert (n, wins, ties, losses) == (sum(score is not None for score in first["finals"]), n, 0, 0)
    assert len(first["finals"]) == len(index["instances"]) == len(index["t"]) + 1
    assert index["t"][:2] == [12.7062, 4.30265]  # any table of Student's t, 97.5 %


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_the_atom_feed_has_what_rfc_4287_requires(site: Site, address: str) -> None:
    feed = ElementTree.fromstring(render_atom(list_changes(site), "set", address))
    assert feed.tag == f"{ATOM}feed"
    for required in ("id", "title", "updated", "author"):
        assert len(feed.findall(ATOM + required)) == 1
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links == {"alternate": f"{address}changes.html"} | ({"self": f"{address}feed.atom"} if address else {})
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == len(list_changes(site))
    for entry in entries:
        for required in ("id", "title", "updated"):
            assert len(entry.findall(ATOM + required)) == 1
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", entry.findtext(f"{ATOM}id", ""))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.findtext(f"{ATOM}updated", ""))


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_the_json_feed_has_what_version_1_1_requires(site: Site, address: str) -> None:
    feed = json.loads(render_json_feed(list_changes(site), address))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    assert ("feed_url" in feed) == bool(address)
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        assert item["content_text"]
        # Addresses have to be absolute, so there are none unless the site's is known.
        assert item.get("url", ADDRESS).startswith(ADDRESS)
        assert ("url" in item) == bool(address)


def test_badges_say_version_rank_range_and_score(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = next(run_id for run_id, pair in site.pairs.items() if pair.key == "seer-painter")
    overall = build_badges(site)[run_id][0]
    row = site.results.board("structural")[0]
    assert overall.message.startswith(f"rank {row.rank_low}")
    assert re.fullmatch(r"rank \d(–\d)? of 4 · \d\d\.\d (± \d+\.\d|\d+\.\d to \d+\.\d)", overall.message)
    picture = ElementTree.fromstring(overall.svg())
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == picture.findtext("{http://www.w3.org/2000/svg}title")
    shields = json.loads(overall.shields())
    assert (shields["schemaVersion"], shields["message"]) == (1, overall.message)
    assert overall.label == "image reconstruction", "the benchmark of this site is not released"
    monkeypatch.setattr(site, "version", RELEASED)
    assert build_badges(site)[run_id][1].label == "image reconstruction 2026.1, geometry"
    names = [path for path, _ in build_badge_files(site)]
    assert len(names) == len(set(names)) == 2 * len(PAIRS) * (1 + len(site.results.categories))


def test_bibtex_is_one_entry_with_balanced_braces_whatever_the_names() -> None:
    assert escape_bibtex("50 % & _{x}") == r"50 \% \& \_\textbraceleft{}x\textbraceright{}"
    entry = format_bibtex(
        {"title": "A {title}", "authors": [{"name": "Grüße & Co."}, {"family-names": "D'A", "given-names": "M"}]}
    )
    assert entry.splitlines()[0] == "@misc{datitle,"
    assert r"author = {{Grüße \& Co.} and D'A, M}," in entry


def test_the_benchmark_and_the_paper_are_cited_from_one_source() -> None:
    entries = [value["bibtex"] for value in build_citation_page(RELEASED, ADDRESS).values["entries"]]
    assert entries[0].startswith("@article{hakimov2026image,")
    assert "eprint = {2606.01901}" in entries[0]
    assert entries[0].count(" and ") == 3  # four authors
    assert entries[1].startswith("@misc{imagereconstructiongame")
    assert f"  url = {{{ADDRESS}}}," in entries[1]
    assert "  note = {benchmark 2026.1, instance set aaaaaaaaaaaa}," in entries[1]
    assert "url" not in build_citation_page(RELEASED, "").values["entries"][1]["bibtex"]


def test_a_pair_is_cited_with_its_run_and_page(site: Site) -> None:
    pair = next(iter(site.pairs.values()))
    entry = format_pair_bibtex(pair, f"{ADDRESS}pairs/{pair.key}.html")
    assert pair.run_id in entry
    assert f"url = {{{ADDRESS}pairs/{pair.key}.html}}" in entry
    assert "author = {{The Image Reconstruction Game leaderboard's contributors}}" in entry  # nobody is named
    assert "note = {Rank 1 of 2. Run" in format_pair_bibtex(pair, "", "rank 1 of 2")


@pytest.mark.parametrize("wrong", ["a.example", "ftp://a.example/", "https://a.example/?x=1"])
def test_a_wrong_address_of_the_site_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "build", "--runs", "nowhere", "--out", "nowhere", "--site-url", wrong]) == 2
    assert "not a web address" in capsys.readouterr().err


def test_links_of_a_submission_are_marked_as_a_strangers(built: Path) -> None:
    page = read_page(built / "pairs" / "seer-painter.html")
    (link,) = page.find("a", rel="ugc")
    assert link.attributes["rel"] == "nofollow noopener ugc"
    assert link.attributes["href"].startswith("https://example.org/")


def test_a_pairs_page_says_what_is_needed_to_play_it_again(built: Path) -> None:
    page = read_page(built / "pairs" / "seer-painter.html")
    settings = {
        element.find("dt")[0].text: element.find("dd")[0].text
        for listed in page.find("dl", class_="settings")
        for element in listed.find("div")
    }
    for name in ("Describer", "Generator", "Prompts", "Seed", "Instance set", "Token budget", "Turn limit", "Licence"):
        assert settings[name]
    assert settings["Authors"] == "Ada B."
    text = "".join(element.text for element in page.find("pre"))
    assert "ircore play submissions/seer-painter" in text
    assert f"{ADDRESS}badges/seer-painter/overall.svg" in text
    assert "@misc{seer-painter-" in text


def test_every_number_by_condition_opens_its_episodes(built: Path) -> None:
    page = read_page(built / "pairs" / "seer-painter.html")
    rows = [row for body in page.find("table", class_="conditions")[0].find("tbody") for row in body.find("tr")]
    assert rows
    for row in rows:
        links = row.find("a", class_="heat-link")
        assert links
        for link in links:
            target = link.attributes["href"].partition("?")[0].partition("#")[0]
            assert (built / "pairs" / target).resolve().is_file()


def test_every_number_of_a_board_opens_its_episodes(built: Path) -> None:
    cells = read_page(built / "boards" / "index.html").find("tbody")[0].find("td", class_="number")
    numbers = [cell for cell in cells if not cell.find("span", class_="missing")]
    # A comparison with other pairs has no episodes of its own.
    numbers = [cell for cell in numbers if not {"chance", "against"} & set(cell.attributes["class"].split())]
    assert len(numbers) >= 2 * 5
    for cell in numbers:
        target, _, place = cell.find("a", class_="episodes")[0].attributes["href"].partition("#")
        assert (built / "boards" / target).resolve().is_file()
        assert place in {"conditions", "outcomes"}


def test_what_the_numbers_cannot_tell_is_worked_out_from_the_runs(built: Path) -> None:
    text = read_page(built / "limits.html").text
    assert "No person and no language model has looked" in text
    assert "no: no human ratings" in text
    assert "r = 0.56" in text


def test_the_numbers_of_a_figure_lead_to_the_episodes_behind_them(built: Path) -> None:
    page = read_page(built / "figures.html")
    for kind in ("scores", "deltas", "trajectories"):
        (figure,) = page.find("figure", id=f"figure-{kind}")
        ours = figure.find("table")[0]
        means = [cell for cell in ours.find("td", class_="number") if " n " in cell.text]
        links = [cell.find("a", class_="episodes")[0].attributes["href"] for cell in means]
        assert links
        assert all(re.fullmatch(r"pairs/[\w-]+\.html#conditions", link) for link in links)
