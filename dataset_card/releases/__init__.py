"""From runs, and a former release, to the folder of a release with its record."""
