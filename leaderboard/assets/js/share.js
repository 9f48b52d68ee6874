/*
 * Below every page with numbers: its link, with all that a reader has chosen, and a citation that names this link. An
 * episode of a target with a page of its own (data-episodes, by pair) is shared by that page, which has a card. Where
 * one row of a board is ticked, or the link is of a condition of a pair, the citation is of that cell: it begins with
 * the cell's score.
 */
import { enhanceEach, nameOf } from "./dom.js";
import { copy, latexCell } from "./export.js";

/* The row of a board that is ticked, if it is one alone. */
function tickedRow() {
  const [box, ...others] = document.querySelectorAll("table.board .tools input:checked");
  return box && !others.length ? box.closest("tr") : null;
}

function describeScore(row) {
  const cell = row.querySelector(".score-column");
  const value = cell?.querySelector(".value");
  const place = row.querySelector(".rank .half")?.textContent;
  const said = value ? [cell.dataset.label.toLowerCase(), value.firstChild.textContent.trim(), value.title && `(${value.title})`] : [];
  return `${nameOf(row)}: ${said.filter(Boolean).join(" ")}${place ? `, rank ${place}` : ""};`;
}

function describeCondition(row) {
  const [title, cell] = row.cells;
  const value = cell.querySelector(".value");
  const head = row.closest("table").tHead.rows[0].cells[1].firstChild.textContent.trim().toLowerCase();
  return value ? `${title.textContent}: ${head} ${value.textContent.trim()}${value.title && ` (${value.title})`};` : "";
}

/* The row that a citation is of, and what it says; null where a reader has chosen none. */
function citedCell() {
  const ticked = tickedRow();
  const condition = document.querySelector("table.conditions tr:target");
  return ticked ? [ticked.id, describeScore(ticked)] : condition ? [condition.id, describeCondition(condition)] : null;
}

class Share {
  constructor(root) {
    this.status = root.querySelector("[role=status]");
    this.entry = root.querySelector("[data-bibtex]");
    this.episodes = JSON.parse(root.dataset.episodes ?? "{}");
    this.written = this.entry.textContent;
    this.offer(root.querySelector("[data-copy-link]"), () => this.link(), "Link copied.");
    this.offer(root.querySelector("[data-copy-bibtex]"), () => this.entry.textContent, "BibTeX copied.");
    root.querySelector("details").addEventListener("toggle", () => this.show());
  }

  /* What else a reader has chosen, such as a comparison, stands in the address of the target's page alone. */
  link() {
    const pair = location.hash.slice(1).split("~")[0];
    const chosen = [...new URLSearchParams(location.search).keys()].some((name) => name !== "pair");
    const alone = !chosen && Object.hasOwn(this.episodes, pair);
    return alone ? new URL(this.episodes[pair], document.baseURI).href : location.href;
  }

  show() {
    const address = `  url = {${this.link().replace(/[{}\\]/g, encodeURIComponent)}},`;
    const cited = citedCell();
    const lines = this.written.split("\n").filter((line) => !line.startsWith("  url = "));
    if (cited) {
      const [key, said] = cited;
      lines[0] = lines[0].replace(/,$/, `-${key.replace(/[^A-Za-z0-9-]/g, "-")},`);
      const note = lines.findIndex((line) => line.startsWith("  note = {"));
      lines[note] = lines[note].replace("{", () => `{${latexCell(said)} `);
    }
    this.entry.textContent = [...lines.slice(0, -1), address, lines.at(-1)].join("\n");
  }

  offer(button, text, done) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      this.show();
      this.status.textContent = (await copy(text())) ? done : "The browser did not allow copying.";
    });
  }
}

enhanceEach("share", (root) => new Share(root));
