"""Pages of games other than reconstruction, under ``games/NAME/``: from what the game declares and its runs."""
