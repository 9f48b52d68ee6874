/*
 * The figures that a reader can change, by kind: which files they need, how they are drawn, their headline and their
 * numbers. draw gets { index, files, pairs, judges, judge, category, base } and returns { data, layout, narrow, title,
 * records }; base is the figure that the site was built with.
 */
import { against, commonest, hardest, highest, lengths as lengthsTitle, mostGained, novelty as noveltyTitle, outcomes, trajectories as trajectoriesTitle } from "./figure-headlines.js";
import { axis, intervalEnds, intervalWords, known, numberForm, pairLines, pairWords, percentForm, plain, signedForm, steps, token, words } from "./figure-grammar.js";
import { categoryPanels, profileMap, smallMaps, trackPanels } from "./figure-panels.js";
import { EFFORTS, effortFigure, unbeaten } from "./figure-points.js";
import { markedRows, stackedBars } from "./figure-rows.js";

const ROWS = 24;
const PANELS = 12;
const POINTS = 60;
const SIDE = 3 / 7;
const OUTCOMES = [
  { title: "improved", colour: "improved" }, { title: "stable", colour: "stable" },
  { title: "regressed", colour: "regressed" }, { title: "single turn", colour: "unrefined" },
];

const measured = (value, name) => ({ [name]: value?.[0] ?? null, [`${name}_low`]: value?.[1] ?? null, [`${name}_high`]: value?.[2] ?? null, [`${name}_n`]: value?.[3] ?? 0 });
const cellsOf = ({ files, index, pairs, category }, judge, measure) => {
  const values = files[`cells-${judge}`].conditions[category][measure] ?? [];
  return pairs.map((pair) => values[index.places.get(pair.key)] ?? null);
};

function wholePoints(values) {
  const ends = intervalEnds(values);
  let [low, high] = ends.length ? [Math.floor(Math.min(...ends)), Math.ceil(Math.max(...ends))] : [0, 10];
  while (high - low < 4) [low, high] = [Math.max(0, low - 1), Math.min(10, high + 1)];
  return [low, high];
}

