/*
 * What the gallery's index shows of one pair: its renderings beside the targets, in the order that the reader asks for,
 * and the best, worst, most improved and most regressed episodes of that pair, or of all pairs where filters are set.
 *
 *   pairs/<key>.json   {"<instance>": [outcome, change, final, first, wrong, [file, width, height, turn], […] | null], …}
 *   extremes.json      {"<instance>": [[pair's key, outcome, change, …], …], …}   those that a filter may bring to the top
 */
import { badge, pairName, picture } from "./components.js";
import { element, statusPlace } from "./dom.js";
import { MISSING, fixed, signed } from "./numbers.js";

const SELECTED = 4;

/* An episode of a pair on a target. */
export class Episode {
  constructor(pair, entry, [outcome, change, final, first, wrong, last, begun]) {
    Object.assign(this, { pair, entry, outcome, change, final, first, wrong, last, begun });
  }

  get delta() {
    return this.begun && this.final !== null && this.first !== null ? this.final - this.first : null;
  }
}

/* Ways to sort: words for the menu, and the number by which the least comes first; null comes last. */
export const ORDERS = {
  score: ["lowest score first", ({ final }) => final],
  best: ["highest score first", ({ final }) => (final === null ? null : -final)],
  change: ["largest loss first", ({ delta }) => delta],
  gain: ["largest gain first", ({ delta }) => (delta === null ? null : -delta)],
  facts: ["most facts wrong first", ({ wrong }) => (wrong === null ? null : -wrong)],
};

/* The selections at the head of the page, by name: which episodes, and by which number the least come first. */
const SELECTIONS = {
  best: [() => true, ORDERS.best[1]],
  improved: [({ delta }) => delta > 0, ORDERS.gain[1]],
  regressed: [({ delta }) => delta < 0, ORDERS.change[1]],
  worst: [() => true, ORDERS.score[1]],
};

export function sorted(episodes, order) {
  const value = ORDERS[order][1];
  const known = episodes.filter((episode) => value(episode) !== null);
  known.sort((first, second) => value(first) - value(second));
  return [...known, ...episodes.filter((episode) => value(episode) === null)];
}

function rendering([small, width, height], root, alt) {
  return picture({ small: root + small, width, height, alt });
}

/* What stands under a target: the score, and how many facts are wrong. */
export function underTarget({ final, wrong }) {
  const score = final === null ? MISSING : fixed(final, 1);
  return wrong ? `${score}, ${wrong} ${wrong === 1 ? "fact" : "facts"} wrong` : score;
}

export function finalPicture(episode, root) {
  if (!episode.last) return element("span", "no-picture");
  return rendering(episode.last, root, `Final rendering, score ${episode.final === null ? MISSING : fixed(episode.final, 1)}`);
}

/* Of a target only the first episode: otherwise one easy or hard target would fill a selection. */
function mostTelling([fits, value], episodes) {
  const known = episodes.filter((episode) => episode.last && value(episode) !== null && fits(episode));
  known.sort((first, second) => value(first) - value(second));
  const targets = new Set();
  return known.filter(({ entry }) => !targets.has(entry) && targets.add(entry)).slice(0, SELECTED);
}

/* Where the page says why none of its selections is shown. */
export function absencePlace(sections) {
  const place = statusPlace("p", "absence");
  sections[0]?.before(place);
  return place;
}

const LIST = new Intl.ListFormat("en-GB", { type: "disjunction" });

/* How to see the selections again: the menus that have to be set back. */
export function widen(menus) {
  const names = menus.map((menu) => menu.closest("label").firstElementChild.textContent);
  return `To see best and worst, set ${LIST.format(names)} to “any”.`;
}

export class Selections {
  constructor(root) {
    this.root = root;
    this.sections = [...document.querySelectorAll("[data-selection]")].map((section) => {
      const list = section.querySelector(".trios");
      return { section, list, all: [...list.children] };
    });
    this.absence = absencePlace(this.sections.map(({ section }) => section));
  }

  /*
   * The most telling of these episodes; where they are null, those that the page has without any choice. Where no rated
   * episode is left, a line names the menus that narrowed the choice.
   */
  show(whose, episodes, menus) {
    for (const { section, list, all } of this.sections) {
      const chosen = episodes ? mostTelling(SELECTIONS[section.dataset.selection], episodes) : [];
      section.querySelector("[data-whose]").textContent = ` of ${whose}`;
      section.hidden = episodes !== null && chosen.length === 0;
      list.replaceChildren(...(episodes ? chosen.map((episode) => this.trio(episode)) : all));
    }
    const isEmpty = this.sections.every(({ section }) => section.hidden);
    this.absence.textContent = isEmpty ? `No rated episode fits this choice. ${widen(menus)}` : "";
  }

  trio(episode) {
    const { pair } = episode;
    const { judge, root } = this.root.dataset;
    const target = episode.entry.image.cloneNode();
    const step = (image, words, score) =>
      element("span", "", image, element("span", "label", words, " ", score === undefined ? null : badge(score, judge)));
    const steps = [step(target, "target")];
    if (episode.begun) steps.push(step(rendering(episode.begun, root, "First rendering"), `turn ${episode.begun[3]}`, episode.first));
    steps.push(step(finalPicture(episode, root), `turn ${episode.last[3]}`, episode.final));
    const change = episode.delta === null ? "" : `, ΔQ ${signed(episode.delta, 1)}`;
    const link = element("a", "trio-link", element("span", "trio", ...steps), element("span", "trio-title", episode.entry.title + change));
    link.href = `${episode.entry.address}?pair=${encodeURIComponent(pair.key)}#${pair.key}~${episode.last[3]}`;
    return element("li", "", link, pairName(pair, root));
  }
}
