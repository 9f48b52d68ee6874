"""``ircore maintain``: look after merged submissions: what waits, evaluations, decisions, seasons."""

from ircore.commands.options import LazyGroup

_MODULES = {
    "maintain.batch": ("evaluate-pending", "paid"),
    "maintain.decisions": (
        *("clear", "correct", "dispute", "reinstate", "settle", "withdraw"),
        *("decisions", "history", "retire", "update"),
    ),
    "maintain.season": ("season",),
    "maintain.replays": ("channel-test", "spot-replay"),
    "maintain.upkeep": ("evaluate", "links", "pending", "reproduce", "setup"),
    "submission.preview": ("preview",),
    "submission.transcripts": ("rescore",),
}

command = LazyGroup(
    {
        name: f"ircore.commands.{module}:{name.replace('-', '_')}"
        for module, names in _MODULES.items()
        for name in names
    },
    name="maintain",
    help="Look after merged submissions: what waits, evaluations, decisions about entries, seasons.",
)
