/*
 * Draws the charts of a page when they come near the viewport.
 *
 *   <figure class="chart" data-chart="charts/delta.json" data-height="300" data-narrow-height="420">
 *     <figcaption>…</figcaption>
 *     <div class="chart-plot"></div>                 made here if it is missing
 *     <details class="chart-table">…</details>       the same numbers; opened if the chart cannot be drawn
 *   </figure>
 *
 * data-chart is relative to the page. A chart names its colours as CSS variables; they are looked up when it is
 * drawn, and again when the reader changes the scheme. Nothing moves, so there is nothing to reduce.
 */
(() => {
  "use strict";

  const BUNDLE = new URL("../vendor/plotly-cartesian.min.js", document.currentScript.src);
  const NARROW = 560; // as in theme.py; what a chart's own file says counts once it is there
  const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
  const VARIABLE = /^var\((--[\w-]+)\)$/;

  let bundle = null;
  let drawn = new Set();

  function loadPlotly() {
    bundle ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = BUNDLE.href;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error("the drawing library did not load"));
      document.head.append(script);
    });
    return bundle;
  }

  async function loadFigure(address) {
    const response = await fetch(new URL(address, document.baseURI));
    if (!response.ok) throw new Error(`${address}: status ${response.status}`);
    return response.json();
  }

  /* A deep copy in which every CSS variable is replaced by its present value. */
  function coloured(value, style) {
    if (typeof value === "string") {
      const found = VARIABLE.exec(value);
      return found ? style.getPropertyValue(found[1]).trim() : value;
    }
    if (Array.isArray(value)) return value.map((item) => coloured(item, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, coloured(item, style)]));
  }

  const isNarrow = (chart) => chart.place.clientWidth < chart.figure.breakpoint;

  function draw(chart) {
    chart.narrow = isNarrow(chart);
    const style = getComputedStyle(document.body);
    const layout = chart.narrow ? chart.figure.narrow : chart.figure.layout;
    chart.place.style.minHeight = `${layout.height}px`;
    return window.Plotly.react(
      chart.place,
      coloured(chart.figure.data, style),
      { ...coloured(layout, style), autosize: true },
      CONFIG,
    );
  }

  function placeOf(element) {
    const found = element.querySelector(".chart-plot");
    if (found) return found;
    const made = document.createElement("div");
    made.className = "chart-plot";
    const caption = element.querySelector("figcaption");
    if (caption === element.firstElementChild && caption) caption.after(made);
    else element.prepend(made);
    return made;
  }

  /* Keep the room free before anything is loaded, so that the page does not jump. */
  function reserve(element, place) {
    const narrow = place.clientWidth < NARROW;
    const height = narrow ? element.dataset.narrowHeight : element.dataset.height;
    if (height) place.style.minHeight = `${height}px`;
  }

  function describe(element, place) {
    const caption = element.querySelector("figcaption");
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", caption ? caption.textContent.trim().replace(/\s+/g, " ") : "Chart");
  }

  function fail(element, place, error) {
    console.warn(`Chart not drawn: ${error.message}`);
    place.style.minHeight = "";
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
    const notice = document.createElement("p");
    notice.className = "chart-failure";
    notice.textContent = "The chart could not be drawn here. These are its numbers:";
    place.replaceChildren(notice);
    element.querySelectorAll("details").forEach((details) => { details.open = true; });
  }

  async function start(element) {
    const place = placeOf(element);
    try {
      const [figure] = await Promise.all([loadFigure(element.dataset.chart), loadPlotly()]);
      const chart = { element, place, figure, narrow: false };
      await draw(chart);
      describe(element, place);
      drawn.add(chart);
      element.dataset.state = "drawn";
      new ResizeObserver(() => { if (isNarrow(chart) !== chart.narrow) draw(chart); }).observe(place);
    } catch (error) {
      fail(element, place, error);
      element.dataset.state = "failed";
    }
  }

  function forgetRemoved() {
    drawn = new Set([...drawn].filter((chart) => chart.element.isConnected));
  }

  function watch() {
    forgetRemoved();
    const found = document.querySelectorAll("figure[data-chart]:not([data-state])");
    const near = new IntersectionObserver((entries, observer) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        observer.unobserve(entry.target);
        start(entry.target);
      }
    }, { rootMargin: "400px" });
    for (const element of found) {
      element.dataset.state = "waiting";
      reserve(element, placeOf(element));
      near.observe(element);
    }
  }

  new MutationObserver(() => drawn.forEach(draw)).observe(document.body, {
    attributes: true,
    attributeFilter: ["data-md-color-scheme"],
  });

  if (window.document$) window.document$.subscribe(watch);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
  else watch();
})();
