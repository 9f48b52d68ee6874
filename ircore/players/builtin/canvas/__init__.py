"""The generator ``canvas``: reads plain English, draws it, and changes only the things that a correction names.

``text`` brings a message into one plain spelling and cuts it into clauses; ``corrections`` and ``descriptions``
follow a clause, with ``mentions``, ``charts`` and ``items`` for what is drawn, ``quantities`` for numbers and places,
``sheet`` for what is there and what "the red circle at (10, 20)" means; ``render`` draws the items. ``reader`` replays
all messages.

What it understands, among much free English. Order of words is mostly free; brackets are optional parts. Coordinates
are pixels from the top left, as in ``ircore.core.drawing``; ``%`` is of the width for x and of the height for y.

Numbers and colours
    ``40 px``, ``12.5``, ``25%``, number words; ``(x, y)``, ``x = 3, y = 4``, ``at 3, 4``; CSS names, ``#abc``,
    ``#aabbcc``, ``rgb(1, 2, 3)``, dark/light/pale/bright X. Of ``red (#d62728)`` the hex value counts.
Picture
    ``The picture is 512 by 384 pixels with a white background.`` (512 × 512 and white by default, at most 2048 a
    side) ``A red star on a yellow background.`` ``The background fades from #A at the top to #B at the bottom`` (also
    left/right, corners, centre/edges)
Shapes (circle, disc, dot, ellipse, ring, square, rectangle, triangle, polygon, star, pentagon … octagon, diamond,
trapezoid, parallelogram, cross, heart, semicircle)
    ``A red circle of radius 40 px centred at (x, y).`` – also diameter, ``80 px wide and 60 px high``, ``80 x 60
    px``, side, size, or small/large; ``with its top left corner at``; ``from (x, y) to (x, y)``; ``from x 10 to 60
    and from y 20 to 90``; ``with corners (…), (…), (…)``; ``rotated 15 degrees`` (clockwise); ``with a 3 px black
    [dashed] outline``; ``unfilled``; radius of a star or polygon is that of its corners' circle, width and height are
    those of its box. ``Red circles of radius 5 px at (…), (…), (…).`` draws one at each point. A shape without any
    colour, or with an outline colour only, is unfilled.
    ``A yellow wedge of radius 90 px [with a hole of radius 40 px] centred at (x, y) from 30 to 90 degrees`` (clockwise
    from 3 o'clock); a semicircle of radius R is centred on its flat side's middle and arches upwards.
Places in words
    top left, upper right corner, centre, bottom, near the left edge; left of / above / below / inside / around / on
    top of / between / 20 px below the red circle; ``a square inside it``.
Lines
    ``A 2 px grey dashed line from (x, y) to (x, y).`` – dotted, dash-dot, solid, arrow; ``dashes of 8 px with gaps of
    4 px``; ``a horizontal line at y 100 from x 20 to 480``; ``a 3 px blue curve through (…), (…)`` (smooth);
    ``polyline through (…) with round markers of radius 4 px`` (square, triangle, diamond, cross; own colour); ``an
    arc of radius 40 px centred at (x, y) from 30 to 90 degrees`` (clockwise from 3 o'clock). An upright 1 px line at
    a whole coordinate covers exactly that row or column of pixels; any other line is centred on its coordinates.
Text
    ``The text "A" in black, 16 px high, centred at (x, y)``: ``high`` is the height of this text's ink before
    rotation, ``font size 16`` that of the font; left-/right-aligned at; ``rotated 90 degrees`` reads upwards. ``Texts
    "A", "B" in grey, 10 px high, at (…), (…).``
Chart parts
    ``A black x axis from (…) to (…).``  ``Ticks of 6 px on the x axis at x 60, 120, 180.`` (or ``at x 60 to 480 every
    60``; outside the axis unless ``inside`` or ``across``)  ``Tick labels 0, 20, 40 [10 px high] beside the y axis,
    right-aligned at x 50, at y 450, 350, 250.``  ``Horizontal grid lines in light grey, 1 px, at y 100, 150 from x 60
    to x 480.`` ``Bars standing on y 450: #1f77b4 from x 80 to 120 up to y 220; #ff7f0e …`` (or ``from y 450 up to y
    220`` in a part); ``Blue bars 40 px wide standing on y 450 at x 100, 160, 220 up to y 220, 300, 120.``;
    ``Stacked bars 40 px wide at x 100, 160 standing on y 450: #1f77b4 up to y 300, 320; #ff7f0e up to y 220, 180``
    (each on the one before, also lying); ``Bars growing right from x 80: #… from y 60 to 90 out to x 300; …``
    ``A pie [donut with a hole of radius 60 px] of radius 180 px centred at (x, y), clockwise from 12 o'clock
    [starting at 30 degrees, clockwise from 12 o'clock], with white 2 px wedge borders: #d62728 25%, #1f77b4 30%
    pulled out 12 px, …``: shares that add up to more than 95 fill the circle.
Corrections
    move/shift X 40 px left and 10 px down; move X to (x, y); make X larger / 20% smaller / 90 px wide / twice as
    large; change the colour of X to C; X should be C, not D; rotate X by 20 degrees [counter-clockwise]; remove X;
    add …; replace X with …; change bar X to reach y 240; the wedge #C should be 27%; change the text "A" to "B"; the
    line from … should be dashed / 4 px wide; swap X and Y; bring X to the front. X is named by colour, kind, ``at (x,
    y)``, quoted text, side, largest/leftmost …, first/second (from the left), or "it".

Order of description is back to front, but grid lines are below and texts above everything else.

Named points: ``Point A is at (120, 300), point B at (400, 300).`` – from then on ``from point A to
point B``, ``with corners point A, point B, …``, ``a circle around point M through point A``, ``15 px below and 10 px
right of point B``.

Plots sentence by sentence (``plots``), each in the plot's own units once its area and axes were told
    ``The plot spans 71 to 479 px across and 54 to 437 px down, with letters of 15 px in grey.`` ``The y axis is a 1 px
    grey line and runs from 0 to 120, labelled every 20, with tick marks [inside].`` ``The x axis has the labels "A",
    "B" from 139 to 410 px [at 139, 250, 410 px] [slanting, upright].`` ``The x axis is called "Week".`` ``The panel of
    the plot is light grey.`` ``A 1 px grey frame closes the plot.`` ``Horizontal dashed grey grid lines run at all
    labels.`` ``[Stacked] blue bars, 20 px wide[, 10 px left of the labels]: 12, none, 30[, with their values above].``
    ``A 2 px red dashed line with round markers of radius 4 px: 5, 7, 6[, with its values 14 px above].``  ``A
    2 px red curve [straight] through the points (0, 1), (1, 2).``
    Of a pie: ``Beside the wedges [on short lines] in black, letters of 14 px: "Coal", none, "Gas".`` ``Inside the
    wedges in white, letters of 14 px: "50%", none, "25%".``

Figures in their own terms (package ``figures``), for messages without pixels of the kinds above; a later message that
tells all of a figure again replaces it.

Charts
    ``Bar chart: Mon 12, Tue 30. The y-axis "Sales" runs from 0 to 40 in steps of 10, horizontal grid lines.`` – also
    horizontal, stacked or grouped, below zero, with value labels; ``categories: A, B`` with ``values: 1, 2``; a
    Markdown table; JSON. ``A line chart … Line A: red, dashed, round markers: 5, 7, 6`` or ``3.0 in 2013, 2.4 in
    2014``. ``A pie chart, clockwise from the top: Coal (red) 25 %, Gas (blue) 75 %``, pulled out, with names inside or
    outside; a donut with its hole.
Graphs
    ``y = 2*sin(x) + 1 in red, x from -5 to 5, y from -2 to 4``; ``a curve through (-1, 2), (0, 0) that crosses the x
    axis at 2``; dots, rings and labels at points, an area between two abscissas, zero lines, axes with arrows.
Geometry
    ``Triangle ABC with A (20%, 80%) …, diagonals AC and BD, a line from C to M``; midpoints, crossings, perpendiculars,
    perpendicular bisectors, medians, altitudes, angle bisectors, parallels, tangents, circumcircle and incircle,
    angle arcs with degrees, tick marks, dots, letters.
Backgrounds
    halves, parts by pixels, bands, alternating stripes, checks, a diagonal split.
Corrections
    ``the bar for Sat should be 9.7``, ``the second point should be 40``, ``Gas should be 30 %``, ``make the Sat bar
    red``.
"""
