/*
 * The grammar of figures that a reader has changed: what leaderboard/charts/grammar.py and panels.py say of those that
 * the site was built with. Numbers with an interval are [mean, low, high, n]; colours are names of CSS variables, which
 * charts.js looks up.
 */
import { MISSING, fixed, signed as withSign } from "./numbers.js";

export const HEAD = 46;
export const FOOT = 44;
export const CHARACTER = 6.6; // width of an average character at the font's size, CSS pixels
export const LEAST = 5; // pictures or episodes that allow a claim

export const token = (name) => `var(--irc-${name})`;

/* The beginning of a stranger's words on one line, escaped for Plotly, which reads a little markup. */
export function plain(text, length = 200) {
  const signs = [...text.split(/\s+/).filter(Boolean).join(" ")];
  const cut = signs.length > length ? `${signs.slice(0, length - 1).join("").trimEnd()}…` : signs.join("");
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/* A pair's name on two lines, describer over generator. */
export function pairLines({ names: [describer, generator], apart }) {
  const second = generator ? `+ ${generator}` : "";
  return [describer, apart ? `${second} (${apart})` : second];
}

export const pairWords = (pair) => pairLines(pair).join(" ");

export const known = (value) => value !== null && value !== undefined && value[0] !== null;
export const enough = (value) => known(value) && value[3] >= LEAST;
export const rounded = (value) => (value === null ? null : Math.round(value * 1000) / 1000);
export const numberForm = (digits) => (value) => (value === null ? MISSING : fixed(value, digits));
export const signedForm = (digits) => (value) => (value === null ? MISSING : withSign(value, digits));
export const percentForm = (share) => (share === null ? MISSING : `${fixed(100 * share, 0)} %`);

/* 1 for an interval above a line, -1 for one below, 0 around it or from too few pictures. */
export function sideOf(value, line) {
  if (!enough(value) || value[1] === null) return 0;
  return value[1] > line ? 1 : value[2] < line ? -1 : 0;
}

export function intervalWords(value, form = numberForm(2)) {
  if (!known(value)) return "no value";
  const [, low, high, n] = value;
  if (low === null || high === null) return n === 1 ? `n = ${n}, so no interval` : `n = ${n}`;
  return `95 % interval ${form(low)} to ${form(high)}, n = ${n}${n < LEAST ? ", too few to say anything" : ""}`;
}

export function intervalEnds(values) {
  return values.filter(known).flatMap((value) => value.slice(0, 3)).filter((end) => end !== null);
}

const distance = (further, nearer, factor) =>
  (further === null || nearer === null ? 0 : Math.round(factor * (further - nearer) * 10_000) / 10_000);

export function whiskers(values, color, factor = 1, thickness = 1.5) {
  return {
    array: values.map(([mean, , high]) => distance(high, mean, factor)),
    arrayminus: values.map(([mean, low]) => distance(mean, low, factor)),
    color,
    thickness,
  };
}

export function layout(height, left, right, top = HEAD, bottom = FOOT, more = {}) {
  return { height, margin: { l: left, r: right, t: top, b: bottom, pad: 0 }, ...more };
}

export function steps(low, high, step, form = numberForm(0)) {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const value = Number(((first + index) * step).toFixed(6));
    return [value, form(value)];
  });
}

export function axis(low, high, ticks = [], title = "", more = {}) {
  return {
    range: [low, high],
    tickvals: ticks.map(([at]) => at),
    ticktext: ticks.map(([, text]) => text),
    ...(title ? { title: { text: title } } : {}),
    ...more,
  };
}

/* An annotation; refs are "x paper" and the like, "x2_domain" being shares of an axis. */
export function words(text, [x, y], refs = "x y", anchor = "center middle", [right, up] = [0, 0], more = {}) {
  const [xref, yref] = refs.split(" ").map((ref) => ref.replace("_", " "));
  const [xanchor, yanchor] = anchor.split(" ");
  const { colour, size, weight, ...rest } = more;
  const font = { ...(colour && { color: colour }), ...(size && { size }), ...(weight && { weight }) };
  return { text, x, y, xref, yref, xanchor, yanchor, xshift: right, yshift: up, ...(Object.keys(font).length && { font }), ...rest };
}

export function legend(colours, height, gap) {
  let at = 0;
  return Object.entries(colours).flatMap(([word, colour]) => {
    const left = at;
    at += gap + Math.round(6.2 * word.length);
    return [
      words("■", [0, 1], "paper paper", "left bottom", [left, height], { colour: token(colour), size: 15 }),
      words(plain(word), [0, 1], "paper paper", "left bottom", [left + 16, height + 2]),
    ];
  });
}

export function room(texts, most) {
  return Math.min(most, Math.round(Math.max(0, ...texts.map((text) => [...text].length)) * CHARACTER) + 22);
}

const axisName = (letter, panel) => (panel === 0 ? letter : `${letter}${panel + 1}`);
export const axesOf = (panel) => ({ xaxis: axisName("x", panel), yaxis: axisName("y", panel) });
export const inside = (panel) => `${axisName("x", panel)}_domain ${axisName("y", panel)}_domain`;
export const within = (panel) => `${axisName("x", panel)} ${axisName("y", panel)}`;
export const columnsFor = (count, narrow) => Math.min(count, narrow ? 2 : count === 3 ? 3 : 4);

/* The layout of a grid of equal panels: as Grid.layout in panels.py. axes and titles get a panel's number and the grid. */
export function gridLayout(grid, axes, titles, notes, left, right = 10, more = {}) {
  const { count, columns, panel: size, between, top } = grid;
  const rows = Math.ceil(count / columns);
  const height = rows * (size + between) - between;
  const gap = columns === 2 ? 0.07 : 0.045;
  const width = (1 - gap * (columns - 1)) / columns;
  const share = (value) => Math.round(value * 10_000) / 10_000;
  const placed = {};
  const annotations = [];
  for (let panel = 0; panel < count; panel += 1) {
    const number = panel === 0 ? "" : String(panel + 1);
    const start = (panel % columns) * (width + gap);
    const upper = 1 - (Math.floor(panel / columns) * (size + between)) / height;
    const [x, y] = axes(panel, panel + columns >= count);
    placed[`xaxis${number}`] = { ...x, domain: [share(start), share(start + width)], anchor: axisName("y", panel) };
    placed[`yaxis${number}`] = { ...y, domain: [share(Math.max(0, upper - size / height)), share(upper)], anchor: axisName("x", panel), showticklabels: panel % columns === 0 };
    annotations.push(...titles(panel, columns));
  }
  return layout(top + FOOT + height, left, right, top, FOOT, { ...placed, annotations: [...annotations, ...notes], ...more });
}

/* The title of a pair's panel: the describer in its hue, above the generator. */
export function panelTitle(pair, panel, columns) {
  const length = columns <= 2 ? 20 : 26;
  const hue = { colour: token(`${pair.hue}-text`), weight: 700, align: "left" };
  return [
    words(plain(pair.names[0], length), [0, 1], inside(panel), "left bottom", [0, 22], hue),
    words(plain(pairLines(pair)[1].trim(), length), [0, 1], inside(panel), "left bottom", [0, 7], { colour: token("text"), align: "left" }),
  ];
}
