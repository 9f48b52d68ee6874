"""Judges: who rates how alike two pictures are."""
