"""Derived files are written again and compared to the byte; maintainers have maintainers' sections of their own."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from releases import rewrite

import dataset_card
from dataset_card.card.card import CARD, DATASHEET, MAX_CHARACTERS, begin, check_sections, find_texts, format_end_marker
from dataset_card.card.croissant import CROISSANT
from dataset_card.checking.file_checks import MOST, compare_texts
from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import TEXT_SOURCES, list_renderer_files, read_release
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import SCORES
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError

pytestmark = pytest.mark.slow


def replace_text(path: str, old: str, new: str, release: Path) -> None:
    text = (release / path).read_text("utf-8")
    assert old in text
    (release / path).write_text(text.replace(old, new, 1), "utf-8")


def change_a_pixel(name: str, release: Path) -> None:
    """Change the blue of the pixel in column 30 of row 20 by one."""
    pixels = np.array(Image.open(release / name).convert("RGB"))
    pixels[20, 30, 2] ^= 1
    Image.fromarray(pixels).save(release / name)


PLANTED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    # What is done, the file that is named, and what is said of it.
    "a board's figure": (
        partial(replace_text, "README.md", ") | 8.00 (", ") | 9.00 ("),
        "README.md:",
        "under Results: says “…",
    ),
    "a sentence of the datasheet": (
        partial(replace_text, "DATASHEET.md", "No person rated anything in this release.", "Ten people rated."),
        "DATASHEET.md:",
        "says “Ten people rated.”, the data say “No person rated",
    ),
    "a line of the change log": (
        partial(replace_text, "CHANGELOG.md", "* Added: ", "* Corrected: "),
        "CHANGELOG.md:",
        "says “* Corrected: ",
    ),
    "a statement for programs": (
        partial(replace_text, "croissant.json", '"inLanguage": "en"', '"inLanguage": "de"'),
        "croissant.json:",
        "the data say “",
    ),
    "a pixel of the strip": (partial(change_a_pixel, "assets/episode.png"), "assets/episode.png", "1 of "),
    "a pixel of the chart": (partial(change_a_pixel, "assets/scores.png"), "assets/scores.png", "1 of "),
    "a marker removed": (
        partial(replace_text, "README.md", begin("contact") + "\n", ""),
        "README.md",
        "maintainers' section contact: its two markers must each be there once",
    ),
}


@pytest.mark.parametrize("names", [[*PLANTED][:-1], [*PLANTED][-1:]], ids=["texts and pictures", "a marker"])
def test_changed_derived_files(names: list[str], release: Path) -> None:
    for name in names:
        PLANTED[name][0](release)
    faults = check_release(release).faults
    for _, where, said in map(PLANTED.__getitem__, names):
        assert any(fault.startswith(where) and said in fault for fault in faults), (said, faults)
    assert all("release again" in fault or "copy them" in fault for fault in faults), faults


def test_a_shard_too_many(release: Path) -> None:
    first = next((release / "data" / "scores").iterdir())
    more = first.with_name(first.name.replace("00000-of-00001", "00001-of-00002"))
    shutil.copy(first, more)
    assert f"data/scores/{more.name}: is not in release.json" in check_release(release).faults


def test_a_table_that_was_written_again_with_the_same_rows(release: Path) -> None:
    path = next((release / "data" / "scores").iterdir())
    path.write_bytes(path.read_bytes()[:-8] + path.read_bytes()[-8:])  # the same bytes are no fault
    assert check_release(release).faults == ()
    record = read_release(release)
    part = next(part for part in record.parts if part.config == "scores")
    other = part.model_copy(update={"shards": (part.shards[0].model_copy(update={"sha256": "0" * 64}),)})
    changed = record.model_copy(update={"parts": tuple(other if item is part else item for item in record.parts)})
    (release / "release.json").write_text(changed.model_dump_json(by_alias=True, indent=1) + "\n")
    assert any("is not the file that release.json names" in fault for fault in check_release(release).faults)


def test_only_so_many_differences_are_named_one_by_one() -> None:
    result, wanted = "\n".join(f"a{n}" for n in range(50)), "\n".join(f"b{n}" for n in range(50))
    differences = list(compare_texts(result.encode(), wanted.encode()))
    assert differences[0] == (1, "says “a0”, the data say “b0”; build the release again")
    assert len(differences) == MOST + 1
    assert differences[-1] == (50, "30 more differences; build the release again")


def test_what_other_code_wrote_is_said_to_be_unchecked(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A release that another version wrote stays readable: its datasheet differs, which is no fault of its data."""
    record = read_release(release).model_dump(mode="json", by_alias=True)
    record["renderer"] |= {"texts": "0" * 64}
    (release / "release.json").write_text(json.dumps(record))
    replace_text(DATASHEET, "turns", "rounds", release)
    report = check_release(release)
    said = "DATASHEET.md: not compared with the data: another version of the program wrote it"
    assert (report.faults, report.not_checked) == ((), (said,))
    assert ircore(["release", "check", "--no-load", str(release)]) == 0
    assert f"not checked: {said}" in capsys.readouterr().out.splitlines()


