"""A message may hold what a template would act on: it is text from pack to card and site, and refuses no run."""

from html import unescape
from pathlib import Path

import pytest
from transcripts import hand_in

from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import build_release
from ircore.commands.main import run as ircore
from ircore.submissions.rescoring.rescore import rescore
from leaderboard.building.site_build import build_site
from leaderboard.building.site_check import check_site

pytestmark = [pytest.mark.attack, pytest.mark.slow]

TAGS = "a circle {{ 7*7 }} {% raw %} {# no #} {%- include 'x' -%} ${7*7} <%= 7*7 %> `--8<--` left"


def test_a_template_tag_in_a_message_is_text_everywhere(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)
    handed.say(TAGS)
    run = rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed).folder
    assert {episode.turns[0].message for episode in run.episodes()} == {TAGS}
    assert ircore(["score", str(run.path)]) == 0
    # Packed again, as its submitter would.
    assert ircore(["submission", "pack", str(run.path), "--out", str(tmp_path / "again")]) == 0
    build_release([run.path], handed.instances, tmp_path / "release")
    assert check_release(tmp_path / "release").faults == ()
    card = (tmp_path / "release" / "README.md").read_text()
    assert "7*7" not in card or TAGS in unescape(card)
    build_site([run.path], tmp_path / "site")
    assert check_site(tmp_path / "site")[0] == []
    texts = [unescape(page.read_text("utf-8")) for page in (tmp_path / "site").rglob("*.html")]
    assert any("{{ 7*7 }} {% raw %} {# no #}" in text for text in texts)
    assert not any("a circle 49" in text for text in texts)
