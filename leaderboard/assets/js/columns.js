/*
 * A board's columns: what each is called in files, where its values stand, and how it reads.
 *
 * A head says in data-export what a file gets of its column, as NAME:PLACE with spaces between:
 *   score             the cell's data-sort        score_low:low    the cell's data-low
 *   describer:@describer  the row's data-describer    bar_easy:#0  the first small cell's data-sort;  bar_n:#0.n  its data-n
 *
 *   irc.columns.of(table)             the visible columns that go into files
 *   irc.columns.record(columns, row)  one row as an object of full-precision values, null where there is none
 *   irc.columns.texts(columns, row)   the same row as people read it, one text a column
 */
(() => {
  "use strict";

  const irc = (window.irc ??= {});

  function visible(head) {
    return getComputedStyle(head).display !== "none";
  }

  function isHidden(table, head) {
    const hidden = (table.dataset.hide ?? "").split(" ").filter(Boolean);
    return hidden.some((group) => head.classList.contains(`g-${group}`));
  }

  function field(text) {
    const [name, place = "sort"] = text.split(":");
    return { name, place };
  }

  function of(table) {
    return irc.sorting.headsOf(table)
      .filter((head) => head.dataset.export && !isHidden(table, head))
      .map((head) => ({
        index: head.cellIndex,
        title: head.dataset.name,
        digits: head.dataset.digits === undefined ? null : Number(head.dataset.digits),
        signed: "signed" in head.dataset,
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
    const found = Number(text);
    return Number.isFinite(found) ? found : text;
  }

  function record(columns, row) {
    return Object.fromEntries(columns.flatMap(({ index, fields }) =>
      fields.map(({ name, place }) => {
        const found = raw(row, row.cells[index], place);
        return [name, place.startsWith("@") ? (found ?? null) : value(found)];
      })));
  }

  function number(found, { digits, signed }) {
    const text = found.toFixed(digits);
    if (Number(text) === 0) return text.replace("-", "");
    return signed && found > 0 ? `+${text}` : text.replace("-", "−");
  }

  function text(column, row) {
    const cell = row.cells[column.index];
    const heats = [...cell.querySelectorAll(".heat")];
    if (heats.length) return heats.map((one) => one.textContent.trim()).join(" / ");
    if (column.fields[0].place === "@describer") {
      const { describer, generator, apart } = row.dataset;
      return `${describer} + ${generator}${apart ? ` (${apart})` : ""}`;
    }
    const found = value(cell.dataset.sort);
    if (column.digits === null || found === null) return (cell.querySelector(".rank-range, .tier, time, .missing, .value") ?? cell).firstChild?.textContent.trim() ?? "–";
    const [low, high] = [value(cell.dataset.low), value(cell.dataset.high)];
    const ends = low === null ? "" : ` [${number(low, column)}, ${number(high, column)}]`;
    return number(found, column) + ends;
  }

  function texts(columns, row) {
    return columns.map((column) => text(column, row));
  }

  irc.columns = { isHidden, of, record, texts, visible };
})();
