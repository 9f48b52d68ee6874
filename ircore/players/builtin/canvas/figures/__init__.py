"""Figures described in their own terms: charts by values, graphs by functions, geometry by named points.

The rest of ``canvas`` reads pixels and percent of the picture. People and language models often say what a chart
shows instead: "Mon 12, Tue 30, y-axis from 0 to 40". ``prose`` brings such a message into sentences;
``figure``, ``values`` and ``graphs`` read axes and values; ``frame`` and ``graphs`` give the figure a place in the
picture; ``lettered_figures`` draws geometry on a ``plan``.
"""
