/*
 * Makes the figures of a page live when they come near the viewport.
 *
 *   <figure class="chart" data-chart="charts/delta.json" data-name="delta">
 *     <figcaption>…</figcaption>
 *     <div class="chart-plot"><div class="chart-still"><svg>…</svg></div></div>
 *     <div class="chart-tools">…</div>              buttons to save the figure are added here
 *     <details class="chart-table">…</details>      the same numbers
 *   </figure>
 *
 * data-chart is relative to the page. The still picture holds the place, so that nothing moves, and stays if the live
 * figure cannot be drawn. A figure names its colours as CSS variables; they are looked up when it is drawn, and again
 * when the reader changes the scheme.
 */
(() => {
  "use strict";

  const BUNDLE = new URL("../vendor/plotly-cartesian.min.js", document.currentScript.src);
  const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
  const VARIABLE = /^var\((--[\w-]+)\)$/;
  const FORMATS = ["png", "svg"];
  const SAVED = { width: 1000, scale: 2, title: 44 }; // of a saved figure: width, pixels for one, room for its title

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

  /* Both layouts share a template: the look of all charts. */
  function layoutOf({ figure }, narrow, style) {
    return coloured({ ...(narrow ? figure.narrow : figure.layout), template: figure.template }, style);
  }

  function draw(chart) {
    chart.narrow = isNarrow(chart);
    const style = getComputedStyle(document.body);
    const layout = { ...layoutOf(chart, chart.narrow, style), autosize: true };
    return window.Plotly.react(chart.live, coloured(chart.figure.data, style), layout, CONFIG);
  }

  /* The wide figure as the address of an SVG, in the reader's colours, with its title above it. */
  function picture(chart, height) {
    const style = getComputedStyle(document.body);
    const layout = layoutOf(chart, false, style);
    const margin = { ...layout.margin, t: layout.margin.t + SAVED.title };
    const title = { text: chart.figure.title, x: 0, xref: "container", xanchor: "left", y: 1, yref: "container",
      yanchor: "top", pad: { l: 12, t: 12 }, font: { size: 16 } };
    const ground = style.getPropertyValue("--irc-background").trim();
    return window.Plotly.toImage(
      {
        data: coloured(chart.figure.data, style),
        layout: { ...layout, height, margin, title, paper_bgcolor: ground, plot_bgcolor: ground },
      },
      { format: "svg", width: SAVED.width, height },
    );
  }

  /* Plotly would show itself the picture from a blob, which the pages' policy forbids. */
  async function painted(address, height) {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SAVED.width * SAVED.scale;
    canvas.height = height * SAVED.scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  async function save(chart, format) {
    const height = chart.figure.layout.height + SAVED.title;
    const address = await picture(chart, height);
    const drawing = decodeURIComponent(address.slice(address.indexOf(",") + 1));
    const blob = format === "png"
      ? await painted(address, height)
      : new Blob([drawing], { type: "image/svg+xml" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${chart.element.dataset.name}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function addButtons(chart) {
    const tools = chart.element.querySelector(".chart-tools");
    if (!tools) return;
    const title = chart.element.querySelector("figcaption strong");
    for (const format of FORMATS) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = format.toUpperCase();
      button.setAttribute("aria-label", `Save as ${format.toUpperCase()}: ${title ? title.textContent.trim() : "figure"}`);
      button.addEventListener("click", () => save(chart, format));
      tools.append(button);
    }
  }

  function fail(element, place, error) {
    console.warn(`Chart not drawn: ${error.message}`);
    place.querySelector(".chart-live")?.remove();
    const notice = document.createElement("p");
    notice.className = "chart-failure";
    notice.textContent = "The live figure could not be drawn here: above is its still picture, below are its numbers.";
    place.after(notice);
    element.querySelectorAll("details").forEach((details) => { details.open = true; });
  }

  async function start(element) {
    const place = element.querySelector(".chart-plot");
    try {
      const [figure] = await Promise.all([loadFigure(element.dataset.chart), loadPlotly()]);
      const live = document.createElement("div");
      live.className = "chart-live";
      place.append(live);
      const chart = { element, place, live, figure, narrow: false };
      await draw(chart);
      element.dataset.state = "drawn";
      drawn.add(chart);
      addButtons(chart);
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
