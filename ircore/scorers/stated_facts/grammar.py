"""Reading messages by program: the built-in players' grammar, checked fact by fact.

The messages are read by the reader of the built-in generator, which keeps what was described and applies corrections.
What it understood is drawn and looked at by the eye of the verification: a fact is stated if it holds there. So what
the grammar cannot read counts as not said, and the eye's own doubts stay doubts.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ircore.core.images import Picture
from ircore.core.records import Instance, Scene
from ircore.players.builtin_language import draw_messages
from ircore.scorers.stated_facts.records import GRAMMAR, SaidTurn, letters_of
from ircore.scorers.verification.score import VERSION as EYE
from ircore.scorers.verification.score import verify_picture

VERSION = f"1-eye-{EYE}"
"""Changes whenever the same turn may be read otherwise."""


class GrammarReader:
    """Reads the turns of one episode.

    Args:
        instance: Its target's; it has a scene.
        target: The target.
        shown: Verdicts that are known already, by the hash of a rendering: a letter a fact, of this version of the eye.

    Example:
        >>> from pathlib import Path
        >>> from ircore.instances.store import read_instances
        >>> instances = read_instances(Path("targets"))
        >>> target = instances.picture(instances.instances[0], "target")
        >>> reading = GrammarReader(instances.instances[0], target).turn("e", 1, ["A red circle."], target)
        >>> set(reading.shown) <= set("01?")
        True
    """

    def __init__(self, instance: Instance, target: Picture, shown: Mapping[str, str] | None = None) -> None:
        assert instance.scene is not None  # noqa: S101 - the caller passes over what was not drawn
        self._scene: Scene = instance.scene
        self._target = target
        self._seen: dict[str, str] = dict(shown or {})

    def turn(self, episode_id: str, turn: int, messages: Sequence[str], rendering: Picture) -> SaidTurn:
        """Return the facts of a turn.

        Args:
            episode_id: The episode's.
            turn: 1-based.
            messages: Up to this turn, oldest first.
            rendering: Of this turn.
        """
        stated = self._stated(tuple(messages))
        # Before the first message nothing is stated.
        before = self._stated(tuple(messages[:-1])) if len(messages) > 1 else "0" * len(stated)
        alone = self._stated((messages[-1],)) if len(messages) > 1 else stated
        return SaidTurn(
            episode_id=episode_id,
            turn=turn,
            rendering=rendering.sha256,
            reader=GRAMMAR,
            version=VERSION,
            stated=stated,
            named="".join(map(_named, before, stated, alone)),
            shown=self._shown(rendering),
        )

    def _stated(self, messages: tuple[str, ...]) -> str:
        return self._shown(_draw(messages))

    def _shown(self, picture: Picture) -> str:
        """Return the facts that a picture shows; equal pictures are analysed once."""
        if picture.sha256 not in self._seen:
            self._seen[picture.sha256] = letters_of(verify_picture(self._target, self._scene, picture))
        return self._seen[picture.sha256]


_draw = lru_cache(maxsize=64)(draw_messages)


def _named(before: str, stated: str, alone: str) -> str:
    """Return whether a message is about a fact: the message states the fact or changes an earlier statement."""
    # Alone too: a message that repeats a fact changes nothing, but is about the fact.
    return "1" if alone == "1" or before != stated else "0"
