"""How the paper's judges are called on pages."""

_NAMES = {"gpt": "GPT", "claude": "Claude", "qwen3": "Qwen3", "lipsim": "LipSim", "human": "People"}


def judge_name(judge: str) -> str:
    """Return what pages call a judge of the paper, or one of its annotators."""
    return _NAMES.get(judge) or judge.removeprefix("annotator ")
