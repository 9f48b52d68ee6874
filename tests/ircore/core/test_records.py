"""The vocabulary: what records refuse, their schema in full; withdrawals, tokens, and the game master's words."""

import csv
import io
import json
from pathlib import Path

import pytest
from invented import invented_run, invented_set, judged_also, talking, under_budget
from pydantic import ValidationError

from ircore.core.episode_records import Episode, Rendering, Usage
from ircore.core.errors import InputError
from ircore.core.files import compute_prompts_version
from ircore.core.records import Element, Instance, PlayerSpec, Record, Scene, derive_seed
from ircore.core.score_records import Score  # fmt: skip
from ircore.core.submission_records import (
    Run,
    Submission,
    TranscriptsReference,
    Withdrawal,
    format_decisions,
    read_withdrawals,
)
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules, Turn
from ircore.results.model import Results
from ircore.results.tables.catalogue import TABLES, TableQuestion
from ircore.results.tables.formats import format_csv, format_json, format_latex, format_markdown, format_text
from ircore.runs.folder import RunFolder

SHA = "0" * 64


def test_records_refuse_unknown_fields() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Rules.model_validate({"token_budgets": 10})


def test_the_defaults_are_the_papers_rules() -> None:
    assert (Rules().token_budget, Rules().max_turns, Rules().over_budget) == (200, 10, "allow")


@pytest.mark.parametrize("name", ["../etc", "Upper", "", "a b", ".hidden", "é"])
def test_ids_are_safe_as_file_names(name: str) -> None:
    with pytest.raises(ValidationError):
        Turn(turn=1, action="describe", leniencies=(name,))


def test_an_abort_has_a_reason_and_nothing_else_has() -> None:
    fields = {"episode_id": "a", "instance_id": "a", "category": "geometry", "difficulty": "easy", "steps": ()}
    with pytest.raises(ValidationError, match="abort_reason is given exactly when"):
        Episode.model_validate({**fields, "outcome": "aborted"})
    with pytest.raises(ValidationError, match="abort_reason is given exactly when"):
        Episode.model_validate({**fields, "outcome": "converged", "abort_reason": "provider_error"})


@pytest.mark.parametrize(
    ("measure", "value", "reason"),
    [("similarity", 10.5, None), ("preference", 2.0, None), ("ssim", None, None), ("ssim", 1.0, "because")],
)
def test_a_score_is_in_range_and_has_a_value_or_a_reason(measure: str, value: float | None, reason: str | None) -> None:
    with pytest.raises(ValidationError):
        Score.model_validate(
            {
                "episode_id": "a", "step": 1, "measure": measure, "by": "ssim", "value": value, "reason": reason,
                "rendering": SHA,
            }
        )  # fmt: skip


def test_metrics_have_their_own_range_but_are_finite() -> None:
    Score(episode_id="a", step=1, measure="brisque", by="brisque", value=-15.3, rendering=SHA)
    with pytest.raises(ValidationError, match="finite"):
        Score(episode_id="a", step=1, measure="psnr", by="psnr", value=float("inf"), rendering=SHA)


@pytest.mark.parametrize("name", ["openai_api_key", "OPENAI_SECRET", "KEY", "sk-abc_KEY"])
def test_a_key_is_named_never_given(name: str) -> None:
    with pytest.raises(ValidationError):
        PlayerSpec(player="openai", api_key_env=name)


RECORDS = (Element, Scene, Instance, PlayerSpec, Rules, Submission, Usage, Rendering, Turn, Episode, Run, Score)


@pytest.mark.parametrize("kind", RECORDS)
def test_every_field_is_described(kind: type[Record]) -> None:
    assert [name for name, field in kind.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (Rules(), "b200-t10-allow"),
        (Rules(token_budget=10, max_turns=1, over_budget="abort"), "b10-t1-abort"),
        (Rules(token_budget=10_000, max_turns=100, over_budget="truncate"), "b10000-t100-truncate"),
    ],
)
def test_a_key_says_all_rules(rules: Rules, key: str) -> None:
    assert rules.key == key
    assert len(key) == len(key.encode("ascii"))


def test_a_model_s_name_carries_the_key_and_gives_it_back() -> None:
    rules = Rules(token_budget=50)
    assert rules.add_rules_key("gpt-5.2") == "gpt-5.2-b50-t10-allow"
    assert rules.remove_rules_key("gpt-5.2-b50-t10-allow") == "gpt-5.2"
    assert Rules().remove_rules_key("gpt-5.2-b50-t10-allow") == "gpt-5.2-b50-t10-allow"


@pytest.fixture(scope="module")
def results() -> Results:
    """One grid of four pairs; one of the pairs also under 50 tokens; two judges and two people."""
    made = invented_set(2, ("geometry", "photos"))
    grid = [(item, other, 4 + at) for at, (item, other) in enumerate((("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")))]
    runs = [talking(invented_run(made, item, other, skill, 0.5)) for item, other, skill in grid]
    runs.append(under_budget(runs[0], 50))
    for name, annotator in (("eye", None), ("human", "ann"), ("human", "bea")):
        runs = [judged_also(run, name, -0.5, 1, annotator) for run in runs]
    return Results.from_runs(runs)


