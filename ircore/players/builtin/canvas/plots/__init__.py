"""Plots told sentence by sentence in their own units: first the area and the axes, then bars, lines and curves.

A person says "the y axis runs from 0 to 120, labelled every 20", and then only values. ``area`` keeps what was said of
the area and its axes; ``axes`` reads the sentences about axes, ``marks`` those about bars, lines and points. Everything
that they draw can be corrected like any other thing on the sheet.
"""
