"""The describer's second voice: speaks like a person, who names things rather than pixels.

Colours, shapes and points get everyday names (``everyday_names``), charts and graphs are told in their own units
(``axes``, ``mark_words``). ``voice`` puts the sentences together, turn by turn, and corrects what is still wrong.
"""
