"""Pictures that may be played with and never published: of formats of this project, and of other packages."""

from pathlib import Path

import pytest

from ircore.core.errors import InputError
from ircore.core.records import Instance, PictureFile
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.instances.withheld_pictures import published_pictures, refuse_withheld, ways_to_get


def instance(licence: str) -> Instance:
    picture = PictureFile(image="images/map.png", sha256="0" * 64, width=64, height=64)
    return Instance(
        instance_id="map-easy-01", category="maps", difficulty="easy", game="guess", payload={}, source="an atlas",
        licence=licence, pictures={"map": picture},
    )  # fmt: skip


def test_another_package_keeps_its_pictures_unpublished_by_their_licence() -> None:
    withheld, free = instance("LicenseRef-withheld-atlas"), instance("CC0-1.0")
    assert (list(published_pictures(withheld)), list(published_pictures(free))) == ([], ["map"])
    (way,) = ways_to_get([withheld, withheld, free])
    assert "LicenseRef-withheld-atlas" in way
    with pytest.raises(InputError, match=r"map-easy-01: its picture \(LicenseRef-withheld-atlas\) must not be"):
        refuse_withheld([free, withheld], "release")


def test_a_set_that_lacks_such_pictures_says_why_and_where_they_are(tmp_path: Path) -> None:
    withheld = instance("LicenseRef-withheld-atlas")
    brought_back = InstanceSet(tmp_path, "0" * 64, Instances.of((withheld,)))
    with pytest.raises(InputError, match="map-easy-01: its pictures are in no release") as told:
        brought_back.pictures(withheld)
    assert told.value.remedy == ways_to_get([withheld])[0]
