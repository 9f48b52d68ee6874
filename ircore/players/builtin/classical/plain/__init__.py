"""The describer's second voice: speaks like a person, who names things rather than pixels.

Colours get everyday names (``colour_words``), charts and graphs are told in their own units (``charts``, ``axes``,
``chart_words``), figures by their named points (``points``, ``figure_words``), shapes by their names
(``shape_words``). ``voice`` puts the sentences together, turn by turn, and corrects what is still wrong.
"""
