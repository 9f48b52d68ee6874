"""A describer that sees by classical computer vision.

``palette`` finds the colours drawn, ``grounds`` the large areas under other things, ``writing`` (with ``pieces`` and
``letters``; ``ocr`` on request) the texts, ``regions`` the solid and thin parts; ``shapes``, ``charts``, ``thin`` (with
``strokes``, ``dashed``, ``paths``, ``curves``, ``families``, ``series``), ``linechart`` and ``photo`` say what they
are. ``perceive`` puts them together; ``wording`` (with ``statements`` and ``…_wording``) writes them down, and
``compare`` (with ``text_corrections``, ``matching`` and ``probes``) finds what a rendering has wrong.
"""

from ircore.players.builtin.classical.describer import ClassicalDescriber

__all__ = ["ClassicalDescriber"]
