"""A push as the Hub takes it by default: large files in chunks, through ``hf_xet``, here into its own local store."""

from pathlib import Path

from hub_clients import run_with_hub
from hub_server import running_hub

REPO = "org/irg"


def test_large_files_arrive_in_chunks(release: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with running_hub(cas=tmp_path / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])

        assert done.code == 0, done.err
        pushed = {path: file.data for path, file in hub.repos[REPO].tree.items() if path != ".gitattributes"}
        assert pushed == {
            path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()
        }
        assert not any(request.startswith("PUT /lfs/") for request in hub.requests)


def test_a_store_that_fails_is_one_clear_line(release: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with running_hub(cas=tmp_path / "file" / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])

        assert done.code == 1
        assert done.err.splitlines()[1].startswith("ircore: org/irg: large files cannot be moved (")
        assert hub.repos[REPO].titles == ["initial commit"]
