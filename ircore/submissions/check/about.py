"""Checks of licences, and of a manifest's statements about the models in its seats."""

from collections.abc import Iterator

from ircore.core.records import ModelFacts
from ircore.core.strict_yaml import FieldPath
from ircore.core.submission_records import Dates
from ircore.submissions.check.manifest import EXPECTED
from ircore.submissions.findings import Fault
from ircore.submissions.texts import text_faults


def licence_faults(path: FieldPath, licence: str) -> Iterator[Fault]:
    """Yield a fault if a licence is no SPDX expression, or is not written as SPDX writes it.

    Args:
        path: Field of the manifest.
        licence: What stands there.
    """
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    expected = EXPECTED["licence"]
    try:
        known = canonicalize_license_expression(licence)
    except (InvalidLicenseExpression, ValueError):
        yield Fault(path, "no licence that SPDX lists", expected, f"Write {expected} (spdx.org/licenses).")
        return
    if known != licence:
        yield Fault(path, f"SPDX writes it {known}", known, f"Write {known}.", "warning")


def about_faults(path: FieldPath, about: ModelFacts, dates: Dates | None) -> Iterator[Fault]:
    """Yield the faults in the statements about a model.

    Args:
        path: Field of the manifest.
        about: What stands there.
        dates: When the submission was made and played.
    """
    if about.organisation is not None:
        yield from text_faults((*path, "organisation"), about.organisation)
    if about.licence is not None:
        yield from licence_faults((*path, "licence"), about.licence)
    elif about.open_weights:
        expected = "the licence of the weights, such as Apache-2.0"
        yield Fault((*path, "licence"), "not stated for open weights", expected, f"Add licence: {expected}.", "warning")
    days = [] if dates is None else [(name, day) for name in ("played", "submitted") if (day := getattr(dates, name))]
    for name, day in days:
        if about.released is not None and about.released > day:
            problem = f"{about.released} is after dates.{name}, {day}"
            yield Fault((*path, "released"), problem, "the day on which the model came out", "Correct one of the two.")
            return