OF_RUNS = [name for name, entry in TABLES.items() if entry.of_runs]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_RUNS)
def test_every_table_of_runs_ends_with_the_key(results: Results, name: str) -> None:
    table = TABLES[name].table(results, TableQuestion(judge="structural"))
    rows = list(csv.DictReader(io.StringIO(format_csv(table))))
    document = json.loads(format_json(table))
    assert [column["key"] for column in document["columns"]][-1] == "rules"
    assert [row["rules"] for row in document["rows"]] == [row["rules"] for row in rows]
    rules = {submission.run_id: Rules.of(submission.run).key for submission in results.submissions}
    for row in rows:
        assert list(row)[-1] == "rules"
        keys = row["rules"].split("+")
        if "other_run_id" in row:
            assert set(keys) == {rules[row["run_id"]], rules[row["other_run_id"]]}
        elif "run_id" in row:
            assert keys == [rules[row["run_id"]]]
        else:
            assert set(keys) <= set(rules.values())
    for text in (format_text(table), format_markdown(table), format_latex(table)):
        assert "Rules b200-t10-allow, b50-t10-allow." in " ".join(text.split())


@pytest.mark.slow
def test_effects_rest_on_the_rules_that_most_runs_share(results: Results) -> None:
    table = TABLES["effects"].table(results, TableQuestion(judge="structural"))
    assert {value.value for value in table.column("rules")} == {"b200-t10-allow"}


def test_agreement_rests_on_all_of_them(results: Results) -> None:
    table = TABLES["agreement"].table(results, TableQuestion())
    assert {value.value for value in table.column("rules")} == {"b200-t10-allow+b50-t10-allow"}


def test_the_paper_s_tables_have_none(results: Results) -> None:
    assert set(TABLES) - set(OF_RUNS) == {name for name in TABLES if name.startswith("published")}
    assert "rules" not in [column.key for column in TABLES["published"].table(results, TableQuestion()).columns]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello", 1), ("hello world", 2), ("one two three four five six", 6), ("<|endoftext|>", 7)],
)
def test_o200k_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_lone_surrogate_counts_as_a_question_mark() -> None:
    assert count_tokens("a\ud800b") == count_tokens("a?b")


def test_cutting_keeps_whole_characters() -> None:
    for budget in range(1, 12):
        cut = truncate_tokens("naïve 🙂🙂🙂 日本語", budget)
        assert "\N{REPLACEMENT CHARACTER}" not in cut
        assert count_tokens(cut) <= budget


def test_the_built_in_prompts_carry_the_requirements() -> None:
    prompts = load_prompts("reconstruction")
    assert "at most 10 tokens" in prompts.describer(1, 10)
    assert "<DESCRIPTION>" in prompts.describer(1, 10)
    later = prompts.describer(2, 50)
    assert "at most 50 tokens" in later
    assert "<DONE>" in later
    assert "do not describe the whole picture again" in later


def test_other_prompts_have_another_version(tmp_path: Path) -> None:
    for name in ("describer_first", "describer_later"):
        (tmp_path / f"{name}.txt").write_text(f"{name}: at most {{token_budget}} tokens")
    (tmp_path / "generator_later.txt").write_text("Before: {earlier} Now: {message}")
    prompts = load_prompts("reconstruction", tmp_path)
    assert prompts.describer(1, 7) == "describer_first: at most 7 tokens"
    assert prompts.generator("{earlier}", ["a {message}", "b"]) == "Before: 1. a {message}\n\n2. b Now: {earlier}"
    assert prompts.version != load_prompts("reconstruction").version


def test_a_folder_that_would_pass_for_the_built_in_prompts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "built-in").mkdir()
    with pytest.raises(InputError, match="would pass for the built-in prompts"):
        load_prompts("reconstruction", tmp_path / "built-in")


def test_the_generator_reads_the_message_and_later_the_dialogue() -> None:
    prompts = load_prompts("reconstruction")
    assert prompts.generator("A red square.", []) == "A red square."
    later = prompts.generator("Make it blue.", ["A red square."])
    assert later.index("1. A red square.") < later.index("Make it blue.")


def test_prompts_must_tell_the_budget(tmp_path: Path) -> None:
    (tmp_path / "describer_first.txt").write_text("Describe it.")
    with pytest.raises(InputError, match=r"describer_first\.txt: lacks the placeholder \{token_budget\}"):
        load_prompts("reconstruction", tmp_path)


def test_a_missing_prompt_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"describer_first\.txt: cannot be read"):
        load_prompts("reconstruction", tmp_path)


