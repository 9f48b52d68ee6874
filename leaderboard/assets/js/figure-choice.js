/*
 * What a reader has chosen for a figure, as it stands in the address:
 *   ?deltas.pairs=a,b&deltas.judge=human&deltas.category=geometry   of the figure "deltas"
 *   ?pairs=a,b&judge=human&category=geometry                        of every figure that says nothing else
 * pairs is a list of keys, ~all, or ~12 for the best twelve. What is unknown is passed over.
 */
import { readQuery, writeQuery } from "./address.js";

export const PARTS = ["pairs", "judge", "category"];
export const NOTHING = { pairs: "", judge: "", category: "" }; // the figure as it was built
const BEST = /^~(\d{1,3})$/;
const GREY = "describer-0";
const HUES = Array.from({ length: 7 }, (_, index) => `describer-${index + 1}`);

const nameOf = (figure, part, alone) => (alone ? part : `${figure}.${part}`);

/* A pair's name on one line, as leaderboard/charts/grammar.py writes it. */
export function pairWords({ names: [describer, generator], apart }) {
  return [describer, generator ? `+ ${generator}` : "", apart && `(${apart})`].filter(Boolean).join(" ");
}

function pairsIn(text, { most, every }, index) {
  const best = BEST.exec(text);
  if (text === "~all") return every ? text : "";
  if (best) return Number(best[1]) > 0 && Number(best[1]) <= most ? text : "";
  return [...new Set(text.split(","))].filter((key) => index.places.has(key)).slice(0, most).join(",");
}

/* The judges that can be chosen instead of what the figure shows by itself. */
export function judgesOf(choices, { judge, judges }) {
  if (!choices.judges || judges.length < 2) return [];
  return judges.filter((other) => choices.judges === "all" || other !== judge);
}

/* alone: the page holds this figure only. */
export function readChoice(figure, choices, index, alone) {
  if (!choices) return NOTHING;
  const query = readQuery();
  const asked = Object.fromEntries(PARTS.map((part) => [part, query[nameOf(figure, part, alone)] ?? query[part] ?? ""]));
  return {
    pairs: pairsIn(asked.pairs, choices, index),
    judge: judgesOf(choices, index).includes(asked.judge) ? asked.judge : "",
    category: choices.categories && index.categories.some(([category]) => category === asked.category) ? asked.category : "",
  };
}

export function writeChoice(figure, choice, alone) {
  writeQuery(Object.fromEntries(PARTS.map((part) => [nameOf(figure, part, alone), choice[part]])), { push: true });
}

/* The address of the page that holds the figure alone, in this state. */
export function aloneAddress(page, choice) {
  const query = PARTS.filter((part) => choice[part]).map((part) => `${part}=${encodeURIComponent(choice[part]).replaceAll("%2C", ",").replaceAll("%7E", "~")}`);
  return `${page}${query.length ? `?${query.join("&")}` : ""}`;
}

/* The file of the figure under a judge and a category, as leaderboard/pages/figures.py names it. */
export function fileOf(figure, { judge, category }) {
  return [figure, judge && `by-${judge}`, category && `on-${category}`].filter(Boolean).join("-");
}

/* Keys of the chosen pairs; null where the figure says itself which pairs it shows. */
export function keysOf({ pairs, judge }, index) {
  const ranked = index.order[judge || index.judge].map((place) => index.pairs[place].key);
  const best = BEST.exec(pairs);
  if (pairs === "~all") return ranked;
  if (best) return ranked.slice(0, Number(best[1]));
  return pairs ? pairs.split(",") : null;
}

/* Among a few chosen pairs, describers that are grey beside all the others take the hues that no chosen one has. */
export function freeHues(keys, index) {
  const pairs = keys.map((key) => index.pairs[index.places.get(key)]);
  const free = HUES.filter((hue) => pairs.every((pair) => pair.hue !== hue));
  const grey = pairs.filter(({ hue }) => hue === GREY);
  const describers = [...new Set(grey.map(({ describer }) => describer))];
  if (describers.length > free.length) return new Map();
  return new Map(grey.map(({ key, describer }) => [key, free[describers.indexOf(describer)]]));
}
