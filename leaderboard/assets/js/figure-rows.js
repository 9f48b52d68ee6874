/* Figures with a row per pair, drawn again for other pairs: marks with whiskers, and stacked bars. As charts/rows.py. */
import { FOOT, axis, known, layout, legend, plain, room, rounded, steps, token, whiskers, words } from "./figure-grammar.js";

const LINE = 16;
const ROW = 40;
const SUB_ROW = 20;
const FONT_SIZE = 12;
const INK = { colour: token("text"), size: FONT_SIZE };

const rowHeight = (lines) => ROW + SUB_ROW * (Math.max(lines, 1) - 1);

function place(row, line, lines, most) {
  return Math.round((row + ((line - (lines - 1) / 2) * SUB_ROW) / rowHeight(most)) * 10_000) / 10_000;
}

/* Where room is short n is left out; the table has it. */
function short(text) {
  const parts = text.split(" · ");
  return parts.length > 2 ? parts.slice(0, -1).join(" · ") : text;
}

const nameOf = (row, lengths) => row.name.map((line, at) => plain(line, lengths[Math.min(at, 1)])).join("<br>");

function besides(rows, most, narrow) {
  return rows.flatMap((row, at) => row.values.map((text, line) =>
    words(plain(narrow ? short(text) : text, 44), [1, place(at, line, row.values.length, most)], "paper y", "left middle", [10, 0])));
}

function wideLayout(rows, most, xaxis, notes, head, more) {
  const names = rows.map((row, at) => words(nameOf(row, [42, 42]), [0, at], "paper y", "right middle", [-10, 0], { align: "right", ...INK }));
  return layout(
    head + FOOT + rowHeight(most) * rows.length, room(rows.flatMap(({ name }) => name), 300), room(rows.flatMap(({ values }) => values), 250), head, FOOT,
    { xaxis, yaxis: axis(rows.length - 0.5, -0.5, [], "", { visible: false }), annotations: [...names, ...besides(rows, most, false), ...notes], ...more },
  );
}

/* Names stand above the marks, and a row's only value beside its name. */
function narrowLayout(rows, most, { title, ...xaxis }, notes, head, more) {
  const several = most > 1;
  const height = rowHeight(most) + LINE * Math.max(1, ...rows.map(({ name }) => name.length));
  const low = (height - 0.5 * rowHeight(most)) / height;
  const shift = [0, Math.round(low * height)];
  const all = [words(title.text, [0, 0], "paper paper", "left top", [0, -20], { colour: token("text") }), ...notes];
  rows.forEach((row, at) => {
    const taken = several ? 0 : Math.max(0, ...row.values.map((text) => text.length));
    all.push(words(nameOf(row, [52 - taken, 52]), [0, at], "paper y", "left top", shift, { align: "left", ...INK }));
    if (!several) all.push(words(plain(row.values.join(" "), 40), [1, at], "paper y", "right top", shift, { align: "right" }));
  });
  const right = several ? room(rows.flatMap(({ values }) => values).map(short), 130) : 14;
  return layout(head + FOOT + height * rows.length, 8, right, head, FOOT, {
    xaxis, yaxis: axis(rows.length - low, -low, [], "", { visible: false }), annotations: [...all, ...(several ? besides(rows, most, true) : [])], ...more,
  });
}

function layouts(rows, xaxis, notes, head, more) {
  const most = Math.max(1, ...rows.map(({ values }) => values.length));
  return { layout: wideLayout(rows, most, xaxis, notes, head, more), narrow: narrowLayout(rows, most, xaxis, notes, head, more) };
}

/* rows: { name: lines, values: texts, marks: [{ value, symbol, colour, hover }] }, a mark for each text. */
export function markedRows(rows, xaxis, notes, head, shapes = [], factor = 1) {
  const most = Math.max(1, ...rows.map(({ values }) => values.length));
  const data = rows.flatMap((row, at) => row.marks.flatMap((mark, line) => (known(mark.value) ? [{
    type: "scatter",
    mode: "markers",
    x: [rounded(factor * mark.value[0])],
    y: [place(at, line, row.marks.length, most)],
    error_x: whiskers([mark.value], mark.colour, factor, 2),
    marker: { symbol: mark.symbol, size: 11, color: mark.colour },
    hovertemplate: `${mark.hover}<extra></extra>`,
  }] : [])));
  return { data, ...layouts(rows, xaxis, notes, head, { shapes }) };
}

/* bars: { name: lines, counts: episodes by outcome }; outcomes: { title, colour } in the same order. */
export function stackedBars(bars, outcomes) {
  const totals = bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const data = outcomes.map(({ title, colour }, index) => {
    const counts = bars.map((bar) => bar.counts[index]);
    const shares = counts.map((count, at) => (totals[at] ? Math.round((10_000 * count) / totals[at]) / 100 : 0));
    return {
      type: "bar",
      orientation: "h",
      name: title,
      x: shares,
      y: bars.map((_, at) => at),
      text: counts.map((count, at) => (shares[at] >= 6 ? String(count) : "")),
      textfont: { color: token(`${colour}-ink`) },
      marker: { color: token(colour) },
      customdata: bars.map(({ name }, at) => [plain(name.join(" ")), counts[at]]),
      hovertemplate: `%{customdata[0]}<br>${title}: %{customdata[1]} episodes (%{x:.0f} %)<extra></extra>`,
    };
  });
  const rows = bars.map(({ name }, at) => ({ name, values: [`n ${totals[at]}`] }));
  const key = legend(Object.fromEntries(outcomes.map(({ title, colour }) => [title, colour])), 8, 30);
  return { data, ...layouts(rows, axis(0, 100, steps(0, 100, 25), "share of rated episodes (%)"), key, 46, { barmode: "stack", bargap: 0.55 }) };
}
