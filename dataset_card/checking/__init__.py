"""Every fault of a release, a line each."""
