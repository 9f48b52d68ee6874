/*
 * An episode as a dialogue that can be played: message left, rendering right, the target always in view. Without it the
 * page shows all turns one below the other.
 *
 *   <div data-replay data-judge="…"> <aside class="target">…</aside> <div class="replay-main">
 *     <ol class="dialogue"> <li class="exchange" data-turn="1" data-score="4.2"> … </ol> <p class="replay-end">…</p>
 *
 * Adds a scrubber with the score curve in it, and buttons. Keys, with the focus in it: ← → a turn, space plays and
 * stops, Home and End. The turn stands in the address (#turn-3), except within a gallery, which has addresses of its own.
 */
import { button, element, whenReady, withAttributes } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const MILLISECONDS = 2200;
const TOP = 10;

function path(className, d) {
  return withAttributes(document.createElementNS(SVG, "path"), { class: className, d });
}

export class Replay {
  /* whenTurned: called with the turn on which the replay stands; without it the address is kept. */
  constructor(root, whenTurned = null) {
    this.root = root;
    this.exchanges = [...root.querySelectorAll(".exchange")];
    this.end = root.querySelector(".replay-end");
    this.whenTurned = whenTurned ?? ((turn) => history.replaceState(history.state, "", `#turn-${turn}`));
    const step = root.dataset.step ?? "turn";
    this.step = step.charAt(0).toUpperCase() + step.slice(1);
    this.timer = null;
    this.place = 0;
    this.addControls();
    // Long messages scroll within their box: it can be reached by keyboard.
    root.querySelectorAll(".said").forEach((said) => { said.tabIndex = 0; });
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.root.dataset.replay = "ready";
  }

  addControls() {
    this.slider = element("input", "scrubber-slider");
    Object.assign(this.slider, { type: "range", min: "1", max: String(this.exchanges.length), step: "1", value: "1" });
    this.slider.setAttribute("aria-label", this.step);
    this.slider.addEventListener("input", () => this.turn(Number(this.slider.value) - 1));
    this.playButton = button("Play", () => this.toggle(), "tool replay-play");
    this.before = button(`← ${this.step}`, () => this.turn(this.place - 1));
    this.after = button(`${this.step} →`, () => this.turn(this.place + 1));
    this.playButton.disabled = this.last === 0;
    this.status = element("output", "replay-turn");
    const keys = element("span", "replay-keys", element("kbd", "", "space"), " plays, ", element("kbd", "", "← →"), ` ${this.step.toLowerCase()}`);
    const buttons = element("div", "replay-buttons", this.before, this.playButton, this.after, this.status, keys);
    const { judge, curve } = this.root.dataset;
    const drawn = curve ?? `Similarity to the target over the turns, 0 to 10, judged by ${judge}`;
    const title = element("p", "curve-title", drawn);
    const scrubber = element("div", "scrubber", this.curve(), this.slider);
    this.root.querySelector(".dialogue").after(element("div", "replay-controls", title, scrubber, buttons));
  }

  /* Similarity over the turns, in the box under the slider: 100 × 40, stretched. */
  curve() {
    const box = { class: "curve", viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true" };
    const svg = withAttributes(document.createElementNS(SVG, "svg"), box);
    const steps = Math.max(1, this.exchanges.length - 1);
    const points = this.exchanges.map(({ dataset: { score } }, index) =>
      [(100 * index) / steps, score === undefined ? null : 38 - (36 * Number(score)) / TOP]);
    const scored = points.filter(([, y]) => y !== null);
    const line = scored.map(([x, y], index) => `${index ? "L" : "M"}${x} ${y}`).join("");
    this.dots = points.map(([x, y]) => path("curve-dot", `M${x} ${y ?? 38}h0`));
    svg.append(path("curve-grid", "M0 2H100M0 20H100M0 38H100"), path("curve-line", line), ...this.dots);
    return svg;
  }

  get last() {
    return this.exchanges.length - 1;
  }

  /* What a reader does. */
  turn(place) {
    this.stop();
    this.go(place);
    this.uncover();
  }

  /* On a phone the controls lie over the foot of the window: scroll until the message above them is seen. */
  uncover() {
    const message = this.exchanges[this.place].querySelector(".says").getBoundingClientRect();
    const controls = this.root.querySelector(".replay-controls").getBoundingClientRect();
    if (message.bottom > controls.top && message.left < controls.right) this.root.scrollIntoView({ block: "start" });
  }

  go(place) {
    this.place = Math.min(this.last, Math.max(0, place));
    this.exchanges.forEach((exchange, index) => { exchange.hidden = index !== this.place; });
    this.enlarge(this.exchanges[this.place]);
    this.dots.forEach((dot, index) => dot.classList.toggle("here", index === this.place));
    const { turn, score } = this.exchanges[this.place].dataset;
    const words = `${this.step} ${turn} of ${this.exchanges[this.last].dataset.turn}`;
    // Other games show no scale of 10.
    const shown = this.root.dataset.curve ? `${(10 * Number(score)).toFixed(0)} of 100` : `score ${Number(score).toFixed(1)}`;
    const rated = score === undefined ? "not scored" : shown;
    this.slider.value = String(this.place + 1);
    this.slider.setAttribute("aria-valuetext", `${words}, ${rated}`);
    this.status.textContent = `${words}, ${rated}`;
    this.before.disabled = this.place === 0;
    this.after.disabled = this.place === this.last;
    if (this.end) this.end.classList.toggle("reached", this.place === this.last);
    this.whenTurned(Number(turn));
  }

  /* Thumbnails give way to the full pictures; where one cannot be had, the thumbnail stays. */
  enlarge(exchange) {
    for (const image of [this.root.querySelector(".target img"), exchange.querySelector(".draws img")]) {
      const { large } = image?.dataset ?? {};
      if (!large) continue;
      delete image.dataset.large;
      const small = image.src;
      image.addEventListener("error", () => { image.src = small; }, { once: true });
      image.src = large;
    }
  }

  toggle() {
    if (this.timer) this.stop();
    else {
      this.play();
      this.uncover();
    }
  }

  play() {
    if (this.place === this.last) this.go(0);
    this.playButton.textContent = "Pause";
    this.timer = setInterval(() => {
      if (!this.root.isConnected) this.stop();
      else this.go(this.place + 1);
      if (this.place === this.last) this.stop();
    }, MILLISECONDS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = "Play";
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const places = { ArrowLeft: this.place - 1, ArrowRight: this.place + 1, Home: 0, End: this.last };
    const clickable = event.target.closest("button, summary, a");
    if (event.key === " " && !clickable) this.toggle();
    else if (event.key in places) this.turn(places[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

whenReady(() => {
  document.querySelectorAll("[data-replay='']").forEach((root) => {
    if (!root.querySelector(".exchange")) return;
    const replay = new Replay(root);
    const wanted = Number(/^#turn-(\d+)$/.exec(location.hash)?.[1] ?? replay.exchanges[0].dataset.turn);
    const place = replay.exchanges.findIndex((exchange) => Number(exchange.dataset.turn) === wanted);
    const { whenTurned } = replay;
    replay.whenTurned = () => {};
    replay.go(Math.max(0, place));
    replay.whenTurned = whenTurned;
  });
});

