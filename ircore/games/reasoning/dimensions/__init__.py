"""The dimensions of the reasoning game, a module each."""
