"""Submissions: reading their manifests, and checking what strangers hand in."""

from ircore.submissions.reading import (
    MANIFEST,
    LoadedSubmission,
    check_player,
    folder_of,
    make_player,
    manifests_in,
    read_manifest,
    read_submission,
)

__all__ = [
    "MANIFEST",
    "LoadedSubmission",
    "check_player",
    "folder_of",
    "make_player",
    "manifests_in",
    "read_manifest",
    "read_submission",
]
