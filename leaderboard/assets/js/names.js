/*
 * Names what the theme leaves without a name for screen readers: the search overlay, and the copy button of each of
 * several blocks of code. Both work with scripts only.
 */
(() => {
  "use strict";

  const nameSearch = () => document.querySelector(".md-search[role=dialog]:not([aria-label])")?.setAttribute("aria-label", "Search");

  /* The theme adds the buttons some time after the page is there. */
  function nameCode() {
    const blocks = document.querySelectorAll("pre");
    const give = () => document.querySelectorAll(".md-code__nav").forEach((one, index) => one.setAttribute("aria-label", `Code ${index + 1}`));
    const watch = new MutationObserver(give);
    blocks.forEach((block) => watch.observe(block, { childList: true }));
    give();
  }

  const name = () => { nameSearch(); nameCode(); };

  if (window.document$) window.document$.subscribe(name);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", name);
  else name();
})();
