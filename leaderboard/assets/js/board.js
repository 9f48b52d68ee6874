/*
 * A board: sorting, search, menus, groups of columns, pinned rows and a choice of pairs to compare.
 *
 * The table and the line of tools are complete in the page. All that a reader chooses stands in the address:
 *   ?find=gpt&describer=gpt-5.2&by=tokens&order=ascending&hide=effort&pin=a,b&pick=a,c&against=d
 * so that it can be shared, and the back button undoes it.
 */
import { Against } from "./against.js";
import { readQuery, whenMoved, writeQuery } from "./address.js";
import { columnsOf, saveRows, texts } from "./columns.js";
import { element, enhanceEach, nameOf, withAttributes, wordsIn } from "./dom.js";
import { copy, latex, markdown } from "./export.js";
import { counted } from "./numbers.js";
import { RowPlaces } from "./row-places.js";
import { OPPOSITE, addSortButtons, firstOrder, headsOf, markSorted, sortRows } from "./sorting.js";

const MOST_COMPARED = 4;
const MOST_DRAWN = 24; // pairs that a figure shows as chosen
const FIRST_TO_GO = ["provenance", "coverage", "effort", "measures", "refinement", "categories"]; // groups of columns, the least telling first

/* Parameters of an address, without the empty ones. */
function queryText(values) {
  return Object.entries(values).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join("&");
}

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
    this.places = new RowPlaces(this.body);
    this.rows = this.places.rows;
    this.unranked = new Set(this.rows.filter(({ dataset }) => "unranked" in dataset));
    this.unwritten = null; // a change that the address does not have yet
    this.firsts = this.rows.filter(({ dataset }) => "first" in dataset);
    this.heads = headsOf(table);
    this.menus = [...form.querySelectorAll("select:not([name=by], [name=against])")];
    this.groups = [...form.querySelectorAll("[name=show]")];
    // Columns that a reader asks for; in the address, an empty choice is written as a dash.
    this.folded = this.groups.filter(({ defaultChecked }) => !defaultChecked).map(({ value }) => value);
    this.without = []; // groups for which the frame has no room
    this.by = form.elements.by;
    this.find = form.elements.find;
    this.against = form.elements.against ? new Against(table, this.rows) : null;
    this.status = document.querySelector("[data-board-state]");
    this.note = document.querySelector("[data-order-note]");
    this.compareLink = form.querySelector("[data-compare-page]");
    this.figuresLink = form.querySelector("[data-figures-page]");
    this.chips = [...document.querySelectorAll(".chips a")].map((link) => ({ link, address: link.getAttribute("href") }));
    this.texts = new Map(this.rows.map((row) => [row, this.searchText(row)]));
    const sorted = this.heads.find((head) => head.hasAttribute("aria-sort"));
    this.first = { by: keyOf(sorted), order: sorted.getAttribute("aria-sort") };
    this.addControls();
    this.listen();
    this.restore();
    this.settle();
  }

  searchText(row) {
    const cell = row.querySelector(".pair-column");
    return [cell.textContent, row.id, ...Object.values(row.dataset)].join(" ").toLowerCase();
  }

  addControls() {
    addSortButtons(this.table, (head, order) => this.change({ by: keyOf(head), order }));
    const choices = this.heads.filter((head) => keyOf(head) && !("noSort" in head.dataset));
    this.by.append(...choices.map((head) => new Option(head.dataset.name, keyOf(head))));
    if (this.against) this.form.elements.against.append(...this.rows.map((row) => new Option(nameOf(row), row.id)));
    const icon = this.form.querySelector("template").content.firstElementChild;
    for (const row of this.rows) {
      const name = nameOf(row);
      const box = { type: "checkbox", "aria-label": `Compare ${name}`, title: "Choose to compare" };
      const pin = { type: "button", "aria-label": `Keep ${name} on top`, title: "Keep on top" };
      row.cells[0].append(
        withAttributes(element("input"), box),
        withAttributes(element("button", "pin", icon.cloneNode(true)), pin),
      );
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
      group.addEventListener("change", () => {
        const hide = this.groups.filter(({ checked }) => !checked).map(({ value }) => value);
        // The usual columns are asked for where some of them had no room.
        this.change({ hide: hide.join() === this.folded.join() && !this.without.length ? this.folded : hide });
      });
    }
    this.form.elements.against?.addEventListener("change", ({ target }) => this.change({ against: target.value }));
    this.by.addEventListener("change", () => {
      const head = this.heads.find((column) => keyOf(column) === this.by.value);
      this.change({ by: this.by.value, order: firstOrder(head, this.body) });
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
    for (const menu of this.form.querySelectorAll("details.menu")) this.listenTo(menu);
    whenMoved(() => this.restore());
    addEventListener("resize", () => this.fit());
  }

  /* A menu closes on a click elsewhere and on Escape, and opens to the left where there is no room to the right. */
  listenTo(menu) {
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("toggle", () => {
      menu.classList.remove("leftward");
      menu.classList.toggle("leftward", menu.lastElementChild.getBoundingClientRect().right > document.documentElement.clientWidth);
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }

  toggled(name, id) {
    const chosen = this.state[name];
    return chosen.includes(id) ? chosen.filter((known) => known !== id) : [...chosen, id];
  }

  cleared() {
    const menus = Object.fromEntries(this.menus.map((menu) => [menu.name, ""]));
    return { find: "", ...menus, hide: this.folded, pin: [], pick: [], against: "" };
  }

  /* Take the state from the address; what is not on this board is passed over, and said. */
  restore() {
    const query = readQuery();
    this.absent = [];
    const chosen = (menu, wanted = "") => {
      const known = [...menu.options].some(({ value }) => value === wanted);
      if (!known) this.absent.push(`${menu.name} ${wanted.slice(0, 60)}`);
      return known ? wanted : "";
    };
    const known = (id) => this.rows.some((row) => row.id === id);
    const head = this.heads.find((column) => keyOf(column) && keyOf(column) === query.by && !("noSort" in column.dataset));
    this.state = {
      ...this.cleared(),
      find: query.find ?? "",
      by: head ? query.by : this.first.by,
      order: head && query.order in OPPOSITE ? query.order : head ? firstOrder(head, this.body) : this.first.order,
      hide: "hide" in query ? listed(query.hide).filter((name) => this.groups.some(({ value }) => value === name)) : this.folded,
      against: this.against ? chosen(this.form.elements.against, query.against) : "",
      pin: listed(query.pin).filter(known),
      pick: listed(query.pick).filter(known).slice(0, MOST_COMPARED),
    };
    for (const menu of this.menus) this.state[menu.name] = chosen(menu, query[menu.name]);
    this.show();
  }

  change(values, push = true) {
    this.state = { ...this.state, ...values };
    this.absent = [];
    this.unwritten = { push: push || Boolean(this.unwritten?.push) };
    this.show();
  }

  query() {
    const { by, order, hide, pin, pick, ...filters } = this.state;
    const usual = by === this.first.by && order === this.first.order;
    return { ...filters, by: usual ? "" : by, order: usual ? "" : order, hide: hide === this.folded ? "" : hide.join(",") || "-", pin: pin.join(","), pick: pick.join(",") };
  }

  show() {
    this.showRows();
    this.showControls();
    this.showAgainst();
    this.hide();
    this.status.textContent = `${this.words()}.`;
    this.places.whenPainted(() => this.settle());
  }

  hide() {
    // Setting an attribute makes the browser style what depends on it anew, even where the value stays.
    const hide = [...this.state.hide, ...this.without, ...(this.state.against ? [] : ["against"])].join(" ");
    if (this.table.dataset.hide !== hide) this.table.dataset.hide = hide;
    for (const group of this.groups) group.checked = !this.state.hide.includes(group.value) && !this.without.includes(group.value);
  }

  async showAgainst() {
    const { against } = this.state;
    if (!this.against || (this.against.key ?? "") === against) return;
    this.form.elements.against.value = against;
    await this.against.choose(against);
    this.showRows();
    this.status.textContent = `${this.words()}.`;
    this.settle();
  }

  showControls() {
    const { state } = this;
    if (this.find.value.trim() !== state.find) this.find.value = state.find;
    for (const menu of this.menus) if (menu.value !== state[menu.name]) menu.value = state[menu.name];
    const sorted = this.heads.find((head) => keyOf(head) === state.by);
    markSorted(this.heads, sorted, state.order);
    if (this.note) this.note.hidden = !("leavesOut" in sorted.dataset);
    this.showMarks();
  }

  /* Pins and ticks, which most changes leave alone. */
  showMarks() {
    const { pin: pins, pick: picks } = this.state;
    const marks = `${pins};${picks}`;
    if (marks === this.marks) return;
    this.marks = marks;
    const full = picks.length >= MOST_COMPARED;
    for (const row of this.rows) {
      const [box, pin] = row.cells[0].children;
      const pinned = pins.includes(row.id);
      const picked = picks.includes(row.id);
      if (box.checked !== picked) box.checked = picked;
      if (box.disabled !== (full && !picked)) box.disabled = full && !picked;
      if (pin.getAttribute("aria-pressed") !== String(pinned)) pin.setAttribute("aria-pressed", String(pinned));
      row.classList.toggle("pinned", pinned);
    }
    this.showCompare();
  }

  /* Figures open with the pairs that are ticked, or left by search and menus, and with the board's judge and category. */
  showFigures() {
    if (!this.figuresLink) return;
    const { judge = "", category = "all" } = JSON.parse(this.table.dataset.about ?? "{}");
    const filtered = this.shown.length < this.rows.length && this.shown.length <= MOST_DRAWN ? this.shown.map(({ id }) => id) : [];
    const pairs = this.state.pick.length ? this.state.pick : filtered;
    const query = { pairs: pairs.map(encodeURIComponent).join(","), judge, category: category === "all" ? "" : category };
    this.figuresLink.href = `${this.figuresLink.dataset.figuresPage}?${queryText(query)}`;
  }

  showCompare() {
    const { pick } = this.state;
    const link = this.compareLink;
    link.textContent = pick.length ? `Compare ${pick.length}` : "Compare";
    if (pick.length > 1) {
      const query = { [this.table.dataset.compare ?? "pairs"]: pick.map(encodeURIComponent).join(","), judge: link.dataset.judge, category: link.dataset.category, difficulty: link.dataset.difficulty };
      link.href = `${link.dataset.comparePage}?${queryText(query)}`;
      link.removeAttribute("aria-disabled");
      link.removeAttribute("title");
    } else {
      link.removeAttribute("href");
      link.setAttribute("aria-disabled", "true");
      link.title = `Choose two to ${MOST_COMPARED} ${this.table.dataset.noun ?? "pair"}s by the boxes at the left`;
    }
  }

  showRows() {
    const { by, order, pin } = this.state;
    const inSight = this.places.inSight(); // asked before anything changes, so that the page is laid out once
    const column = this.heads.findIndex((head) => keyOf(head) === by);
    const usual = by === this.first.by && order === this.first.order;
    for (const row of this.firsts) row.classList.toggle("opens-group", usual && !pin.length);
    const all = usual ? this.rows : sortRows(this.rows, column, order);
    // Whatever the order, pairs without a rank stand last.
    const sorted = [...all.filter((row) => !this.unranked.has(row)), ...all.filter((row) => this.unranked.has(row))];
    const pinned = new Set(pin.length ? this.rows.filter(({ id }) => pin.includes(id)) : []);
    const arranged = [...sorted.filter((row) => pinned.has(row)), ...sorted.filter((row) => !pinned.has(row))];
    const fits = this.filter();
    this.shown = arranged.filter((row) => pinned.has(row) || fits(row));
    this.places.show(arranged, this.shown, inSight);
  }

  /* What may come when the browser has painted: address, links and the rows' last places. */
  settle() {
    if (this.unwritten) writeQuery(this.query(), this.unwritten);
    this.unwritten = null;
    this.by.value = this.state.by;
    this.showFigures();
    this.keepOnChips();
    this.places.settle();
    this.fit();
  }

  /* Groups of columns without room stand behind the menu Columns. What a reader asked for is reached by scrolling. */
  fit() {
    const frame = this.table.parentElement;
    const asked = this.state.hide !== this.folded;
    const fitted = [frame.offsetWidth, asked, this.state.hide, this.state.against, this.table.rows[0].cells.length].join();
    if (fitted === this.fitted) return;
    this.fitted = fitted;
    const groups = FIRST_TO_GO.filter((name) => this.groups.some(({ value }) => value === name) && !this.state.hide.includes(name));
    const isWide = () => this.table.scrollWidth > frame.clientWidth;
    this.without = [];
    this.hide();
    for (const group of asked ? [] : groups) {
      if (!isWide()) break;
      this.without.push(group);
      this.hide();
    }
    // Where a wide group went last, narrower ones may have room again.
    for (const group of this.without.slice(0, -1).toReversed()) {
      const gone = this.without;
      this.without = gone.filter((name) => name !== group);
      this.hide();
      if (isWide()) this.without = gone;
      this.hide();
    }
    frame.toggleAttribute("data-narrow", isWide());
    this.status.textContent = `${this.words()}.`;
  }

  /* Whether a row has the words and the menus' choices, as a function. */
  filter() {
    const words = wordsIn(this.state.find);
    const chosen = this.menus.map(({ name }) => [name, this.state[name]]).filter(([, value]) => value);
    return (row) => words.every((word) => this.texts.get(row).includes(word)) &&
      chosen.every(([name, value]) => (name === "self" ? !("self" in row.dataset) : row.dataset[name] === value));
  }

  /* What is filtered, sorted and hidden, in words. */
  words() {
    const { state } = this;
    const { noun = "pair" } = this.table.dataset;
    const count = counted(this.rows.length, noun);
    const filters = this.menus.filter((menu) => state[menu.name]).map((menu) =>
      menu.name === "self" ? "no self-judged pair" : `${menu.parentElement.firstChild.textContent.trim().toLowerCase()} ${menu.selectedOptions[0].textContent}`);
    if (state.find) filters.unshift(`“${state.find}”`);
    const head = this.heads.find((column) => keyOf(column) === state.by);
    const usual = state.by === this.first.by && state.order === this.first.order;
    const hidden = state.hide.filter((name) => !this.folded.includes(name));
    return [
      (this.shown.length < this.rows.length ? `${this.shown.length} of ${count}` : count) + (filters.length ? `: ${filters.join(", ")}` : ""),
      ...(this.shown.length ? [] : ["search for fewer letters, or press Reset"]),
      usual ? this.table.dataset.usual ?? "best first" : `by ${head.dataset.name.toLowerCase().replace("δq", "ΔQ")}, ${state.order}`,
      ...(this.against?.words(this.form.elements.against.selectedOptions[0].textContent) ?? []),
      ...(hidden.length ? [`without ${hidden.map((name) => this.nameOfGroup(name)).join(", ")}`] : []),
      ...(this.without.length ? [`${this.without.map((name) => this.nameOfGroup(name)).join(", ")} under Columns`] : []),
      ...(state.pin.length ? [`${state.pin.length} kept on top`] : []),
      ...(this.absent.length ? [`not on this board: ${this.absent.join(", ")}`] : []),
    ].join("; ");
  }

  nameOfGroup(name) {
    return this.groups.find(({ value }) => value === name).parentElement.textContent.trim();
  }

  /* The other boards open with the same choice. */
  keepOnChips() {
    for (const { link, address } of this.chips) link.setAttribute("href", address + location.search);
  }

  async export({ export: kind, copy: form }) {
    if (!kind && !form) return;
    for (const menu of this.form.querySelectorAll("details.menu")) menu.open = false;
    const columns = columnsOf(this.table);
    const words = `${this.table.dataset.words}. ${this.words()}.`;
    if (kind) {
      saveRows(kind, this.table, columns, this.shown, words);
      return;
    }
    const lines = this.shown.map((row) => texts(columns, row));
    const written = { markdown, latex }[form](columns.map(({ title }) => title), lines, words);
    const done = await copy(written);
    this.status.textContent = done ? `Copied: ${counted(this.shown.length, "row")}.` : "The browser did not allow copying.";
  }
}

enhanceEach("board", (table) => {
  const form = document.querySelector("[data-board-tools]");
  if (form) new Board(table, form);
});
