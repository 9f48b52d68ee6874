"""Figures: their data, their live and still drawings, and the tables of their numbers."""
