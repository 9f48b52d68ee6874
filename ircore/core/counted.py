"""Counts of things in words, singular or plural, and articles."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``1 episode`` or ``1,200 episodes``.

    >>> counted(1, "episode"), counted(0, "new turn"), counted(1200, "query", "queries")
    ('1 episode', '0 new turns', '1,200 queries')

    Args:
        count: How many.
        noun: In the singular, with the words before it.
        plural: The same in the plural; made by the rules of spelling if empty.
    """
    return f"{count:,} {noun if count == 1 else plural or plural_of(noun)}"


def plural_of(noun: str) -> str:
    """Return the plural of a noun that follows the rules of spelling.

    >>> plural_of("round"), plural_of("guess"), plural_of("query"), plural_of("day")
    ('rounds', 'guesses', 'queries', 'days')
    """
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and not noun.endswith(("ay", "ey", "oy", "uy")):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def article(words: str) -> str:
    """Put ``A`` or ``An`` before words."""
    return f"An {words}" if words[0] in "aeiou" else f"A {words}"
