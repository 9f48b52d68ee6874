"""What the game adds to rooms above it, found by entry points alone: a player, commands for other tools' formats."""
