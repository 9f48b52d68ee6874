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
 * .row-cards      a table whose rows are cards on a phone: there a menu sorts them, as on the main board
 *
 * The state stands in the query string, what is the default being left out: ?sort=3&order=ascending&filter=easy, with
 * the table's id before each name where a page has several tables.
 */
import { readQuery, writeQuery } from "./address.js";
import { element, enhanceEach, labelled, menu, searchField, statusPlace, wordsIn } from "./dom.js";
import { counted } from "./numbers.js";
import { OPPOSITE, addSortButtons, firstOrder, headsOf, markSorted, sortRows } from "./sorting.js";

const FEW_ROWS = 8;

class SortableTable {
  constructor(table, prefix) {
    this.table = table;
    this.prefix = prefix;
    this.body = table.tBodies[0];
    this.original = [...this.body.rows];
    this.heads = headsOf(table);
    this.first = this.state();
    addSortButtons(table, (head, order) => {
      this.sort(head.cellIndex, order);
      this.remember();
    });
    if (table.classList.contains("row-cards") && this.original.length > 1) this.addSortMenu();
    if ("filter" in table.dataset && this.original.length > FEW_ROWS) this.addFilter();
    this.restore();
  }

  state() {
    const column = this.heads.findIndex((head) => head.hasAttribute("aria-sort"));
    return { column, order: column < 0 ? null : this.heads[column].getAttribute("aria-sort") };
  }

  sort(column, order) {
    this.body.append(...sortRows(this.original, column, order));
    markSorted(this.heads, this.heads[column], order);
    if (this.by) this.by.value = String(column);
  }

  /* Rows that are cards on a phone have no heads there to press. */
  addSortMenu() {
    const heads = this.heads.filter((head) => !("noSort" in head.dataset));
    const names = heads.map((head) => [String(head.cellIndex), (head.querySelector("abbr") ?? head).textContent]);
    this.by = menu(names, String(this.first.column), (column) => {
      this.sort(Number(column), firstOrder(this.heads[column], this.body));
      this.remember();
    });
    this.addTools("table-tools card-tools", labelled("Sort by", this.by));
  }

  addTools(className, ...tools) {
    const frame = this.table.closest(".table-scroll, [role=region]") ?? this.table;
    frame.before(element("div", className, ...tools));
  }

  addFilter() {
    this.field = searchField(() => {
      this.filter();
      this.remember();
    });
    this.count = statusPlace("span", "table-count");
    const label = labelled(this.table.dataset.filter || "Filter rows", this.field, "table-filter");
    this.addTools("table-tools", label, this.count);
  }

  filter() {
    const wanted = wordsIn(this.field.value);
    let shown = 0;
    for (const row of this.original) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      shown += Number(!row.hidden);
    }
    this.count.textContent = wanted.length ? `${shown} of ${counted(this.original.length, "row")}` : "";
  }

  restore() {
    const query = readQuery();
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
    writeQuery({
      [`${this.prefix}sort`]: changed ? String(column + 1) : "",
      [`${this.prefix}order`]: changed ? order : "",
      [`${this.prefix}filter`]: this.field?.value.trim() ?? "",
    });
  }
}

enhanceEach("sortable", (table) => {
  if (!table.tHead || !table.tBodies.length) return;
  const several = document.querySelectorAll("table[data-sortable]").length > 1;
  new SortableTable(table, several && table.id ? `${table.id}-` : "");
});
