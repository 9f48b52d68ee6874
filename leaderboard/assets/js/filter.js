/*
 * Choosing among the targets of the gallery, which lists all of them without it.
 *
 *   <div data-filterable>
 *     <section> <h2>…</h2> <a data-category="geometry" data-difficulty="easy" data-outcome="converged aborted">…</a>
 *
 * Every data attribute named in FIELDS that some entry has becomes a menu. An entry may have several values, with
 * spaces between them. The choice stands in the query string: ?difficulty=hard. When entries were hidden or shown, the
 * event "filtered" says so.
 */
import { readQuery, whenMoved, writeQuery } from "./address.js";
import { element, enhanceEach, labelled, menu, statusPlace } from "./dom.js";
import { counted } from "./numbers.js";

const FIELDS = { category: "Category", difficulty: "Difficulty", outcome: "Outcome", change: "Score change" };

const WORDS = { no_refinement: "single turn" };

class Filter {
  constructor(root) {
    this.root = root;
    this.entries = [...root.querySelectorAll(Object.keys(FIELDS).map((field) => `[data-${field}]`).join(","))];
    // Sections of a page's own choice, like the best, hold no entry and stay.
    this.sections = [...root.querySelectorAll("section")].filter((section) => this.entries.some((entry) => section.contains(entry)));
    this.menus = new Map();
    this.count = statusPlace("span", "table-count");
    const labels = Object.keys(FIELDS).map((field) => this.addMenu(field));
    root.prepend(element("div", "filter-tools", ...labels, this.count));
    this.restore();
    whenMoved(() => this.restore());
  }

  values(entry, field) {
    return (entry.dataset[field] ?? "").split(/\s+/).filter(Boolean);
  }

  addMenu(field) {
    const values = [...new Set(this.entries.flatMap((entry) => this.values(entry, field)))];
    if (values.length < 2) return null;
    const options = values.map((value) => [value, WORDS[value] ?? value.replaceAll("_", " ")]);
    const made = menu([["", "any"], ...options], "", () => {
      this.apply();
      writeQuery(Object.fromEntries([...this.menus].map(([name, { value }]) => [name, value])));
    });
    made.dataset.field = field;
    this.menus.set(field, made);
    return labelled(FIELDS[field], made);
  }

  apply() {
    let shown = 0;
    for (const entry of this.entries) {
      const fits = ([field, { value }]) => !value || this.values(entry, field).includes(value);
      entry.hidden = ![...this.menus].every(fits);
      shown += Number(!entry.hidden);
    }
    for (const section of this.sections) {
      section.hidden = !this.entries.some((entry) => section.contains(entry) && !entry.hidden);
    }
    this.count.textContent = shown < this.entries.length ? `${shown} of ${counted(this.entries.length, "target")}` : "";
    this.root.dispatchEvent(new Event("filtered"));
  }

  restore() {
    const query = readQuery();
    for (const [field, made] of this.menus) {
      const wanted = query[field] ?? "";
      made.value = [...made.options].some((option) => option.value === wanted) ? wanted : "";
    }
    this.apply();
  }
}

enhanceEach("filterable", (root) => new Filter(root));
