"""How far a row can be trusted follows from who vouches for its run, and from nothing that a submitter says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from invented import invented_results

from ircore import submissions
from ircore.core.submission_records import TranscriptsReference
from ircore.runs.provenance import GRAVE_RULES, Committed, Flag, make_provenance
from leaderboard.model.trust import FINDINGS, HERE, LEGEND, MAINTAINERS, RESCORED, tier_of, trust_lines

SOURCE = TranscriptsReference(repo="me/mine", revision="a" * 40, run="pair-12345678")
FLAG = Flag(rule="identical_to_target", where="geometry-easy-01, turn 2", what="the rendering is the target")


@pytest.mark.slow
def test_trust_is_computed(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    item = invented_results(["a"], ["b"]).submissions[0]
    ours = replace(item, provenance=make_provenance(tmp_path / "submission.yaml"))
    theirs = replace(item, provenance=make_provenance(tmp_path / "submission.yaml", SOURCE, (FLAG, FLAG)))
    assert [tier_of(each) for each in (item, ours, theirs)] == [HERE, MAINTAINERS, RESCORED]
    assert [name for name, _ in trust_lines(item)] == ["Trust"]
    assert [name for name, _ in trust_lines(ours)] == ["Trust", "Played by maintainers"]
    lines = dict(trust_lines(theirs))
    assert lines["Transcripts"] == f"me/mine, commit {'a' * 40}, run pair-12345678"
    assert lines["Findings"].startswith(
        "2 × a rendering like a target, pixel by pixel; first: geometry-easy-01, turn 2."
    )


@pytest.mark.slow
def test_a_re_scored_run_says_whether_it_was_committed_to(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    item = invented_results(["a"], ["b"]).submissions[0]
    second = Committed(commitment="e" * 64, when="2026-11-23T10:00:00+00:00", number=2)
    words = [
        dict(trust_lines(replace(item, provenance=make_provenance(tmp_path / "submission.yaml", SOURCE, (), made))))
        for made in (None, second)
    ]
    assert words[0]["Commitment"].startswith("uncommitted: ")
    assert words[1]["Commitment"] == (
        "eeeeeeeeeeee, registered 2026-11-23T10:00:00+00:00, number 2 of these players; "
        "begun later, by the submitter's word"
    )


def test_the_legend_names_every_tier() -> None:
    assert {MAINTAINERS, RESCORED, HERE} < set(LEGEND)


def test_every_finding_has_words() -> None:
    sources = "".join(path.read_text() for path in Path(submissions.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'_?[fF]lag\((?:rule=)?"(\w+)"', sources))
    assert len(named) > 10
    assert named <= FINDINGS.keys()
    assert FINDINGS.keys() >= GRAVE_RULES
    assert [rule for rule in FINDINGS if f'"{rule}"' not in sources] == []
