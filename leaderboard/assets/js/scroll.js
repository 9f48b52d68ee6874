/* Tables of documents, which the theme lets scroll: where one does, the keyboard reaches it. */
import { whenReady, withAttributes } from "./dom.js";

const NAMED = { tabindex: "0", role: "group", "aria-label": "Table" };
const UNNAMED = Object.fromEntries(Object.keys(NAMED).map((name) => [name, null]));

const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) withAttributes(target, target.scrollWidth > target.clientWidth ? NAMED : UNNAMED);
});

/* The theme makes the frames when the page is ready, too. */
whenReady(() => setTimeout(() => document.querySelectorAll(".md-typeset__scrollwrap").forEach((frame) => watcher.observe(frame))));
