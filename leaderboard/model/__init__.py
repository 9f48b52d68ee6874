"""Model of the site that every page draws on: runs, pairs, trust, facts by turn."""
