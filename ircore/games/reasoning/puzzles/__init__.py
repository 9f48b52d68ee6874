"""Puzzles and scenes of our own: made by program from a random number generator, and drawn."""
