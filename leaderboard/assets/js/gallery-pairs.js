/*
 * Which pairs an instance page shows: the first few, more of them, or those that the reader has chosen.
 *
 * Fills <p data-more>, which says how many pairs are not in the page, and puts a list to choose from before the rows.
 */
import { button, element, searchField, statusPlace } from "./dom.js";
import { counted } from "./numbers.js";

export class PairChooser {
  constructor(gallery) {
    this.gallery = gallery;
    this.more = gallery.root.querySelector("[data-more]");
    this.total = Number(gallery.root.dataset.pairs);
    this.noun = gallery.root.dataset.noun ?? "pair";
    this.title = `Choose ${this.noun}s to lay side by side`;
    this.shown = gallery.rows.length;
    this.boxes = new Map();
    this.details = element("details", "pair-chooser", element("summary", "", this.title));
    this.words = statusPlace("span", "muted");
    this.details.addEventListener("toggle", () => this.fill(), { once: true });
    gallery.box.before(this.details);
    this.sayMore();
  }

  get chosen() {
    return this.gallery.state.pairs;
  }

  /* The names of all pairs: from the file, or of those in the page where no file can be fetched, as from a disk. */
  async names() {
    const here = this.gallery.rows.map((row) => ({ key: row.key, name: row.name }));
    if (!this.more) return here;
    try {
      const { pairs } = await this.gallery.shards.names();
      return pairs.map((pair) => ({ key: pair.key, name: `${pair.describer} + ${pair.generator}`, apart: pair.apart }));
    } catch {
      this.failed();
      return here;
    }
  }

  async fill() {
    const list = element("ul", "pair-list");
    const names = await this.names();
    const chosen = ({ key }) => Number(this.chosen.includes(key));
    names.sort((first, second) => chosen(second) - chosen(first));
    for (const { key, name, apart } of names) list.append(this.choice(key, name, apart));
    const field = searchField((words) => {
      for (const item of list.children) item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
    });
    field.ariaLabel = field.placeholder = `Find a ${this.noun}`;
    const all = button("Show all again", () => this.choose([]));
    this.details.append(element("div", "pair-tools", field, all, this.words), list);
  }

  choice(key, name, apart) {
    const box = element("input");
    box.type = "checkbox";
    box.checked = this.chosen.includes(key);
    this.boxes.set(key, box);
    box.addEventListener("change", () => {
      this.choose(box.checked ? [...this.chosen, key] : this.chosen.filter((other) => other !== key));
    });
    const words = element("bdi", "", name);
    return element("li", "", element("label", "", box, " ", words, apart ? element("span", "muted", ` ${apart}`) : null));
  }

  async choose(keys) {
    this.gallery.state.pairs = keys;
    this.gallery.remember({});
    await this.fetch(keys);
    this.apply();
  }

  async fetch(keys) {
    try {
      await Promise.all(keys.map((key) => this.gallery.row(key)));
    } catch {
      this.failed();
    }
  }

  apply() {
    const known = new Set(this.gallery.rows.map((row) => row.key));
    const chosen = this.chosen.filter((key) => known.has(key));
    for (const row of this.gallery.rows) row.section.hidden = chosen.length > 0 && !chosen.includes(row.key);
    this.boxes.forEach((box, key) => { box.checked = chosen.includes(key); });
    this.words.textContent = chosen.length ? `${chosen.length} of ${counted(this.total, this.noun)} shown` : "";
    this.details.querySelector("summary").textContent = chosen.length
      ? `Side by side: ${chosen.length} of ${counted(this.total, this.noun)}`
      : this.title;
    const rows = this.gallery.shownRows();
    if (rows.length && !rows.includes(this.gallery.current?.row)) this.gallery.select(rows[0].cells[0]);
    this.sayMore();
  }

  sayMore() {
    if (!this.more) return;
    const left = this.total - this.gallery.rows.length;
    this.more.hidden = this.chosen.length > 0 || left === 0;
    const next = button(`Show 20 more ${this.noun}s`, () => this.showMore());
    this.more.replaceChildren(`${this.gallery.rows.length} of ${counted(this.total, this.noun)} are shown. `, left ? next : "");
  }

  async showMore() {
    try {
      const { pairs } = await this.gallery.shards.names();
      const known = new Set(this.gallery.rows.map((row) => row.key));
      const next = pairs.map((pair) => pair.key).filter((key) => !known.has(key)).slice(0, 20);
      for (const key of next) await this.gallery.row(key);
      const first = this.gallery.rows.find((row) => row.key === next[0]);
      this.apply();
      first?.cells[0]?.button.focus({ preventScroll: true });
    } catch {
      this.failed();
    }
  }

  failed() {
    this.more?.replaceChildren(`The other ${counted(this.total - this.gallery.rows.length, this.noun)} cannot be read here: a browser fetches no files from a disk. "ircore site serve" shows them.`);
    if (this.more) this.more.hidden = false;
  }

  async restore(keys) {
    await this.fetch([...this.chosen, ...keys]);
    this.apply();
  }
}

