"""Pages on people's names for pictures and on targets: counted, sorted, beside the paper's figures."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pages import Element, parse_page, read_page
from site_samples import built_once

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.games.reference.build import build as build_contexts
from ircore.games.reference.naming import PIECES
from ircore.instances.requests import BuildRequest
from leaderboard.building.site_check import check_site
from leaderboard.charts.naming import find_bin
from leaderboard.pages.naming import build_naming_page
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import Shown

BODY = dict.fromkeys(PIECES, "body")
DRAWN = {"tangrams-easy-01/p1": Shown("img/small.webp", "img/large.webp", 64, 64)}


def annotated(folder: Path, name: str = "names", **pictures: Any) -> Path:
    """A file of annotations: names of the whole by picture, or a whole entry."""
    path = folder / f"{name}.json"
    entries = {
        picture.replace("__", "/").replace("_", "-"): [{"whole": whole, "part": BODY} for whole in given]
        if isinstance(given, list)
        else given
        for picture, given in pictures.items()
    }
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def rendered(path: Path) -> Element:
    return parse_page(Renderer(None, {}).block(build_naming_page([path], DRAWN)))


def rows_of(page: Element) -> list[Element]:
    """The rows of the table of pictures."""
    return page.find("table", class_="names")[0].find("tbody")[0].find("tr")


@pytest.mark.slow
def test_the_hardest_picture_is_on_top_and_only_what_may_be_shown_is_drawn(tmp_path: Path) -> None:
    page = rendered(
        annotated(tmp_path, tangrams_easy_01__p1=["dog", "dog"], page1_7=["cat", "boat"], elsewhere=["bird", "bird"])
    )
    rows = rows_of(page)
    assert [row.find("th")[0].text.strip() for row in rows] == ["page1-7", "elsewhere", "tangrams-easy-01/p1"]
    assert [len(row.find("img")) for row in rows] == [0, 0, 1]
    assert "lil-lab/kilogram" in page.text  # how readers get KiloGram's


def test_the_papers_figures_stand_beside_ours_with_their_source(tmp_path: Path) -> None:
    page = rendered(annotated(tmp_path, dog=["dog", "dog"]))
    reported = page.find("tr", class_="reported")
    assert [row.find("th")[0].text for row in reported] == ["FULL", "DENSE", "DENSE10"]
    assert "0.93 ± 0.06" in " ".join(reported[1].text.split())
    assert {row.find("a")[0].attributes["href"] for row in reported} == {"https://arxiv.org/abs/2211.16492"}


def test_values_that_the_file_states_stand_under_ours(tmp_path: Path) -> None:
    names = [{"whole": "dog"}, {"whole": "cat"}]
    page = rendered(annotated(tmp_path, blob={"snd": 0.75, "annotations": names}))
    cell = rows_of(page)[0].find("td")[1]
    assert " ".join(cell.text.split()) == "1.000.75 stated"
    assert "the largest difference is 0.2" in page.text


def test_a_histogram_counts_every_picture_once_and_splits_at_the_cuts(tmp_path: Path) -> None:
    page = build_naming_page(
        [annotated(tmp_path, dog=["dog", "dog"], hound=["a dog", "dogs"], blob=["cat", "boat"])], {}
    )
    snd, pnd, psa = page.values["own_charts"]
    counts = {trace["name"]: sum(trace["x"]) for trace in snd.figure["data"]}
    assert counts == {"easy": 2, "between": 0, "hard": 1}
    assert snd.title == "SND of names: 2 of 3 pictures easy by their names, 1 hard"
    assert sum(pnd.figure["data"][0]["x"]) == sum(psa.figure["data"][0]["x"]) == 3
    # A line between the bins 0.95–1.00 and 0.90–0.95, one between 0.80–0.85 and 0.75–0.80.
    assert [shape["y0"] for shape in snd.figure["layout"]["shapes"]] == [3.5, 0.5]
    for chart in (snd, pnd, psa):
        assert chart.still().count("<svg") == 2


@pytest.mark.parametrize(
    ("value", "place"), [(0.0, 0), (0.05, 0), (0.0501, 1), (0.80, 15), (0.8000001, 16), (0.95, 18), (1.0, 19)]
)
def test_bins_hold_their_upper_edge(value: float, place: int) -> None:
    assert find_bin(value, 0.05) == place


def test_every_value_of_a_grid_falls_into_the_bin_around_it() -> None:
    bins = Counter(find_bin(number / 100, 0.05) for number in range(1, 101))
    assert bins == dict.fromkeys(range(20), 5)


def test_strangers_ids_and_names_of_files_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "<b>bold.json"
    path.write_text(json.dumps({"<script>1</script>": [{"whole": "dog"}, {"whole": "cat"}]}), encoding="utf-8")
    page = rendered(path)
    assert not page.find("script")
    assert not page.find("b")
    assert "<script>1</script>" in rows_of(page)[0].text


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    paths = [annotated(folder, dog=["dog", "cat"]) for folder in (tmp_path, tmp_path / "other")]
    with pytest.raises(InputError, match="two files are called names"):
        build_naming_page(paths, {})


def built(folder: Path) -> None:
    instances = build_contexts(BuildRequest(folder / "contexts", per_condition=1, categories=("lineup",)))
    manifest = folder / "looker" / "submission.yaml"
    manifest.parent.mkdir()
    manifest.write_text(
        "schema: 1\ngame: reference\nname: looker\nlicence: CC0-1.0\n"
        "speaker: {player: looker}\nlistener: {player: looker}\n",
        encoding="utf-8",
    )
    run = str(folder / "run")
    assert ircore(["play", str(manifest.parent), "--instances", str(instances.folder), "--out", run]) == 0
    assert ircore(["score", run]) == 0
    names = annotated(folder, lineup_easy_01__p1=["dog", "dog"], page1_7=["cat", "boat"])
    spoilt = folder / "spoilt.json"
    spoilt.write_text('{"blob": [{"whole": 3}]}', encoding="utf-8")
    command = ["site", "build", "--runs", run, "--out", str(folder / "site"), "--names"]
    assert ircore([*command, str(spoilt)]) == 2
    assert not (folder / "site").exists()
    assert ircore([*command, str(names)]) == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "naming", built)


@pytest.mark.slow
def test_a_site_has_the_page_and_its_figures_if_annotations_are_given(site: Path) -> None:
    findings, _ = check_site(site)
    assert not findings
    page = read_page(site / "naming.html")
    by_picture = {row.find("th")[0].text.strip(): row for row in rows_of(page)}
    (drawn,) = by_picture["lineup-easy-01/p1"].find("img")
    assert (site / drawn.attributes["src"]).is_file()
    assert not by_picture["page1-7"].find("img")
    for measure in ("snd", "pnd", "psa"):
        assert (site / "charts" / f"names-1-{measure}.json").is_file()
        assert (site / "charts" / f"names-1-{measure}.csv").is_file()
    assert [link.text.strip() for link in page.find("a", href="naming.html")][:1] == ["Names for pictures"]
