"""``ircore submission``: make, check and hand in a submission."""

from ircore.commands.options import LazyGroup

_MODULES = {
    "check": ("check", "check-change"),
    "hand_in": ("hand-in",),
    "new": ("new",),
    "transcripts": ("commit", "pack", "pin"),
}

command = LazyGroup(
    {
        name: f"ircore.commands.submission.{module}:{name.replace('-', '_')}"
        for module, names in _MODULES.items()
        for name in names
    },
    name="submission",
    help="Make, check and hand in a submission.",
)
