/* The replay of an episode over its gallery page: the same turns, laid out as a dialogue. */
import { button, element } from "./dom.js";
import { SAID } from "./gallery-cells.js";
import { large } from "./gallery-viewer.js";
import { Replay } from "./replay.js";

const copies = (nodes) => [...nodes].map((node) => node.cloneNode(true));

function largeCopy(image) {
  const made = image.cloneNode();
  made.loading = "eager";
  made.src = large(image);
  made.addEventListener("error", () => { made.src = image.src; }, { once: true });
  return made;
}

function exchange(cell, judge) {
  const { item, row } = cell;
  const said = (item.querySelector(SAID) ? item : item.closest("li")).querySelector(SAID);
  const made = element("li", "exchange");
  made.dataset.turn = cell.turn;
  const score = Number.parseFloat(item.dataset.score ?? item.querySelector(`.score[data-judge="${CSS.escape(judge ?? "")}"] .badge`)?.textContent);
  if (Number.isFinite(score)) made.dataset.score = score;
  const [describer, generator] = row.section.querySelectorAll(".pair-describer, .pair-generator");
  const title = `${row.step} ${cell.turn}`;
  made.append(
    element("div", "says",
      element("p", "speaker", ...copies(describer?.childNodes ?? []), describer ? `, ${title}` : title),
      element("p", "said", ...(said ? copies(said.childNodes) : [])),
      ...copies(item.querySelectorAll(":scope > .facts, :scope > .fired, :scope > .notes"))),
    element("figure", "draws", largeCopy(cell.image),
      element("figcaption", "", element("span", "speaker", ...copies(generator?.childNodes ?? [])), ...cell.scores())),
  );
  return made;
}

/* Open the replay of a cell's row at that cell; whenClosed is called after. */
export function openReplay(gallery, cell, whenClosed) {
  const { row } = cell;
  const heading = element("h2", "zoom-title", row.name);
  heading.id = "replay-title";
  const dialog = element("dialog", "zoom replay-dialog");
  dialog.setAttribute("aria-labelledby", heading.id);
  const target = element("aside", "target", element("figure", "", largeCopy(gallery.target.image), element("figcaption", "", element("strong", "", gallery.target.title))));
  const ended = row.section.querySelector(".end .ended p");
  const end = element("p", "replay-end", ended ? [...ended.children].map((part) => part.textContent).join(": ") : "");
  const root = element("div", "replay", target,
    element("div", "replay-main", element("ol", "dialogue", ...row.cells.map((shown) => exchange(shown, gallery.root.dataset.judge))), end));
  const { judge, curve } = gallery.root.dataset;
  Object.assign(root.dataset, curve ? { curve } : { judge }, { step: row.step });
  const close = button("Close", () => dialog.close(), "tool zoom-close");
  dialog.append(element("div", "zoom-head", heading, close), root);
  gallery.root.append(dialog);
  const replay = new Replay(root, (turn) => gallery.select(row.cells.find((shown) => shown.turn === turn)));
  dialog.addEventListener("close", () => { replay.stop(); dialog.remove(); whenClosed(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.showModal();
  replay.go(row.cells.indexOf(cell));
  (replay.last ? replay.playButton : close).focus({ preventScroll: true });
}

