"""Reference games: a speaker describes one of several pictures, a listener says which one is meant (ICCA, KiloGram)."""
