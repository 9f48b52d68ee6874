"""Draw the letters that the eye of ``verified`` compares writing with, in many fonts, and save them.

    python benchmarks/letter_shapes.py FONT… --to ircore/scorers/verification/eye/letter_shapes.npz

Each FONT is a file that Pillow opens (TrueType, OpenType, WOFF), or ``default`` for Pillow's own font. The file in the
package was made from DejaVu (Sans, Bold, Serif, Mono), STIX General (upright, bold, italic) and Computer Modern (roman,
sans, typewriter), which come with matplotlib, and Arimo, Tinos, Cousine, Roboto, Open Sans, Montserrat, Nunito,
Merriweather, PT Serif, Source Serif, Comic Neue, Patrick Hand, Kalam, Caveat and Indie Flower from Fontsource.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ircore.scorers.verification.eye.letter_shapes import BASE, CHARACTERS, EM, HIGH, WIDE

LEVELS = 15


def main() -> None:
    """Save the letters of some fonts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fonts", nargs="+")
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    names, shapes, advances = [], [], []
    for name in options.fonts:
        fine = 4
        font = ImageFont.load_default(EM * fine) if name == "default" else ImageFont.truetype(name, EM * fine)
        absent = bytes(font.getmask("\ue123"))
        pages, steps = [], []
        for character in CHARACTERS:
            page = Image.new("L", (WIDE * fine, HIGH * fine))
            left, _, right, _ = font.getbbox(character, anchor="ls")
            at = (round(WIDE * fine / 2 - (left + right) / 2), BASE * fine)
            is_known = bytes(font.getmask(character)) != absent and right - left <= WIDE * fine
            if is_known:
                ImageDraw.Draw(page).text(at, character, 255, font, anchor="ls")
            pages.append(np.asarray(page.resize((WIDE, HIGH), Image.Resampling.BOX)))
            # From the pen to the middle of the letter, and to the next pen.
            steps.append(((left + right) / 2 / fine, font.getlength(character) / fine if is_known else np.nan))
        names.append(Path(name).stem)
        shapes.append(np.round(np.stack(pages) / 255 * LEVELS).astype(np.uint8))
        advances.append(np.array(steps, np.float32).round(2))
    np.savez_compressed(options.to, names=np.array(names), shapes=np.stack(shapes), advances=np.stack(advances))


if __name__ == "__main__":
    main()
