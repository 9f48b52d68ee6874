"""Words in a describer's message that are meant for a judge rather than for the generator.

Judges see pictures and fixed prompts only, so nothing comes of them; whoever tries is shown to people all the same.
"""

import re

_WHO = r"(?:judges?|graders?|raters?|evaluators?|scorers?|annotators?)"
_TOP = r"(?:10|ten|100|perfect|highest|maximum)"
_PATTERNS = (
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|rules?|criteria|above|previous)\b",
    rf"\b{_WHO}\s*[:,]",
    rf"\b(?:dear|attention|note to(?: the)?)\s+{_WHO}\b",
    r"\b(?:give|rate|score|assign|award|answer|return|respond)\b.{0,40}\b(?:10|ten)\s*(?:/|out of|of)\s*(?:10|ten)\b",
    rf"\b(?:rate|score|grade)\s+(?:this|it|the (?:image|picture|rendering|similarity))\b.{{0,40}}\b{_TOP}\b",
    r"\b(?:highest|maximum|perfect|full|top)\s+(?:score|rating|marks?|grade)\b",
    r"\bsystem\s*(?:prompt|message)\b|<\|?(?:im_start|system|assistant)\|?>",
    r'"?(?:score|rating|similarity)"?\s*[:=]\s*"?10\b',
)
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.DOTALL)


def addresses_a_judge(text: str) -> bool:
    """Say whether a message seems to speak to a judge."""
    return _ANY.search(text) is not None
