"""Components: the single author of every mark, glyph and number that pages show.

A component is a Python function that takes prepared values, decides what is said, and has a macro of
``templates/_components.html.j2`` write it. Templates call them by name (``c.score(cell.score)``) and lay out pages
around them; charts may insert them; scripts clone them from the ``<template>`` elements that ``prototypes`` renders,
and fill in text and attributes. No HTML is written in Python, and macros escape whatever may be a stranger's.
"""
