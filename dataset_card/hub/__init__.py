"""A release on the Hub: pushed, pulled, asked for."""
