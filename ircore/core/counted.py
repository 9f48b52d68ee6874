"""Counts of things in words, singular or plural."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``1 episode`` or ``1,200 episodes``.

    >>> counted(1, "episode"), counted(0, "new turn"), counted(1200, "query", "queries")
    ('1 episode', '0 new turns', '1,200 queries')

    Args:
        count: How many.
        noun: In the singular, with the words before it.
        plural: The same in the plural; the singular and an s if empty.
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
