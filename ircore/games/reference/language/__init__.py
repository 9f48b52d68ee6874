"""What people and players call things: how far names diverge, and how descriptions shorten between partners."""