def test_a_withdrawal_without_a_run_is_of_all_that_began_until_then(run: RunFolder) -> None:
    day = run.run.started[:10]
    gone = Withdrawal(slug=run.run.slug, kind="withdrawn", reason="wrong model", date=day)
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"date": "2000-01-01"}).concerns(run.run)  # it was submitted again since
    assert not gone.model_copy(update={"slug": "another"}).concerns(run.run)
    assert gone.model_copy(update={"kind": "reinstated", "date": "2000-01-01"}).concerns(run.run)


def test_a_withdrawal_of_one_run_is_of_that_run_whenever_it_began(run: RunFolder) -> None:
    gone = Withdrawal(slug=run.run.slug, run_id=run.run.run_id, kind="corrected", reason="typo", date="2000-01-01")
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"run_id": "another"}).concerns(run.run)


def test_a_correction_of_transcripts_is_of_their_run_whenever_it_began(run: RunFolder) -> None:
    old, new = ({"repo": "me/mine", "revision": digit * 40, "run": "r"} for digit in "ab")
    gone = Withdrawal.model_validate(record(slug=run.run.slug, kind="corrected", transcripts=old))
    assert not gone.concerns(run.run)
    for named, concerned in ((old, True), (new, False)):
        played = run.run.submission.model_copy(update={"transcripts": TranscriptsReference.model_validate(named)})
        assert gone.concerns(run.run.model_copy(update={"submission": played})) == concerned


def test_what_is_gone_stays_so_until_it_is_reinstated() -> None:
    def made(**more: object) -> Withdrawal:
        return Withdrawal.model_validate(record(**more))

    gone, wrong = made(date="2026-11-02"), made(kind="corrected", date="2026-11-02")
    back, one_back = (
        made(kind="reinstated", date="2026-11-02"),
        made(kind="reinstated", date="2026-11-02", run_id="a-1"),
    )
    assert gone.follows(None) is gone
    assert made(kind="disputed", date="2026-12-01").follows(gone) is gone
    assert wrong.follows(gone) is gone
    assert back.follows(gone) is back
    assert gone.follows(back) is gone
    assert made(date="2026-11-01").follows(back) is back  # what was decided before it came back is settled
    # Nothing to bring back; decided before; and a run that was wrong is no better for a word about all of them.
    assert back.follows(None) is None
    assert made(kind="reinstated", date="2026-11-01").follows(gone) is gone
    assert back.follows(wrong) is wrong
    assert one_back.follows(wrong) is one_back


@pytest.mark.parametrize("change", [{"date": "2026-13-01"}, {"date": "1 May"}, {"reason": ""}, {"kind": "deleted"}])
def test_what_is_no_withdrawal_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Withdrawal.model_validate(record(**change))


def test_a_file_of_withdrawals_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = (Withdrawal.model_validate(record()), Withdrawal.model_validate(record(run_id="a-1")))
    path = tmp_path / "tombstones.jsonl"
    path.write_text(format_decisions(written))
    assert read_withdrawals(path) == written

    path.write_text('{"slug": "a"}\n')
    with pytest.raises(InputError, match=r"tombstones\.jsonl:1: .*reason: is missing"):
        read_withdrawals(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_withdrawals(tmp_path / "nothing")


def test_a_file_written_by_hand_may_lack_its_last_newline_and_have_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    path.write_text(json.dumps(record()) + "\n\n" + json.dumps(record(slug="b")))
    assert [withdrawal.slug for withdrawal in read_withdrawals(path)] == ["a", "b"]

    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"gone\.jsonl:1: ") as caught:
        read_withdrawals(path)
    assert "slug" in caught.value.remedy


def record(**changes: object) -> dict[str, object]:
    return {"slug": "a", "kind": "withdrawn", "reason": "wrong model", "date": "2026-11-22", **changes}


def test_every_part_changes_a_seed_and_parts_do_not_run_together() -> None:
    seeds = [
        derive_seed(1, "a", "bc"), derive_seed(2, "a", "bc"), derive_seed(1, "ab", "c"),
        derive_seed(1, "a", "b", "c"),
        derive_seed(1, "abc"), derive_seed(1, "bc", "a"), derive_seed(1),
    ]  # fmt: skip
    assert len(set(seeds)) == len(seeds)
    # Known from the first run on: a seed is the same on every machine and in every version.
    assert derive_seed(7, "geometry-easy-01") == derive_seed(7, "geometry-easy-01")


def test_words_that_move_from_one_prompt_to_the_next_are_another_version() -> None:
    versions = [compute_prompts_version(texts, None) for texts in (["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"])]
    assert len(set(versions)) == 4


def test_a_decision_with_a_key_twice_is_refused(tmp_path: Path) -> None:
    line = '{"slug": "a", "kind": "withdrawn", "reason": "r", "date": "2026-01-01", "slug": "b"}\n'
    (tmp_path / "gone.jsonl").write_text(line)
    with pytest.raises(InputError, match="a key is given twice"):
        read_withdrawals(tmp_path / "gone.jsonl")
