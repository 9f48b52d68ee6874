"""The verdict on what strangers hand in: manifests, texts, entries, pull requests."""
