/*
 * A board on a phone: rows that unfold, and the tools in a sheet at the foot of the window. On wider windows the style
 * sheet shows neither.
 *
 *   <button data-sheet aria-expanded="false">Find, filter, sort, columns</button> <form data-board-tools>…</form>
 *   <button data-figures aria-expanded="false">Show the figures</button> <div class="charts folds">…</div>
 */
import { button, enhanceEach, nameOf, whenReady, withAttributes } from "./dom.js";

function addUnfold(row) {
  const made = button("", () => {
    const open = row.toggleAttribute("data-open");
    made.setAttribute("aria-expanded", String(open));
  }, "unfold");
  row.cells[0].append(withAttributes(made, { "aria-expanded": "false", "aria-label": `All of ${nameOf(row)}` }));
}

function addSheet(opener) {
  const form = opener.nextElementSibling;
  const show = (open) => {
    form.classList.toggle("open", open);
    opener.setAttribute("aria-expanded", String(open));
    (open ? form.querySelector("input, select") : opener).focus();
  };
  opener.addEventListener("click", () => show(!form.classList.contains("open")));
  form.prepend(button("Close", () => show(false), "sheet-close"));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && form.classList.contains("open")) show(false);
  });
}

whenReady(() => document.querySelectorAll("table[data-board]:not([data-folds])").forEach((table) => {
  table.dataset.folds = "";
  [...table.tBodies[0].rows].forEach(addUnfold);
}));
enhanceEach("sheet", addSheet);
enhanceEach("figures", (opener) => opener.addEventListener("click", () => {
  const open = opener.nextElementSibling.classList.toggle("open");
  opener.setAttribute("aria-expanded", String(open));
}));
