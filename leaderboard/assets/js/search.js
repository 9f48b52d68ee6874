/*
 * The search field knows what the site is about before the documents: pairs, players, boards, targets, episodes, and
 * the worst or best of them. Below stand the theme's own answers.
 *
 *   data/find.json   {"entries": [[kind, title, further words, address, key or id], …]}   in the order of the board
 *
 * Every title may be a stranger's words: it goes in as text.
 */
import { button, element, fetchJson, whenReady, withAttributes } from "./dom.js";
import { Entry, KINDS, find, widening } from "./search-answers.js";

const ROOT = new URL("../../", import.meta.url).href;
const FIRST = 1e6; // the theme opens the answer with the highest score on Enter

class Finder {
  constructor(field, result) {
    this.field = field;
    this.result = result;
    this.entries = null;
    this.list = withAttributes(element("ul", "irg-find"), { "aria-label": "What the site knows at once" });
    result.prepend(this.list);
    for (const event of ["focus", "input"]) field.addEventListener(event, () => this.show());
    field.form?.addEventListener("reset", () => this.list.replaceChildren());
    if (document.activeElement === field || field.value) this.show();
  }

  /* From a disk no file can be fetched: then the theme's own search is all there is. */
  async load() {
    this.loading ??= fetchJson(`${ROOT}data/find.json`).then(({ entries }) => entries.map((entry) => new Entry(entry)), () => []);
    this.entries = await this.loading;
  }

  async show(every = false) {
    if (!this.entries) await this.load();
    const query = this.field.value;
    const answers = find(this.entries, query, every);
    const items = answers.map((made, place) => this.item(made, place));
    if (!items.length && this.entries.length && query.trim()) items.push(element("li", "find-none", widening(this.entries, query)));
    this.list.replaceChildren(...items);
    this.list.hidden = items.length === 0;
  }

  item({ kind, title, address }, place) {
    if (address === null) return element("li", "", button(title, () => this.show(true), "find-more"));
    const words = withAttributes(element("span", "", element("span", "find-kind", KINDS[kind]), " ", element("bdi", "", title)), { "data-md-score": FIRST - place });
    return element("li", "", withAttributes(element("a", "find-link", words), { href: ROOT + address }));
  }
}

whenReady(() => {
  const [field, result] = ["search-query", "search-result"].map((name) => document.querySelector(`[data-md-component="${name}"]`));
  if (field && result && !result.querySelector(".irg-find")) new Finder(field, result);
});
