"""The reasoning game: prompts and pictures that must be reasoned about."""
