/*
 * Where the rows of a board stand, and which are hidden. What a reader can see is right at once, by a style; rows below
 * the window, and the order of the elements, which keys and screen readers follow, come when the browser has painted:
 * moving 200 rows takes longer than a reader should wait.
 */
const MOST_MOVED = 60; // rows whose elements are moved before the browser paints: no reader notices

export class RowPlaces {
  constructor(body) {
    this.body = body;
    this.rows = [...body.rows];
    this.placed = this.rows; // in the order of their elements
    this.lifted = []; // rows that stand first by their style
    this.scrolled = false;
  }

  /* How many rows from the first reach down to the foot of the window, none being lower than its style allows. */
  inSight() {
    if (this.rows.length <= MOST_MOVED) return this.rows.length;
    const folded = this.rows.find(({ dataset }) => !("open" in dataset)) ?? this.rows[0];
    const lowest = Number.parseFloat(getComputedStyle(folded).minHeight);
    const { top } = this.body.getBoundingClientRect();
    this.scrolled = top < this.body.parentElement.tHead.getBoundingClientRect().bottom - 1; // rows are under the head
    return Math.max(1, Math.ceil((innerHeight - top) / lowest));
  }

  /* Show what is in sight of rows in an order, of which some are shown; settle() does the rest. */
  show(arranged, shown, inSight) {
    [this.arranged, this.shown] = [arranged, shown];
    const seen = shown.slice(0, inSight);
    if (seen.length < inSight) this.hideOthers();
    else for (const row of seen) row.hidden = false;
    this.lift(seen);
  }

  /* Call settle now, or when the browser has painted. */
  whenPainted(settle) {
    if (this.rows.length <= MOST_MOVED) settle();
    else requestAnimationFrame(() => setTimeout(settle));
  }

  settle() {
    this.hideOthers();
    this.move();
    this.lift([]);
  }

  hideOthers() {
    const shown = new Set(this.shown);
    for (const row of this.rows) if (row.hidden === shown.has(row)) row.hidden = !shown.has(row);
  }

  move() {
    if (this.arranged.every((row, index) => row === this.placed[index])) return;
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    this.body.replaceChildren(...this.arranged);
    this.placed = this.arranged;
    focused?.focus({ preventScroll: true });
  }

  /* Let rows stand before all others, in this order, wherever their elements are. */
  lift(rows) {
    for (const row of this.lifted) row.style.order = "";
    rows.forEach((row, index) => { row.style.order = index - rows.length; });
    // Scrolling stays where it is, and does not follow a row to its new place. All rows are styled anew for that.
    this.body.style.overflowAnchor = rows.length && this.scrolled ? "none" : "";
    this.lifted = rows;
  }
}
