"""Commitments: seed and order of a run that neither its submitter nor the maintainers can choose.

A submitter draws a secret *salt* and publishes a hash of it together with players and rules: the *commitment*. When the
commitment is registered, a *nonce* is drawn that nobody knew before. Seed and order follow from both, so whoever wants
another seed needs another commitment, which everybody sees. The salt is published with the run. This is commitment by a
hash with a random opening (Goldreich, Foundations of Cryptography I, 4.4.1), and a draw by two parties of whom neither
can bias it alone (Blum, Coin flipping by telephone, 1981).
"""

import hashlib
import hmac
import json
from collections.abc import Iterable

from ircore.core.plugins import builtin
from ircore.core.submission_records import Opening, Submission
from ircore.players.traits import deciding

LABEL = "ircore commitment 1"
"""First words of what is hashed, so that no other hash of this project can stand for a commitment."""


def players_of(submission: Submission) -> str:
    """Return the SHA-256 of a submission's game, rules and players: the same for one pair under several names.

    Names of keys, of people and of files, and timeouts, are left out: they change nothing that is answered.

    Args:
        submission: The manifest.
    """
    players = {
        # Of other packages' players not every machine knows which parameters change no answer.
        seat: (deciding(player) if player.player in builtin("players") else player).model_dump(
            mode="json", exclude={"api_key_env"}
        )
        for seat, player in submission.players.items()
    }
    return _hash(submission.game, submission.rules, players)


def commitment_of(slug: str, submission: Submission, salt: str) -> str:
    """Return the commitment of a submission: SHA-256 of its name, of game, rules and players, and of the salt.

    Args:
        slug: The submission's folder name.
        submission: The manifest.
        salt: The secret number, 64 hexadecimal digits.
    """
    return _hash(LABEL, slug, players_of(submission), salt)


def seed_of(opening: Opening) -> int:
    """Return the seed of a run: the first 63 bits of HMAC-SHA256 with the salt as key.

    >>> seed_of(Opening(salt="0" * 64, nonce="1" * 64)) < 2**63
    True
    """
    return int.from_bytes(_drawn(opening, "seed")[:8]) >> 1


def in_order(opening: Opening, ids: Iterable[str]) -> list[str]:
    """Return the ids of instances in the order in which a run plays them: by HMAC-SHA256 of each id.

    >>> sorted(in_order(Opening(salt="0" * 64, nonce="1" * 64), ["a", "b", "c"]))
    ['a', 'b', 'c']
    """
    return sorted(ids, key=lambda name: _drawn(opening, f"instance {name}"))


def _hash(*parts: object) -> str:
    # As a JSON list, so that no two lists of parts give the same bytes, whatever the parts contain.
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _drawn(opening: Opening, purpose: str) -> bytes:
    return hmac.new(bytes.fromhex(opening.salt), f"{opening.nonce} {purpose}".encode(), hashlib.sha256).digest()
