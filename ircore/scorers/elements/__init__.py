"""Elements of a picture in the same form from scenes, detectors and people, and ConvGenVisMo's measures of them."""