def test_every_source_of_the_renderer_is_there() -> None:
    """A module that was moved away would no longer count, and a change of it would not be seen."""
    folder = Path(dataset_card.__file__).parent
    assert [source for source in TEXT_SOURCES if not any(folder.glob(source))] == []


def test_the_renderer_is_all_that_a_card_is_written_with() -> None:
    names = {f"{path.parent.name}/{path.name}" for path in list_renderer_files()}
    templates = {f"templates/{name}.md.j2" for name in ("README", "DATASHEET", "LICENSE", "CHANGELOG")}
    code = {"card/pictures.py", "card/statements.py", "tables/schema.py", "tables/board.py", "dataset_card/markdown.py"}
    assert names >= templates | code | {"dataset_card/croissant_context.json"}


def test_a_release_without_a_rating_is_at_fault(release: Path) -> None:
    def keep_metrics(rows: list[Row]) -> None:
        rows[:] = [row for row in rows if row["measure"] == row["by"]]

    rewrite(release, SCORES, keep_metrics)
    assert any("no judge has rated anything yet" in fault for fault in check_release(release).faults)


def test_pictures_of_very_many_categories_are_not_drawn(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataset_card.checking.file_checks.MOST_CATEGORIES", 1)
    said = "derived files: not compared with the data: 2 categories, at most 1 are drawn"
    assert check_release(release).not_checked == (said,)


TEXT = ("Write to <maintainer@example.org>, or see [our page](https://example.org/irg).", "", "* *Monday* to Friday")


def write_free(release: Path, name: str, *lines: str, file: str = CARD) -> None:
    """Write into a maintainers' section with an editor."""
    block = f"{begin(name)}\n{format_end_marker(name)}"
    replace_text(file, block, "\n".join((begin(name), *lines, format_end_marker(name))), release)


def test_a_free_section_is_no_fault_and_stays_in_the_next_release(release: Path, built: Path, tmp_path: Path) -> None:
    write_free(release, "contact", *TEXT)
    write_free(release, "doi", "DOI 10.5281/zenodo.0000000")
    write_free(release, "homepage", "- **Homepage:** <https://example.org>")
    write_free(release, "funding", "Nobody paid for it.", file=DATASHEET)
    assert check_release(release).faults == ()
    build_release(
        [built / "runs" / "centre-block"], built / "instances", tmp_path / "next", BuildPlan(previous=release)
    )
    texts = find_texts(CARD, (tmp_path / "next" / CARD).read_text("utf-8"))
    assert texts[CARD, "contact"] == TEXT
    assert texts[CARD, "doi"] == ("DOI 10.5281/zenodo.0000000",)
    assert texts[CARD, "homepage"] == ("- **Homepage:** <https://example.org>",)
    assert json.loads((tmp_path / "next" / CROISSANT).read_bytes())["url"] == "https://example.org"
    assert "url" not in json.loads((release / CROISSANT).read_bytes())
    assert "\nNobody paid for it.\n" in (tmp_path / "next" / DATASHEET).read_text("utf-8")
    assert check_release(tmp_path / "next").faults == ()


REFUSED = {
    "# Results": "a heading",
    "Results\n=======": "the underline of a heading",
    "| 1 | ours | 10.00 |": "a table",
    "<img src=x onerror=alert(1)>": "HTML",
    "<!-- hidden": "HTML",
    "```python": "a block of code",
    "![board](https://example.org/board.png)": "a picture",
    "[DATASHEET.md]: https://example.org": "the definition of a link",
    "[board](javascript:alert(1))": "a link that is neither https nor mailto",
    "\x1b[2J": "a control character",
}


def test_what_could_pass_for_the_card_s_own_is_refused_in_a_free_section(
    release: Path, built: Path, tmp_path: Path
) -> None:
    card = (release / CARD).read_text("utf-8")
    for text, said in REFUSED.items():
        (fault,) = check_sections(CARD, card.replace(begin("contact"), f"{begin('contact')}\n{text}", 1))
        assert f"{said} in the maintainers' section contact" in fault
    (fault,) = check_sections(
        CARD, card.replace(begin("contact"), f"{begin('contact')}\n{'x' * (MAX_CHARACTERS + 1)}", 1)
    )
    assert fault == "maintainers' section contact: 4,001 characters, at most 4,000; shorten it"
    write_free(release, "contact", "# Results")
    assert any("a heading in the maintainers' section contact" in fault for fault in check_release(release).faults)
    with pytest.raises(InputError, match=r"README\.md: line \d+: "):
        build_release([], built / "instances", tmp_path / "next", BuildPlan(previous=release))


def test_a_section_within_a_section_is_none() -> None:
    text = "\n".join((begin("doi"), begin("contact"), format_end_marker("contact"), format_end_marker("doi")))
    assert find_texts(CARD, text) == {(CARD, "contact"): ()}


@pytest.mark.parametrize("line", ["* {}", "| {} |", "`{}`", " {}", "{} "])
def test_a_marker_counts_only_where_it_stands_alone(line: str) -> None:
    text = "\n".join((line.format(begin("contact")), "mine", line.format(format_end_marker("contact"))))
    assert find_texts(CARD, text) == {}