function aroundZero(values) {
  const ends = [0, ...intervalEnds(values)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const spare = Math.max(0.25, 0.15 * (high - low));
  const [first, last] = [Math.floor(2 * Math.min(low - 0.1, -spare)) / 2, Math.ceil(2 * Math.max(high + 0.1, spare)) / 2];
  /* On a phone the words beside zero take three tenths of the plot. */
  const [from, to] = [Math.min(first, Math.floor(-2 * SIDE * last) / 2), Math.max(last, Math.ceil(-2 * SIDE * first) / 2)];
  return [from, to, [0.5, 1, 2, 5].find((step) => (to - from) / step <= 7) ?? 5];
}

const sides = (at, left, right) => [
  words(left, [at, 1], "x paper", "right bottom", [-6, 6]),
  words(right, [at, 1], "x paper", "left bottom", [6, 6]),
];
const vertical = (x) => ({ xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1 });

/* A row per pair, a line of marks per judge; scale(values) returns the axis, notes, head, shapes and factor. */
function rowFigure({ measure, form, sorted, scale, title }) {
  return (choice) => {
    const judges = choice.judges.filter((judge) => cellsOf(choice, judge, measure).some((value) => value?.[3]));
    if (!judges.length) return null;
    const alone = judges.length === 1;
    const columns = judges.map((judge) => cellsOf(choice, judge, measure));
    const order = choice.pairs.map((_, at) => at);
    if ((sorted || choice.category) && columns.length) {
      const value = (at) => (known(columns[0][at]) ? columns[0][at][0] : -Infinity);
      order.sort((first, second) => value(second) - value(first));
    }
    const rows = order.map((at) => {
      const pair = choice.pairs[at];
      const family = (judge) => (choice.files[`cells-${judge}`].family[choice.index.places.get(pair.key)] ? "†" : "");
      return {
        name: pairLines(pair),
        values: judges.map((judge, line) => {
          const value = columns[line][at];
          if (!value?.[3] && !alone) return `${judge} · none`;
          const text = `${form(value?.[0] ?? null)}${family(judge)} · n ${value?.[3] ?? 0}`;
          return alone ? text : `${judge} · ${text}`;
        }),
        marks: judges.map((judge, line) => ({
          value: columns[line][at],
          symbol: pair.symbol,
          colour: token(alone ? pair.hue : `judge-${(choice.index.judges.indexOf(judge) % 3) + 1}`),
          hover: `${plain(pairWords(pair))}${alone ? "" : `<br>judged by ${plain(judge)}`}<br>${form(columns[line][at]?.[0] ?? null)}<br>${intervalWords(columns[line][at], form)}`,
        })),
      };
    });
    const values = columns.flat();
    const { xaxis, notes = [], head = 46, shapes = [], factor = 1 } = scale(values);
    const records = order.flatMap((at) => judges.map((judge, line) => ({ pair: choice.pairs[at], judge, ...measured(columns[line][at], measure) })));
    return { ...markedRows(rows, xaxis, notes, head, shapes, factor), title: title(choice, columns, judges), records };
  };
}

const scores = rowFigure({
  measure: "score",
  form: numberForm(2),
  sorted: false,
  scale(values) {
    const [low, high] = wholePoints(values);
    return { xaxis: axis(low, high, steps(low, high, 1), "mean similarity of the final rendering (0–10)"), head: 14 };
  },
  title(choice, columns, judges) {
    const ranked = judges.map((judge, at) => ({ judge, values: columns[at], ranks: cellsOf(choice, judge, "ranks") }));
    return highest(choice.pairs, ranked, choice.pairs.length === choice.index.pairs.length);
  },
});

const deltas = rowFigure({
  measure: "delta",
  form: signedForm(2),
  sorted: true,
  scale(values) {
    const [low, high, step] = aroundZero(values);
    const ticks = steps(low, high, step, signedForm(step < 1 ? 1 : 0));
    return { xaxis: axis(low, high, ticks, "ΔQ = final − first similarity (points of 10)"), notes: sides(0, "← worse", "better →"), shapes: [vertical(0)] };
  },
  title: (_, columns) => against(columns, 0, ["Refinement helps", "harms"], "Does refinement help? No pair's interval is clear of zero"),
});

const preferences = rowFigure({
  measure: "preference",
  form: percentForm,
  sorted: true,
  scale: () => ({
    xaxis: axis(0, 100, steps(0, 100, 25), "final rendering preferred (% of episodes)"),
    notes: sides(50, "← first", "final →"),
    shapes: [vertical(50)],
    factor: 100,
  }),
  title: (_, columns) => against(columns, 0.5, ["The final rendering is preferred in", "the first in"], "Is the final rendering preferred to the first? No interval is clear of 50 %"),
});

function convergence(choice) {
  const counted = cellsOf(choice, choice.judge, "outcomes");
  const share = ([improved, ...others]) => improved / (improved + others.reduce((sum, count) => sum + count, 0) || 1);
  const bars = choice.pairs.map((pair, at) => ({ pair, name: pairLines(pair), counts: counted[at] ?? [0, 0, 0, 0] }));
  bars.sort((first, second) => share(second.counts) - share(first.counts));
  const records = bars.map(({ pair, counts }) => ({
    pair, judge: choice.judge, ...Object.fromEntries(OUTCOMES.map(({ title }, index) => [title.replace(" ", "_"), counts[index]])),
  }));
  return { ...stackedBars(bars, OUTCOMES), title: outcomes(bars.map(({ counts }) => counts)), records };
}

function turnAxis(turns) {
  const ticks = Array.from({ length: turns }, (_, at) => at + 1).filter((turn) => turns <= 5 || (turn - 1) % 3 === 0);
  return axis(0.6, turns + 0.4, ticks.map((turn) => [turn, String(turn)]), "turn");
}

const lastTurn = (tracks) => Math.max(1, ...tracks.map(({ spots }) => spots.at(-1)?.x ?? 1));

/* points: [turn, value, weight] of each pair. */
function tracksOf(pairs, points, said) {
  return pairs.map((pair, at) => {
    const most = Math.max(0, ...points[at].map(([, , weight]) => weight)) || 1;
    const spots = points[at].map(([x, value, weight]) => ({ x, value, weight: weight / most, said: `${plain(pairWords(pair))}, turn ${x}, ${weight} ${said}<br>` }));
    return { pair, spots };
  });
}

const turnRecords = (tracks, name, more = {}) => tracks.flatMap(({ pair, spots }) => spots.map(({ x, value }) => ({ pair, ...more, turn: x, ...measured(value, name) })));

function trajectories({ files, index, pairs, judge, category }) {
  const points = pairs.map((pair) => files[`turns-${judge}`][category][index.places.get(pair.key)].map(([turn, mean, low, high, n, refining]) => [turn, [mean, low, high, n], refining]));
  const last = ({ spots }) => spots.at(-1)?.value[0] ?? -1;
  const tracks = tracksOf(pairs, points, "still refined").sort((first, second) => last(second) - last(first));
  const scale = { x: turnAxis(lastTurn(tracks)), y: axis(0, 10.1, steps(0, 10, 5), "mean similarity so far (0–10)"), form: numberForm(1), factor: 1 };
  return { ...trackPanels(tracks, scale), title: trajectoriesTitle(tracks), records: turnRecords(tracks, "reached", { judge }) };
}

const LENGTH_STEPS = [5, 10, 20, 25, 50, 100, 200, 500, 1e9];

function lengths({ files, index, pairs }) {
  const points = pairs.map((pair) => files.words.messages[index.places.get(pair.key)].map(([turn, count, tokens]) => [turn, tokens, count]));
  const tracks = tracksOf(pairs, points, "messages");
  const most = Math.max(1, ...intervalEnds(points.flat().map(([, value]) => value)));
  const step = LENGTH_STEPS.find((own) => (1.1 * most) / own <= 5);
  const top = step * Math.ceil((1.1 * most) / step);
  const scale = { x: turnAxis(lastTurn(tracks)), y: axis(0, top * 1.02, steps(0, top, step), "mean length (tokens a message)"), form: numberForm(0), factor: 1 };
  return { ...trackPanels(tracks, scale), title: lengthsTitle(tracks), records: turnRecords(tracks, "tokens") };
}

function novelty({ files, index, pairs }) {
  const all = pairs.map((pair) => files.words.messages[index.places.get(pair.key)].map(([turn, count, , share]) => [turn, share, count]));
  const tracks = tracksOf(pairs, all.map((points) => points.filter(([turn]) => turn !== 1)), "messages");
  const scale = { x: turnAxis(lastTurn(tracks)), y: axis(0, 101, steps(0, 100, 50), "new content words (%)"), form: percentForm, factor: 100 };
  return { ...trackPanels(tracks, scale), title: noveltyTitle(tracks), records: turnRecords(tracks, "novelty") };
}

function efforts(name) {
  return (choice) => {
    const [taken, score] = [name, "score"].map((measure) => cellsOf(choice, choice.judge, measure));
    const ranks = cellsOf(choice, choice.judge, "ranks");
    const points = choice.pairs.flatMap((pair, at) => (known(score[at]) && known(taken[at]) ? [{ pair, effort: taken[at][0], score: score[at], taken: taken[at], rank: ranks[at] }] : []));
    if (!points.some((point) => point.effort > 0)) return null;
    const effort = EFFORTS[name];
    const title = unbeaten(points, effort);
    const records = points.map((point) => ({ pair: point.pair, judge: choice.judge, ...measured(point.score, "score"), ...measured(point.taken, name) }));
    return { ...effortFigure(points, effort), title, records };
  };
}

function categories(choice) {
  const { index, judge, pairs } = choice;
  const panels = index.categories.map(([category, title]) => ({ title, values: cellsOf({ ...choice, category }, judge, "score") })).filter(({ values }) => values.some((value) => value?.[3]));
  if (panels.length < 2) return null;
  const title = hardest(panels.map((panel) => panel.title), pairs.map((_, at) => panels.map(({ values }) => values[at])));
  const records = panels.flatMap((panel) => pairs.map((pair, at) => ({ pair, judge, category: panel.title, ...measured(panel.values[at], "score") })));
  return { ...categoryPanels(pairs, panels, numberForm(2)), title, records };
}

/* The colour key of the figure that the site was built with: its annotations at the right, above the maps. */
const keyOf = (base) => base.layout.annotations.filter((note) => note.xref === "paper" && note.x === 1 && note.y === 1);

function heatMaps({ files, index, pairs, judge, base }) {
  const turns = files[`turns-${judge}`];
  const titles = index.categories.map(([, title]) => title);
  const rowsOf = (pair) => index.categories.map(([category]) => turns[category][index.places.get(pair.key)]);
  const maps = pairs.map((pair) => {
    const rows = rowsOf(pair);
    const last = Math.max(1, ...rows.flat().map(([turn]) => turn));
    const columns = Array.from({ length: last }, (_, at) => at + 1);
    const cells = rows.map((points) => columns.map((turn) => points.find(([own]) => own === turn)?.slice(1, 5) ?? null));
    return { rows: titles, columns: columns.map((turn) => `turn ${turn}`), cells, top: 10, form: numberForm(1) };
  });
  const records = pairs.flatMap((pair) => rowsOf(pair).flatMap((points, at) => points.map(([turn, ...value]) => ({ pair, judge, category: titles[at], turn, ...measured(value, "reached") }))));
  const values = pairs.map((pair) => rowsOf(pair).map((points) => points.map((point) => point.slice(1, 5))));
  const drawn = smallMaps(pairs, maps, index.categories.map(([, , short]) => short), { first: 1, colorscale: base.data[0].colorscale, key: keyOf(base) });
  return { ...drawn, title: mostGained(pairs, titles, values), records };
}

const shareRecords = (topics, values) => Object.fromEntries(topics.flatMap((topic, at) => Object.entries(measured(values[at], topic.toLowerCase().replaceAll(" ", "_")))));

function corrections({ files, index, pairs: asked, base }) {
  const entry = (pair) => files.words.corrections[index.places.get(pair.key)];
  const pairs = asked.filter((pair) => entry(pair)?.[0]);
  if (!pairs.length) return null;
  const cells = pairs.map((pair) => entry(pair)[1]);
  const map = { rows: pairs.map(pairWords), columns: index.corrections, cells, top: 1, form: percentForm };
  const ink = (share) => token(`share-${Math.round(20 * Math.min(1, Math.max(0, share)))}-ink`);
  const records = pairs.map((pair, at) => ({ pair, messages: entry(pair)[0], ...shareRecords(index.corrections, cells[at]) }));
  return { ...profileMap(pairs, map, base.data[0].colorscale, ink), title: commonest(index.corrections, cells), records };
}

function correctionsByTurn({ files, index, pairs, base }) {
  const rowsOf = (pair) => files.words.by_turn[index.places.get(pair.key)];
  const maps = pairs.map((pair) => {
    const turns = rowsOf(pair);
    const last = Math.max(2, ...turns.map(([turn]) => turn));
    const columns = Array.from({ length: last - 1 }, (_, at) => at + 2);
    const cells = index.corrections.map((_, topic) => columns.map((turn) => turns.find(([own]) => own === turn)?.[2][topic] ?? null));
    return { rows: index.corrections, columns: columns.map((turn) => `turn ${turn}`), cells, top: 1, form: percentForm };
  });
  const records = pairs.flatMap((pair) => rowsOf(pair).map(([turn, messages, shares]) => ({ pair, turn, messages, ...shareRecords(index.corrections, shares) })));
  const drawn = smallMaps(pairs, maps, index.corrections, { first: 2, colorscale: base.data[0].colorscale, key: keyOf(base) });
  return { ...drawn, title: "Do corrections change over the turns?", records };
}

/* most: how many pairs can be chosen; all: whether all can be shown at once; files: as they are named in data/figures. */
const ofCells = ({ judges }) => judges.map((judge) => `cells-${judge}`);
const ofTurns = ({ judge }) => [`cells-${judge}`, `turns-${judge}`];
const ofWords = ({ judge }) => [`cells-${judge}`, "words"];
const rowKind = { most: ROWS, all: true, everyJudge: true, judges: true, categories: true, files: ofCells };
const panelKind = { most: PANELS, all: false };

export const KINDS = {
  scores: { ...rowKind, draw: scores },
  deltas: { ...rowKind, draw: deltas },
  preferences: { ...rowKind, draw: preferences },
  convergence: { ...rowKind, everyJudge: false, draw: convergence },
  categories: { ...panelKind, most: ROWS, usual: PANELS, judges: true, files: ofCells, draw: categories },
  trajectories: { ...panelKind, judges: true, categories: true, files: ofTurns, draw: trajectories },
  "heat-maps": { ...panelKind, judges: true, files: ofTurns, draw: heatMaps },
  corrections: { ...panelKind, most: ROWS, all: true, files: ofWords, draw: corrections },
  "corrections-by-turn": { ...panelKind, files: ofWords, draw: correctionsByTurn },
  lengths: { ...panelKind, files: ofWords, draw: lengths },
  novelty: { ...panelKind, files: ofWords, draw: novelty },
  costs: { most: POINTS, all: true, judges: true, categories: true, files: ofCells, draw: efforts("cost") },
  seconds: { most: POINTS, all: true, judges: true, categories: true, files: ofCells, draw: efforts("seconds") },
};
