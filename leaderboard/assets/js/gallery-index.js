/*
 * The index of targets as one pair played them: a menu of pairs beside the filters, which then ask how its episodes
 * ended and changed, and a menu of orders. Without a pair the filters ask for any.
 *
 *   <div data-filterable data-gallery-index data-shards="../data/gallery" data-root="../" data-judge="…">
 *     <a data-instance="…" data-title="…" data-outcome="…" data-change="…"> <img> … <span class="final">…</span> </a>
 *
 * The choice stands in the query string: ?pair=key&sort=facts. What is shown of a pair: gallery-choice.js.
 */
import { readQuery, whenMoved, writeQuery } from "./address.js";
import { pairWords } from "./components.js";
import { element, enhanceEach, fetchJson, labelled, menu, statusPlace } from "./dom.js";
import { Episode, ORDERS, Selections, absencePlace, finalPicture, sorted, underTarget, widen } from "./gallery-choice.js";

/* A target's entry, and what it shows for all pairs. */
class Entry {
  constructor(link) {
    this.link = link;
    this.image = link.querySelector("img");
    this.final = link.querySelector(".final");
    this.box = link.parentElement;
    this.address = link.getAttribute("href");
    this.title = link.dataset.title;
    this.name = link.querySelector(":scope > span");
    this.all = { ...link.dataset, name: this.name.textContent, words: this.final?.textContent };
  }

  /* As a pair played it; null as all pairs did. */
  show(key, episode, root, order) {
    const { outcome, change } = episode ?? (key ? { outcome: "", change: "" } : this.all);
    Object.assign(this.link.dataset, { outcome, change });
    const asked = `?pair=${encodeURIComponent(key)}${order === "facts" ? "&xray=on" : ""}#${key}`;
    this.link.setAttribute("href", key ? this.address + asked : this.address);
    this.link.querySelector(".duo")?.replaceWith(this.image);
    this.name.textContent = order ? this.title : this.all.name;
    if (episode) {
      const both = element("span", "duo");
      this.image.replaceWith(both);
      both.append(this.image, finalPicture(episode, root));
    }
    if (this.final) this.final.textContent = episode ? underTarget(episode) : key ? "not played" : this.all.words;
  }
}

const setFilters = (root) => [...root.querySelectorAll("select[data-field]")].filter(({ value }) => value);

class PairMenu {
  constructor(root, pairs) {
    this.root = root;
    this.pairs = new Map(pairs.map((pair) => [pair.key, pair]));
    this.entries = [...root.querySelectorAll("[data-instance]")].map((link) => new Entry(link));
    this.selections = new Selections(root);
    this.sortedBox = root.querySelector("[data-sorted]");
    this.menu = menu([["", "any"], ...pairs.map((pair) => [pair.key, pairWords(pair)])], "", () => this.choose({ push: true }));
    this.order = menu([["", "as listed"], ...Object.entries(ORDERS).map(([key, [words]]) => [key, words])], "", () => this.choose({ push: true }));
    this.orderLabel = labelled("Sort", this.order);
    const tools = root.querySelector(".filter-tools");
    const pairLabel = labelled("Pair", this.menu);
    pairLabel.hidden = pairs.length < 2;
    tools.prepend(pairLabel, this.orderLabel);
    this.absent = statusPlace("span", "table-count");
    tools.append(this.absent);
    this.orderLabel.hidden = true;
    this.episodes = null; // of the chosen pair
    whenMoved(() => this.restore());
    root.addEventListener("filtered", () => this.select());
    this.select();
  }

  async choose({ push = false } = {}) {
    const key = this.menu.value;
    const told = key ? await fetchJson(`${this.root.dataset.shards}/pairs/${key}.json`) : {};
    if (this.menu.value !== key) return;
    if (!key) this.order.value = "";
    const pair = this.pairs.get(key);
    const episodes = this.entries.filter(({ link }) => link.dataset.instance in told)
      .map((entry) => new Episode(pair, entry, told[entry.link.dataset.instance]));
    const byEntry = new Map(episodes.map((episode) => [episode.entry, episode]));
    this.entries.forEach((entry) => entry.show(key, byEntry.get(entry), this.root.dataset.root, this.order.value));
    this.place(episodes);
    this.episodes = pair ? episodes : null;
    this.select();
    this.orderLabel.hidden = !key;
    this.root.classList.toggle("by-pair", key !== "");
    // No fact of a site without verification is known to be wrong.
    this.order.querySelector("[value=facts]").disabled = episodes.every(({ wrong }) => wrong === null);
    this.absent.textContent = "";
    writeQuery({ pair: key, sort: this.order.value }, { push });
    // The filters look again at what the entries say now.
    this.root.querySelectorAll(".filter-tools select").forEach((other) => {
      if (other !== this.menu && other !== this.order) other.dispatchEvent(new Event("change"));
    });
  }

  /* Best and worst follow the pair and the filters. */
  async select() {
    const filters = setFilters(this.root);
    const pair = this.pairs.get(this.menu.value);
    const among = this.episodes ?? (filters.length ? await this.ofAllPairs() : null);
    const fits = (episode) => filters.every(({ dataset, value }) => (episode[dataset.field] ?? value) === value);
    const words = filters.map(({ selectedOptions: [option] }) => option.text);
    const whose = [pair ? pairWords(pair) : "all pairs", ...words].join(", ");
    const menus = pair ? [this.menu, ...filters] : filters;
    this.selections.show(whose, among?.filter((episode) => !episode.entry.link.hidden && fits(episode)) ?? null, menus);
  }

  /* Those episodes of all pairs that some filter may bring to the top. */
  async ofAllPairs() {
    this.extremes ??= fetchJson(`${this.root.dataset.shards}/extremes.json`);
    const extremes = await this.extremes;
    return this.entries.flatMap((entry) => (extremes[entry.link.dataset.instance] ?? [])
      .map(([key, ...outcome]) => new Episode(this.pairs.get(key), entry, outcome)));
  }

  /* Sorted, all categories stand together; else each entry is back in its own. */
  place(episodes) {
    this.entries.forEach(({ box, link }) => box.append(link));
    if (this.order.value) this.sortedBox.append(...sorted(episodes, this.order.value).map(({ entry }) => entry.link));
  }

  restore() {
    const { pair = "", sort } = readQuery();
    if (pair && !this.pairs.has(pair)) this.absent.textContent = `Not here: pair ${pair.slice(0, 60)}`;
    if (!this.pairs.has(pair) && !this.menu.value) return;
    this.menu.value = this.pairs.has(pair) ? pair : "";
    this.order.value = sort in ORDERS ? sort : "";
    this.choose();
  }
}

/* From a disk no file can be fetched: then there is no such menu, and filters hide the best and the worst of all. */
async function begin(root) {
  try {
    const { pairs } = await fetchJson(`${root.dataset.shards}/pairs.json`);
    if (root.querySelector(".filter-tools")) new PairMenu(root, pairs).restore();
  } catch {
    const sections = [...root.querySelectorAll("[data-selection]")];
    const absence = absencePlace(sections);
    const hide = () => {
      const filters = setFilters(root);
      sections.forEach((section) => { section.hidden = filters.length > 0; });
      const reason = "Best and worst cannot follow filters here: a browser fetches no files from a disk.";
      absence.textContent = filters.length ? `${reason} ${widen(filters)}` : "";
    };
    root.dataset.galleryIndex = "off";
    root.addEventListener("filtered", hide);
    hide();
  }
}

enhanceEach("gallery-index", begin);
