"""Players whose weights lie on this machine: ``transformers`` for words and choices, ``diffusers`` for pictures."""
