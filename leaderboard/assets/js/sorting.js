/* The order of a table's rows, and the buttons in its heads that ask for it. */
import { button } from "./dom.js";

export const OPPOSITE = { ascending: "descending", descending: "ascending" };

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/* A cell of several small ones counts by their mean. */
function meanOf(cell) {
  const values = [...cell.querySelectorAll("[data-sort]")].map((small) => small.getAttribute("data-sort")).filter(Boolean).map(Number);
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

function keyOf(row, column) {
  const cell = row.children[column];
  if (cell?.classList.contains("heat-column")) return meanOf(cell);
  const text = (cell?.getAttribute("data-sort") ?? cell?.textContent ?? "").trim();
  if (text === "" || text === "–") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/* Numbers by value, words by the reader's alphabet, what is missing last in either order. */
function compare(first, second, sign) {
  if (first === null || second === null) return Number(first === null) - Number(second === null);
  if (typeof first === "number" && typeof second === "number") return sign * (first - second);
  return sign * collator.compare(String(first), String(second));
}

export function sortRows(rows, column, order) {
  const sign = order === "ascending" ? 1 : -1;
  const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
  return [...rows].sort((first, second) => compare(keys.get(first), keys.get(second), sign));
}

/* The cells of the last head row. */
export function headsOf(table) {
  return [...table.tHead.rows[table.tHead.rows.length - 1].cells];
}

/* The order of the first click on a head: descending for numbers, unless data-sort-first says otherwise. */
export function firstOrder(head, body) {
  const numeric = [...body.rows].some((row) => typeof keyOf(row, head.cellIndex) === "number");
  return head.dataset.sortFirst ?? (numeric ? "descending" : "ascending");
}

/* Put a button into every head but those with data-no-sort; whenAsked(head, order). */
export function addSortButtons(table, whenAsked) {
  for (const head of headsOf(table)) {
    if ("noSort" in head.dataset) continue;
    const ask = () => whenAsked(head, OPPOSITE[head.getAttribute("aria-sort")] ?? firstOrder(head, table.tBodies[0]));
    const made = button("", ask, "sort-button");
    made.replaceChildren(...head.childNodes);
    head.append(made);
  }
}

/* Set aria-sort on one head alone. */
export function markSorted(heads, sorted, order) {
  for (const head of heads) {
    if (head === sorted) head.setAttribute("aria-sort", order);
    else head.removeAttribute("aria-sort");
  }
}
