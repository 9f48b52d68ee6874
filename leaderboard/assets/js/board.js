/*
 * A board: sorting, search, menus, groups of columns, pinned rows and a choice of pairs to compare.
 *
 * The table and the line of tools are complete in the page. All that a reader chooses stands in the address:
 *   ?find=gpt&describer=gpt-5.2&by=tokens&order=ascending&hide=effort&pin=a,b&pick=a,c
 * so that it can be shared, and the back button undoes it.
 */
(() => {
  "use strict";

  const irc = (window.irc ??= {});
  const MOST_COMPARED = 4;

  function keyOf(head) {
    return head.dataset.key ?? head.dataset.export?.trim().split(/[:\s]/)[0] ?? "";
  }

  function listed(text) {
    return (text ?? "").split(",").filter(Boolean);
  }

  class Board {
    constructor(table, form) {
      this.table = table;
      this.form = form;
      this.body = table.tBodies[0];
      this.rows = [...this.body.rows];
      this.heads = irc.sorting.headsOf(table);
      this.menus = [...form.querySelectorAll("select:not([name=by])")];
      this.groups = [...form.querySelectorAll("[name=show]")];
      this.by = form.elements.by;
      this.find = form.elements.find;
      this.status = document.querySelector("[data-board-state]");
      this.note = document.querySelector("[data-order-note]");
      this.compareLink = form.querySelector("[data-compare-page]");
      this.chips = [...document.querySelectorAll(".chips a")].map((link) => ({ link, address: link.getAttribute("href") }));
      this.texts = new Map(this.rows.map((row) => [row, this.searchText(row)]));
      const sorted = this.heads.find((head) => head.hasAttribute("aria-sort"));
      this.first = { by: keyOf(sorted), order: sorted.getAttribute("aria-sort") };
      this.addControls();
      this.listen();
      this.restore();
    }

    searchText(row) {
      const cell = row.querySelector(".pair-column");
      return [cell.textContent, row.id, ...Object.values(row.dataset)].join(" ").toLowerCase();
    }

    addControls() {
      irc.sorting.buttons(this.table, (head, order) => this.change({ by: keyOf(head), order }));
      const choices = this.heads.filter((head) => keyOf(head) && !("noSort" in head.dataset));
      this.by.append(...choices.map((head) => new Option(head.dataset.name, keyOf(head))));
      const icon = this.form.querySelector("template").content.firstElementChild;
      for (const row of this.rows) {
        const name = `${row.dataset.describer} + ${row.dataset.generator}`;
        const box = document.createElement("input");
        box.type = "checkbox";
        box.setAttribute("aria-label", `Compare ${name}`);
        box.title = "Choose to compare";
        const pin = document.createElement("button");
        pin.type = "button";
        pin.className = "pin";
        pin.setAttribute("aria-label", `Keep ${name} on top`);
        pin.title = "Keep on top";
        pin.append(icon.cloneNode(true));
        row.cells[0].append(box, pin);
      }
    }

    listen() {
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.form.addEventListener("reset", (event) => {
        event.preventDefault();
        this.change({ ...this.cleared(), ...this.first });
      });
      this.find.addEventListener("input", () => this.change({ find: this.find.value.trim() }, !this.state.find));
      for (const menu of this.menus) menu.addEventListener("change", () => this.change({ [menu.name]: menu.value }));
      for (const group of this.groups) {
        group.addEventListener("change", () => this.change({ hide: this.groups.filter((one) => !one.checked).map((one) => one.value) }));
      }
      this.by.addEventListener("change", () => {
        const head = this.heads.find((one) => keyOf(one) === this.by.value);
        this.change({ by: this.by.value, order: irc.sorting.firstOrder(head, this.body) });
      });
      this.body.addEventListener("click", (event) => {
        const row = event.target.closest("tr");
        if (event.target.closest(".pin")) this.change({ pin: this.toggled("pin", row.id) });
        else if (event.target.matches(".tools input")) this.change({ pick: this.toggled("pick", row.id) });
      });
      this.form.addEventListener("click", (event) => this.export(event.target.dataset));
      this.compareLink.addEventListener("click", (event) => {
        if (!this.compareLink.hasAttribute("href")) event.preventDefault();
      });
      const menu = this.form.querySelector("details.menu");
      document.addEventListener("click", (event) => {
        if (!menu.contains(event.target)) menu.open = false;
      });
      menu.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        menu.open = false;
        menu.querySelector("summary").focus();
      });
      irc.urlState.watch(() => this.restore());
    }

    toggled(name, id) {
      const chosen = this.state[name];
      return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    }

    cleared() {
      const menus = Object.fromEntries(this.menus.map((menu) => [menu.name, ""]));
      return { find: "", ...menus, hide: [], pin: [], pick: [] };
    }

    /* Take the state from the address; what is not on this board is passed over. */
    restore() {
      const query = irc.urlState.read();
      const known = (id) => this.rows.some((row) => row.id === id);
      const head = this.heads.find((one) => keyOf(one) && keyOf(one) === query.by && !("noSort" in one.dataset));
      this.state = {
        ...this.cleared(),
        find: query.find ?? "",
        by: head ? query.by : this.first.by,
        order: head && query.order in irc.sorting.OPPOSITE ? query.order : head ? irc.sorting.firstOrder(head, this.body) : this.first.order,
        hide: listed(query.hide).filter((name) => this.groups.some((one) => one.value === name)),
        pin: listed(query.pin).filter(known),
        pick: listed(query.pick).filter(known).slice(0, MOST_COMPARED),
      };
      for (const menu of this.menus) {
        const wanted = query[menu.name] ?? "";
        this.state[menu.name] = [...menu.options].some((one) => one.value === wanted) ? wanted : "";
      }
      this.show();
    }

    change(values, push = true) {
      this.state = { ...this.state, ...values };
      this.show();
      irc.urlState.write(this.query(), { push });
      this.keepOnChips();
    }

    query() {
      const { by, order, hide, pin, pick, ...texts } = this.state;
      const usual = by === this.first.by && order === this.first.order;
      return { ...texts, by: usual ? "" : by, order: usual ? "" : order, hide: hide.join(","), pin: pin.join(","), pick: pick.join(",") };
    }

    show() {
      this.showControls();
      this.showRows();
      this.table.dataset.hide = this.state.hide.join(" ");
      this.status.textContent = `${this.words()}.`;
      this.keepOnChips();
    }

    showControls() {
      const { state } = this;
      if (this.find.value.trim() !== state.find) this.find.value = state.find;
      for (const menu of this.menus) menu.value = state[menu.name];
      for (const group of this.groups) group.checked = !state.hide.includes(group.value);
      this.by.value = state.by;
      const sorted = this.heads.find((head) => keyOf(head) === state.by);
      irc.sorting.mark(this.heads, sorted, state.order);
      if (this.note) this.note.hidden = !("leavesOut" in sorted.dataset);
      const full = state.pick.length >= MOST_COMPARED;
      for (const row of this.rows) {
        const [box, pin] = row.cells[0].children;
        const pinned = state.pin.includes(row.id);
        box.checked = state.pick.includes(row.id);
        box.disabled = full && !box.checked;
        pin.setAttribute("aria-pressed", String(pinned));
        row.classList.toggle("pinned", pinned);
      }
      this.showCompare();
    }

    showCompare() {
      const { pick } = this.state;
      const link = this.compareLink;
      link.textContent = pick.length ? `Compare ${pick.length}` : "Compare";
      if (pick.length > 1) {
        link.href = `${link.dataset.comparePage}?pairs=${pick.map(encodeURIComponent).join(",")}`;
        link.removeAttribute("aria-disabled");
        link.removeAttribute("title");
      } else {
        link.removeAttribute("href");
        link.setAttribute("aria-disabled", "true");
        link.title = `Choose two to ${MOST_COMPARED} pairs by the boxes at the left`;
      }
    }

    showRows() {
      const { by, order, pin } = this.state;
      const column = this.heads.findIndex((head) => keyOf(head) === by);
      const usual = by === this.first.by && order === this.first.order;
      // Whatever the order, pairs without a rank stand last.
      const ranked = (row) => !("unranked" in row.dataset);
      const all = usual ? this.rows : irc.sorting.rows(this.rows, column, order);
      const sorted = [...all.filter(ranked), ...all.filter((row) => !ranked(row))];
      const pinned = (row) => pin.includes(row.id);
      const wanted = pin.length ? [...sorted.filter(pinned), ...sorted.filter((row) => !pinned(row))] : sorted;
      this.shown = wanted.filter((row) => {
        const hidden = !pinned(row) && !this.fits(row);
        if (row.hidden !== hidden) row.hidden = hidden;
        return !hidden;
      });
      if (wanted.every((row, index) => row === this.body.rows[index])) return;
      const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
      this.body.replaceChildren(...wanted);
      focused?.focus({ preventScroll: true });
    }

    fits(row) {
      const { state } = this;
      const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
      return words.every((word) => this.texts.get(row).includes(word)) &&
        this.menus.every(({ name }) => !state[name] || (name === "self" ? !("self" in row.dataset) : row.dataset[name] === state[name]));
    }

    /* What is filtered, sorted and hidden, in words. */
    words() {
      const { state } = this;
      const count = this.rows.length === 1 ? "1 pair" : `${this.rows.length} pairs`;
      const filters = this.menus.filter((menu) => state[menu.name]).map((menu) =>
        menu.name === "self" ? "no self-judged pair" : `${menu.parentElement.firstChild.textContent.trim().toLowerCase()} ${menu.selectedOptions[0].textContent}`);
      if (state.find) filters.unshift(`“${state.find}”`);
      const head = this.heads.find((one) => keyOf(one) === state.by);
      const usual = state.by === this.first.by && state.order === this.first.order;
      return [
        (this.shown.length < this.rows.length ? `${this.shown.length} of ${count}` : count) + (filters.length ? `: ${filters.join(", ")}` : ""),
        usual ? this.table.dataset.usual ?? "best first" : `by ${head.dataset.name.toLowerCase().replace("δq", "ΔQ")}, ${state.order}`,
        ...(state.hide.length ? [`without ${state.hide.join(", ")}`] : []),
        ...(state.pin.length ? [`${state.pin.length} kept on top`] : []),
      ].join("; ");
    }

    /* The other boards open with the same choice. */
    keepOnChips() {
      for (const { link, address } of this.chips) link.setAttribute("href", address + location.search);
    }

    async export({ export: kind, copy }) {
      if (!kind && !copy) return;
      this.form.querySelector("details.menu").open = false;
      const columns = irc.columns.of(this.table);
      const words = `${this.table.dataset.words}. ${this.words()}.`;
      if (kind) {
        const records = this.shown.map((row) => irc.columns.record(columns, row));
        const about = { shown: words, address: location.href };
        const [type, text] = kind === "csv" ? ["text/csv", irc.exporting.csv(records)] : ["application/json", irc.exporting.json(about, records)];
        irc.exporting.save(`${this.table.dataset.file}.${kind}`, type, text);
        return;
      }
      const lines = this.shown.map((row) => irc.columns.texts(columns, row));
      const done = await irc.exporting.copy(irc.exporting[copy](columns.map(({ title }) => title), lines, words));
      this.status.textContent = done ? `Copied: ${this.shown.length} rows.` : "The browser did not allow copying.";
    }
  }

  function enhance() {
    const table = document.querySelector("table[data-board]");
    const form = document.querySelector("[data-board-tools]");
    if (!table || !form || table.dataset.board === "on") return;
    table.dataset.board = "on";
    new Board(table, form);
  }

  if (window.document$) window.document$.subscribe(enhance);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
  else enhance();
})();
