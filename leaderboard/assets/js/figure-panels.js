/* Figures with a panel per pair or category, drawn again: lines over turns, small multiples, heat maps. As charts/tracks.py. */
import { axesOf, axis, columnsFor, gridLayout, inside, intervalWords, known, numberForm, pairLines, pairWords, panelTitle, plain, room, rounded, steps, token, whiskers, within, words } from "./figure-grammar.js";

const APART = 0.3;

function band(outline, color, panel) {
  return {
    type: "scatter", mode: "lines", x: outline.map(([x]) => rounded(x)), y: outline.map(([, y]) => rounded(y)), fill: "toself",
    fillcolor: color, line: { width: 0 }, hoverinfo: "skip", ...axesOf(panel),
  };
}

function bandOf({ pair, spots }, scale, panel) {
  const [low, high] = scale.y.range;
  const there = spots.filter(({ value }) => value[1] !== null);
  const ends = [...there.map(({ x, value }) => [x, value[2]]), ...there.toReversed().map(({ x, value }) => [x, value[1]])];
  return band(ends.map(([x, end]) => [x, Math.min(high, Math.max(low, scale.factor * end))]), token(`${pair.hue}-band`), panel);
}

function lineOf({ pair, spots }, scale, panel) {
  const colour = token(pair.hue);
  const values = spots.map(({ value }) => value);
  return {
    type: "scatter",
    mode: "lines+markers",
    x: spots.map(({ x }) => x),
    y: values.map(([mean]) => (mean === null ? null : rounded(scale.factor * mean))),
    line: { color: colour, width: 2, dash: pair.dash },
    marker: { symbol: pair.symbol, size: spots.map(({ weight }) => Math.round((4 + 7 * Math.sqrt(weight)) * 10) / 10), color: colour, opacity: 1, line: { width: 0 } },
    cliponaxis: false,
    ...(values.filter(known).length === 1 && { error_y: whiskers(values, colour, scale.factor) }),
    customdata: spots.map(({ value, said }) => [scale.form(value[0]), intervalWords(value, scale.form), said]),
    hovertemplate: "%{customdata[2]}%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    ...axesOf(panel),
  };
}

/* All other lines in grey, with a gap between them. */
function contextOf(tracks, scale, panel) {
  const points = tracks.flatMap(({ spots }) => [...spots.map(({ x, value }) => [x, value[0] === null ? null : rounded(scale.factor * value[0])]), [null, null]]);
  return {
    type: "scatter", mode: "lines", x: points.map(([x]) => x), y: points.map(([, y]) => y),
    line: { color: token("context"), width: 1 }, hoverinfo: "skip", ...axesOf(panel),
  };
}

function endWords({ spots }, scale, panel) {
  const there = spots.filter(({ value }) => known(value));
  if (!there.length) return [words("no data", [0.5, 0.5], inside(panel))];
  const [[left, right], [low, high]] = [scale.x.range, scale.y.range];
  const apart = there.length > 1 && there.at(-1).x - there[0].x > APART * (right - left);
  return (apart ? [there[0], there.at(-1)] : [there.at(-1)]).map(({ x, value }) => {
    const height = rounded(scale.factor * value[0]);
    const shift = there.length === 1 ? [22, 0] : [0, height < low + 0.8 * (high - low) ? 14 : -14];
    return words(scale.form(value[0]), [x, height], within(panel), "center middle", shift, { colour: token("text") });
  });
}

/* tracks: { pair, spots: [{ x, value, weight, said }] }; scale: { x, y, form, factor }. */
export function trackPanels(tracks, scale) {
  const data = tracks.flatMap((track, panel) => {
    const others = tracks.filter((other) => other !== track);
    return [...(others.length ? [contextOf(others, scale, panel)] : []), bandOf(track, scale, panel), lineOf(track, scale, panel)];
  });
  const { title: across, ...x } = scale.x;
  const { title: up, ...y } = scale.y;
  const notes = [
    words(up.text, [0, 1], "paper paper", "left bottom", [-18, 54]),
    words(across.text, [1, 0], "paper paper", "right top", [0, -20]),
  ];
  const left = 12 + 7 * Math.max(...y.ticktext.map((text) => text.length));
  const [layout, narrow] = [false, true].map((isNarrow) => gridLayout(
    { count: tracks.length, columns: columnsFor(tracks.length, isNarrow), panel: 150, between: 64, top: 78 },
    (_, lowest) => [{ ...x, showgrid: false, showline: true, showticklabels: lowest }, y],
    (panel, columns) => [...panelTitle(tracks[panel].pair, panel, columns), ...endWords(tracks[panel], scale, panel)],
    notes, left,
  ));
  return { data, layout, narrow };
}

