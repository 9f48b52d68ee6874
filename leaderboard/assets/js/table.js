/*
 * Sorting of tables that are complete without it; and for small tables a field that finds rows.
 *
 *   <table data-sortable id="board"> … <th scope="col">Score</th> …
 *     <td data-sort="7.2134">7.21</td> …
 *
 * data-sortable   gives every head of the last head row a button, save those with data-no-sort
 * data-sort-first on a head: the order of the first click, where it is not descending for numbers and else ascending
 * data-sort       what a cell is sorted by, where that is not its text; empty sorts last either way
 * data-filter     on the table: words for a field that keeps the rows which hold every word typed; not on short tables
 * aria-sort       in the page's source on one head: how the rows stand already
 *
 * The state stands in the query string, what is the default being left out: ?sort=3&order=ascending&filter=easy, with
 * the table's id before each name where a page has several tables. board.js uses the same sorting for boards:
 *
 *   irc.sorting.buttons(table, onClick)       puts a button into every head; onClick(head, order)
 *   irc.sorting.rows(rows, column, order)     the rows in order, those without a value last
 *   irc.sorting.mark(heads, head, order)      sets aria-sort on one head alone
 */
(() => {
  "use strict";

  const irc = (window.irc ??= {});
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const FEW_ROWS = 8;
  const OPPOSITE = { ascending: "descending", descending: "ascending" };

  function textOf(row, column) {
    const cell = row.cells[column];
    if (!cell) return "";
    return (cell.dataset.sort ?? cell.textContent).trim();
  }

  /* A cell of several small ones counts by their mean. */
  function meanOf(cell) {
    const values = [...cell.querySelectorAll("[data-sort]")].map((one) => one.dataset.sort).filter(Boolean).map(Number);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  }

  function keyOf(row, column) {
    if (row.cells[column]?.classList.contains("heat-column")) return meanOf(row.cells[column]);
    const text = textOf(row, column);
    if (text === "" || text === "–") return null;
    const value = Number(text);
    return Number.isFinite(value) ? value : text;
  }

  /* Numbers by value, words by the reader's alphabet, what is missing last in either order. */
  function compare(one, other, sign) {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === "number" && typeof other === "number") return sign * (one - other);
    return sign * collator.compare(String(one), String(other));
  }

  function rows(list, column, order) {
    const sign = order === "ascending" ? 1 : -1;
    return list
      .map((row) => ({ row, key: keyOf(row, column) }))
      .sort((one, other) => compare(one.key, other.key, sign))
      .map(({ row }) => row);
  }

  function headsOf(table) {
    return [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  }

  function firstOrder(head, body) {
    const numeric = [...body.rows].some((row) => typeof keyOf(row, head.cellIndex) === "number");
    return head.dataset.sortFirst ?? (numeric ? "descending" : "ascending");
  }

  function buttons(table, onClick) {
    for (const head of headsOf(table)) {
      if ("noSort" in head.dataset) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort-button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        const present = head.getAttribute("aria-sort");
        onClick(head, OPPOSITE[present] ?? firstOrder(head, table.tBodies[0]));
      });
      head.append(button);
    }
  }

  function mark(heads, sorted, order) {
    for (const head of heads) {
      if (head === sorted) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
    }
  }

  irc.sorting = { OPPOSITE, buttons, firstOrder, headsOf, mark, rows };

  class SortableTable {
    constructor(table, prefix) {
      this.table = table;
      this.prefix = prefix;
      this.body = table.tBodies[0];
      this.original = [...this.body.rows];
      this.heads = headsOf(table);
      this.first = this.state();
      buttons(table, (head, order) => {
        this.sort(head.cellIndex, order);
        this.remember();
      });
      if ("filter" in table.dataset && this.original.length > FEW_ROWS) this.addFilter();
      this.restore();
    }

    state() {
      const column = this.heads.findIndex((head) => head.hasAttribute("aria-sort"));
      return { column, order: column < 0 ? null : this.heads[column].getAttribute("aria-sort") };
    }

    sort(column, order) {
      this.body.append(...rows(this.original, column, order));
      mark(this.heads, this.heads[column], order);
    }

    addFilter() {
      const label = document.createElement("label");
      label.className = "table-filter";
      const words = document.createElement("span");
      words.textContent = this.table.dataset.filter || "Filter rows";
      this.field = document.createElement("input");
      this.field.type = "search";
      this.field.autocomplete = "off";
      this.field.spellcheck = false;
      this.count = document.createElement("span");
      this.count.className = "table-count";
      this.count.setAttribute("role", "status");
      this.field.addEventListener("input", () => {
        this.filter();
        this.remember();
      });
      label.append(words, this.field);
      const frame = document.createElement("div");
      frame.className = "table-tools";
      frame.append(label, this.count);
      (this.table.closest(".table-scroll, [role=region]") ?? this.table).before(frame);
    }

    filter() {
      const wanted = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of this.original) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += Number(!row.hidden);
      }
      this.count.textContent = wanted.length ? `${shown} of ${this.original.length} rows` : "";
    }

    restore() {
      const query = irc.urlState.read();
      const [column, order] = [Number(query[`${this.prefix}sort`]), query[`${this.prefix}order`]];
      const head = this.heads[column - 1];
      if (head && !("noSort" in head.dataset)) this.sort(column - 1, order in OPPOSITE ? order : "ascending");
      if (this.field) {
        this.field.value = query[`${this.prefix}filter`] ?? "";
        this.filter();
      }
    }

    remember() {
      const { column, order } = this.state();
      const changed = column !== this.first.column || order !== this.first.order;
      irc.urlState.write({
        [`${this.prefix}sort`]: changed ? String(column + 1) : "",
        [`${this.prefix}order`]: changed ? order : "",
        [`${this.prefix}filter`]: this.field?.value.trim() ?? "",
      });
    }
  }

  function enhance() {
    const tables = [...document.querySelectorAll("table[data-sortable]")];
    tables.forEach((table) => {
      if (table.dataset.sortable === "on" || !table.tHead || !table.tBodies.length) return;
      table.dataset.sortable = "on";
      new SortableTable(table, tables.length > 1 && table.id ? `${table.id}-` : "");
    });
  }

  if (window.document$) window.document$.subscribe(enhance);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
  else enhance();
})();
