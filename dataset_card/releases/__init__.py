"""From runs, and a previous release, to the folder of a release with ``release.json``."""
