"""The verdict on files that strangers hand in: manifests, texts, entries, pull requests."""
