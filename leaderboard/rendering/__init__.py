"""Rendering of pages to HTML that strangers' words cannot break out of."""
