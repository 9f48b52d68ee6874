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
(() => {
  "use strict";

  const { element, whenReady } = window.ircore;

  async function json(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.json();
  }

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
      const scored = final === null ? "–" : final.toFixed(1);
      this.final.textContent = key ? scored : this.all.words;
    }
  }

  class PairMenu {
    constructor(root, pairs) {
      this.root = root;
      this.entries = [...root.querySelectorAll("[data-instance]")].map((link) => new Entry(link));
      this.menu = element("select");
      const names = pairs.map((pair) => {
        const apart = pair.apart ? ` (${pair.apart})` : "";
        return new Option(`${pair.describer} + ${pair.generator}${apart}`, pair.key);
      });
      this.menu.append(new Option("any", ""), ...names);
      this.menu.addEventListener("change", () => this.choose(this.menu.value));
      root.querySelector(".filter-tools").prepend(element("label", "", element("span", "", "Pair"), this.menu));
    }

    async choose(key) {
      const episodes = key ? await json(`${this.root.dataset.shards}/pairs/${key}.json`) : {};
      if (this.menu.value !== key) return;
      this.entries.forEach((entry) => entry.show(key, episodes[entry.link.dataset.instance]));
      const query = new URLSearchParams(location.search);
      if (key) query.set("pair", key);
      else query.delete("pair");
      const text = query.toString();
      history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
      // The filters look again at what the entries say now.
      this.root.querySelectorAll(".filter-tools select").forEach((one) => {
        if (one !== this.menu) one.dispatchEvent(new Event("change"));
      });
    }

    restore() {
      const wanted = new URLSearchParams(location.search).get("pair");
      if (!wanted || ![...this.menu.options].some((one) => one.value === wanted)) return;
      this.menu.value = wanted;
      this.choose(wanted);
    }
  }

  /* From a disk no file can be fetched: then there is no such menu. */
  async function begin(root) {
    root.dataset.galleryIndex = "on";
    try {
      const { pairs } = await json(`${root.dataset.shards}/pairs.json`);
      if (pairs.length > 1 && root.querySelector(".filter-tools")) new PairMenu(root, pairs).restore();
    } catch {
      root.dataset.galleryIndex = "off";
    }
  }

  whenReady(() => document.querySelectorAll("[data-gallery-index='']").forEach(begin));
})();
