"""Scenes redrawn by programs that share nothing with our own drawer, with faults planted.

``outlines`` turns a scene into filled areas, lines and texts; ``drawers`` draws these with matplotlib, Pillow or resvg;
``styles`` chooses font, widths, shades and layout; ``faults`` changes one thing.
"""
