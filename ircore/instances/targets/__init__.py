"""Procedural, seeded drawing of targets, a module per category."""

SYNTHETIC = ("bar_graph", "functions", "geometry", "line_graph", "pie_graph", "simple_shapes")
"""Categories that this project draws, of the paper."""

DRAWN = (*SYNTHETIC, "tangrams")
"""Categories of this project whose targets have scenes."""
