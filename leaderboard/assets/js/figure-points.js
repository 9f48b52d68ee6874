/* Score over what an episode takes, drawn again for other pairs, with the frontier. As charts/costs.py. */
import { CHARACTER, FOOT, axis, intervalEnds, intervalWords, layout, numberForm, pairWords, plain, rounded, steps, token, whiskers, words } from "./figure-grammar.js";

const ALL_NAMED = 8;
const WIDTHS = [[560, 60], [358, 26]]; // pixels that names must fit, and their characters: wide and narrow
const [PLOT, LEFT, RIGHT, TOP] = [346, 46, 14, 14];
const [ASIDE, HALF] = [10, 7];
const STRIP = 0.4; // powers of ten from the least effort above 0 to the strip of what takes nothing
const HEIGHTS = [10, -10, 24, -24, 38, -38];

/* As Python's .2g writes it, without exponents in the range of money and seconds. */
function twoDigits(value) {
  return String(Number(value.toPrecision(2)));
}

export const EFFORTS = {
  cost: {
    question: "What does a better picture cost?", less: "a lower cost", axis: "cost of an episode (US$, logarithmic)",
    form: (value) => (value < 1 ? twoDigits(value) : value.toFixed(2)), said: (text) => `US$ ${text} an episode`, none: "free",
  },
  seconds: {
    question: "How long does a better picture take?", less: "fewer seconds", axis: "seconds of an episode (logarithmic)",
    form: (value) => (value < 10 ? twoDigits(value) : value.toFixed(0)), said: (text) => `${text} s an episode`, none: "0 s",
  },
};

/* The points whose score none of the same or a lower effort reaches, the least effort first; a point is { effort, score: [mean, …], rank: [low, high] | null }. */
export function frontier(points) {
  const best = [];
  for (const point of points.toSorted((first, second) => first.effort - second.effort || second.score[0] - first.score[0])) {
    if (!best.length || point.score[0] > best.at(-1).score[0]) best.push(point);
  }
  return best;
}

/* How many ranked points are beaten by none: no other takes no more and has better ranks, whose ranges do not overlap. */
export function unbeaten(points, effort) {
  const ranked = points.filter(({ rank }) => rank);
  if (ranked.length < 2) return effort.question;
  const left = ranked.filter((point) => !ranked.some((better) => better.rank[1] < point.rank[0] && better.effort <= point.effort)).length;
  return `${effort.question} ${left} of ${ranked.length} pairs ${left === 1 ? "is" : "are"} not clearly beaten at ${effort.less}`;
}

function frontierLine(best, right, across) {
  const corners = best.flatMap((point, at) => [[across(point), rounded(point.score[0])], [at + 1 < best.length ? across(best[at + 1]) : right, rounded(point.score[0])]]);
  return {
    type: "scatter", mode: "lines", x: corners.map(([x]) => x), y: corners.map(([, y]) => y),
    line: { color: token("zero"), width: 1, dash: "dot" }, hoverinfo: "skip",
  };
}

function ticks(low, high, form) {
  const heads = high - low < 1 ? [1, 1.5, 2, 3, 4, 5, 6, 8] : high - low < 2 ? [1, 2, 5] : [1];
  const made = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    for (const head of heads) {
      const value = head * 10 ** power;
      if (low <= Math.log10(value) && Math.log10(value) <= high) made.push([Math.round(Math.log10(value) * 10_000) / 10_000, form(value)]);
    }
  }
  return made;
}

const overlap = (first, second) => first[0] < second[1] && second[0] < first[1] && first[2] < second[3] && second[2] < first[3];

function boxOf({ x, y, name }, side, up) {
  const [near, far] = [x + side * ASIDE, x + side * (ASIDE + CHARACTER * [...name].length)];
  return [Math.min(near, far), Math.max(near, far), y - up - HALF, y - up + HALF];
}

/* Names stand towards the middle, if it is free there: as charts/beside_marks.py. */
function placesOf(spots, marks, width) {
  const taken = marks.map(({ x, y }) => [x - HALF, x + HALF, y - HALF, y + HALF]);
  return spots.map((spot) => {
    const tries = (spot.x > width / 2 ? [-1, 1] : [1, -1]).flatMap((side) => HEIGHTS.map((up) => ({ side, up, box: boxOf(spot, side, up) })));
    // The words of the axis stand below the plot.
    const above = tries.filter(({ box }) => box[3] <= PLOT);
    const fitting = above.filter(({ box }) => box[0] >= 0 && box[1] <= width);
    const inside = fitting.length ? fitting : above;
    const chosen = inside.find(({ box }) => !taken.some((other) => overlap(box, other))) ?? inside[0];
    taken.push(chosen.box);
    return [chosen.side > 0 ? "left middle" : "right middle", [chosen.side * ASIDE, chosen.up]];
  });
}

function namesOf(named, points, [[left, right], [low, high]], width, length, across) {
  const plot = width - LEFT - RIGHT;
  const pixels = (point) => ({ x: (plot * (across(point) - left)) / (right - left), y: (PLOT * (high - rounded(point.score[0]))) / (high - low) });
  const spots = named.map((point) => ({ ...pixels(point), name: plain(pairWords(point.pair), length) }));
  const places = placesOf(spots, points.map(pixels), plot);
  return named.map((point, at) => words(spots[at].name, [across(point), rounded(point.score[0])], "x y", ...places[at], { colour: token(`${point.pair.hue}-text`) }));
}

export function effortFigure(points, effort) {
  const paid = points.filter((point) => point.effort > 0).map((point) => Math.log10(point.effort));
  const free = points.length > paid.length ? Math.min(...paid) - STRIP : null;
  const across = (point) => rounded(point.effort > 0 ? Math.log10(point.effort) : free);
  const best = frontier(points);
  const named = points.length <= ALL_NAMED ? points : best;
  const places = points.map(across);
  const [left, right] = [Math.min(...places) - 0.15, Math.max(...places) + 0.15];
  const ends = intervalEnds(points.map(({ score }) => score));
  const [least, most] = [Math.floor(Math.min(...ends)), Math.ceil(Math.max(...ends))];
  const [low, high] = least < most ? [least, most] : [least - 1, most + 1];
  const marks = points.map((point) => ({
    type: "scatter", mode: "markers", x: [across(point)], y: [rounded(point.score[0])], error_y: whiskers([point.score], token(point.pair.hue)),
    marker: { symbol: point.pair.symbol, size: 11, color: token(point.pair.hue) },
    hovertemplate: `${plain(pairWords(point.pair))}<br>${numberForm(2)(point.score[0])}, ${intervalWords(point.score)}<br>${point.effort ? effort.said(effort.form(point.effort)) : `${effort.none} an episode`}<extra></extra>`,
  }));
  const begins = free === null ? left : free + STRIP / 2;
  const placed = [...(free === null ? [] : [[free, effort.none]]), ...ticks(begins, right, effort.form)];
  const parting = { xref: "x", yref: "y domain", x0: begins, x1: begins, y0: 0, y1: 1, line: { width: 1 } };
  const [wide, narrow] = WIDTHS.map(([width, length]) => layout(PLOT + TOP + FOOT, LEFT, RIGHT, TOP, FOOT, {
    xaxis: axis(left, right, placed, effort.axis),
    yaxis: axis(low, high, steps(low, high, 1), "mean similarity (0–10)", { showline: true, linecolor: token("zero") }),
    annotations: namesOf(named, points, [[left, right], [low, high]], width, length, across),
    shapes: free === null ? [] : [parting],
  }));
  return { data: [frontierLine(best, Math.max(...places), across), ...marks], layout: wide, narrow };
}
