"""From runs to a finished site in its folder; checking and serving it."""
