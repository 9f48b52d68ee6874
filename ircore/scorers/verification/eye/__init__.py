"""The eye: looks for each mark of a target in a rendering, and reports a reading of each fact.

Nothing here relies on how targets are drawn: no exact colours, fonts, antialiasing or pixel grids. It knows what to
look for and about where, brings rendering and target over each other first, and looks for what should not be there.
"""
