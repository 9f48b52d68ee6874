"""What a user can do about each kind of fault of a service."""

from collections.abc import Mapping

from ircore.core.episode_records import FaultKind
from ircore.core.records import PlayerSpec


def remedies_for(spec: PlayerSpec) -> dict[FaultKind, str]:
    """Return the remedy for each kind of fault that a player behind a service may meet."""
    key = f"the key in {spec.api_key_env}" if spec.api_key_env else "api_key_env, which the manifest does not give"
    again = "the same command then goes on where it stopped"
    return {
        **_REMEDIES,
        "denied": f"Check {key}, and what it may use; {again}.",
        "no_credit": f"Add credit with the provider, or wait until the quota is renewed; {again}.",
    }


_FEWER = "Play with the rule history: last N or first and last"
_REMEDIES: Mapping[FaultKind, str] = {
    "unreachable": "Check base_url in the manifest and the network; a server of your own must be running.",
    "not_found": "Check model and base_url in the manifest.",
    "unsupported": "Change parameters in the manifest to what this model takes.",
    "no_edits": "This service does not edit pictures: play with the rule drawing: redraw (--rule drawing=redraw).",
    "too_many_pictures": f"{_FEWER}, or let the server take more pictures (vLLM: --limit-mm-per-prompt).",
    "context_too_long": f"{_FEWER}, send smaller pictures (parameters.max_side), or let the server take more tokens.",
    "answer_too_long": "Lower parameters.max_completion_tokens: question and answer together must fit the context.",
    "rate_limit": "Wait, or ask less at a time: parameters.requests_per_minute, tokens_per_minute or --concurrency.",
    "server": "The service fails: try again later, or look into the log of a server of your own.",
    "timeout": "Raise parameters.timeout_s, or ask for less: smaller pictures, lower reasoning_effort.",
    "dropped": "The connection breaks off: check proxies and the network, or the log of a server of your own.",
    "malformed": "The answer is not in OpenAI's form: check that base_url ends where the service's API begins (/v1).",
    "cut_off": "Raise parameters.max_completion_tokens, or lower reasoning_effort.",
    "empty": "The model says nothing: try again, with other parameters or another model.",
    "no_image": "Check that this model makes pictures, and by this endpoint; try another player.",
    "bad_image": "Check size and output format of the pictures that this model makes.",
    "refused": "The model or its provider declined: look at its settings, or name another model.",
    "filtered": "The provider's filter withheld the answer: look at its settings, or name another model.",
    "rejected": "The service does not take the request: read its words, then change model or parameters.",
}
