"""Script inside of the sandbox: writes the version of matplotlib's list of fonts, and the list, to standard output.

Inside there are no fonts but matplotlib's own, so that a program's texts look alike on every machine.
"""

import io
import json
import sys

if __name__ == "__main__":
    from matplotlib import font_manager

    buffer = io.StringIO()
    encoder = vars(font_manager)["_JSONEncoder"]  # no public name
    json.dump(font_manager.fontManager, buffer, cls=encoder)
    sys.stdout.write(f"{font_manager.FontManager.__version__}\n{buffer.getvalue()}")
