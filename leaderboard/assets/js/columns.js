/*
 * A board's columns: what each is called in files, where its values stand, and how it reads.
 *
 * A head says in data-export what a file gets of its column, as NAME:PLACE with spaces between:
 *   score             the cell's data-sort        score_low:low    the cell's data-low
 *   describer:@describer  the row's data-describer    bar_easy:#0  the first small cell's data-sort;  bar_n:#0.n  its data-n
 */
import { csv, json, save, unitsText } from "./export.js";
import { MISSING, fixed, signed } from "./numbers.js";
import { headsOf } from "./sorting.js";

/* Whether the reader has hidden the group of a head's column. */
function isHidden(table, head) {
  const hidden = (table.dataset.hide ?? "").split(" ").filter(Boolean);
  return hidden.some((group) => head.classList.contains(`g-${group}`));
}

/* The unit that a head names, or leaves to its title; what it shows in percent is a share in files. */
function unitOf(head) {
  const unit = head.dataset.unit ?? head.querySelector(".unit")?.textContent.trim() ?? "";
  return unit === "%" ? "0–1" : unit;
}

function field(text) {
  const [name, place = "sort"] = text.split(":");
  return { name, place };
}

/* The visible columns that go into files. */
export function columnsOf(table) {
  return headsOf(table)
    .filter((head) => head.dataset.export && !isHidden(table, head))
    .map((head) => ({
      index: head.cellIndex,
      title: head.dataset.name,
      unit: unitOf(head),
      digits: head.dataset.digits === undefined ? null : Number(head.dataset.digits),
      form: "signed" in head.dataset ? signed : fixed,
      fields: head.dataset.export.trim().split(/\s+/).map(field),
    }));
}

function raw(row, cell, place) {
  if (place.startsWith("@")) return row.dataset[place.slice(1)];
  if (!place.startsWith("#")) return cell.dataset[place];
  const [index, name = "sort"] = place.slice(1).split(".");
  return cell.querySelectorAll(".heat")[Number(index)]?.dataset[name];
}

function value(text) {
  if (text === undefined || text === "") return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/* The unit of each column of a file that holds values; ends of an interval have that of their mean. */
function unitsOf(columns) {
  const holdsValues = ({ place }) => /^(sort|#\d+|describer|generator)$/.test(place);
  return Object.fromEntries(columns.flatMap(({ fields, unit }) => (unit ? fields.filter(holdsValues).map(({ name }) => [name, unit]) : [])));
}

/* One row as an object of values with all digits that the board holds, null where there is none. */
function record(columns, row) {
  return Object.fromEntries(columns.flatMap(({ index, fields }) =>
    fields.map(({ name, place }) => {
      const text = raw(row, row.cells[index], place);
      return [name, place.startsWith("@") ? (text ?? null) : value(text)];
    })));
}

function readable(column, row) {
  const cell = row.cells[column.index];
  const heats = [...cell.querySelectorAll(".heat")];
  if (heats.length) return heats.map((heat) => heat.textContent.trim()).join(" / ");
  if (column.fields[0].place === "@describer") {
    const { describer, generator, apart } = row.dataset;
    return [describer, generator].filter(Boolean).join(" + ") + (apart ? ` (${apart})` : "");
  }
  const group = cell.querySelector(".group");
  if (group) return `${cell.querySelector(".half").textContent.trim()} (${group.textContent.trim()})`;
  const shown = value(cell.dataset.sort);
  if (column.digits === null || shown === null) return (cell.querySelector(".rank-range, .tier, time, .missing, .value") ?? cell).firstChild?.textContent.trim() ?? MISSING;
  const [low, high] = [value(cell.dataset.low), value(cell.dataset.high)];
  const number = (end) => column.form(end, column.digits);
  return number(shown) + (low === null ? "" : ` [${number(low)}, ${number(high)}]`);
}

/* The same row as people read it, one text a column. */
export function texts(columns, row) {
  return columns.map((column) => readable(column, row));
}

/* Saves rows as a file, "csv" or "json", beside what is shown in words and what the board is about. */
export function saveRows(kind, table, columns, rows, words) {
  const about = JSON.parse(table.dataset.about ?? "{}");
  const units = unitsOf(columns);
  /* A pair's own value counts: on a board of mixed rules each row has rules of its own. */
  const withAbout = (own) => ({ ...own, ...about, units: unitsText(units), ...own });
  const records = rows.map((row) => record(columns, row));
  const [type, text] = kind === "csv"
    ? ["text/csv", csv(records.map(withAbout))]
    : ["application/json", json({ shown: words, address: location.href, ...about, units }, records)];
  save(`${table.dataset.file}.${kind}`, type, text);
}
