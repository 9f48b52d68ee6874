/* What stands in a gallery: the target, renderings as buttons, and the row of each pair. */
import { Comparison } from "./compare.js";
import { button, element } from "./dom.js";

/* What was said before a rendering was drawn: an episode can be replayed where it stands in the page. */
export const SAID = ".message > summary, [data-said]";

/* The target, or what another game compares its renderings with. */
export class Target {
  constructor(image, title = "Target") {
    this.image = image;
    this.title = title;
    this.short = title.toLowerCase();
  }

  scores() {
    return [];
  }

  words() {
    return [];
  }
}

/* One rendering on the page. */
class Cell {
  constructor(item, row) {
    this.item = item;
    this.row = row;
    this.turn = Number(item.dataset.turn);
    this.image = item.querySelector("img");
    this.button = element("button", "cell-button");
    this.button.type = "button";
    this.button.tabIndex = -1;
    this.button.cell = this;
    this.frame = element("span");
    this.image.replaceWith(this.button);
    this.frame.append(this.image);
    this.button.append(this.frame);
    this.comparison = new Comparison(this.image, this.frame);
  }

  get title() {
    return `${this.row.name}, ${this.short}`;
  }

  get short() {
    return `${this.row.step} ${this.turn}`;
  }

  scores() {
    return [...this.item.querySelectorAll(".scores .score")].map((part) => part.cloneNode(true));
  }

  words() {
    const said = this.item.querySelector(".message > summary");
    return said ? [element("p", "zoom-message", ...[...said.childNodes].map((part) => part.cloneNode(true)))] : [];
  }
}

/* A pair's row and its renderings. */
export class Row {
  constructor(section, gallery) {
    this.section = section;
    this.step = gallery.root.dataset.step ?? "turn";
    this.key = section.dataset.pair;
    this.name = section.getAttribute("aria-label") ?? this.key;
    const items = [...section.querySelectorAll("[data-turn]")].filter((item) => item.querySelector("img"));
    this.cells = items.map((item) => new Cell(item, this));
    if (this.cells.length && section.querySelector(SAID)) {
      const again = button("Replay", () => { gallery.select(this.cells[0]); gallery.replay(); }, "tool row-replay");
      again.setAttribute("aria-label", `Replay ${this.name}`);
      section.querySelector("header").append(again);
    }
    // Only rows of cards scroll: the steps of other games may stand one below the other.
    this.turns = section.querySelector(".turns");
    this.clipped = element("span", "clipped muted");
    section.querySelector("header").append(this.clipped);
  }

  /* A row that is wider than the page says how much of it is out of sight. */
  sayClipped() {
    if (!this.turns) return;
    const { scrollWidth, clientWidth, scrollLeft } = this.turns;
    const right = this.turns.getBoundingClientRect().right;
    const hidden = [...this.turns.children].filter((turn) => turn.getBoundingClientRect().right > right + 8).length;
    this.turns.classList.toggle("clips", scrollWidth > clientWidth + scrollLeft + 8);
    this.clipped.textContent = hidden ? `${hidden} more to the right →` : "";
  }
}

/*
 * Rows that are wider than the page scroll together: the turns stay columns. A row that ends sooner stops at its end,
 * and the event that tells so does not hold the others back. Returns whether a row was scrolled.
 */
export function alignTurns(rows, scrolled) {
  const shown = rows.filter((row) => row.turns && !row.section.hidden);
  const moved = shown.find((row) => row.turns === scrolled);
  if (!moved || moved.alignedAt === scrolled.scrollLeft) return false;
  moved.alignedAt = scrolled.scrollLeft;
  for (const row of shown) {
    if (row === moved) continue;
    row.turns.scrollLeft = moved.alignedAt;
    row.alignedAt = row.turns.scrollLeft;
  }
  return true;
}
