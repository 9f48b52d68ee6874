"""The gallery: targets, and every pair's renderings of each target, turn by turn."""
