"""Figures: what each shows, how it is drawn live and still, and the numbers behind it."""
