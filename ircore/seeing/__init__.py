"""Looking at pixels: what describers, judges and puzzles share; see the page on the judge for what it decides."""
