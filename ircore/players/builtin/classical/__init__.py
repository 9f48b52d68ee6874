"""A describer that sees by classical computer vision.

``palette`` finds the drawn colours, ``grounds`` the large areas under other things, ``writing`` (with ``pieces`` and
``letters``; ``ocr`` on request) the texts, ``regions`` the solid and thin parts. ``shapes`` (with ``corners``),
``bars``, ``pies``, ``thin`` (with ``strokes``, ``dashed``, ``paths``, ``curves``, ``families``, ``series``),
``linechart`` (with ``chart_columns``) and ``photo`` classify them; ``perceive`` puts everything together. ``wording``
(with ``statements`` and ``…_wording``) describes the percepts, and ``compare`` (with ``correct_texts``, ``matching``
and ``list_probes``) finds the faults of a rendering. ``plain`` is a second voice, which says what a person would say.
"""
