"""The dataset card, its datasheet and Croissant: one set of statements."""
