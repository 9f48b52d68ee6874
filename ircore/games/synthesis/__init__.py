"""Making targets with models in two steps: a description of a figure, then a program that draws it."""
