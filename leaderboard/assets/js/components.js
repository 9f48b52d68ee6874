/*
 * Marks, glyphs and numbers: copies of the <template data-component="NAME"> elements that leaderboard/components renders,
 * filled in. No script writes any of them otherwise.
 */
import { withAttributes } from "./dom.js";
import { MISSING, colourStep, fixed, intervalText, intervalWords, isFew, signed } from "./numbers.js";

const COLOURED = 5; // points at which the colour of a difference is full

function component(name) {
  return document.querySelector(`template[data-component="${name}"]`).content.firstElementChild.cloneNode(true);
}

/* A pair's names as words, as in a menu. */
export function pairWords({ describer, generator, apart }) {
  return [describer, generator].filter(Boolean).join(" + ") + (apart ? ` (${apart})` : "");
}

/* A pair's names behind its marker; root is the address of the site's root, null for names without a link. */
export function pairName(pair, root = null) {
  const made = component(root === null ? "pair-name-plain" : "pair-name");
  made.className = `pair ${pair.hue}`;
  made.querySelector(".glyph").setAttribute("class", `glyph ${pair.hue}`);
  made.querySelector(".glyph path").setAttribute("d", pair.mark);
  made.querySelector(".pair-describer bdi").textContent = pair.describer;
  made.querySelector(".pair-generator bdi").textContent = pair.generator;
  if (!pair.generator) made.querySelectorAll(".pair-plus, .pair-generator").forEach((part) => part.remove());
  made.querySelectorAll(".program").forEach((mark, seat) => pair.programs[seat] || mark.remove());
  if (root !== null) made.querySelector("a").href = `${root}${encodeURI(pair.path)}.html`;
  const apart = made.querySelector(".pair-apart");
  if (pair.apart) apart.textContent = pair.apart;
  else apart.remove();
  return made;
}

/* A similarity, 0–10, on its colour. */
export function badge(value, judge) {
  if (value === null) return component("badge-missing");
  const made = component("badge");
  made.className = `badge score-${colourStep(value, 0, 10)}`;
  made.textContent = fixed(value, 1);
  made.title = `similarity ${fixed(value)} of 10, judged by ${judge}`;
  return made;
}

export function missing(reason) {
  const made = component("missing");
  made.title = reason;
  made.querySelector(".sr-only").textContent = ` (${reason})`;
  return made;
}

/* small and large are addresses. */
export function picture({ small, large = small, width, height, alt }) {
  const made = Object.assign(component("picture"), { width, height, alt, src: small });
  made.dataset.large = large;
  return made;
}

export function correction(name, title) {
  const made = component("correction");
  made.className = `fix fix-${name}`;
  made.textContent = title;
  return made;
}

/* A small cell on the colour of a score, 0–10, which is multiplied to be shown: a share of right answers has a scale of 100. */
export function heat(value, title, factor = 1) {
  const made = component(value === null ? "heat-missing" : "heat");
  made.title = title;
  if (value === null) return made;
  made.className = `heat score-${colourStep(value, 0, 10)}`;
  made.textContent = fixed(factor * value, factor === 1 ? 1 : 0);
  return made;
}

export function differenceHeat(first, second, factor = 1) {
  if (first === null || second === null) return component("heat-missing");
  const made = component("heat-difference");
  made.className = `heat delta-${colourStep(first - second, -COLOURED, COLOURED)}`;
  made.textContent = signed(factor * (first - second), factor === 1 ? 1 : 0);
  return made;
}

/* A difference with its interval. */
export function difference(estimate, digits) {
  const { mean } = estimate;
  if (mean === null) return MISSING;
  const made = withAttributes(component("difference"), { title: intervalWords(estimate, digits) });
  const half = made.querySelector(".half");
  const text = intervalText(estimate, digits, true);
  made.firstChild.data = `${signed(mean, digits)}${text ? " " : ""}`;
  if (text) half.textContent = text;
  else half.remove();
  return made;
}

/* The least and the greatest difference that missing scores could lead to. */
export function extremes({ least, most }, factor = 1) {
  if (least === null) return MISSING;
  if (least === most) return component("nothing-missing");
  return [least, most].map((end) => signed(factor * end, factor === 1 ? 2 : 1)).join(" to ");
}

/* A difference with its interval on a scale from −span to span. */
export function dot(estimate, span) {
  const { mean, low, high } = estimate;
  if (mean === null) return MISSING;
  const at = (value) => (4 + (112 * (Math.min(span, Math.max(-span, value)) + span)) / (2 * span)).toFixed(1);
  // Without an interval in words there is none in the plot.
  const whisker = low !== null && !isFew(estimate);
  const made = withAttributes(component("dot"), { "aria-label": `${fixed(mean)}, ${intervalWords(estimate)}` });
  made.querySelector(".mean").setAttribute("cx", at(mean));
  if (!whisker) made.querySelector(".whisker").remove();
  else made.querySelector(".whisker").setAttribute("d", `M${at(low)} 4v12m0-6H${at(high)}m0-6v12`);
  return made;
}

/* On how many instances the first pair was better, equal or worse. */
export function winsBar({ wins, ties, losses, n }) {
  const words = `first better on ${wins}, equal on ${ties}, second better on ${losses}`;
  const made = withAttributes(component("wins"), { "aria-label": words });
  const share = (count) => ((100 * count) / (n || 1)).toFixed(2);
  const parts = { first: [0, wins], tie: [wins, ties], second: [wins + ties, losses] };
  for (const [name, [before, count]] of Object.entries(parts)) {
    withAttributes(made.querySelector(`.part-${name}`), { x: share(before), width: share(count) });
  }
  made.querySelector(".wins-first").textContent = wins;
  made.querySelector(".wins-second").textContent = losses;
  const equal = made.querySelector(".muted");
  if (ties) equal.textContent = `${ties} equal`;
  else equal.remove();
  return made;
}
