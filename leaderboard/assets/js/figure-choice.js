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

function pairsIn(text, { most, all }, index) {
  const best = BEST.exec(text);
  if (text === "~all") return all ? text : "";
  if (best) return Number(best[1]) > 0 && Number(best[1]) <= most ? text : "";
  return [...new Set(text.split(","))].filter((key) => index.places.has(key)).slice(0, most).join(",");
}

/* alone: the page holds this figure only. */
export function readChoice(figure, kind, index, alone) {
  if (!kind.draw) return NOTHING;
  const query = readQuery();
  const asked = Object.fromEntries(PARTS.map((part) => [part, query[nameOf(figure, part, alone)] ?? query[part] ?? ""]));
  return {
    pairs: pairsIn(asked.pairs, kind, index),
    judge: kind.judges && index.judges.includes(asked.judge) && (kind.everyJudge || asked.judge !== index.judge) ? asked.judge : "",
    category: kind.categories && index.categories.some(([category]) => category === asked.category) ? asked.category : "",
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

/* Among a few chosen pairs, describers that are grey beside all the others take the hues that no chosen one has. */
function toldApart(pairs) {
  const free = HUES.filter((hue) => pairs.every((pair) => pair.hue !== hue));
  const grey = [...new Set(pairs.filter(({ hue }) => hue === GREY).map(({ describer }) => describer))];
  if (grey.length > free.length) return pairs;
  return pairs.map((pair) => (pair.hue === GREY ? { ...pair, hue: free[grey.indexOf(pair.describer)] } : pair));
}

/* The pairs that a choice shows, best first; usual: how many the figure shows by itself. */
export function pairsOf({ pairs }, kind, index, order) {
  const ranked = order.map((place) => index.pairs[place]);
  const usual = kind.usual ?? kind.most;
  const best = BEST.exec(pairs);
  const chosen = new Set(pairs.split(","));
  if (pairs === "~all") return { scope: "all", pairs: ranked };
  if (!pairs || best) {
    const count = best ? Number(best[1]) : usual;
    return { scope: count < ranked.length ? "best" : "all", pairs: ranked.slice(0, count) };
  }
  return { scope: "chosen", pairs: toldApart(ranked.filter(({ key }) => chosen.has(key))) };
}
