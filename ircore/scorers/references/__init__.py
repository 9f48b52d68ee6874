"""Reference describers: they see what no describer may see, and so are never ranked.

``scene`` knows what was drawn and gives each generator's ceiling; ``shuffled`` and ``title-only`` give the floor.
"""
