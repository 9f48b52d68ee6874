"""The vocabulary: what records refuse, and that their schema is published in full."""

import pytest
from pydantic import ValidationError

from ircore.core.episode_records import Episode, Rendering, Turn, Usage
from ircore.core.records import Element, Instance, PlayerSpec, Record, Rules, Scene
from ircore.core.score_records import Score  # fmt: skip
from ircore.core.submission_records import Run, Submission

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
    fields = {"episode_id": "a", "instance_id": "a", "category": "geometry", "difficulty": "easy", "turns": ()}
    with pytest.raises(ValidationError, match="abort_reason is given exactly when"):
        Episode.model_validate({**fields, "outcome": "aborted"})
    with pytest.raises(ValidationError, match="abort_reason is given exactly when"):
        Episode.model_validate({**fields, "outcome": "converged", "abort_reason": "provider_error"})


@pytest.mark.parametrize(
    ("task", "value", "reason"),
    [("similarity", 10.5, None), ("preference", 2.0, None), ("metric", None, None), ("metric", 1.0, "because")],
)
def test_a_score_is_in_range_and_has_a_value_or_a_reason(task: str, value: float | None, reason: str | None) -> None:
    with pytest.raises(ValidationError):
        Score.model_validate(
            {
                "episode_id": "a",
                "turn": 1,
                "task": task,
                "judge": "j",
                "value": value,
                "reason": reason,
                "rendering": SHA,
            }
        )


def test_metrics_have_their_own_range_but_are_finite() -> None:
    Score(episode_id="a", turn=1, task="metric", judge="brisque", value=-15.3, rendering=SHA)
    with pytest.raises(ValidationError, match="finite"):
        Score(episode_id="a", turn=1, task="metric", judge="psnr", value=float("inf"), rendering=SHA)


@pytest.mark.parametrize("name", ["openai_api_key", "OPENAI_SECRET", "KEY", "sk-abc_KEY"])
def test_a_key_is_named_never_given(name: str) -> None:
    with pytest.raises(ValidationError):
        PlayerSpec(player="openai", api_key_env=name)


RECORDS = (Element, Scene, Instance, PlayerSpec, Rules, Submission, Usage, Rendering, Turn, Episode, Run, Score)


@pytest.mark.parametrize("kind", RECORDS)
def test_every_field_is_described(kind: type[Record]) -> None:
    assert [name for name, field in kind.model_fields.items() if not field.description] == []
