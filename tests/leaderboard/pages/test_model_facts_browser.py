"""What submitters state about their models, as columns of a board in a real browser and in the files saved there."""

import json
from pathlib import Path

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit

from leaderboard.building.site_build import build_site

pytestmark = pytest.mark.slow

MAKER = "Institute of Very Long Names, Göttingen"


def make_site(folder: Path) -> None:
    instances = sample_instances(folder / "instances", per_condition=1)
    paths = []
    for place, slug in enumerate(("poet", "seer")):
        submission = named_submission(slug, slug, "painter")
        about = {"organisation": MAKER, "open_weights": True, "parameters_b": 8, "usd_per_episode": 0.02}
        describer = submission.submission.describer.model_dump() | {"about": about}
        stated = type(submission.submission).model_validate(
            submission.submission.model_dump() | {"describer": describer}
        )
        run = sample_run(folder / slug, instances, type(submission)(slug, stated, submission.path))
        paths.append(rate_turns(run, 7.0 - place, by_episode=0.1, by_turn=1).path)
    build_site(paths, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "site-with-stated-facts", make_site)


def test_a_long_name_of_a_maker_stays_in_its_column(visit: Visit) -> None:
    page = visit.open("boards/index.html")
    page.get_by_label("models").check()
    maker = page.locator("tbody td[data-label='Maker']").first
    assert maker.inner_text().startswith(MAKER)
    inner, outer = maker.evaluate(
        "cell => { const { left, right } = cell.firstElementChild.getBoundingClientRect(),"
        " own = cell.getBoundingClientRect(); return [[left, right], [own.left, own.right]]; }"
    )
    assert outer[0] <= inner[0] < inner[1] <= outer[1]


def test_files_say_in_which_units_size_and_price_are_stated(visit: Visit) -> None:
    page = visit.open("boards/index.html?hide=effort")
    page.get_by_text("Export").click()
    with page.expect_download() as saved:
        page.get_by_text("JSON of what is shown").click()
    document = json.loads(saved.value.path().read_text(encoding="utf-8"))
    units = document["units"]
    assert (units["describer_size"], units["describer_price"]) == ("10⁹ parameters", "US$ an episode")
    assert "describer_organisation" not in units
    assert document["rows"][0]["describer_size"] == 8
