"""Transcripts of a submitter: packed for upload, fetched, checked against the rules of the game, kept as a run."""
