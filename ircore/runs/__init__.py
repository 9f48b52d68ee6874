"""Playing and what it leaves: the run folder, the runner, resuming, shards, workers elsewhere, replay."""
