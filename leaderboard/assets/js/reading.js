/*
 * "How to read this": a strip at the foot of the window on the first visit to a kind of page, until it is put away.
 *
 *   <template data-reading-of data-kind="board"> … </template>
 */
import { button, element, enhanceEach, withAttributes } from "./dom.js";

const PUT_AWAY = "irg-read-";

/* Where the browser keeps nothing, the strip would come again on every page: then it does not come at all. */
function store() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

enhanceEach("reading-of", (template) => {
  const kept = store();
  const key = PUT_AWAY + template.dataset.kind;
  if (!kept || kept.getItem(key)) return;
  const strip = withAttributes(element("aside", "irg reading-strip"), { "aria-label": "How to read this" });
  const away = button("Got it", () => {
    kept.setItem(key, "1");
    strip.remove();
  });
  strip.append(element("p", "", element("strong", "", "How to read this. "), template.content.cloneNode(true)), away);
  document.body.append(strip);
});
