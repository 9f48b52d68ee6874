"""Run in a process of its own: read a release from a Hub in each way that its users do, print what was seen as JSON.

Arguments: the repository, then tags. Without a tag only what the cache holds is loaded, for a Hub that is not there.
"""

import gc
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
from huggingface_hub import HfApi, snapshot_download


def main(repo: str, tags: list[str]) -> None:
    if not tags:
        print(json.dumps({"rows": len(datasets.load_dataset(repo, "transcripts", split="test"))}))
        return
    seen: dict[str, Any] = {tag: at_revision(repo, tag) for tag in tags}
    datasets.load_dataset(repo, split="test")
    refs = HfApi().list_repo_refs(repo, repo_type="dataset")
    seen["tags"] = sorted(tag.name for tag in refs.tags)
    seen["no such repository"] = error_of(f"{repo}-of-nobody")
    seen["no such revision"] = error_of(repo, revision="v99")
    print(json.dumps(seen))


def at_revision(repo: str, tag: str) -> dict[str, Any]:
    from dataset_card.data import load_results, load_transcripts

    names = datasets.get_dataset_config_names(repo, revision=tag)
    tables = {name: datasets.load_dataset(repo, name, split="test", revision=tag) for name in names}
    stream = iter(datasets.load_dataset(repo, split="test", revision=tag, streaming=True))
    first = next(stream)
    del stream  # an open stream can keep Python from exiting (apache/arrow#45214)
    gc.collect()
    folder = Path(snapshot_download(repo, repo_type="dataset", revision=tag))
    return {
        "rows": {name: table.num_rows for name, table in tables.items()},
        "runs": Counter(tables["transcripts"]["submission"]),
        "first": [first["message"], first["target"].size, first["rendering"].size],
        "files": {path.relative_to(folder).as_posix(): sha256(path) for path in folder.rglob("*") if path.is_file()},
        "typed": [submission.slug for submission in load_results(repo, revision=tag).submissions],
        "frame": len(load_transcripts(repo, revision=tag)),
    }


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def error_of(repo: str, **options: str) -> str:
    try:
        datasets.load_dataset(repo, **options)
    except Exception as error:  # noqa: BLE001 - its kind is what is asked for
        return type(error).__name__
    return "none"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
