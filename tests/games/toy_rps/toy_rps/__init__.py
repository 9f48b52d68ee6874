"""Rock, paper, scissors with pictures."""
