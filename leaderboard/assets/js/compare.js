/*
 * Laying one picture over another, the target over a rendering say: as a difference, blinking, or behind a slider.
 *
 * The difference is the browser's own blend of the two pictures,
 * |one − other| in each colour channel, so it also works where a page may not read pixels: what is black is equal.
 */
import { element, withAttributes } from "./dom.js";

const BLINK_MILLISECONDS = 700; // under three changes a second: WCAG 2.2, 2.3.1
const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Comparison {
  /* image: what lies below; frame: an element that holds it and nothing else. */
  constructor(image, frame) {
    this.image = image;
    this.frame = frame;
    this.frame.classList.add("compare-frame");
    this.mode = null;
    this.timer = null;
    this.overlay = null;
    this.slider = null;
  }

  /*
   * Show a picture over this one; mode is difference, blink, swipe, or null for nothing. The names of the picture
   * above and of the one below stand under the slider.
   */
  show(mode, address, above = "", below = "") {
    const again = mode === "blink" && this.mode === "blink";
    if (again && stillness.matches) {
      this.overlay.hidden = !this.overlay.hidden;
      return;
    }
    this.clear();
    this.mode = mode;
    if (!mode) return;
    this.addOverlay(address);
    this.frame.dataset.mode = mode;
    this.frame.dataset.names = mode === "difference" ? "black: no difference" : `${above} │ ${below}`;
    if (mode === "blink") this.blink();
    if (mode === "swipe") this.addSlider();
  }

  clear() {
    clearInterval(this.timer);
    this.overlay?.remove();
    this.slider?.remove();
    this.overlay = this.slider = this.mode = null;
    delete this.frame.dataset.mode;
  }

  addOverlay(address) {
    this.overlay = Object.assign(element("img", "compare-overlay"), { src: address, alt: "" });
    this.frame.append(this.overlay);
  }

  /* Readers who want no motion change the picture by pressing the key again. */
  blink() {
    if (stillness.matches) return;
    this.timer = setInterval(() => {
      if (!this.frame.isConnected) this.clear();
      else this.overlay.hidden = !this.overlay.hidden;
    }, BLINK_MILLISECONDS);
  }

  addSlider() {
    const words = "How much of the picture is covered by the other one, in percent";
    const range = { type: "range", min: "0", max: "100", value: "50", "aria-label": words };
    this.slider = withAttributes(element("input", "compare-slider"), range);
    this.slider.addEventListener("input", () => this.swipe());
    (this.frame.closest("button") ?? this.frame).after(this.slider);
    this.swipe();
  }

  swipe() {
    this.overlay.style.clipPath = `inset(0 ${100 - Number(this.slider.value)}% 0 0)`;
  }
}

