"""What runs inside of the sandbox beside a program; it imports nothing of this project but itself."""
