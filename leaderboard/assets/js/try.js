/*
 * The page Try it: a visitor describes a target, the built-in canvas draws in the visitor's browser, and the drawing is
 * scored by the judge `structural` beside the pairs of the board. Python and the canvas are loaded at the first message.
 */
import { element, whenReady } from "./dom.js";
import { drawSteps } from "./try-draw.js";
import { rating } from "./try-score.js";

let worker = null;
let asked = 0;

function pixels(source, width, height) {
  const sheet = Object.assign(document.createElement("canvas"), { width, height });
  const pen = sheet.getContext("2d", { willReadFrequently: true });
  pen.drawImage(source, 0, 0, width, height);
  return pen.getImageData(0, 0, width, height);
}

/* What the canvas draws of all messages so far. */
function drawnOf(messages, address) {
  worker ??= new Worker(address, { type: "module" });
  asked += 1;
  const id = asked;
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", function answered({ data }) {
      if (data.id !== id) return;
      worker.removeEventListener("message", answered);
      if (data.error) reject(new Error(data.error));
      else resolve(data.drawn);
    });
    worker.addEventListener("error", () => reject(new Error("Python could not be started here")), { once: true });
    worker.postMessage({ id, messages });
  });
}

function begin(page) {
  const at = (name) => page.querySelector(`[data-part="${name}"]`);
  const [choice, picture, sheet, words, status] = ["choice", "picture", "sheet", "words", "status"].map(at);
  let said = [];
  let mine = null;

  function showScores() {
    const pairs = JSON.parse(choice.selectedOptions[0].dataset.scores).map(([label, score]) => ({ label, score, own: false }));
    const rows = mine === null ? pairs : [...pairs, { label: "you", score: mine, own: true }];
    at("scores").replaceChildren(
      ...rows.sort((one, other) => other.score - one.score).map(({ label, score, own }) => {
        const name = element("th", "", own ? element("strong", "", label) : label);
        name.scope = "row";
        return element("tr", own ? "own" : "", name, element("td", "number", score.toFixed(2)));
      }),
    );
  }

  function showSaid() {
    at("said").replaceChildren(...said.map((message) => element("li", "", message)));
    at("back").disabled = !said.length;
    words.placeholder = said.length ? "What should be different?" : "What do you see?";
  }

  function blank() {
    said = [];
    mine = null;
    drawSteps(sheet, { width: 512, height: 512, background: "#ffffff", fade: null, steps: [] });
    status.textContent = "";
    showSaid();
    showScores();
  }

  async function draw() {
    status.textContent = worker ? "drawing …" : "Python is being loaded: 13 MB, once …";
    at("draw").disabled = true;
    try {
      const drawn = said.length ? await drawnOf(said, page.dataset.worker) : null;
      if (drawn === null) blank();
      else {
        drawSteps(sheet, drawn);
        await picture.decode();
        const target = pixels(picture, 512, 512);
        mine = rating(target, pixels(sheet, 512, 512));
        const left = drawn.notes.length ? ` ${drawn.notes.join("; ")}.` : "";
        status.textContent = `Your drawing gets ${mine.toFixed(2)} of 10.${left}`;
      }
    } catch (error) {
      status.textContent = `${error.message}. The command ircore play-me plays the same game on your machine.`;
    }
    at("draw").disabled = false;
    showSaid();
    showScores();
  }

  choice.addEventListener("change", () => {
    picture.src = choice.value;
    blank();
  });
  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!words.value.trim()) return;
    said.push(words.value.trim());
    words.value = "";
    draw();
  });
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("form").requestSubmit();
  });
  at("back").addEventListener("click", () => {
    said.pop();
    draw();
  });
  at("again").addEventListener("click", blank);
  blank();
}

whenReady(() => document.querySelectorAll("[data-try]").forEach(begin));
