"""Who says how good a rendering is: metrics, computed judges, judges that are models, people."""
