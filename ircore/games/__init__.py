"""Games: each is a set of rules that asks players and returns an episode."""
