"""Language of reference games: how far names diverge, and how descriptions shorten between partners."""
