"""Building a finished site from runs; checking and serving a finished site."""
