/*
 * The index of targets as one pair played them: a menu of pairs beside the filters, which then ask how its episodes
 * ended and changed. Without it they ask for any pair.
 *
 *   <div data-filterable data-gallery-index data-shards="../data/gallery">
 *     <a data-instance="…" data-outcome="…" data-change="…"> … <span class="final">…</span> </a>
 *
 *   pairs/<key>.json   {"<instance>": [outcome, change, final score], …}
 *
 * The choice stands in the query string: ?pair=key.
 */
import { readQuery, writeQuery } from "./address.js";
import { pairWords } from "./components.js";
import { enhanceEach, fetchJson, labelled, menu } from "./dom.js";
import { MISSING, fixed } from "./numbers.js";

/* A target's entry, and what it shows for all pairs. */
class Entry {
  constructor(link) {
    this.link = link;
    this.final = link.querySelector(".final");
    this.all = { href: link.getAttribute("href"), ...link.dataset, words: this.final?.textContent };
  }

  show(key, episode) {
    const [outcome, change, final] = key ? episode ?? ["", "", null] : [this.all.outcome, this.all.change, null];
    this.link.dataset.outcome = outcome;
    this.link.dataset.change = change;
    this.link.setAttribute("href", key ? `${this.all.href}#${key}` : this.all.href);
    if (!this.final) return;
    const scored = final === null ? MISSING : fixed(final, 1);
    this.final.textContent = key ? scored : this.all.words;
  }
}

class PairMenu {
  constructor(root, pairs) {
    this.root = root;
    this.entries = [...root.querySelectorAll("[data-instance]")].map((link) => new Entry(link));
    this.menu = menu([["", "any"], ...pairs.map((pair) => [pair.key, pairWords(pair)])], "", (key) => this.choose(key));
    root.querySelector(".filter-tools").prepend(labelled("Pair", this.menu));
  }

  async choose(key) {
    const episodes = key ? await fetchJson(`${this.root.dataset.shards}/pairs/${key}.json`) : {};
    if (this.menu.value !== key) return;
    this.entries.forEach((entry) => entry.show(key, episodes[entry.link.dataset.instance]));
    writeQuery({ pair: key });
    // The filters look again at what the entries say now.
    this.root.querySelectorAll(".filter-tools select").forEach((other) => {
      if (other !== this.menu) other.dispatchEvent(new Event("change"));
    });
  }

  restore() {
    const wanted = readQuery().pair;
    if (!wanted || ![...this.menu.options].some(({ value }) => value === wanted)) return;
    this.menu.value = wanted;
    this.choose(wanted);
  }
}

/* From a disk no file can be fetched: then there is no such menu. */
async function begin(root) {
  try {
    const { pairs } = await fetchJson(`${root.dataset.shards}/pairs.json`);
    if (pairs.length > 1 && root.querySelector(".filter-tools")) new PairMenu(root, pairs).restore();
  } catch {
    root.dataset.galleryIndex = "off";
  }
}

enhanceEach("gallery-index", begin);
