"""``ircore study``: people describe targets under equal conditions; their runs go to boards as ``human + …``."""
