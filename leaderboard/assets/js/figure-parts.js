/*
 * Takes the pairs that a reader chose out of a figure of every pair, which leaderboard/pages/figures.py wrote: the
 * others go, and rows or panels close up. What is drawn, and where in its row or panel, the file says.
 */

const LEGEND = { most: 8, line: 19 }; // points that get a legend, and the height of its lines, CSS pixels

const plotHeight = ({ height, margin }) => height - margin.t - margin.b;
const suffix = (panel) => (panel ? String(panel + 1) : "");
const axesOf = (panel) => ({ xaxis: `x${suffix(panel)}`, yaxis: `y${suffix(panel)}` });
const keyOf = ({ meta, ids, name }) => meta ?? ids?.[0] ?? name;

/* Describers that are grey beside all the others have a colour among a few: colours by the keys of their pairs. */
function coloured(parts, hues) {
  const other = (part) => JSON.parse(JSON.stringify(part).replaceAll("--irc-describer-0", `--irc-${hues.get(keyOf(part))}`));
  return parts.map((part) => (hues.has(keyOf(part)) ? other(part) : part));
}

/* A trace with the values of chosen rows alone, at their new places; steps: how far a row moves, by key. */
function rowsOf(trace, steps) {
  const kept = trace.ids.map((key) => steps.has(key));
  const across = (name) => trace.type === "heatmap" && name === "x";
  const taken = Object.fromEntries(Object.entries(trace).map(([name, value]) => [
    name, Array.isArray(value) && value.length === kept.length && !across(name) ? value.filter((_, at) => kept[at]) : value,
  ]));
  return { ...taken, y: taken.y.map((y, at) => y + steps.get(taken.ids[at])) };
}

/* Upright axes with a unit for each row: all panels lose the rows that go, and move up by those above them. */
function closeRows(layout, pairs, steps) {
  const plot = plotHeight(layout);
  const names = Object.keys(layout).filter((name) => name.startsWith("yaxis"));
  const boxes = names.map((name) => {
    const [low, high] = layout[name].domain ?? [0, 1];
    return { axis: layout[name], top: (1 - high) * plot, height: (high - low) * plot };
  });
  const gone = pairs.length - steps.size;
  const less = (gone / pairs.length) * boxes[0].height;
  const tops = [...new Set(boxes.map(({ top }) => top))].sort((first, second) => first - second);
  const left = plot - tops.length * less;
  const share = (place) => Math.min(1, Math.max(0, 1 - place / left));
  const closed = boxes.map(({ axis, top, height }) => {
    const upper = top - tops.indexOf(top) * less;
    const ticks = axis.tickvals.flatMap((row, at) => (steps.has(pairs[row]) ? [[row + steps.get(pairs[row]), axis.ticktext[at]]] : []));
    return {
      ...axis, domain: [share(upper + height - less), share(upper)], range: [axis.range[0] - gone, axis.range[1]],
      tickvals: ticks.map(([at]) => at), ticktext: ticks.map(([, text]) => text),
    };
  });
  const annotations = layout.annotations.flatMap((note) => {
    if (!note.name) return [note];
    return steps.has(note.name) ? [{ ...note, y: note.y + steps.get(note.name) }] : [];
  });
  return { ...layout, ...Object.fromEntries(names.map((name, at) => [name, closed[at]])), height: Math.round(layout.height - plot + left), annotations };
}

function takeRows({ data, layout, narrow, pairs }, places) {
  const steps = new Map([...places].map(([key, place]) => [key, place - pairs.indexOf(key)]));
  const [wide, small] = [layout, narrow].map((own) => closeRows(own, pairs, steps));
  return { data: data.map((trace) => rowsOf(trace, steps)).filter(({ ids }) => ids.length), layout: wide, narrow: small };
}

