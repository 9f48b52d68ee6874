"""``ircore play-me``: a person describes, in the browser, and a generator draws; the episodes are a run."""
