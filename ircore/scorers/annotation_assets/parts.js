/*
 * Parts of the page that know nothing of its state: the scale's words, elements, the pictures of an item, the clock.
 *
 * Puts ANCHORS, anchorOf, clock, drawScale, make, picturesOf, preload, range and welcome into window.ircore.
 */
(() => {
  "use strict";

  const BREAK_AFTER = 50; // items
  const ANCHORS = [
    { low: 0, high: 0, text: "entirely different" },
    { low: 1, high: 3, text: "very different, few shared elements" },
    { low: 4, high: 6, text: "partial match: some key elements, important differences" },
    { low: 7, high: 9, text: "strong match: small differences in detail, colour or placement" },
    { low: 10, high: 10, text: "identical or indistinguishable" },
  ];

  function range(low, high) {
    return low === high ? String(low) : `${low}–${high}`;
  }

  function anchorOf(value) {
    return ANCHORS.find(({ low, high }) => low <= value && value <= high);
  }

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  /* The pictures of an item in the order of the page, each with its name there. */
  function picturesOf(item) {
    const { target, first, final } = item.pictures;
    if (item.task === "similarity") {
      return [{ name: "A, the target", ...target }, { name: "B, the rendering", ...final }];
    }
    const renderings = [{ ...first, value: 0 }, { ...final, value: 1 }];
    if (!item.firstLeading) renderings.reverse();
    return [{ name: "The target", ...target }, ...renderings.map((rendering, place) => ({ ...rendering, name: "AB"[place] }))];
  }

  /* Words above an item that has no answer yet. */
  function welcome(order, at) {
    const item = order[at];
    const before = order[at - 1];
    if (before && before.task !== item.task) return "The second part begins: now you choose between two renderings.";
    if (at > 0 && at % BREAK_AFTER === 0) return `${at} items behind you: a good moment for a break.`;
    return item.task === "similarity" ? "Not rated yet" : "";
  }

  function preload(item) {
    for (const { file } of Object.values(item?.pictures ?? {})) new Image().src = file;
  }

  /* Ticks 0 to 10, which rate when they are clicked, and the words below them. */
  function drawScale(ticks, bands, rate) {
    for (let value = 0; value <= 10; value += 1) {
      const tick = make("span", {}, String(value));
      tick.dataset.value = String(value);
      tick.addEventListener("click", () => rate(value));
      ticks.append(tick);
    }
    for (const { low, high, text } of ANCHORS) {
      const band = make("span", { className: `width-${high - low + 1}` }, text);
      band.dataset.low = String(low);
      bands.append(band);
    }
  }

  /* Seconds that the item has been looked at: the time in which the page is hidden does not count. */
  const clock = {
    spent: 0,
    since: 0,
    restart() {
      this.spent = 0;
      this.since = performance.now();
    },
    hidden() {
      if (document.hidden) this.spent += performance.now() - this.since;
      this.since = performance.now();
    },
    seconds() {
      return (this.spent + (document.hidden ? 0 : performance.now() - this.since)) / 1000;
    },
  };

  window.ircore = Object.assign(window.ircore ?? {}, { ANCHORS, anchorOf, clock, drawScale, make, picturesOf, preload, range, welcome });
})();
