"""Pictures that a cheat hands in as its own: changed targets, and what can be made of other pairs' renderings.

``changes`` holds the changes of a picture, ``catalogue`` every cheat by its name.
"""
