"""Targets and what every pair made of them, turn by turn."""
