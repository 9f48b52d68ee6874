"""A static page in which people rate renderings: which tasks it holds, and how it is written."""
