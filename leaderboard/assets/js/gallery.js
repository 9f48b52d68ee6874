/*
 * Looking closely at one target's renderings: an instance page is complete without it.
 *
 *   <div data-replay>
 *     <aside class="target"> <img data-large="…"> </aside>
 *     <section data-pair="…" aria-label="describer + generator">
 *       <li data-turn="2" id="pair-t2"> <figure> <img data-large="…"> … </li>
 *
 * Every rendering becomes a button; arrow keys go from one to the next, letters compare it with the target. The keys
 * work while the focus is on a rendering or in the dialog only, so that the page scrolls as ever. The rendering looked
 * at stands in the address (#pair-t2).
 */
(() => {
  "use strict";

  const KEYS = [
    { keys: ["ArrowLeft", "ArrowRight"], show: "← →", words: "turn" },
    { keys: ["ArrowUp", "ArrowDown"], show: "↑ ↓", words: "pair" },
    { keys: ["d"], show: "D", words: "difference", mode: "difference" },
    { keys: ["b"], show: "B", words: "blink", mode: "blink" },
    { keys: ["s"], show: "S", words: "swipe", mode: "swipe" },
    { keys: ["z"], show: "Z", words: "zoom", zoom: true },
  ];
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  const large = (image) => image.dataset.large ?? image.src;

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  /* One rendering on the page. */
  class Cell {
    constructor(item, pair) {
      this.item = item;
      this.pair = pair;
      this.turn = Number(item.dataset.turn);
      this.image = item.querySelector("img");
      this.button = element("button", "cell-button");
      this.button.type = "button";
      this.button.tabIndex = -1;
      const frame = element("span");
      this.image.replaceWith(this.button);
      frame.append(this.image);
      this.button.append(frame);
      this.comparison = new window.ircore.Comparison(this.image, frame);
    }

    get title() {
      return `${this.pair}, turn ${this.turn}`;
    }

    get scores() {
      return [...this.item.querySelectorAll(".badge")].map((badge) => badge.title);
    }

    get message() {
      return this.item.querySelector(".message")?.textContent.trim() ?? "";
    }
  }

  /* The same rendering beside the target, large. */
  class Zoom {
    constructor(replay) {
      this.replay = replay;
      this.dialog = element("dialog", "zoom");
      this.showing = false;
      this.heading = element("h2", "zoom-title");
      this.heading.id = "zoom-title";
      this.dialog.setAttribute("aria-labelledby", this.heading.id);
      const close = element("button", "zoom-close", "Close");
      close.type = "button";
      close.addEventListener("click", () => this.dialog.close());
      const head = element("div", "zoom-head");
      head.append(this.heading, replay.makeTools(), close);
      this.target = element("img");
      this.rendering = element("img");
      const frame = element("span");
      frame.append(this.rendering);
      this.comparison = new window.ircore.Comparison(this.rendering, frame);
      const pictures = element("div", "zoom-pictures");
      this.caption = element("figcaption");
      pictures.append(
        this.figure(this.target, element("figcaption", "", "Target")),
        this.figure(frame, this.caption),
      );
      this.message = element("p", "zoom-message");
      this.dialog.append(head, pictures, this.message);
      this.dialog.addEventListener("keydown", (event) => replay.press(event));
      this.dialog.addEventListener("close", () => this.closed());
      this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
      replay.root.append(this.dialog);
    }

    figure(content, caption) {
      const made = element("figure");
      made.append(content, caption);
      return made;
    }

    open() {
      this.update();
      this.showing = true;
      this.dialog.showModal();
    }

    update() {
      const { current, target } = this.replay;
      this.heading.textContent = current.title;
      this.target.src = large(target);
      this.target.alt = target.alt;
      this.rendering.src = large(current.image);
      this.rendering.alt = current.image.alt;
      this.caption.textContent = ["Rendering", ...current.scores].join("; ");
      this.message.textContent = current.message;
    }

    /* The browser gives the focus back to where it was; the dialog may have gone to another rendering since. */
    closed() {
      this.showing = false;
      this.comparison.clear();
      this.replay.compare(null);
      this.replay.current.button.focus();
    }
  }

  class Replay {
    constructor(root) {
      this.root = root;
      this.target = root.querySelector(".target img");
      this.rows = [...root.querySelectorAll("[data-pair]")].map((row) => this.cellsOf(row)).filter((row) => row.length);
      if (!this.target || !this.rows.length) return;
      this.mode = null;
      this.tools = [];
      this.status = element("p", "replay-status");
      this.status.setAttribute("role", "status");
      const panel = element("div", "replay-panel");
      panel.append(this.makeTools(), this.status);
      root.querySelector(".target").append(panel);
      this.zoom = new Zoom(this);
      this.rows.flat().forEach((cell) => {
        cell.button.addEventListener("focus", () => { if (!this.zoom.showing) this.select(cell); });
        cell.button.addEventListener("click", () => { this.select(cell); this.zoom.open(); });
        cell.button.addEventListener("keydown", (event) => this.press(event));
        cell.item.addEventListener("keydown", (event) => { if (event.target.type === "range") this.press(event); });
      });
      this.current = this.rows[0][0];
      this.current.button.tabIndex = 0;
      this.fromAddress();
      root.dataset.replay = "ready";
    }

    cellsOf(row) {
      const pair = row.getAttribute("aria-label") ?? row.dataset.pair;
      const items = [...row.querySelectorAll("[data-turn]")].filter((item) => item.querySelector("img"));
      return items.map((item) => new Cell(item, pair));
    }

    /* The legend of keys: each of them is a button too, for a mouse or a finger. */
    makeTools() {
      const bar = element("div", "key-legend");
      bar.setAttribute("role", "group");
      bar.setAttribute("aria-label", "Compare a rendering with the target");
      for (const key of KEYS) {
        const entry = element(key.mode || key.zoom ? "button" : "span", "key");
        entry.append(element("kbd", "", key.show), ` ${key.words}`);
        if (key.mode) {
          entry.setAttribute("aria-pressed", "false");
          entry.dataset.mode = key.mode;
          entry.addEventListener("click", () => this.toggle(key.mode));
          this.tools.push(entry);
        }
        if (key.zoom) entry.addEventListener("click", () => this.toggleZoom());
        if (key.mode || key.zoom) entry.type = "button";
        bar.append(entry);
      }
      return bar;
    }

    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inSlider = event.target.type === "range";
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const known = KEYS.find((one) => one.keys.includes(key));
      if (key === "Escape" && this.mode) this.compare(null);
      else if (!known || (inSlider && key in STEPS)) return;
      else if (key in STEPS) this.step(...STEPS[key]);
      else if (known.mode) this.toggle(known.mode);
      else this.toggleZoom();
      event.preventDefault();
      event.stopPropagation();
    }

    /* Another turn of the same pair, or the same turn (else its last) of another pair. */
    step(down, right) {
      const row = this.rows.findIndex((cells) => cells.includes(this.current));
      const cells = this.rows[row + down];
      if (!cells) return;
      const place = this.rows[row].indexOf(this.current) + right;
      const found = cells[down ? Math.min(place, cells.length - 1) : place];
      if (!found) return;
      this.select(found);
      this.reveal();
      if (!this.zoom.dialog.open) found.button.focus();
    }

    /* Not part of select: a page that moves under a pressed finger gets no click. */
    reveal() {
      this.current.item.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    select(cell) {
      if (cell === this.current && cell.button.tabIndex === 0 && cell.item.hasAttribute("aria-current")) return;
      const mode = this.mode;
      this.compare(null);
      this.current.button.tabIndex = -1;
      this.current.item.removeAttribute("aria-current");
      this.current = cell;
      cell.button.tabIndex = 0;
      cell.item.setAttribute("aria-current", "true");
      history.replaceState(history.state, "", `#${cell.item.id}`);
      if (this.zoom.dialog.open) this.zoom.update();
      this.compare(mode);
    }

    toggle(mode) {
      const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (mode === "blink" && this.mode === "blink" && still && this.place().overlay) this.place().show("blink");
      else this.compare(this.mode === mode ? null : mode);
    }

    place() {
      return this.zoom.dialog.open ? this.zoom.comparison : this.current.comparison;
    }

    compare(mode) {
      const hadFocus = document.activeElement?.type === "range";
      this.mode = mode;
      this.place().show(mode, this.zoom.dialog.open ? large(this.target) : this.target.src);
      this.tools.forEach((tool) => tool.setAttribute("aria-pressed", String(tool.dataset.mode === mode)));
      this.status.textContent = mode ? `${this.current.title}: ${mode}` : "";
      if (mode === "swipe") this.place().slider.focus();
      else if (hadFocus && !this.zoom.dialog.open) this.current.button.focus();
    }

    toggleZoom() {
      if (this.zoom.dialog.open) this.zoom.dialog.close();
      else {
        this.compare(null);
        this.zoom.open();
      }
    }

    fromAddress() {
      const wanted = decodeURIComponent(location.hash.slice(1));
      const cell = this.rows.flat().find((one) => one.item.id === wanted);
      if (!cell) return;
      this.select(cell);
      this.reveal();
    }
  }

  function enhance() {
    document.querySelectorAll("[data-replay='']").forEach((root) => new Replay(root));
  }

  if (window.document$) window.document$.subscribe(enhance);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
  else enhance();
})();
