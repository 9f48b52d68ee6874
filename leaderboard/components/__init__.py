"""Components: the single author of every mark, glyph and number that pages show.

A component is a Python function that takes prepared values and returns HTML. Templates call them by module
(``values.score(cell.score)``) and lay out pages around them; charts may insert them; scripts clone them from the
``<template>`` elements that ``prototypes`` renders, and fill in text and attributes. They are functions rather than
Jinja macros because a site of many pairs has tens of thousands of them. Whatever may be a stranger's is escaped here.
"""
