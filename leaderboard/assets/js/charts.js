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
import { button, element, fetchJson, whenReady } from "./dom.js";
import { save } from "./export.js";

const BUNDLE = new URL("../vendor/plotly-figures.min.js", import.meta.url);
const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
const VARIABLE = /^var\((--[\w-]+)\)$/;
const FORMATS = ["png", "svg"];
const TALL = 760; // height above which a figure has a printed page to itself; as in catalogue.py
const SAVED = { width: 1000, scale: 2, title: 44 }; // of a saved figure: width, pixels for one, room for its title

let bundle = null;
let drawn = new Set();
const changed = new Map(); // figures that stand in place of those of the site, by their element

function loadPlotly() {
  bundle ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = BUNDLE.href;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("the drawing library did not load")));
    document.head.append(script);
  });
  return bundle;
}

/* A deep copy in which every CSS variable is replaced by its present value. */
function coloured(value, style) {
  if (typeof value === "string") {
    const variable = VARIABLE.exec(value);
    return variable ? style.getPropertyValue(variable[1]).trim() : value;
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
  chart.element.toggleAttribute("data-tall", chart.figure.layout.height > TALL);
  return window.Plotly.react(chart.live, coloured(chart.figure.data, style), layout, CONFIG);
}

/* With a box of its own a live figure can be made as small as paper needs it. */
function fitPaper({ live }) {
  for (const drawing of live.querySelectorAll("svg.main-svg")) {
    drawing.setAttribute("viewBox", `0 0 ${drawing.getAttribute("width")} ${drawing.getAttribute("height")}`);
  }
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

async function saveAs(chart, format) {
  const height = chart.figure.layout.height + SAVED.title;
  const address = await picture(chart, height);
  const drawing = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const name = `${chart.element.dataset.name}.${format}`;
  if (format === "png") save(name, "image/png", await painted(address, height));
  else save(name, "image/svg+xml", drawing);
}

function addButtons(chart) {
  chart.buttons = FORMATS.map((format) => button(format.toUpperCase(), () => saveAs(chart, format), ""));
  chart.element.querySelector(".chart-tools")?.append(...chart.buttons);
  nameButtons(chart);
}

function nameButtons({ element: frame, buttons = [] }) {
  const title = frame.querySelector("figcaption strong")?.textContent.trim() ?? "figure";
  for (const made of buttons) made.setAttribute("aria-label", `Save as ${made.textContent}: ${title}`);
}

function fail(frame, place, error) {
  console.warn(`Chart not drawn: ${error.message}`);
  place.querySelector(".chart-live")?.remove();
  const words = "The live figure could not be drawn here: above is its still picture, below are its numbers.";
  place.after(element("p", "chart-failure", words));
  frame.querySelectorAll("details").forEach((details) => { details.open = true; });
}

async function start(frame) {
  const place = frame.querySelector(".chart-plot");
  try {
    const [figure] = await Promise.all([fetchJson(new URL(frame.dataset.chart, document.baseURI)), loadPlotly()]);
    const live = element("div", "chart-live");
    place.append(live);
    const chart = { element: frame, place, live, built: figure, figure: changed.get(frame) ?? figure, narrow: false };
    drawn.add(chart);
    await draw(chart);
    live.on("plotly_afterplot", () => fitPaper(chart));
    fitPaper(chart);
    frame.dataset.state = "drawn";
    addButtons(chart);
    new ResizeObserver(() => { if (isNarrow(chart) !== chart.narrow) draw(chart); }).observe(place);
  } catch (error) {
    fail(frame, place, error);
    frame.dataset.state = "failed";
  }
}

/* figures.js hands over what a reader has chosen; null is the figure that the site was built with. */
document.addEventListener("figure-change", ({ target, detail }) => {
  if (detail) changed.set(target, detail);
  else changed.delete(target);
  const chart = [...drawn].find((own) => own.element === target);
  if (!chart) return;
  chart.figure = detail ?? chart.built;
  nameButtons(chart);
  draw(chart);
});

const scheme = new MutationObserver(() => drawn.forEach(draw));

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    start(target);
  }
}, { rootMargin: "400px" });

whenReady(() => {
  drawn = new Set([...drawn].filter((chart) => chart.element.isConnected));
  for (const frame of document.querySelectorAll("figure[data-chart]:not([data-state])")) {
    frame.dataset.state = "waiting";
    near.observe(frame);
  }
  // The theme may put another body in its place.
  scheme.observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
});
