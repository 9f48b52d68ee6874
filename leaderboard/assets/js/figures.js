/*
 * Figures to play with: pairs, judge and category are chosen in place and taken out of the figure of every pair
 * (data/figures/*.json); headline, table, files, link and code to embed are those of what is shown.
 *
 *   <div data-play="data/figures/" data-embed="embed/"> … <figure data-chart data-name="deltas"> … </div>
 *
 * data-alone says that the page holds one figure. charts.js draws: it is handed a figure by the event "figure-change".
 */
import { readQuery, whenMoved, writeQuery } from "./address.js";
import { button, element, enhanceEach, fetchJson, withAttributes } from "./dom.js";
import { csv, save } from "./export.js";
import { NOTHING, PARTS, aloneAddress, fileOf, freeHues, keysOf, pairWords, readChoice, writeChoice } from "./figure-choice.js";
import { takePairs } from "./figure-parts.js";
import { FigureTools, embedCode } from "./figure-tools.js";
import { fixed } from "./numbers.js";

const CAPTION = 190; // room for the words of an embedded figure, CSS pixels
const SAID = 3; // pairs whose numbers fit into a headline
const OF_FILES = ["key", "run_id", "rules"]; // columns that the table beside a figure leaves to the file

/* A stranger's words as Plotly shows them: it reads a little markup. */
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

class Numbers {
  constructor(folder) {
    this.folder = folder;
    this.files = new Map();
  }

  get(name) {
    if (!this.files.has(name)) this.files.set(name, fetchJson(new URL(`${this.folder}${name}.json`, document.baseURI)));
    return this.files.get(name);
  }
}

class PlayedFigure {
  constructor(frame, page) {
    this.frame = frame;
    this.page = page;
    this.id = frame.dataset.name;
    this.index = page.index;
    this.choices = page.index.figures[this.id];
    this.alone = page.alone;
    this.turn = 0;
    this.seen = NOTHING;
    this.strong = frame.querySelector("figcaption strong");
    this.shown = frame.querySelector("[data-chosen]") ?? frame.querySelector("figcaption").appendChild(element("span"));
    this.table = frame.querySelector(".chart-table");
    this.built = { strong: [...this.strong.childNodes], shown: this.shown.textContent, table: [...this.table.childNodes], title: this.title() };
    this.choice = readChoice(this.id, this.choices, this.index, this.alone);
    this.tools = new FigureTools(frame.querySelector("[data-figure-tools]"), this);
    frame.querySelector(".chart-tools a[download]").addEventListener("click", (event) => this.saveNumbers(event));
    if (this.changed()) this.draw();
  }

  title() {
    return this.strong.textContent.trim();
  }

  changed() {
    return PARTS.some((part) => this.choice[part]);
  }

  change(values) {
    this.choice = { ...this.choice, ...values };
    writeChoice(this.id, this.choice, this.alone);
    this.show();
  }

  /* Back to what the page says of every figure, or to the figure that the site was built with. */
  reset() {
    writeChoice(this.id, NOTHING, this.alone);
    this.restore();
  }

  restore() {
    this.choice = readChoice(this.id, this.choices, this.index, this.alone);
    this.show();
  }

  show() {
    this.tools.show();
    if (this.changed()) this.draw();
    else this.undraw();
  }

  async draw() {
    const turn = ++this.turn;
    const { index, choice } = this;
    let base, figure;
    try {
      [base, figure] = await Promise.all([
        fetchJson(new URL(this.frame.dataset.chart, document.baseURI)), this.page.numbers.get(fileOf(this.id, choice)),
      ]);
    } catch {
      this.tools.say("The numbers could not be loaded. Reload the page to try again.");
      return;
    }
    if (turn !== this.turn) return;
    const keys = keysOf(choice, index);
    const picked = choice.pairs !== "" && !choice.pairs.startsWith("~");
    const taken = figure.missing ? null : takePairs(figure, keys, picked, picked ? freeHues(keys, index) : new Map());
    if (!taken) {
      this.refuse(figure.missing);
      return;
    }
    this.seen = choice;
    const { shown, ...drawing } = taken;
    const fewer = shown.length < figure.shown.length;
    const title = picked || fewer ? this.headline(figure, shown, picked ? "chosen" : "best") : figure.title;
    const pairs = new Map(shown.map((key) => [key, index.pairs[index.places.get(key)]]));
    this.source = figure.source;
    this.records = figure.rows.filter(([key]) => pairs.has(key)).map(([key, ...values]) => ({
      pair: pairWords(pairs.get(key)), key, ...Object.fromEntries(figure.head.map((name, at) => [name, values[at]])),
    }));
    this.tell(title, this.shownWords(picked, shown.length));
    this.fillTable(title);
    this.hand({ ...base, ...drawing, title: plain(title) });
    this.frame.dataset.changed = "";
  }

  /* The site claims nothing of pairs that a reader chose: the headline asks, and of a few it says their numbers. */
  headline({ question, says, scope }, shown, kind) {
    const count = shown.length;
    const whose = [count === 1 ? `Of the ${kind} pair` : `Of the ${count} ${kind} pairs`, scope].filter(Boolean).join(", ");
    const numbers = count <= SAID ? shown.filter((key) => says[key]).map((key) => `${pairWords(this.index.pairs[this.index.places.get(key)])} ${says[key]}`) : [];
    return `${whose}: ${[question, numbers.join("; ")].filter(Boolean).join(" ")}`;
  }

  /* Nothing can be drawn of a choice: back to what is seen. */
  refuse(reason = "Nothing is known of that choice.") {
    this.choice = this.seen;
    writeChoice(this.id, this.choice, this.alone);
    this.tools.show();
    this.tools.say(`${reason} The figure stays as it was.`);
  }

