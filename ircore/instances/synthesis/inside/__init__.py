"""Modules that run inside of the sandbox beside a program; they import nothing else of this project."""
