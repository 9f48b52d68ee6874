"""Words that point at a target of the set in place of describing it: its number, a hash, a seed, a file, a promise.

Whoever knows the public pictures could draw the one that is meant. Such words are listed for people: a model may use
them by chance, and the channel test shows whether a generator without that knowledge can draw from the words.
"""

import re

_NUMBER = (
    r"(?:\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|[ivx]+)"
)
_CATEGORY = (
    r"(?:geometr(?:y|ies)|geometrical figures?|bar (?:graph|chart)s?|pie(?: (?:graph|chart))?s?|line (?:graph|chart)s?"
    r"|functions?|simple shapes?|photo(?:graph)?s?)"
)
_PICTURE = r"(?:target|image|picture|instance|item|example|sample|episode|puzzle|task|figure|drawing)s?"
_WHOLE = r"(?:set|benchmark|dataset|data set|collection|list|folder|series|archive|leaderboard|game|season)"
_LEVEL = r"(?:easy|hard)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (description, re.compile(pattern, re.IGNORECASE))
    for description, pattern in (
        (
            "names a category, a difficulty and a number",
            rf"\b{_NUMBER}\W+(?:of\W+)?(?:the\W+)?{_LEVEL}\W+{_CATEGORY}\b"
            rf"|\b{_NUMBER}\W+{_CATEGORY}\W+(?:{_LEVEL})\b"
            rf"|\b(?:{_LEVEL}\W+{_CATEGORY}|{_CATEGORY}\W+{_LEVEL})[\s.,#-]+(?:target\W+)?(?:no|nr|number)?[\s.,#-]*{_NUMBER}\b(?!\s*px)",
        ),
        (
            "speaks of the set of targets",
            rf"\b{_PICTURE}\b[\w\s#.-]{{0,20}}\b(?:of|from|in)\s+(?:the|this|our|your)\s+(?:\w+\s+)?{_WHOLE}\b"
            rf"|\b{_PICTURE}\s+(?:no\.?|nr\.?|number|#)\s*\d+\b|\b(?:benchmark|dataset|leaderboard)\b",
        ),
        ("names a file", r"\b[\w-]+\.(?:png|jpe?g|webp|gif|svg|bmp|tiff?)\b"),
        ("gives a seed", r"\bseed\b\W{0,3}(?:is\s+|of\s+|number\s+)?\d+"),
        (
            "gives a hash",
            r"\b(?=[0-9a-f]*\d[a-f]+\d)(?=[0-9a-f]*[a-f]\d+[a-f])[0-9a-f]{8,}\b|\b(?:sha-?\d+|md5|uuid)\b",
        ),
        (
            "refers to what is not in the message",
            r"\b(?:as|which|that)\s+(?:we|you and i)\s+(?:have\s+)?agreed\b|\byou know which\b|\bas\s+last\s+time\b"
            r"|\bfrom\s+(?:your|our)\s+(?:memory|training)\b|\b(?:code\s?book|code\s?word|secret (?:word|sign))\b",
        ),
    )
)


def points_at_a_target(text: str) -> str | None:
    """Return how a message points at a target in place of describing it; None for most messages.

    Args:
        text: The message without its tags.

    >>> points_at_a_target("Draw the third easy geometry target.")
    'names a category, a difficulty and a number'
    >>> points_at_a_target("An easy geometry: 1 triangle.") is None
    True
    """
    return next((description for description, pattern in _FORMS if pattern.search(text)), None)
