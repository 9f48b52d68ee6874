"""Pages on the loopback interface that show a game while it is played, or let a person play."""
