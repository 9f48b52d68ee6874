// Python with the built-in canvas, beside the page, so that the page never waits: takes messages, answers with what to draw.

import { loadPyodide } from "../pyodide/pyodide.mjs";

const FONT = "sans-serif";
const pen = new OffscreenCanvas(8, 8).getContext("2d");

function size(text, pixels) {
  pen.font = `${pixels}px ${FONT}`;
  const told = pen.measureText(text);
  return [told.actualBoundingBoxLeft + told.actualBoundingBoxRight, told.actualBoundingBoxAscent + told.actualBoundingBoxDescent];
}

async function begun() {
  const python = await loadPyodide({ indexURL: new URL("../pyodide/", import.meta.url).href });
  python.registerJsModule("measuring", { size });
  const source = await fetch(new URL("canvas.zip", import.meta.url));
  python.unpackArchive(await source.arrayBuffer(), "zip");
  return python.pyimport("try_it");
}

const ready = begun();

self.addEventListener("message", async ({ data }) => {
  try {
    const canvas = await ready;
    self.postMessage({ id: data.id, drawn: JSON.parse(canvas.drawn(JSON.stringify(data.messages))) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error) });
  }
});
