"""Seeds that follow from other seeds, the same on every machine."""

import hashlib


def derive_seed(seed: int, *parts: object) -> int:
    """Return a seed of 32 bits that depends on ``seed`` and every part.

    >>> derive_seed(7, "geometry-easy-01") == derive_seed(7, "geometry-easy-01")
    True
    >>> derive_seed(7, 1, "describer") == derive_seed(7, 1, "generator")
    False
    """
    # By a hash: Python's own ``hash`` of a text differs from process to process.
    text = "\0".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
