"""Pages of games other than reconstruction, under ``games/NAME/``, from the game's declarations and runs."""
