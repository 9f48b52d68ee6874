"""Playing, and the run folder that play writes: the runner, resuming, shards, workers elsewhere, replay."""
