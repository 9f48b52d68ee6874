"""Which scores of an episode the maintainers vouch for: by where its run comes from, and by who gave them."""

from invented import invented_run, invented_set, judged_also

from ircore.results.episodes import EpisodeResult
from ircore.results.model import Results
from ircore.results.vouched_scores import VouchedScores, vouched_scores
from ircore.runs.provenance import Provenance

HERE = Provenance(kind="maintainers", when="2026-01-01T00:00:00+00:00", version="1", manifest="a" * 64)


def episode() -> EpisodeResult:
    """One that was rated at every turn by two judges, and by people."""
    run = invented_run(invented_set(1, ("geometry",)), "seer", "painter", 4.0, 0.5)
    everyone = judged_also(judged_also(run, "eye", 0.5, 0.2), "human", 0.2, 0.2, "a")
    results = Results.from_runs([everyone])
    return max(results.episodes["seer-painter"], key=lambda entry: len(entry.judged))


def test_nobody_vouches_for_a_run_without_provenance() -> None:
    item = episode()
    count = sum(len(judged.trajectory) for judged in item.judged.values())
    assert vouched_scores(item, None) == VouchedScores(0, count)
    assert vouched_scores(item, None).share == 0


def test_what_the_maintainers_had_judged_is_vouched_for_and_what_people_gave_is_imported() -> None:
    item = episode()
    assert set(item.judged) == {"eye", "human", "structural"}
    rows = vouched_scores(item, HERE)
    assert rows.vouched == len(item.judged["eye"].trajectory) + len(item.judged["structural"].trajectory)
    assert rows.scores - rows.vouched == len(item.judged["human"].trajectory) > 0
    assert rows.share is not None
    assert 0 < rows.share < 1


def test_an_episode_without_scores_has_no_share() -> None:
    run = episode()
    empty = EpisodeResult(run.run_id, run.slug, run.episode, {}, {})
    assert vouched_scores(empty, HERE) == VouchedScores(0, 0)
    assert vouched_scores(empty, HERE).share is None
