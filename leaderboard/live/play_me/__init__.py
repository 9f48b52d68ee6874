"""``ircore play-me``: a person describes, draws or listens, in the browser; the episodes are a run."""
