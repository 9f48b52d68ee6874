"""The game master's words: names and places of the texts in ``prompt_texts``."""

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "speaker_simple": (),
    "speaker_gricean": (),
    "speaker_explicit": (),
    "speaker_consistent": (),
    "speaker_round": ("{label}",),
    "speaker_right": (),
    "speaker_wrong": ("{chosen}",),
    "speaker_invalid": (),
    "listener": ("{labels}",),
    "listener_masked": ("{labels}",),
    "listener_round": ("{message}",),
    "listener_right": (),
    "listener_wrong": ("{label}",),
    "listener_invalid": ("{labels}",),
}
"""The texts of a set by name, and what each must have a place for."""
