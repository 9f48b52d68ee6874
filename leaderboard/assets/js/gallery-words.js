/*
 * One describer's words, drawn by several generators: a slider through the renderings beside the target.
 *
 *   <details data-same-words="../data/gallery/<instance>/words.json"> <summary>…</summary> </details>
 *   words.json   [{"turns": 1, "pairs": [{"pair": key, "drawn": [[small, large, width, height, score], …]}, …]}, …]
 */
import { badge, pairName, picture } from "./components.js";
import { element, fetchJson, labelled, menu, withAttributes } from "./dom.js";

function slider(most, words, whenMoved) {
  const range = { type: "range", min: "1", max: String(most), step: "1", value: "1", "aria-label": words };
  const made = withAttributes(element("input", "words-slider"), range);
  made.addEventListener("input", whenMoved);
  return made;
}

export class SameWords {
  constructor(gallery, details) {
    this.gallery = gallery;
    this.details = details;
    details.addEventListener("toggle", () => this.begin(), { once: true });
  }

  async begin() {
    try {
      const [groups, { pairs }] = await Promise.all([fetchJson(this.details.dataset.sameWords), this.gallery.shards.names()]);
      this.groups = groups;
      this.names = new Map(pairs.map((pair) => [pair.key, pair]));
      this.build();
    } catch {
      this.details.append(element("p", "muted", "The other renderings cannot be read here: a browser fetches no files from a disk."));
    }
  }

  build() {
    const whose = this.groups.map(({ pairs }, place) => [String(place), this.names.get(pairs[0].pair).describer]);
    this.menu = menu(whose, "0", () => this.choose());
    this.shown = element("div", "words-shown");
    this.details.append(whose.length > 1 ? labelled("The words of", this.menu) : "", this.shown);
    this.choose();
  }

  choose() {
    const { turns, pairs } = this.groups[Number(this.menu.value)];
    const show = () => this.show();
    this.who = slider(pairs.length, "Generator", show);
    this.turn = slider(turns, "Turn", show);
    const target = this.gallery.target.image;
    const left = element("figure", "", target.cloneNode(), element("figcaption", "", element("strong", "", "Target")));
    this.right = element("figure");
    this.shown.replaceChildren(
      element("div", "words-pictures", left, this.right),
      labelled(`Generator, 1 to ${pairs.length}`, this.who),
      ...(turns > 1 ? [labelled(`Turn, 1 to ${turns}`, this.turn)] : []),
    );
    this.show();
  }

  show() {
    const { pairs } = this.groups[Number(this.menu.value)];
    const { pair: key, drawn } = pairs[Number(this.who.value) - 1];
    const turn = Math.min(Number(this.turn.value), drawn.length);
    const [small, large, width, height, score] = drawn[turn - 1];
    const { root, judge } = this.gallery.root.dataset;
    const pair = this.names.get(key);
    const words = `${pair.generator}, turn ${turn}`;
    this.who.setAttribute("aria-valuetext", words);
    const link = element("a", "", `turn ${turn}`);
    link.href = `?pair=${encodeURIComponent(key)}#${key}~${turn}`;
    const address = /^https?:/.test(large) ? large : root + large;
    const image = picture({ small: address, width, height, alt: `Rendering by ${words}` });
    image.addEventListener("error", () => { image.src = root + small; }, { once: true });
    this.right.replaceChildren(image, element("figcaption", "", pairName(pair, root), " ", link, " ", badge(score, judge)));
  }
}
