"""A small folder in Visual Genome's own format."""

import json
from pathlib import Path

import pytest
from genomes import thing
from PIL import Image


@pytest.fixture
def genome(tmp_path: Path) -> Path:
    """Image 1 shows two large objects, image 2 forty small ones, image 3 fifteen; 4 is not on the disk."""
    root = tmp_path / "vg"
    objects = {
        1: [thing(11, "dog", 10, 20, 60, 40), thing(12, "ball", 80, 60, 10, 10)],
        2: [thing(200 + index, "cup", index, index, 5, 5) for index in range(40)],
        3: [thing(300 + index, "cup", index, index, 20, 20) for index in range(15)],
        4: [thing(41, "cat", 0, 0, 50, 50)],
    }
    for image_id, folder in ((1, "VG_100K"), (2, "VG_100K_2"), (3, "VG_100K")):
        (root / folder).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (100, 80), (image_id * 50, 0, 0)).save(root / folder / f"{image_id}.jpg")
    address = "https://cs.stanford.edu/people/rak248/VG_100K"
    files = {
        "image_data.json": [
            {"width": 100, "url": f"{address}/{image}.jpg", "height": 80, "image_id": image, "coco_id": None,
             "flickr_id": None}
            for image in objects
        ],
        "objects.json": [
            {"image_id": image, "objects": things, "image_url": f"{address}/{image}.jpg"}
            for image, things in objects.items()
        ],
        "attributes.json": [{"image_id": 1, "attributes": [{**objects[1][0], "attributes": ["brown", "wet"]}]}],
        "relationships.json": [
            {"image_id": 1, "relationships": [
                {"predicate": "NEAR", "relationship_id": 9, "synsets": [],
                 "subject": {"name": "dog", "object_id": 11}, "object": {"name": "ball", "object_id": 12}}]}
        ],
    }  # fmt: skip
    for name, document in files.items():
        (root / name).write_text(json.dumps(document), encoding="utf-8")
    return root
