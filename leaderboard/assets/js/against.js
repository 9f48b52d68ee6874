/*
 * The column of a board that says of every pair whether it is better or worse than a chosen pair, or undecided.
 *
 * The numbers are fetched when a pair is chosen: the file (leaderboard/pages/pair_comparison.py) has the lower end of every
 * difference, in tenths of a point, by the rule of the board's ranks.
 */
import { element, fetchJson } from "./dom.js";
import { signed } from "./numbers.js";

const TENTHS = 10;

export class Against {
  constructor(table, rows) {
    this.address = table.dataset.against;
    this.rows = rows;
    this.cells = new Map(rows.map((row) => [row, row.querySelector(".against")]));
    this.counts = null;
  }

  /* Fill the column for a pair, "" for none; resolves when the column is filled. */
  async choose(key) {
    this.key = key;
    this.counts = null;
    if (!key) return;
    this.data ??= await fetchJson(this.address);
    if (this.key === key) this.fill(key);
  }

  fill(key) {
    const { pairs, means, low } = this.data;
    const places = new Map(pairs.map((pair, place) => [pair, place]));
    const chosen = places.get(key);
    this.counts = { better: 0, worse: 0, undecided: 0 };
    for (const [row, cell] of this.cells) {
      const place = places.get(row.id);
      row.toggleAttribute("data-chosen", row.id === key);
      if (place === undefined || chosen === undefined || place === chosen) clear(cell, place === chosen ? "chosen" : "–");
      else this.counts[write(cell, means[place] - means[chosen], low[place][chosen] / TENTHS, -low[chosen][place] / TENTHS)] += 1;
    }
  }

  words(name) {
    if (!this.counts) return [];
    const { better, worse, undecided } = this.counts;
    return [`against ${name}: ${better} better, ${worse} worse, ${undecided} undecided`];
  }
}

function clear(cell, text) {
  cell.dataset.sort = "";
  for (const name of ["low", "high", "verdict"]) delete cell.dataset[name];
  cell.replaceChildren(element("span", "missing", text));
}

function write(cell, mean, low, high) {
  const verdict = low > 0 ? "better" : high < 0 ? "worse" : "undecided";
  Object.assign(cell.dataset, { sort: String(mean), low: String(low), high: String(high), verdict });
  cell.replaceChildren(element("span", "value", verdict), element("span", "half", `${signed(low, 1)} to ${signed(high, 1)}`));
  return verdict;
}