  undraw() {
    this.turn += 1;
    this.seen = NOTHING;
    this.records = null;
    delete this.frame.dataset.changed;
    this.strong.replaceChildren(...this.built.strong);
    this.shown.textContent = this.built.shown;
    this.table.replaceChildren(...this.built.table);
    this.name(this.built.title);
    this.tools.say("");
    this.hand(null);
  }

  hand(figure) {
    this.height = (figure ?? {}).layout?.height;
    this.frame.dispatchEvent(new CustomEvent("figure-change", { bubbles: true, detail: figure }));
  }

  name(title) {
    this.frame.querySelector(".chart-plot").setAttribute("aria-label", title);
    this.tools.show();
  }

  shownWords(picked, shown) {
    const { index, choice, choices } = this;
    const count = index.pairs.length;
    const which = picked ? `${shown} of ${count} pairs, as chosen` : shown < count ? `${shown} of ${count} pairs, the best` : `all ${count} pairs`;
    const category = index.categories.find(([name]) => name === choice.category)?.[1].toLowerCase();
    const judge = choice.judge || (choices.judges === "all" ? index.judges.join(", ") : choices.judges && index.judge);
    return ` Shown: ${[which, category, judge && `judged by ${judge}`].filter(Boolean).join("; ")}.`;
  }

  tell(title, shown) {
    this.strong.replaceChildren(element("bdi", "", title));
    this.shown.textContent = shown;
    this.name(title);
    this.tools.say(`${title}.${shown}`, true);
  }

  fillTable(title) {
    const names = Object.keys(this.records[0] ?? {}).filter((name) => !OF_FILES.includes(name));
    const words = (value) => (typeof value === "number" ? (Number.isInteger(value) ? String(value) : fixed(value)) : value ?? "–");
    const cell = (record, name, at) => (at === 0
      ? withAttributes(element("th", "", element("bdi", "", record[name])), { scope: "row" })
      : element("td", typeof record[name] === "number" ? "number" : "", words(record[name])));
    const head = element("tr", "", ...names.map((name) => withAttributes(element("th", "", name.replaceAll("_", " ")), { scope: "col" })));
    const rows = this.records.map((record) => element("tr", "", ...names.map((name, at) => cell(record, name, at))));
    const table = element("table", "plain", element("caption", "sr-only", title), element("thead", "", head), element("tbody", "", ...rows));
    const region = withAttributes(element("div", "scroll", table), { tabindex: "0", role: "region", "aria-label": `${title}, as a table` });
    this.table.replaceChildren(this.built.table.find((node) => node.nodeName === "SUMMARY"), region);
  }

  /* What is shown, with where it comes from; the figure as it was built has a file of its own. */
  saveNumbers(event) {
    if (!this.records) return;
    event.preventDefault();
    const source = { ...this.source, ...this.index.about, address: this.link() };
    save(`${this.id}.csv`, "text/csv", csv(this.records.map((record) => ({ ...record, ...source, ...record }))));
  }

  link() {
    return `${location.origin}${location.pathname}${location.search}${this.alone ? "" : `#${this.frame.id}`}`;
  }

  embed() {
    const page = new URL(`${this.page.embeds}${encodeURIComponent(this.id)}.html`, document.baseURI).href;
    const height = (this.height ?? this.frame.querySelector(".chart-plot").offsetHeight) + CAPTION;
    return embedCode(aloneAddress(page, this.choice), this.title(), Math.round(height));
  }
}

class FigurePage {
  constructor(root) {
    this.root = root;
    this.alone = "alone" in root.dataset;
    if (this.alone && window.matchMedia("(prefers-color-scheme: dark)").matches) document.body.dataset.mdColorScheme = "slate";
    this.embeds = root.dataset.embed;
    this.numbers = new Numbers(root.dataset.folder);
  }

  async start() {
    this.index = await this.numbers.get("pairs");
    this.index.places = new Map(this.index.pairs.map(({ key }, place) => [key, place]));
    const frames = [...this.root.querySelectorAll("figure[data-chart]")].filter((frame) => frame.querySelector("[data-figure-tools]"));
    this.figures = frames.map((frame) => new PlayedFigure(frame, this));
    this.addNote();
    whenMoved(() => this.restore());
  }

  restore() {
    this.figures.forEach((figure) => figure.restore());
    this.addNote();
  }

  /* Pairs that came from a board or a comparison hold for every figure. */
  addNote() {
    this.note?.remove();
    const query = readQuery();
    const asked = Object.entries(query).filter(([name]) => /^(.*\.)?pairs$/.test(name)).flatMap(([, keys]) => keys.split(","));
    const absent = asked.filter((key) => key && !key.startsWith("~") && !this.index.places.has(key));
    if (this.alone || (!absent.length && !PARTS.some((part) => query[part]))) return;
    const names = (query.pairs ?? "").split(",").filter((key) => this.index.places.has(key)).map((key) => pairWords(this.index.pairs[this.index.places.get(key)]));
    const words = [names.join("; "), query.judge && `judged by ${query.judge}`, this.index.categories.find(([name]) => name === query.category)?.[1].toLowerCase()].filter(Boolean).join("; ");
    const clear = button("Show all figures as built", () => {
      writeQuery(Object.fromEntries(PARTS.map((part) => [part, ""])), { push: true });
      this.restore();
    });
    const said = [words && `Every figure that can shows: ${words}. `, absent.length && `Not on this site: ${absent.join(", ")}. `].filter(Boolean);
    this.note = element("p", "figure-note", ...said.map((text) => element("span", "", text)), clear);
    this.root.prepend(this.note);
  }
}

enhanceEach("play", (root) => new FigurePage(root).start().catch((error) => console.warn(`Figures cannot be changed here: ${error.message}`)));
