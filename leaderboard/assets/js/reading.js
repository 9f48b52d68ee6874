/*
 * "How to read this": a sentence below the heading of a kind of page, until the reader puts it away for good.
 *
 *   <p data-reading-of data-kind="board"> … </p>
 */
import { button, enhanceEach, withAttributes } from "./dom.js";

const PUT_AWAY = "irg-read-";

/* Where the browser keeps nothing, the sentence stays. */
function store() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

enhanceEach("reading-of", (sentence) => {
  const kept = store();
  const key = PUT_AWAY + sentence.dataset.kind;
  if (!kept) return;
  if (kept.getItem(key)) {
    sentence.remove();
    return;
  }
  const away = button("×", () => {
    kept.setItem(key, "1");
    sentence.remove();
  });
  sentence.append(" ", withAttributes(away, { "aria-label": "Put this away", title: "Put this away" }));
});
