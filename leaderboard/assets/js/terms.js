/*
 * What a term or a number means, where it stands: the title of an element, shown when it is touched, or when it has the
 * focus. A mouse gets it from the browser. A term that is a link (a.term) is followed at the second touch. The name of a
 * column that a phone writes into each cell, as the head is not shown there, means what the head says.
 */
import { element, whenReady, withAttributes } from "./dom.js";
import { headsOf } from "./sorting.js";

const ROOM = 8; // pixels between the words and the edge of the window

let tip = null;
let explained = null; // the term whose words are shown
let held = null; // a term that was touched for the first time: its link is not followed

function hide() {
  tip?.remove();
  tip = explained = null;
}

/* What the head of a cell's column means, where the head is not shown; empty for all else that is touched. */
function headWords(touched) {
  const table = touched.matches?.(".irg td[data-label]") ? touched.closest("table") : null;
  const head = table?.tHead && !table.tHead.checkVisibility() ? headsOf(table)[touched.cellIndex] : null;
  return head?.querySelector("[title]")?.title ?? head?.title ?? "";
}

function show(term, words = term.title) {
  hide();
  explained = term;
  tip = withAttributes(element("div", "irg term-tip", words), { role: "tooltip" });
  document.body.append(tip);
  const box = term.getBoundingClientRect();
  const left = Math.min(Math.max(ROOM, box.left), window.innerWidth - tip.offsetWidth - ROOM);
  const below = box.bottom + tip.offsetHeight + ROOM < window.innerHeight;
  tip.style.left = `${left + window.scrollX}px`;
  tip.style.top = `${(below ? box.bottom + 4 : box.top - tip.offsetHeight - 4) + window.scrollY}px`;
}

/* Terms outside of links and buttons can be reached by keyboard, too. */
function reachable() {
  for (const term of document.querySelectorAll(".irg abbr[title], .irg .tier[title]")) {
    if (!term.closest("a, button, summary")) term.tabIndex = 0;
  }
}

document.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "mouse") return;
  const term = event.target.closest?.(".irg [title]");
  held = term?.matches("a.term") && term !== explained ? term : null;
  const words = term?.title || headWords(event.target);
  if (words) show(term ?? event.target, words);
  else hide();
});
document.addEventListener("click", (event) => {
  if (held?.contains(event.target)) event.preventDefault();
  held = null;
});
document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(".irg abbr[title]:focus-visible, .irg .tier[title]:focus-visible")) show(target);
});
// A touch moves the focus away from elsewhere after it was explained what is touched.
document.addEventListener("focusout", ({ target }) => {
  if (target === explained) hide();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
whenReady(reachable);
