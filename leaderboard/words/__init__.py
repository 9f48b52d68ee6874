"""Words of the pages: labels, number formats, strangers' texts made safe, descriptions of pictures."""
