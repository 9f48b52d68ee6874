"""s_wc: how much of a wanted text can be read in a picture, word by word."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable


def word_coverage_published(wanted: str, read: Iterable[str]) -> float:
    """Return GIR-Bench's word coverage s_wc by the rules of the published code, 0–1.

    Texts are put in lower case, all but a–z, 0–9 and blanks is deleted and blanks are squeezed. The score is the
    number of *distinct* wanted words that occur anywhere in the joined text, inside other words too, over the number
    of wanted words *with* repeats; 0 if either side is empty. So "to be or not to be" reaches 0.667 at most, "a"
    counts as read in "banana", and text in other scripts always gets 0.

    Args:
        wanted: The text that the picture should show.
        read: Lines of OCR, those with a confidence above 0.5.
    """
    words = _plain(wanted).split()
    text = _plain(" ".join(read))
    return sum(word in text for word in set(words)) / len(words) if words and text else 0.0


def word_coverage(wanted: str, read: Iterable[str]) -> float | None:
    """Return the share of wanted words read as whole words, each counted as often as wanted, 0–1.

    Words are runs of letters, marks and digits of any script, compared without case after Unicode's NFKC; the order
    in which lines were read does not matter.

    Args:
        wanted: The text that the picture should show.
        read: Lines of OCR.

    Returns:
        None if no word is wanted.
    """
    words = _words(wanted)
    read_words = _words(" ".join(read))
    return (words & read_words).total() / words.total() if words else None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", "", re.sub(r"\s", " ", text.lower())).split())


def _words(text: str) -> Counter[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return Counter(re.findall(r"[^\W_]+(?:['’][^\W_]+)*", folded))