/* The first panels of a grid, for as many pairs; fewer than a row of them share its width. */
function closePanels(layout, places) {
  const plot = plotHeight(layout);
  const panels = [...Array(places.size).keys()];
  const boxes = panels.map((panel) => [layout[`xaxis${suffix(panel)}`], layout[`yaxis${suffix(panel)}`]]);
  const right = Math.max(...boxes.map(([x]) => x.domain[1]));
  const bottom = 1 - Math.min(...boxes.map(([, y]) => y.domain[0]));
  const columns = new Set(boxes.map(([x]) => x.domain[0])).size;
  const axes = boxes.flatMap(([x, y], panel) => [
    [`xaxis${suffix(panel)}`, {
      ...x, domain: x.domain.map((share) => share / right), ...("showticklabels" in x && { showticklabels: panel + columns >= places.size }),
    }],
    [`yaxis${suffix(panel)}`, { ...y, domain: y.domain.map((share) => Math.max(0, 1 - (1 - share) / bottom)) }],
  ]);
  const annotations = layout.annotations.flatMap((note) => {
    if (!note.name) return [note];
    if (!places.has(note.name)) return [];
    const moved = (ref) => ref.replace(/^([xy])\d*/, `$1${suffix(places.get(note.name))}`);
    return [{ ...note, xref: moved(note.xref), yref: moved(note.yref) }];
  });
  const common = Object.fromEntries(Object.entries(layout).filter(([name]) => !/^[xy]axis/.test(name)));
  return { ...common, ...Object.fromEntries(axes), height: Math.round(layout.height - plot * (1 - bottom)), annotations };
}

function takePanels({ data, layout, narrow, behind }, places) {
  const own = data.filter(({ meta }) => places.has(meta)).map((trace) => ({ ...trace, ...axesOf(places.get(trace.meta)) }));
  const stacked = [...places].flatMap(([key, panel]) => {
    const others = own.filter(({ meta, fill }) => meta !== key && !fill);
    const [x, y] = ["x", "y"].map((letter) => others.flatMap((trace) => [...trace[letter], null]));
    const context = behind && others.length ? [{ ...behind, x, y, ...axesOf(panel) }] : [];
    return [...context, ...own.filter(({ meta }) => meta === key)];
  });
  const [wide, small] = [layout, narrow].map((grid) => closePanels(grid, places));
  return { data: stacked, layout: wide, narrow: small };
}

/* Names stand beside marks where they fit among those of the figure as it is; a few picked ones have a legend. */
function takePoints({ data, layout, narrow }, places, picked) {
  const [wide, small] = [layout, narrow].map((own) => {
    const annotations = own.annotations.filter(({ name }) => places.has(name) && !picked);
    if (!picked || places.size > LEGEND.most) return { ...own, annotations };
    const more = LEGEND.line * places.size;
    return { ...own, annotations, showlegend: true, height: own.height + more, margin: { ...own.margin, b: own.margin.b + more } };
  });
  return { data: data.filter(({ meta }) => !meta || places.has(meta)), layout: wide, narrow: small };
}

const TAKE = { rows: takeRows, panels: takePanels, points: takePoints };

/*
 * Plotly's data and layouts of some pairs of a figure, in the figure's order, and their keys.
 *   keys: of the chosen pairs; null for those that the figure shows by itself
 *   picked: whether a reader picked them one by one
 *   hues: colours of pairs that are grey among all, by key
 */
export function takePairs(figure, keys, picked, hues) {
  const chosen = new Set(keys ?? figure.shown);
  const drawn = figure.parts === "points" ? figure.data.flatMap(({ meta }) => meta ?? []) : figure.pairs;
  const shown = drawn.filter((key) => chosen.has(key));
  if (!shown.length) return null;
  const own = { ...figure, data: coloured(figure.data, hues) };
  for (const name of ["layout", "narrow"]) own[name] = { ...figure[name], annotations: coloured(figure[name].annotations, hues) };
  const places = new Map(shown.map((key, place) => [key, place]));
  return { ...TAKE[figure.parts](own, places, picked), shown };
}
