"""Submissions: checking the files that strangers hand in, re-scoring transcripts, and the history after the merge."""
