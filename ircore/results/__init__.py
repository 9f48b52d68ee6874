"""What runs amount to: episodes as judges see them, cells, boards; the one source of every number that is shown."""
