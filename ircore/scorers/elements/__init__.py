"""Elements of a picture: one form for scenes, detectors and people, and the measures of ConvGenVisMo on it."""
