"""Players behind any OpenAI-compatible service: OpenAI itself, OpenRouter, Gemini's endpoint, vLLM, Ollama, llama.cpp.

| player | seat | endpoint |
|---|---|---|
| ``openai`` | describer, judge | chat completions, or Responses with ``parameters.api: responses`` |
| ``openai-images`` | generator | Images API: generate on turn 1, then edit |
| ``openai-chat`` | generator | chat completions that answer with pictures |
| ``openai-responses`` | generator | Responses with the tool image_generation |

``connection`` is the only module of the project that imports the package ``openai``, and does so at the first request.
"""
