"""Pictures of a scene by programs that share nothing with the project's own drawer, faithful or with a fault.

``outlines`` turns a scene into filled areas, lines and texts; ``drawers`` draws these with matplotlib, Pillow or resvg;
``fonts`` finds letters; ``styles`` chooses drawer, font, canvas, shades and layout; ``ways`` shades, textures, wobbles
and gives depth; ``families`` names the kinds of pictures that a judge is tested with, each with the scores that a
person would give; ``faults`` changes one fact and names it.
"""