/* A panel per category, the same pairs in each; panels: { title, values by pair }. */
export function categoryPanels(pairs, panels, form) {
  const data = panels.flatMap(({ title, values }, panel) => pairs.flatMap((pair, row) => {
    const value = values[row];
    if (!known(value)) return [];
    return [{
      type: "scatter", mode: "markers", x: [rounded(value[0])], y: [row], error_x: whiskers([value], token(pair.hue)),
      marker: { symbol: pair.symbol, size: 9, color: token(pair.hue) },
      hovertemplate: `${plain(pairWords(pair))}<br>${plain(title)}: ${form(value[0])}<br>${intervalWords(value, form)}<extra></extra>`,
      ...axesOf(panel),
    }];
  }));
  const note = words("mean similarity of the final rendering (0–10)", [1, 0], "paper paper", "right top", [0, -20]);
  const [layout, narrow] = [false, true].map((isNarrow) => {
    const [columns, length, left] = isNarrow ? [1, 22, 160] : [Math.min(3, panels.length), 32, 225];
    const names = pairs.map((pair, row) => [row, (isNarrow ? pairLines(pair) : [pairWords(pair)]).map((line) => plain(line, length)).join("<br>")]);
    return gridLayout(
      { count: panels.length, columns, panel: (isNarrow ? 36 : 22) * pairs.length, between: 34, top: 28 },
      (_, lowest) => [axis(-0.1, 10.1, steps(0, 10, 5), "", { showticklabels: lowest }), axis(pairs.length - 0.5, -0.5, names, "", { showgrid: false })],
      (panel) => [words(plain(panels[panel].title), [0, 1], inside(panel), "left bottom", [0, 4], { colour: token("text"), weight: 700 })],
      [note], left,
    );
  });
  return { data, layout, narrow };
}

function heatTrace(map, colorscale, panel) {
  const form = map.form;
  return {
    type: "heatmap",
    x: map.columns.map((_, at) => at),
    y: map.rows.map((_, at) => at),
    z: map.cells.map((row) => row.map((value) => (known(value) ? rounded(value[0]) : null))),
    zmin: 0,
    zmax: map.top,
    colorscale,
    customdata: map.cells.map((row, at) => row.map((value, column) => `${plain(map.rows[at])}, ${plain(map.columns[column])}: ${value ? `${form(value[0])}<br>${intervalWords(value, form)}` : ""}`)),
    hovertemplate: "%{customdata}<extra></extra>",
    ...axesOf(panel),
  };
}

/* A small heat map per pair, whose columns are turns; key: the annotations of the colour key, as the site made them. */
export function smallMaps(pairs, maps, names, { first, colorscale, key }) {
  const data = maps.map((map, panel) => heatTrace(map, colorscale, panel));
  const most = Math.max(...maps.map(({ columns }) => columns.length));
  const every = most <= 5 ? 1 : 3;
  const across = maps.map(({ columns }) => {
    const ticks = columns.map((_, at) => [at, String(at + first)]).filter(([at]) => at % every === 0);
    return axis(-0.5, most - 0.5, ticks, "", { showgrid: false });
  });
  const [layout, narrow] = [false, true].map((isNarrow) => gridLayout(
    { count: maps.length, columns: columnsFor(maps.length, isNarrow), panel: 17 * names.length, between: 66, top: 74 },
    (panel) => [across[panel], axis(names.length - 0.5, -0.5, names.map((name, at) => [at, name]), "", { showgrid: false })],
    (panel, columns) => panelTitle(pairs[panel], panel, columns),
    [words("turn", [1, 0], "paper paper", "right top", [0, -20]), ...key], room(names, 120), 8,
  ));
  return { data, layout, narrow };
}

/* One heat map with a row per pair; ink: the token of words on a value. */
export function profileMap(pairs, map, colorscale, ink) {
  const numbers = map.cells.flatMap((row, at) => row.flatMap((value, column) => (known(value)
    ? [words(numberForm(0)(100 * value[0]), [column, at], "x y", "center middle", [0, 0], { colour: ink(value[0]), size: 11 })] : [])));
  const [layout, narrow] = [false, true].map((isNarrow) => {
    const [length, textangle, anchor] = isNarrow ? [15, -90, "center bottom"] : [36, -45, "left bottom"];
    const lines = pairs.map((pair) => pairLines(pair).map((line) => plain(line, length)));
    const heads = map.columns.map((name, at) => words(plain(name), [at, 1], "x paper", anchor, [0, 3], { textangle }));
    return {
      height: 124 + 12 + 38 * pairs.length,
      margin: { l: room(lines.flat(), 250), r: isNarrow ? 8 : 70, t: 124, b: 12, pad: 0 },
      xaxis: axis(-0.5, map.columns.length - 0.5, [], "", { showgrid: false }),
      yaxis: axis(pairs.length - 0.5, -0.5, lines.map((line, at) => [at, line.join("<br>")]), "", { showgrid: false }),
      annotations: [...numbers, ...heads],
    };
  });
  return { data: [heatTrace(map, colorscale, 0)], layout, narrow };
}
