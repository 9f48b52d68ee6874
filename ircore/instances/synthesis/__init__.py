"""Targets that models write as programs: drawn in the sandbox, checked, reviewed by a person."""
