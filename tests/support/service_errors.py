"""Errors as services give them, with what each means; on loopback, over real HTTP.

Bodies are those of the services' documentation, of their sources, or of public reports; ids and keys are left out.
"""

# ruff: noqa: E501 - a service's words stand in one line

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from loopback import serving_until_the_end


class Form(NamedTuple):
    """An error: its status, its body (bytes and text as they are, all else as JSON), and what it means."""

    status: int
    body: Any
    meaning: str
    headers: Mapping[str, str] = {}


def openai(message: str, type_: str | None = None, code: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


def anthropic(type_: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": type_, "message": message}, "request_id": "req_1"}


def google(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


KEY = google(
    400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
    {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"},
)  # fmt: skip
PER_MINUTE = google(
    429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.",
    {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
        {"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
         "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "44s"},
)  # fmt: skip
PER_DAY = google(
    429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.",
    {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
        {"quotaMetric": "generativelanguage.googleapis.com/generate_requests_per_model_per_day",
         "quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]},
)  # fmt: skip
SUSPENDED = (
    "Account a is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. "
    "Please go to https://fireworks.ai/account/billing for more information."
)
SAFETY = "Your request was rejected by the safety system. safety_violations=[sexual]."

FORMS: dict[str, tuple[Form, ...]] = {
    "OpenAI": (
        Form(400, openai(SAFETY, "image_generation_user_error", "moderation_blocked"), "refused"),
        Form(400, openai("Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
                         "invalid_request_error", "invalid_prompt"), "refused"),
        Form(429, openai("You exceeded your current quota, please check your plan and billing details.",
                         "insufficient_quota", "insufficient_quota"), "no_credit"),
        Form(401, openai("Incorrect API key provided: sk-x.", "invalid_request_error", "invalid_api_key"), "denied"),
        Form(403, openai("Your organization must be verified to use the model `gpt-image-1`."), "denied"),
        Form(404, openai("The model `x` does not exist or you do not have access to it.", "invalid_request_error",
                         "model_not_found"), "not_found"),
        Form(400, openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 "
                         "tokens.", "invalid_request_error", "context_length_exceeded"), "context_too_long"),
        Form(400, openai("max_tokens is too large: 200000. This model supports at most 16384 completion tokens.",
                         "invalid_request_error", "invalid_value"), "answer_too_long"),
        Form(429, openai("Request too large for gpt-x in organization org-x on tokens per min (TPM): Limit 30000, "
                         "Requested 45000.", "tokens", "rate_limit_exceeded"), "context_too_long"),
        Form(429, openai("Rate limit reached for gpt-x on requests per min (RPM): Limit 3, Used 3. Please try again in 20s. "
                         "You can increase your rate limit by adding a payment method to your account.", "requests",
                         "rate_limit_exceeded"), "rate_limit"),
        Form(503, openai("Slow Down", "service_unavailable_error", "server_is_overloaded"), "server"),
        Form(400, openai("Unsupported parameter: 'max_tokens' is not supported with this model.",
                         "invalid_request_error", "unsupported_parameter"), "unsupported"),
        Form(400, openai("Invalid value: 'x' for moderation. Supported values are: 'low' and 'auto'.",
                         "invalid_request_error", "invalid_value"), "rejected"),
    ),
    "Azure OpenAI": (
        Form(400, {"error": {"message": "The response was filtered due to the prompt triggering Azure OpenAI's content "
                             "management policy.", "type": None, "param": "prompt", "code": "content_filter", "status": 400,
                             "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {
                                 "sexual": {"filtered": True, "severity": "high"}}}}}, "refused"),
        Form(401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}},
             "denied"),
        Form(404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}},
             "not_found"),
        Form(429, {"error": {"code": "429", "message": "Requests to the ChatCompletions_Create Operation have exceeded call "
                             "rate limit of your current OpenAI S0 pricing tier. Please retry after 9 seconds."}}, "rate_limit"),
    ),
    "Anthropic": (
        Form(400, anthropic("invalid_request_error", "Output blocked by content filtering policy"), "refused"),
        Form(400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go "
                            "to Plans & Billing to upgrade or purchase credits."), "no_credit"),
        Form(402, anthropic("billing_error", "Billing error"), "no_credit"),
        Form(401, anthropic("authentication_error", "invalid x-api-key"), "denied"),
        Form(403, anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
             "denied"),
        Form(404, anthropic("not_found_error", "model: claude-x"), "not_found"),
        Form(400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
             "context_too_long"),
        Form(413, anthropic("request_too_large", "Request exceeds the maximum size"), "context_too_long"),
        Form(429, anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per "
                            "minute. Contact sales to discuss your options."), "rate_limit"),
        Form(529, anthropic("overloaded_error", "Overloaded"), "server"),
    ),
    "Gemini": (
        Form(400, KEY, "denied"),
        Form(429, PER_MINUTE, "rate_limit"),
        Form(429, PER_DAY, "no_credit"),
        Form(402, google(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), "no_credit"),
        Form(400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "denied"),
        Form(403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked."), "denied"),
        Form(404, google(404, "NOT_FOUND", "models/x is not found for API version v1beta, or is not supported for "
                         "generateContent."), "not_found"),
        Form(400, google(400, "INVALID_ARGUMENT", "The input token count (1048600) exceeds the maximum number of tokens "
                         "allowed (1048576)."), "context_too_long"),
        Form(503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "server"),
        Form(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}, "refused"),
    ),
    "Gemini, compatible": (
        Form(429, [google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.\n* Quota exceeded for metric: "
                          "generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: "
                          "gemini-2.5-flash-preview-image\nPlease retry in 20.04s.")], "no_credit"),
        Form(503, [google(503, "UNAVAILABLE", "This model is currently experiencing high demand.")], "server"),
    ),
    "xAI": (
        Form(403, {"code": "The caller does not have permission to execute the specified operation", "error":
                   "Content violates usage guidelines. Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO"}, "refused"),
        Form(400, {"code": "Client specified an invalid argument", "error":
                   "Generated image rejected by content moderation."}, "refused"),
        Form(403, {"code": "permission-denied", "error": "Your team x has either used all available credits or reached its "
                   "monthly spending limit. To continue making API requests, please purchase more credits."}, "no_credit"),
        Form(403, {"code": "permission-denied", "error": "Your newly created team doesn't have any credits or licenses yet."},
             "no_credit"),
        Form(400, {"code": "invalid-argument", "error": "Incorrect API key provided: na***ys."}, "denied"),
        Form(404, {"code": "Some requested entity was not found", "error": "The model x does not exist or your team does not "
                   "have access to it."}, "not_found"),
        Form(400, {"code": "invalid-argument", "error": "The model x is an image model and is therefore not available on this "
                   "endpoint."}, "unsupported"),
    ),
    "Mistral": (
        Form(401, {"detail": "Unauthorized"}, "denied"),
        Form(400, {"object": "error", "message": "Invalid model: x", "type": "invalid_model", "param": None, "code": "1500"},
             "not_found"),
        Form(429, {"object": "error", "message": "Rate limit exceeded", "type": "rate_limited", "param": None, "code": "1300",
                   "raw_status_code": 429}, "rate_limit"),
        Form(402, {"object": "error", "message": "Payment required", "type": "invalid_request_error"}, "no_credit"),
    ),
    "DeepSeek": (
        Form(402, openai("Insufficient Balance", "unknown_error", "invalid_request_error"), "no_credit"),
        Form(400, openai("Content Exists Risk", "invalid_request_error", "invalid_request_error"), "refused"),
        Form(400, openai("Model Not Exist", "invalid_request_error", "invalid_request_error"), "not_found"),
    ),
    "DashScope": (
        Form(400, openai("<400> InternalError.Algo.DataInspectionFailed: Input data may contain inappropriate content.",
                         "data_inspection_failed", "data_inspection_failed"), "refused"),
        Form(400, openai("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage"),
             "no_credit"),
        Form(403, {"code": "AllocationQuota.FreeTierOnly", "message": "The free tier of the model has been exhausted."},
             "no_credit"),
        Form(429, openai("Allocated quota exceeded, please increase your quota limit.", "insufficient_quota",
                         "insufficient_quota"), "rate_limit"),
        Form(429, {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded, please try again later."},
             "rate_limit"),
        Form(400, openai("Range of input length should be [1, 129024]", "invalid_request_error", "invalid_parameter_error"),
             "context_too_long"),
    ),
    "Together": (
        Form(402, {"id": "o", "error": {"message": "Credit limit exceeded. Please navigate to "
                   "https://api.together.xyz/settings/billing to add credit or upgrade your plan.", "type": "credit_limit",
                   "param": None, "code": None}}, "no_credit"),
        Form(404, openai("Unable to access model x. Please visit https://api.together.ai/models", "invalid_request_error",
                         "model_not_available"), "not_found"),
        Form(400, openai("The input (250000 tokens) is longer than the model's context length (200000 tokens).",
                         "invalid_request_error"), "context_too_long"),
        Form(403, openai("Input token count + max_tokens parameter must be less than the context length of the model."),
             "context_too_long"),
    ),
    "Fireworks": (
        Form(412, {"error": {"message": SUSPENDED, "param": None, "code": "PRECONDITION_FAILED", "type": "error"},
                   "request_id": "x"}, "no_credit"),
        Form(404, {"error": {"object": "error", "type": "invalid_request_error", "code": "NOT_FOUND",
                   "message": "Model not found, inaccessible, and/or not deployed"}}, "not_found"),
    ),
    "DeepInfra": (
        Form(403, {"detail": {"error": "Not authenticated"}}, "denied"),
        Form(402, {"detail": {"error": "inference prohibited, please enter a payment method"}}, "no_credit"),
        Form(404, {"detail": {"error": "Model is not available"}}, "not_found"),
    ),
    "Groq": (
        Form(400, openai("Organization has been restricted. Please reach out to support if you believe this was in error.",
                         "invalid_request_error", "organization_restricted"), "denied"),
        Form(400, openai("The model `x` has been decommissioned and is no longer supported.", "invalid_request_error",
                         "model_decommissioned"), "not_found"),
        Form(400, openai("Too many images provided. This model supports up to 5 images", "invalid_request_error"),
             "too_many_pictures"),
        Form(400, openai("Please reduce the length of the messages or completion.", "invalid_request_error"),
             "context_too_long"),
        Form(400, openai("`max_completion_tokens` must be less than or equal to `8192`, the maximum value for "
                         "`max_completion_tokens` is less than the `context_window` for this model", "invalid_request_error"),
             "answer_too_long"),
        Form(498, openai("Flex tier capacity exceeded", None, "capacity_exceeded"), "server"),
    ),
    "OpenRouter": (
        Form(403, {"error": {"code": 403, "message": "Input was flagged", "metadata": {"reasons": ["violence"],
                   "flagged_input": "words", "provider_name": "P", "model_slug": "m"}}}, "refused"),
        Form(402, {"error": {"message": "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
                   "code": 402, "metadata": {"limit_source": "openrouter_credits"}}}, "no_credit"),
        Form(402, {"error": {"message": "This request requires more credits, or fewer max_tokens. You requested up to 16384 "
                   "tokens, but can only afford 3919.", "code": 402}}, "no_credit"),
        Form(402, {"error": {"message": "In-flight spending budget exhausted", "code": 402,
                   "metadata": {"limit_source": "openrouter_in_flight_budget"}}}, "rate_limit"),
        Form(200, {"error": {"error": {"message": "More credits are required to run this request.", "code": 402},
                   "code": 402}}, "no_credit"),
        Form(401, {"error": {"message": "No auth credentials found", "code": 401}}, "denied"),
        Form(400, {"error": {"message": "x is not a valid model ID", "code": 400}}, "not_found"),
        Form(404, {"error": {"message": "No allowed providers are available for the selected model.", "code": 404}},
             "not_found"),
        Form(404, {"error": {"message": "No endpoints found that support image input", "code": 404}}, "unsupported"),
        Form(429, {"error": {"message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model "
                   "requests per day", "code": 429}}, "no_credit"),
    ),
    "Perplexity": (
        Form(401, "<html>\r\n<head><title>401 Authorization Required</title></head></html>", "denied"),
    ),
    "LiteLLM": (
        Form(429, openai("Budget has been exceeded! Current cost: 10.2, Max budget: 10.0", "budget_exceeded", "429"),
             "no_credit"),
        Form(400, openai("ExceededBudget: End User=a over budget. Spend=0.0008, Budget=0.0001", "auth_error", "400"),
             "no_credit"),
        Form(429, openai("No deployments available - crossed budget: Exceeded budget for deployment model_name: x: 0.363 >= 1d",
                         "None", "429"), "no_credit"),
        Form(401, openai("Authentication Error, Invalid proxy server token passed.", "auth_error", "401"), "denied"),
        Form(401, openai("key not allowed to access model. This key can only access models=['a']. Tried to access b",
                         "key_model_access_denied", "401"), "denied"),
        Form(400, openai("/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models.",
                         "invalid_request_error", "400"), "not_found"),
        Form(400, openai("litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - The response was "
                         "filtered. Received Model Group=x", None, "400"), "refused"),
        Form(400, openai("litellm.ContextWindowExceededError: prompt is too long", None, "400"), "context_too_long"),
    ),
    "vLLM": (
        Form(400, openai("At most 4 image(s) may be provided in one prompt."), "too_many_pictures"),
        Form(400, openai("m is not a multimodal model None"), "unsupported"),
        Form(400, openai("'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is "
                       "8192 tokens and your request has 900 input tokens (16000 > 8192 - 900)."), "answer_too_long"),
    ),
    "TGI": (
        Form(424, {"error": "Request failed during generation", "error_type": "generation"}, "server"),
        Form(500, {"error": "Incomplete generation", "error_type": "incomplete_generation"}, "server"),
    ),
    "Ollama": (
        Form(404, openai("model 'x' not found", "api_error", None), "not_found"),
        Form(404, {"error": "model \"x\" not found, try pulling it first"}, "not_found"),
        Form(500, openai("model requires more system memory (5.3 GiB) than is available (3.3 GiB)", "api_error"),
             "unsupported"),
        Form(400, {"error": "llama3.2 does not support chat"}, "unsupported"),
    ),
    "LM Studio": (
        Form(400, {"error": "Model does not support images. Please use a model that does."}, "unsupported"),
        Form(400, {"error": "<LM Studio error> Vision model is not loaded. Cannot process images. Error Data: n/a"},
             "unsupported"),
        Form(400, {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
                   "context length of only 4096 tokens."}, "context_too_long"),
    ),
    "llama.cpp": (
        Form(500, {"error": {"code": 500, "message": "image input is not supported - hint: if this is unexpected, you may need "
                   "to provide the mmproj", "type": "server_error"}}, "unsupported"),
        Form(400, {"error": {"code": 400, "message": "request (13392 tokens) exceeds the available context size (8192 tokens), "
                   "try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 13392, "n_ctx": 8192}},
             "context_too_long"),
        Form(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "server"),
        Form(501, {"error": {"code": 501, "message": "This server does not support it", "type": "not_supported_error"}},
             "unsupported"),
    ),
    "Black Forest Labs": (
        Form(200, {"id": "x", "status": "Content Moderated", "result": None,
                   "details": {"Moderation Reasons": ["Derivative Works Filter"]}}, "refused"),
    ),
    "Stability": (
        Form(403, {"errors": ["Your request was flagged by our content moderation system, as a result your request was denied "
                   "and you were not charged."], "id": "x", "name": "content_moderation"}, "refused"),
        Form(402, {"errors": ["You lack sufficient credits to make this request."], "id": "x", "name": "payment_required"},
             "no_credit"),
        Form(400, {"errors": ["content-type: must be multipart/form-data"], "id": "x", "name": "bad_request"}, "rejected"),
        Form(400, {"name": "invalid_prompts", "id": "x", "message": "One or more prompts contains filtered words."}, "refused"),
    ),
    "fal": (
        Form(422, {"detail": [{"loc": ["body", "prompt"], "msg": "The content was flagged by a content checker.",
                   "type": "content_policy_violation", "url": "https://docs.fal.ai/errors#content_policy_violation",
                   "input": "a nude"}]}, "refused"),
        Form(403, {"detail": "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing."},
             "no_credit"),
        Form(403, {"detail": "User is locked. Reason: Admin lock. Please contact support@fal.ai"}, "denied"),
        Form(401, {"detail": "Cannot access application 'x'. Authentication is required to access this application."},
             "denied"),
        Form(422, {"detail": [{"loc": ["body", "seed"], "msg": "Input should be a valid integer", "type": "int_parsing",
                   "input": "content policy violation, insufficient credits"}]}, "rejected"),
    ),
    "Replicate": (
        Form(402, {"title": "Insufficient credit", "detail": "You have insufficient credit to run this model. Go to "
                   "https://replicate.com/account/billing to purchase credit.", "status": 402}, "no_credit"),
        Form(401, {"title": "Unauthenticated", "detail": "You did not pass a valid authentication token", "status": 401},
             "denied"),
        Form(200, {"id": "x", "status": "failed", "error": "NSFW content detected. Try running it again, or try a different "
                   "prompt."}, "refused"),
        Form(200, {"id": "x", "status": "failed", "error": "The input or output was flagged as sensitive. Please try again with "
                   "different inputs. (E005)"}, "refused"),
    ),
    "ComfyUI": (
        Form(402, {"message": "Payment Required: Please add credits to your account to use this node."}, "no_credit"),
        Form(401, {"message": "Unauthorized: Please login first to use this node."}, "denied"),
        Form(409, {"message": "There is a problem with your account. Please contact support@comfy.org."}, "denied"),
    ),
}  # fmt: skip


class ErrorService(ThreadingHTTPServer):
    """Answers every question with the form that is set; ``good`` is sent in place of it where that is set.

    Attributes:
        form: The error.
        first: Number of questions that are answered with it; the others get ``good``.
        good: A reply of status 200.
        asked: Questions that came.
    """

    daemon_threads = True
    form = Form(500, "", "server")
    first = 10**9
    good: Any = None
    asked = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        service: Any = self.server
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                self.rfile.read(size + 2)
            self.rfile.readline()
        else:
            self.rfile.read(int(self.headers["content-length"]))
        service.asked += 1
        form = service.form if service.asked <= service.first else Form(200, service.good, "")
        text, body = isinstance(form.body, str), form.body
        data = body if isinstance(body, bytes) else (body if text else json.dumps(body)).encode()
        self.send_response(form.status)
        self.send_header("Content-Type", "text/html" if text else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in form.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name it has there
        """Say nothing."""


@contextmanager
def answering(form: Form | None = None) -> Iterator[ErrorService]:
    """Serve while the block runs."""
    service = ErrorService(("127.0.0.1", 0), _Handler)
    service.form = form or service.form
    with serving_until_the_end(service):
        yield service
