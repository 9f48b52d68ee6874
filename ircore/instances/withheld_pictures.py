"""Licences under which pictures may be played with and never published.

Releases hold ids and SHA-256 of these pictures, sites show a place holder, packs hold neither: each of them asks here.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ircore.core.errors import InputError
from ircore.core.records import Instance, PictureFile

COCO = "LicenseRef-COCO-photographs"
CONVGENVISMO = "LicenseRef-ConvGenVisMo-found-pictures"
GIR_BENCH = "LicenseRef-GIR-Bench"
KILOGRAM = "LicenseRef-KiloGram-tangrams"
VISUAL_GENOME = "LicenseRef-Visual-Genome-photographs"

UNSTATED = "LicenseRef-unstated"
"""Licence recorded where none is known."""

WITHHELD = "LicenseRef-withheld"
"""Beginning of the licences by which other packages keep pictures unpublished, as in ``LicenseRef-withheld-atlas``."""

HOW_TO_GET: Mapping[str, str] = MappingProxyType(
    {
        COCO: "Photographs of COCO val2014, each with a licence of its own. They come with the recorded games of the "
        "repository lil-lab/ICCA on GitHub: ircore instances import icca PATH --out DIR",
        GIR_BENCH: "Pictures of GIR-Bench, under licences that its files do not state. They come with the data set "
        "lihxxx/GIR-Bench on the Hub: ircore instances import gir-bench PATH --out DIR",
        CONVGENVISMO: "Pictures of Flickr and Pinterest that others made. They come with the repository "
        "nabihach/ConvGenVisMo on GitHub: ircore instances import convgenvismo PATH --out DIR",
        KILOGRAM: "Tangrams of a book, for education and research only. They come with the repository lil-lab/kilogram "
        "on GitHub: ircore instances import kilogram PATH --out DIR",
        VISUAL_GENOME: "Photographs of Flickr, each with a licence of its own; the annotations are under "
        "CC-BY-4.0. They come with Visual Genome: ircore instances import visual-genome PATH --out DIR",
    }
)
"""For each licence: the reason why pictures under it are not published, and where readers get them."""


def may_be_published(licence: str) -> bool:
    """Return whether pictures of a licence may stand in a release, on a site or in a pack.

    >>> may_be_published("CC0-1.0"), may_be_published("LicenseRef-COCO-photographs")
    (True, False)
    >>> may_be_published("LicenseRef-withheld-atlas")
    False
    """
    return licence not in HOW_TO_GET and not licence.startswith(WITHHELD)


def published_pictures(instance: Instance) -> Mapping[str, PictureFile]:
    """Return the pictures of an instance that may be published, by name: all of them or none."""
    # The licence is one for the whole instance, so there are all pictures or none.
    return instance.pictures if may_be_published(instance.licence) else {}


def ways_to_get(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return how readers get the pictures of these instances that are not published, each way once."""
    # A dict keeps the order of first occurrence, which a set would not.
    licences = dict.fromkeys(instance.licence for instance in instances)
    return tuple(
        HOW_TO_GET.get(licence, f"Pictures that must not be published ({licence}). Ask who made the set.")
        for licence in licences
        if not may_be_published(licence)
    )


def refuse_withheld(instances: Iterable[Instance], purpose: str) -> None:
    """Refuse instances whose pictures are not to be published, where a page or table cannot do without them.

    Args:
        instances: Of one set.
        purpose: What would publish them, such as ``release``.

    Raises:
        InputError: There is one; the line names it and its licence.
    """
    for instance in instances:
        if not may_be_published(instance.licence):
            raise InputError(
                f"instance {instance.instance_id}: its picture ({instance.licence}) must not be published, and the "
                f"{purpose} would hold it",
                f"Leave its runs out of the {purpose}; ircore results and ircore show work with them.",
            )


def refuse_other_licence(stated: str | None, licence: str) -> None:
    """Refuse ``--licence`` for pictures whose licence is known, since it decides whether they are published.

    Raises:
        InputError: Another licence was given.
    """
    # A free licence given here would publish pictures that must stay withheld.
    if stated not in (None, licence):
        raise InputError(
            f"--licence {stated}: these pictures have the licence {licence} and must not be published",
            "Leave --licence out.",
        )
