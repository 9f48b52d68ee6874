"""Releases of games other than reconstruction: the same files and guarantees, columns from what the game declares."""
