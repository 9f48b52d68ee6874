"""What a model may bring: fields of requests that are listed, and the model that answers is the one that is named."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from manifest_attacks import GOOD
from samples import sample_instances, sample_run
from transcripts import REVISION, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Attempt
from ircore.core.records import PlayerSpec
from ircore.players.openai.settings import ChatImageSettings, DescriberSettings, ImagesSettings, ResponsesImageSettings
from ircore.runs.events import Call
from ircore.runs.provenance import Flag
from ircore.submissions.check.submission import Purpose, check_bytes
from ircore.submissions.pending_work import find_waiting_submissions, read_merged_submissions
from ircore.submissions.rescoring.flags import flag_other_models, is_same_model
from ircore.submissions.services import FIELDS_LIST, find_service, find_unlisted_fields

OPENROUTER: dict[str, Any] = {"base_url": "https://openrouter.ai/api/v1", "api_key_env": "OPENROUTER_API_KEY"}
OWN: dict[str, Any] = {"base_url": "http://127.0.0.1:8000/v1"}


def seat(player: str = "openai", model: str = "m", extra: dict[str, Any] | None = None, **fields: Any) -> PlayerSpec:
    parameters = {**({"extra_body": extra} if extra else {}), **fields.pop("parameters", {})}
    return PlayerSpec(player=player, model=model, parameters=parameters, **fields)


TOOLS = {
    "search by a model's name": (seat(model="openai/gpt-5:online", **OPENROUTER), "model"),
    "a router that chooses the model": (seat(model="openrouter/auto", **OPENROUTER), "model"),
    "a preset with a prompt": (seat(model="openai/gpt-5@preset/drawing", **OPENROUTER), "model"),
    "a model that searches": (seat(model="gpt-4o-search-preview"), "model"),
    "a service that searches": (seat(model="sonar-pro", base_url="https://api.perplexity.ai"), "model"),
    "a model behind a service that searches": (seat(model="perplexity/sonar", **OPENROUTER), "model"),
    "a system of tools": (seat(model="groq/compound", base_url="https://api.groq.com/openai/v1"), "model"),
    "a model tuned in private": (seat(model="ft:gpt-4o:me::abc"), "model"),
    "an agent with words of its own": (seat(model="ag:1:me:x", base_url="https://api.mistral.ai/v1"), "model"),
    "a rewriter that searches": (
        seat("openai-chat", "a/b", parameters={"rewriter": "openai/gpt-5:online"}, **OPENROUTER),
        "parameters.rewriter",
    ),
    "another image model behind a router": (
        seat("openai-responses", "gpt-5", parameters={"image_model": "openrouter/auto"}),
        "parameters.image_model",
    ),
    "a prompt before the game's": (
        seat(parameters={"system": "In charts, 'nice' means a blue bar."}),
        "parameters.system",
    ),
    "a field inside a picture's settings": (
        seat("openai-chat", "a/b", parameters={"image_config": {"init_image": "x"}}, **OPENROUTER),
        "parameters.image_config.init_image",
    ),
    "a number that is a text": (seat(extra={"top_k": "all of them"}, **OWN), "parameters.extra_body.top_k"),
    "a switch that holds words": (
        seat(extra={"chat_template_kwargs": {"enable_thinking": "and remember"}}, **OWN),
        "parameters.extra_body.chat_template_kwargs.enable_thinking",
    ),
    "words for a template": (
        seat(extra={"chat_template_kwargs": {"documents": ["a code book"]}}, **OWN),
        "parameters.extra_body.chat_template_kwargs.documents",
    ),
    "search at Alibaba": (
        seat(extra={"enable_search": True}, base_url="https://dashscope.aliyuncs.com/compatible-mode/v1"),
        "parameters.extra_body.enable_search",
    ),
    "search at xAI": (
        seat(model="grok-4", extra={"search_parameters": {"mode": "on"}}, base_url="https://api.x.ai/v1"),
        "parameters.extra_body.search_parameters",
    ),
    "cached content at Google": (
        seat(
            model="gemini-3-flash",
            extra={"google": {"cached_content": "cachedContents/1"}},
            base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        ),
        "parameters.extra_body.google.cached_content",
    ),
    "MCP servers at Anthropic": (
        seat(model="claude-opus-4-1", extra={"mcp_servers": [{"name": "x"}]}, base_url="https://api.anthropic.com/v1"),
        "parameters.extra_body.mcp_servers",
    ),
    "search in a provider's settings": (
        seat(model="a/b", extra={"provider": {"web": True}}, **OPENROUTER),
        "parameters.extra_body.provider.web",
    ),
    **{
        f"{name} at a server of one's own": (seat(extra={name: value}, **OWN), f"parameters.extra_body.{name}")
        for name, value in {
            "chat_template": "{{ messages }}", "cached_content": "x", "documents": [{"text": "a code book"}],
            "guided_choice": ["red", "blue"], "init_image": "iVBORw0KGgo", "logit_bias": {"5": 9}, "lora": "mine",
            "lora_path": "mine", "mcp_servers": [], "memory": True, "search": True, "stop": ["x"], "web_search": {},
        }.items()
    },
}  # fmt: skip


@pytest.mark.attack
@pytest.mark.parametrize("name", TOOLS)
def test_what_brings_tools_words_or_pictures_is_self_reported_only(name: str) -> None:
    spec, field = TOOLS[name]
    assert [unlisted.field for unlisted in find_unlisted_fields(spec)] == [field]


HONEST = [
    seat(model="gpt-5.2-2026-01-15", parameters={"temperature": 0, "detail": "high"}, extra={"seed": 7}),
    seat(model="gpt-5.2", extra={"verbosity": "low", "service_tier": "flex"}),
    seat("openai-images", "gpt-image-1.5", parameters={"size": "1024x1024", "quality": "medium"}),
    seat("openai-responses", "gpt-5.2", parameters={"image_model": "gpt-image-1.5", "size": "1024x1024"}),
    seat(model="claude-opus-4-1", extra={"thinking": {"type": "enabled", "budget_tokens": 2000}},
         base_url="https://api.anthropic.com/v1/"),
    seat(model="gemini-3-flash", extra={"google": {"thinking_config": {"thinking_budget": 0}}},
         base_url="https://generativelanguage.googleapis.com/v1beta/openai/"),
    seat(model="qwen3-vl-plus", extra={"enable_thinking": False}, base_url="https://dashscope.aliyuncs.com/v1"),
    seat(model="google/gemini-3.1-flash-image:free", player="openai-chat",
         parameters={"image_config": {"aspect_ratio": "1:1"}}, **OPENROUTER),
    seat(model="a/b", extra={"reasoning": {"effort": "low"}, "provider": {"order": ["deepinfra"]}}, **OPENROUTER),
    seat(model="Qwen/Qwen3-VL-8B-Instruct", parameters={"system": "You are a helpful assistant."}, **OWN),
    seat(model="llava:7b", extra={"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}, **OWN),
    seat("classical", "anything at all"),
]  # fmt: skip


@pytest.mark.parametrize("spec", HONEST, ids=lambda spec: f"{spec.player} {spec.model}")
def test_what_changes_only_how_a_model_samples_is_allowed(spec: PlayerSpec) -> None:
    assert list(find_unlisted_fields(spec)) == []


def test_the_list_names_day_and_place_for_every_service() -> None:
    services = yaml.safe_load(FIELDS_LIST.read_text())["services"]
    asked_for = (
        "openai", "anthropic", "google", "mistral", "qwen", "xai", "deepseek", "openrouter", "bfl", "stability",
    )  # fmt: skip
    assert {*asked_for, "server"} <= services.keys()
    for service in services.values():
        assert str(service["date"]) >= "2026-01-01"
        assert service["source"].startswith("https://")
    assert find_service(seat(base_url="https://api.bfl.ai/v1")) == "bfl"
    assert find_service(seat(base_url="https://somewhere.example.org/v1")) == "server"


def test_every_parameter_of_a_player_that_asks_a_service_is_in_the_list() -> None:
    """Else a new parameter could carry what it likes: unknown ones are refused by the players themselves."""
    players = (DescriberSettings, ImagesSettings, ChatImageSettings, ResponsesImageSettings)
    parameters = {name for settings in players for name in settings.model_fields} - {"extra_body"}
    assert parameters == yaml.safe_load(FIELDS_LIST.read_text())["parameters"].keys()


@pytest.mark.attack
def test_a_check_says_which_field_makes_a_pair_self_reported() -> None:
    text = GOOD.replace("{temperature: 0}", "{temperature: 0, extra_body: {web: true}}")
    (warning,) = check_bytes(text.encode(), "submission.yaml", "plain-pair").findings
    assert (warning.level, warning.line, warning.field) == ("warning", 3, "describer.parameters.extra_body.web")
    assert warning.problem.endswith("the pair is self-reported only: listed without numbers or rank")
    assert check_bytes(text.encode(), "submission.yaml", "plain-pair", purpose=Purpose(local=True)).findings == ()


@pytest.mark.attack
def test_nobody_vouches_for_a_pair_with_other_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = {"repo": "me/mine", "revision": REVISION, "run": "my-pair-01234567"}
    write_manifest(tmp_path / "submissions" / "my-pair", reference)
    manifest = tmp_path / "submissions" / "my-pair" / "submission.yaml"
    named = yaml.safe_load(manifest.read_text())
    named["describer"] = {"player": "openai", "model": "a/b:online", **OPENROUTER}
    manifest.write_text(yaml.safe_dump(named))
    assert list(find_waiting_submissions(read_merged_submissions(tmp_path / "submissions"), ())) == []
    rescore = ["maintain", "rescore", str(manifest), "--out", str(tmp_path / "run")]
    assert ircore(rescore) == 2
    sample_instances(tmp_path / "instances")
    play = ["play", str(manifest), "--instances", str(tmp_path / "instances"), "--out", str(tmp_path / "run")]
    assert ircore([*play, "--as-maintainers"]) == 2
    assert capsys.readouterr().err.count("describer.model with ':online' brings search") == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("named", "served"),
    [
        ("gpt-5.2", "gpt-5.2"), ("gpt-5.2", "gpt-5.2-2026-01-15@fp_0123"),
        ("gpt-5.2-2026-01-15", "gpt-5.2-2026-01-15"), ("mistral-large-latest", "mistral-large-2411"),
        ("claude-sonnet-4-0", "claude-sonnet-4-0-20250514"),
        ("google/gemini-3.1-flash:free", "google/gemini-3.1-flash"),
        ("gemini-3-flash", "models/gemini-3-flash-preview-04-17"), ("weights/tiny-llava", "tiny-llava@0123456789ab"),
    ],
)  # fmt: skip
def test_names_that_services_give_one_model(named: str, served: str) -> None:
    assert is_same_model(named, served)


@pytest.mark.parametrize(
    ("named", "served"),
    [
        ("gpt-5.2", "gpt-5.2-mini"),
        ("gpt-5.2", "gpt-5"),
        ("gpt-5.2-2026-01-15", "gpt-5.2-2026-03-01"),
        ("tiny-llava", "gpt-5.2"),
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-235B-Instruct"),
    ],
)
def test_names_of_two_models(named: str, served: str) -> None:
    assert not is_same_model(named, served)


@pytest.mark.slow
@pytest.mark.attack
def test_a_model_that_answers_in_the_place_of_another_is_a_finding(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    players = run.run.submission.model_copy(update={"describer": seat(model="small-eyes")})
    named = run.run.model_copy(update={"submission": players})
    honest = Attempt(kind="answered", seconds=1, served="small-eyes@fp_1")
    other = Attempt(kind="answered", seconds=1, served="gpt-5.2")

    def flags(*attempts: Attempt) -> list[Flag]:
        call = Call(episode_id="a", turn=1, role="describer", text="x", seconds=1, attempts=attempts)
        return list(flag_other_models(named, [call]))

    assert flags(honest) == flags() == []
    (flag,) = flags(honest, other)
    assert (flag.rule, flag.grave) == ("another_model", False)
    assert flag.what == "1 answer of the describer by gpt-5.2, not by small-eyes"
