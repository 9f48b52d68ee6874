"""A seat whose answers, such as people's, are recorded in the instances."""

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec

RECORDED = "recorded"
"""The player's name in a manifest: ``{player: recorded, source: human}``, in seats whose game allows it."""


class RecordedSeat:
    """Stands in a seat whose answers the game finds among the fields of the instance.

    >>> RecordedSeat(PlayerSpec(player="recorded", source="human")).source
    'human'

    Args:
        spec: ``source`` names whose answers; nothing else may be set.

    Raises:
        InputError: The source is missing, or there are other settings.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        if spec.source is None:
            raise InputError("source: is missing", "Say whose recorded answers take the seat, such as human.")
        if spec.model or spec.base_url or spec.api_key_env or spec.parameters:
            raise InputError("recorded answers have no settings", "Leave only player and source.")
        self.source = spec.source
