/*
 * Names what the theme leaves without a name for screen readers: the search overlay, and the copy button of each of
 * several blocks of code. Both work with scripts only.
 */
import { whenReady } from "./dom.js";

function nameSearch() {
  document.querySelector(".md-search[role=dialog]:not([aria-label])")?.setAttribute("aria-label", "Search");
}

/* The theme adds the buttons some time after the page is there. */
function nameCode() {
  const name = () => document.querySelectorAll(".md-code__nav").forEach((bar, index) => bar.setAttribute("aria-label", `Code ${index + 1}`));
  const watch = new MutationObserver(name);
  document.querySelectorAll("pre").forEach((block) => watch.observe(block, { childList: true }));
  name();
}

whenReady(() => {
  nameSearch();
  nameCode();
});
