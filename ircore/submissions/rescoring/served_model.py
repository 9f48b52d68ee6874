"""The model that a service says answered, compared with the model that the manifest names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ircore.core.counted import counted
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.runs.events import Call, Event
from ircore.runs.provenance import Flag

_SNAPSHOT = re.compile(r"(-(20\d\d-\d\d-\d\d|20\d{6}|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|latest|preview))+$")
"""What names of services add to say which version of a model it is."""


def other_models(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield a finding for each model that answered in a seat whose manifest names another.

    Args:
        run: The run's identity.
        events: The transcript. Answers of services that do not say which model answered prove nothing.
    """
    answered: Counter[tuple[str, str]] = Counter()
    for event in events:
        if isinstance(event, Call):
            names = {attempt.served for attempt in event.attempts if attempt.kind == "answered" and attempt.served}
            answered.update((event.role, name) for name in names)
    for (role, served), count in sorted(answered.items()):
        spec = run.submission.players.get(role)
        if spec is None or spec.model is None or any(is_same_model(name, served) for name in _named(spec)):
            continue
        problem = (
            f"{counted(count, 'answer')} of the {role} by {served.partition('@')[0][:80]}, not by {spec.model[:80]}"
        )
        yield Flag(rule="another_model", where="the run", what=problem)


def is_same_model(named: str, served: str) -> bool:
    """Return whether a service's name of the model that answered can stand for the model that was named.

    Args:
        named: As in the manifest; a folder of weights or a name with its maker before a slash, too.
        served: As the service says it, perhaps with a fingerprint after ``@``.

    >>> is_same_model("gpt-5.2", "gpt-5.2-2026-01-15@fp_1"), is_same_model("gpt-5.2", "gpt-5.2-mini")
    (True, False)
    """
    # What follows the sign is a fingerprint of the service's, not part of the model's name.
    plain_named, plain_served = _plain(named), _plain(served.partition("@")[0])
    if plain_named == plain_served:
        return True
    if _SNAPSHOT.sub("", plain_named) != _SNAPSHOT.sub("", plain_served):
        return False
    dates = [re.sub(r"\D", "", match[0]) for name in (plain_named, plain_served) if (match := _SNAPSHOT.search(name))]
    return len([date for date in dates if date]) < 2  # two versions that are both stated have to be the same


def _named(spec: PlayerSpec) -> list[str]:
    """Return the models that a manifest names for a seat: its own, the tool's, and that which merges a dialogue."""
    return [
        str(name) for name in (spec.model, spec.parameters.get("rewriter"), spec.parameters.get("image_model")) if name
    ]


def _plain(name: str) -> str:
    """Return a model's name in lower case, without its maker or folder, and without a route such as ``:free``."""
    return name.lower().rstrip("/\\").replace("\\", "/").rpartition("/")[2].partition(":")[0]
