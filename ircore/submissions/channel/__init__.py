"""The channel test: whether a pair's words carry the picture to a reader who shares nothing else with the describer."""
