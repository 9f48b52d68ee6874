/*
 * Sorting and filtering of tables that are complete without it.
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
 * the table's id before each name where a page has several tables.
 */
(() => {
  "use strict";

  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const FEW_ROWS = 8;
  const OPPOSITE = { ascending: "descending", descending: "ascending" };

  function keyOf(row, column) {
    const cell = row.cells[column];
    if (!cell) return "";
    return (cell.dataset.sort ?? cell.textContent).trim();
  }

  /* Numbers by value, words by the reader's alphabet, what is missing last in either order. */
  function compare(one, other, order) {
    const missing = (key) => key === "" || key === "–";
    if (missing(one) || missing(other)) return Number(missing(one)) - Number(missing(other));
    const [first, second] = [Number(one), Number(other)];
    const numeric = Number.isFinite(first) && Number.isFinite(second);
    const difference = numeric ? first - second : collator.compare(one, other);
    return order === "ascending" ? difference : -difference;
  }

  class SortableTable {
    constructor(table, prefix) {
      this.table = table;
      this.prefix = prefix;
      this.body = table.tBodies[0];
      this.original = [...this.body.rows];
      this.heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
      this.heads.forEach((head, column) => {
        if (!("noSort" in head.dataset)) this.addButton(head, column);
      });
      this.first = this.state();
      if ("filter" in table.dataset && this.original.length > FEW_ROWS) this.addFilter();
      this.restore();
    }

    addButton(head, column) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort-button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        this.sort(column, this.nextOrder(head, column));
        this.remember();
      });
      head.append(button);
    }

    nextOrder(head, column) {
      const present = head.getAttribute("aria-sort");
      if (present in OPPOSITE) return OPPOSITE[present];
      const numeric = this.original.some((row) => /^[−+-]?\d/.test(keyOf(row, column)));
      return head.dataset.sortFirst ?? (numeric ? "descending" : "ascending");
    }

    state() {
      const column = this.heads.findIndex((head) => head.hasAttribute("aria-sort"));
      return { column, order: column < 0 ? null : this.heads[column].getAttribute("aria-sort") };
    }

    sort(column, order) {
      const rows = [...this.original].sort((one, other) => compare(keyOf(one, column), keyOf(other, column), order));
      this.body.append(...rows);
      this.heads.forEach((head, index) => {
        if (index === column) head.setAttribute("aria-sort", order);
        else head.removeAttribute("aria-sort");
      });
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
      const query = new URLSearchParams(location.search);
      const [column, order] = [Number(query.get(`${this.prefix}sort`)), query.get(`${this.prefix}order`)];
      const head = this.heads[column - 1];
      if (head && !("noSort" in head.dataset)) this.sort(column - 1, order in OPPOSITE ? order : "ascending");
      if (this.field) {
        this.field.value = query.get(`${this.prefix}filter`) ?? "";
        this.filter();
      }
    }

    remember() {
      const query = new URLSearchParams(location.search);
      const { column, order } = this.state();
      const changed = column !== this.first.column || order !== this.first.order;
      const entries = {
        sort: changed ? String(column + 1) : "",
        order: changed ? order : "",
        filter: this.field?.value.trim() ?? "",
      };
      for (const [name, value] of Object.entries(entries)) {
        if (value) query.set(this.prefix + name, value);
        else query.delete(this.prefix + name);
      }
      const text = query.toString();
      history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
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
