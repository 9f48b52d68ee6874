"""Files of a build: the output folder, the cache of earlier builds, encoded pictures."""
