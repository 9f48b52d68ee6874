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
    worker.postMessage({ id, messages }); // oxlint-disable-line unicorn/require-post-message-target-origin -- no window
  });
}

/* The page's form: what was said so far, and what came of it. */
class TryIt {
  constructor(page) {
    this.page = page;
    this.said = [];
    this.mine = null;
    for (const name of ["choice", "picture", "sheet", "words", "status", "scores", "back", "draw", "form", "again"]) this[name] = this.part(name);
    this.listen();
    this.blank();
  }

  part(name) {
    return this.page.querySelector(`[data-part="${name}"]`);
  }

  listen() {
    this.choice.addEventListener("change", () => {
      this.picture.src = this.choice.value;
      this.blank();
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const message = this.words.value.trim();
      if (!message) return;
      this.said.push(message);
      this.words.value = "";
      this.show();
    });
    this.words.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.form.requestSubmit();
    });
    this.back.addEventListener("click", () => {
      this.said.pop();
      this.show();
    });
    this.again.addEventListener("click", () => this.blank());
  }

  showScores() {
    const pairs = JSON.parse(this.choice.selectedOptions[0].dataset.scores).map(([label, score]) => ({ label, score, own: false }));
    const rows = this.mine === null ? pairs : [...pairs, { label: "you", score: this.mine, own: true }];
    this.scores.replaceChildren(
      ...rows.sort((one, other) => other.score - one.score).map(({ label, score, own }) => {
        const name = element("th", "", own ? element("strong", "", label) : label);
        name.scope = "row";
        return element("tr", own ? "own" : "", name, element("td", "number", score.toFixed(2)));
      }),
    );
  }

  showSaid() {
    this.part("said").replaceChildren(...this.said.map((message) => element("li", "", message)));
    this.back.disabled = !this.said.length;
    this.words.placeholder = this.said.length ? "What should be different?" : "What do you see?";
  }

  blank() {
    this.said = [];
    this.mine = null;
    drawSteps(this.sheet, { width: 512, height: 512, background: "#ffffff", fade: null, steps: [] });
    this.status.textContent = "";
    this.showSaid();
    this.showScores();
  }

  async show() {
    this.status.textContent = worker ? "drawing …" : "Python is being loaded: 13 MB, once …";
    this.draw.disabled = true;
    try {
      if (this.said.length) await this.rate(await drawnOf(this.said, this.page.dataset.worker));
      else this.blank();
    } catch (error) {
      this.status.textContent = `${error.message}. The command ircore play-me plays the same game on your machine.`;
    }
    this.draw.disabled = false;
    this.showSaid();
    this.showScores();
  }

  async rate(drawn) {
    drawSteps(this.sheet, drawn);
    await this.picture.decode();
    this.mine = rating(pixels(this.picture, 512, 512), pixels(this.sheet, 512, 512));
    const left = drawn.notes.length ? ` ${drawn.notes.join("; ")}.` : "";
    this.status.textContent = `Your drawing gets ${this.mine.toFixed(2)} of 10.${left}`;
  }
}

whenReady(() => document.querySelectorAll("[data-try]").forEach((page) => new TryIt(page)));
