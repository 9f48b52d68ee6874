"""Texts of a target and of a rendering, compared: folded to one form, and their edit distance."""

import unicodedata


def folded(text: str) -> str:
    """Return a text for comparison: Unicode's compatible form, one kind of minus, no case, single blanks."""
    # Before the compatible form, which makes an "o" of the ordinal sign.
    plain = unicodedata.normalize("NFKC", text.replace("º", "°")).replace("−", "-").replace("–", "-")
    return " ".join(plain.casefold().split())


def edits(text: str, other: str) -> int:
    """Return the edit distance of two texts (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for count, letter in enumerate(text, start=1):
        last, row[0] = row[0], count
        for place, second in enumerate(other, start=1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != second))
    return row[-1]
