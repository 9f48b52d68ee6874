/*
 * Looking closely at one target's renderings: an instance page is complete without it, but for the pairs that are not
 * among the first few.
 *
 *   <div data-gallery data-root="../" data-shards="../data/gallery" data-instance="…" data-pairs="200">
 *     <aside class="target"> <img data-large="…"> </aside>
 *     <div class="rows"> <section data-pair="…" aria-label="describer + generator">
 *       <li data-turn="2" id="pair~2"> <figure> <img data-large="…"> … </li>
 *
 * Every rendering becomes a button; arrow keys go from one to the next, letters compare it with the target or with a
 * rendering picked before. The keys work while the focus is on a rendering, in a dialog or nowhere, and a rendering has
 * it when the page opens. What the reader looks at stands in the address: see gallery-state.js.
 */
import { button, element, fetchJson, statusPlace, whenReady, withAttributes } from "./dom.js";
import { Row, SAID, Target, alignTurns } from "./gallery-cells.js";
import { KEYS, STEPS } from "./gallery-keys.js";
import { PairChooser } from "./gallery-pairs.js";
import { openReplay } from "./gallery-replay.js";
import { Shards, episodeRow } from "./gallery-rows.js";
import { readState, writeState } from "./gallery-state.js";
import { SameWords } from "./gallery-words.js";
import { Viewer, large } from "./gallery-viewer.js";
import { XrayLayer } from "./gallery-xray.js";

class Gallery {
  constructor(root) {
    this.root = root;
    this.box = root.querySelector(".rows");
    this.target = new Target(root.querySelector(".target img"), root.dataset.against);
    this.reference = this.target;
    this.shards = new Shards(root.dataset.shards, root.dataset.instance);
    this.state = readState();
    this.mode = null;
    this.inDialog = false;
    this.tools = [];
    this.rows = [...this.box.querySelectorAll("[data-pair]")].map((section) => new Row(section, this));
    this.order = this.rows.map((row) => row.key);
    this.asked = this.rows.length;
    this.xray = new XrayLayer(this);
    this.addPanel();
    this.viewer = new Viewer(this);
    this.chooser = new PairChooser(this);
    const words = root.querySelector("[data-same-words]");
    if (words) new SameWords(this, words);
    this.listen();
    this.faults = root.querySelector("[data-faults]");
    this.current = this.rows.flatMap((row) => row.cells)[0] ?? null;
    if (this.current) this.current.button.tabIndex = 0;
    this.sayFault();
    this.restore();
    root.dataset.gallery = "ready";
  }

  addPanel() {
    this.status = statusPlace("p", "gallery-status");
    this.root.querySelector(".target").append(element("div", "gallery-panel", this.makeTools(), this.status));
  }

  /* The legend of keys: each of them is a button too, for a mouse or a finger. */
  makeTools() {
    const words = { role: "group", "aria-label": `Compare a rendering with: ${this.target.short}` };
    const bar = withAttributes(element("div", "key-legend"), words);
    for (const key of this.keys) {
      const content = [element("kbd", "", key.show), ` ${this.root.dataset[key.counts] ?? key.words}`];
      if (!key.mode && !key.act) bar.append(element("span", "key", ...content));
      else bar.append(this.makeTool(key, content));
    }
    return bar;
  }

  makeTool(key, content) {
    const tool = button("", () => (key.mode ? this.toggle(key.mode) : this[key.act]()), "key");
    tool.append(...content);
    const pressed = key.mode ?? key.pressed;
    if (pressed) {
      tool.dataset.mode = pressed;
      tool.setAttribute("aria-pressed", "false");
      this.tools.push(tool);
    }
    return tool;
  }

