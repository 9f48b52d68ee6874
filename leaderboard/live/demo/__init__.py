"""``ircore demo``: plays the built-in players of every game, with a page that shows it while it happens."""
