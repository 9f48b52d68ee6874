"""The reasoning game: pictures that need a thought, by GIR-Bench's dimensions, verified by program."""