  listen() {
    const cellOf = (event) => event.target.closest?.(".cell-button")?.cell;
    this.box.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell && !this.inDialog) this.select(cell);
    });
    this.box.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      this.select(cell);
      this.toggleZoom();
    });
    this.box.addEventListener("keydown", (event) => {
      if (cellOf(event) || event.target.type === "range") this.press(event);
    });
    // After a click on blank paper, or a button that went away, nothing has the focus: the keys work on.
    document.addEventListener("keydown", (event) => {
      if (event.target === document.body) this.press(event);
    });
    new ResizeObserver(() => this.sayClipped()).observe(this.box);
    this.box.addEventListener("scroll", (event) => this.align(event.target), { capture: true, passive: true });
  }

  align(scrolled) {
    if (alignTurns(this.rows, scrolled)) this.sayClipped();
  }

  sayClipped() {
    for (const row of this.rows) if (!row.section.hidden) row.sayClipped();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.current) return;
    const inSlider = event.target.type === "range";
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const known = this.keys.find(({ keys }) => keys.includes(key));
    if (key === "Escape" && this.mode) this.compare(null);
    else if (!known || (inSlider && key in STEPS)) return;
    else if (key in STEPS) this.step(...STEPS[key]);
    else if (known.mode) this.toggle(known.mode);
    else this[known.act]();
    event.preventDefault();
    event.stopPropagation();
  }

  shownRows() {
    return this.rows.filter((row) => row.cells.length && !row.section.hidden);
  }

  /* The keys that this target has something to show for. */
  get keys() {
    const lacking = { toggleXray: !this.xray.isKnown, replay: !this.box.querySelector(SAID) };
    return KEYS.filter(({ act }) => !lacking[act]);
  }

  /* The keys work at once: the focus goes to the rendering looked at, unless the reader has put it elsewhere. */
  takeKeys() {
    if (this.inDialog || ![document.body, null].includes(document.activeElement)) return;
    const before = this.restoring;
    this.restoring = true;
    this.current?.button.focus({ preventScroll: true });
    this.restoring = before;
  }

  /* Another turn of the same pair, or the same turn (else its last) of another pair. */
  step(down, right) {
    const rows = this.shownRows();
    const row = rows.indexOf(this.current.row);
    const cells = rows[row + down]?.cells;
    if (!cells) return;
    const place = this.current.row.cells.indexOf(this.current) + right;
    const next = cells[down ? Math.min(place, cells.length - 1) : place];
    if (!next) return;
    this.select(next);
    this.reveal();
    if (!this.viewer.isOpen) next.button.focus();
  }

  /* Not part of select: a page that moves under a pressed finger gets no click. */
  reveal() {
    this.current.item.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  select(cell) {
    if (cell === this.current && cell.item.hasAttribute("aria-current")) return;
    const mode = this.mode;
    this.compare(null);
    this.current.button.tabIndex = -1;
    this.current.item.removeAttribute("aria-current");
    this.current = cell;
    cell.button.tabIndex = 0;
    cell.item.setAttribute("aria-current", "true");
    if (this.viewer.isOpen) this.viewer.update();
    this.compare(mode);
    this.sayFault();
    this.remember({ cell: cell.item.id });
  }

  /* What hangs on words and on drawing, of the episode looked at: in the page for the first pairs, of others in a file. */
  async sayFault() {
    const key = this.current?.row.key;
    if (!this.faults || !key) return;
    const known = () => [...this.faults.children].find(({ dataset }) => dataset.of === key);
    if (!known() && this.order.indexOf(key) >= this.asked) {
      this.sentences ??= fetchJson(this.faults.dataset.faults).catch(() => ({}));
      const said = (await this.sentences)[key];
      if (said && !known()) {
        const made = element("p", "fault", element("strong", "", "Whose fault?"), ` ${said}`);
        made.dataset.of = key;
        this.faults.append(made);
      }
    }
    if (this.current?.row.key === key) for (const made of this.faults.children) made.hidden = made.dataset.of !== key;
  }

  /* What renderings are compared with: this one, or the target again. */
  pick() {
    const again = this.reference === this.current;
    if (this.reference !== this.target) this.reference.item.classList.remove("picked");
    this.reference = again ? this.target : this.current;
    if (!again) this.current.item.classList.add("picked");
    if (this.viewer.isOpen) this.viewer.update();
    this.compare(this.mode);
    this.remember({ against: again ? null : this.current.item.id });
  }

  toggle(mode) {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (mode === "blink" && this.mode === "blink" && still && this.place().overlay) this.place().show("blink");
    else this.compare(this.mode === mode ? null : mode);
  }

  place() {
    return this.viewer.isOpen ? this.viewer.comparison : this.current.comparison;
  }

  compare(mode) {
    if (!this.current) return;
    const hadFocus = document.activeElement?.type === "range";
    const inViewer = this.viewer.isOpen;
    const over = this.reference.image;
    const alike = this.reference === this.target || this.reference.row === this.current.row;
    const names = [this.reference, this.current].map(({ short, title }) => (alike ? short : title));
    this.mode = mode;
    this.place().show(mode, inViewer ? large(over) : over.src, ...names);
    this.say();
    if (mode === "swipe") this.place().slider.focus();
    else if (hadFocus && !inViewer) this.current.button.focus();
    this.remember({ compare: mode });
  }

  say() {
    const picked = this.reference !== this.target;
    for (const tool of this.tools) {
      const pressed = { pick: picked, xray: this.xray.on }[tool.dataset.mode] ?? tool.dataset.mode === this.mode;
      tool.setAttribute("aria-pressed", String(pressed));
    }
    const against = picked ? `compared with ${this.reference.title}` : "";
    const words = this.mode ? [`${this.current.title}: ${this.mode}`, against] : [against];
    this.status.textContent = words.filter(Boolean).join(", ");
  }

  toggleXray() {
    this.xray.show(!this.xray.on);
    if (this.viewer.isOpen) this.viewer.update();
    this.say();
    this.remember({ xray: this.xray.on ? "on" : null });
  }

  layXray(cell, frame) {
    frame.querySelector("svg.xray")?.remove();
    if (this.xray.on) this.xray.lay(cell, frame);
  }

  toggleZoom() {
    if (this.viewer.isOpen) this.viewer.dialog.close();
    else if (this.current) {
      const mode = this.mode;
      this.compare(null);
      this.inDialog = true;
      this.viewer.open();
      this.compare(mode);
      this.remember({ open: "zoom" });
    }
  }

  /* Only then: the browser gives the focus back to where it was, and the dialog may have gone elsewhere since. */
  viewerClosed() {
    if (this.state.open !== "zoom") return;
    this.compare(null);
    this.dialogClosed();
  }

  dialogClosed() {
    this.inDialog = false;
    this.remember({ open: null });
    this.current.button.focus();
  }

  replay() {
    if (!this.current || !this.box.querySelector(SAID)) return;
    if (this.viewer.isOpen) this.viewer.dialog.close();
    this.compare(null);
    this.inDialog = true;
    this.remember({ open: "replay" });
    openReplay(this, this.current, () => this.dialogClosed());
  }

  remember(changes) {
    if (this.restoring) return;
    Object.assign(this.state, changes);
    writeState(this.state);
  }

  /* The row of a pair: as it is, or made from its file; null if there is no such pair. */
  async row(key) {
    const known = this.rows.find((row) => row.key === key);
    if (known || !this.root.querySelector("[data-more]")) return known ?? null;
    const { pairs } = await this.shards.names();
    const place = pairs.findIndex((pair) => pair.key === key);
    if (place < 0) return null;
    const episode = await this.shards.episode(place);
    if (!episode) return null;
    this.order = pairs.map((pair) => pair.key);
    return this.rows.find((row) => row.key === key) ?? this.insert(episode, pairs[place]);
  }

  insert(episode, pair) {
    const section = episodeRow(episode, pair, this.root.dataset.root);
    const place = (row) => this.order.indexOf(row.key);
    const made = new Row(section, this);
    const next = this.rows.find((row) => place(row) > place(made));
    if (next) next.section.before(section);
    else this.box.append(section);
    this.rows.push(made);
    this.rows.sort((row, other) => place(row) - place(other));
    this.xray.showRow(made);
    this.current ??= made.cells[0] ?? null;
    return made;
  }

  cellAt(id) {
    const at = id.lastIndexOf("~");
    const [key, turn] = at < 0 ? [id, null] : [id.slice(0, at), Number(id.slice(at + 1))];
    const row = this.rows.find((shown) => shown.key === key);
    // An episode may have ended before that turn: then its last rendering is meant.
    return row?.cells.find((cell) => turn === null || cell.turn === turn) ?? row?.cells.at(-1) ?? null;
  }

  /* Show what the address asks for; pairs that are not in the page are fetched first. */
  async restore() {
    const wanted = { ...this.state };
    const keys = [wanted.cell, wanted.against].filter(Boolean).map((id) => id.replace(/~\d+$/, ""));
    this.restoring = true;
    await this.chooser.restore(keys);
    if (wanted.xray && this.xray.isKnown) this.toggleXray();
    const cell = wanted.cell ? this.cellAt(wanted.cell) : null;
    const against = wanted.against ? this.cellAt(wanted.against) : null;
    if (against) {
      this.current = against;
      this.pick();
      against.button.tabIndex = -1;
      this.current = this.shownRows()[0]?.cells[0] ?? against;
    }
    if (cell) {
      this.select(cell);
      this.reveal();
    } else if (this.current) this.current.button.tabIndex = 0;
    if (cell && wanted.open === "zoom") this.toggleZoom();
    if (cell && wanted.compare) this.compare(wanted.compare);
    this.takeKeys();
    // Once a page has loaded, the browser goes to the place that its address names, and takes the focus away.
    if (document.readyState !== "complete") window.addEventListener("load", () => setTimeout(() => this.takeKeys()), { once: true });
    this.restoring = false;
    if (cell && wanted.open === "replay") this.replay();
    this.root.dataset.restored = "";
  }
}

whenReady(() => document.querySelectorAll("[data-gallery='']").forEach((root) => new Gallery(root)));
