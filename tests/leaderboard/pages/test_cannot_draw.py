"""What a pair cannot draw: shares by kind of mark, worked out by hand."""

from pathlib import Path

import pytest
from charts import chart_instances
from samples import sample_run

from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.model.final_fates import final_fates
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.cannot_draw import CannotDraw, KindLine, cannot_draw, plural


@pytest.mark.slow
def test_shares_are_means_over_targets_and_every_wrong_mark_is_counted_once(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    site = Site(read_runs([run.path]))
    (pair,) = site.pairs.values()
    fates = final_fates(site, pair)
    cannot = cannot_draw(site, [pair])
    assert cannot is not None
    assert cannot.renderings == len(fates)
    for line in cannot.lines:
        told = {
            instance: [
                fate
                for mark, fate in zip(site.galleries[instance].drawn.marks, known.fates, strict=True)  # type: ignore[union-attr]
                if plural(mark.subject.kind) == line.kind and fate != "unsure"
            ]
            for instance, known in fates.items()
        }
        shares = [fates_of.count("right") / len(fates_of) for fates_of in told.values() if fates_of]
        assert line.right.mean == pytest.approx(sum(shares) / len(shares))
        assert line.marks == sum(map(len, told.values()))
        wrong = sum(fate != "right" for fates_of in told.values() for fate in fates_of)
        assert sum(count for _, count in line.fates) == wrong
    assert all(example.wrong > 0 for example in cannot.examples)
    # A picture opens the turn that it answered: the last one with a rendering.
    for example in cannot.examples:
        result = site.episode(pair.run_id, example.gallery.instance.instance_id)
        assert result is not None
        assert example.turn == max(result.episode.renderings)
    assert cannot_draw(site, []) is None


def test_kinds_of_too_few_targets_come_last_and_stay_out_of_the_sentence() -> None:
    from ircore.results.statistics.intervals import Estimate

    few = KindLine("crosses", Estimate(0.0, None, None, 1), 5, (("missing", 5),))
    many = KindLine("bars", Estimate(0.25, 0.1, 0.5, 6), 40, (("missing", 20), ("colour", 10)))
    assert sorted([few, many], key=lambda line: line.place) == [many, few]
    assert CannotDraw((many, few), (), 12).sentence == "Least often right: bars (25 % right)."
    assert CannotDraw((few,), (), 12).sentence == "Least often right: crosses (0 % right)."
    assert many.words == "20 missing, 10 wrong colour"


def test_marks_that_are_nearly_always_right_are_not_called_undrawn() -> None:
    from ircore.results.statistics.intervals import Estimate

    labels = KindLine("axis labels", Estimate(0.8, 0.6, 0.9, 6), 12, (("missing", 2),))
    ticks = KindLine("tick labels", Estimate(0.98, 0.9, 1.0, 6), 60, (("missing", 1),))
    few = KindLine("crosses", Estimate(0.0, None, None, 1), 5, (("missing", 5),))
    assert CannotDraw((labels, ticks), (), 12).sentence == "Least often right: axis labels (80 % right)."
    assert CannotDraw((ticks,), (), 12).sentence == "No kind of mark on at least 5 targets is right in fewer than 95 %."
    assert CannotDraw((ticks, few), (), 12).sentence == CannotDraw((ticks,), (), 12).sentence
    assert (labels.often_right, ticks.often_right) == (False, True)
