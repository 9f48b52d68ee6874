/*
 * Choosing among the targets of the gallery, which lists all of them without it.
 *
 *   <div data-filterable>
 *     <section> <h2>…</h2> <a data-category="geometry" data-difficulty="easy" data-outcome="converged aborted">…</a>
 *
 * Every data attribute named in FIELDS that some entry has becomes a menu. An entry may have several values, with
 * spaces between them. The choice stands in the query string: ?difficulty=hard.
 */
(() => {
  "use strict";

  const FIELDS = { category: "Category", difficulty: "Difficulty", outcome: "Outcome", change: "Score change" };

  const WORDS = { no_refinement: "single turn" };

  class Filter {
    constructor(root) {
      this.root = root;
      this.entries = [...root.querySelectorAll(Object.keys(FIELDS).map((field) => `[data-${field}]`).join(","))];
      this.menus = new Map();
      this.bar = document.createElement("div");
      this.bar.className = "filter-tools";
      for (const field of Object.keys(FIELDS)) this.addMenu(field);
      this.count = document.createElement("span");
      this.count.className = "table-count";
      this.count.setAttribute("role", "status");
      this.bar.append(this.count);
      root.prepend(this.bar);
      this.restore();
    }

    values(entry, field) {
      return (entry.dataset[field] ?? "").split(/\s+/).filter(Boolean);
    }

    addMenu(field) {
      const found = [...new Set(this.entries.flatMap((entry) => this.values(entry, field)))];
      if (found.length < 2) return;
      const label = document.createElement("label");
      const words = document.createElement("span");
      words.textContent = FIELDS[field];
      const menu = document.createElement("select");
      menu.append(new Option("any", ""), ...found.map((value) => new Option(WORDS[value] ?? value.replaceAll("_", " "), value)));
      menu.addEventListener("change", () => { this.apply(); this.remember(); });
      label.append(words, menu);
      this.menus.set(field, menu);
      this.bar.append(label);
    }

    apply() {
      let shown = 0;
      for (const entry of this.entries) {
        const fits = ([field, menu]) => !menu.value || this.values(entry, field).includes(menu.value);
        entry.hidden = ![...this.menus].every(fits);
        shown += Number(!entry.hidden);
      }
      this.root.querySelectorAll("section").forEach((section) => {
        section.hidden = !this.entries.some((entry) => section.contains(entry) && !entry.hidden);
      });
      this.count.textContent = shown < this.entries.length ? `${shown} of ${this.entries.length} targets` : "";
    }

    restore() {
      const query = new URLSearchParams(location.search);
      for (const [field, menu] of this.menus) {
        const wanted = query.get(field) ?? "";
        menu.value = [...menu.options].some((option) => option.value === wanted) ? wanted : "";
      }
      this.apply();
    }

    remember() {
      const query = new URLSearchParams(location.search);
      for (const [field, menu] of this.menus) {
        if (menu.value) query.set(field, menu.value);
        else query.delete(field);
      }
      const text = query.toString();
      history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
    }
  }

  function enhance() {
    document.querySelectorAll("[data-filterable]").forEach((root) => {
      if (root.dataset.filterable === "on") return;
      root.dataset.filterable = "on";
      new Filter(root);
    });
  }

  if (window.document$) window.document$.subscribe(enhance);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
  else enhance();
})();
