"""The players: who takes the describer's and the generator's seat."""
