"""From what a page says to HTML that nobody's words can break out of."""
