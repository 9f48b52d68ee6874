"""Image metrics: each compares a rendering with its target, or looks at the rendering alone."""
