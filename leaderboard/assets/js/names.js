/* Names the search overlay, which the theme leaves without a name for screen readers. It works with scripts only. */
(() => {
  "use strict";

  const name = () => document.querySelector(".md-search[role=dialog]:not([aria-label])")?.setAttribute("aria-label", "Search");

  if (window.document$) window.document$.subscribe(name);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", name);
  else name();
})();
