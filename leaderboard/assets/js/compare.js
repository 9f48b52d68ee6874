/*
 * Laying the target over a rendering: as a difference, blinking, or behind a slider.
 *
 * Puts one class into window.ircore for gallery.js. The difference is the browser's own blend of the two pictures,
 * |target − rendering| in each colour channel, so it also works where a page may not read pixels.
 */
(() => {
  "use strict";

  const BLINK_MILLISECONDS = 700; // under three changes a second: WCAG 2.2, 2.3.1
  const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

  class Comparison {
    /* image: the rendering; frame: an element that holds it and nothing else. */
    constructor(image, frame) {
      this.image = image;
      this.frame = frame;
      this.frame.classList.add("compare-frame");
      this.mode = null;
      this.timer = null;
      this.overlay = null;
      this.slider = null;
    }

    /* Show the target over the rendering; mode is difference, blink, swipe, or null for nothing. */
    show(mode, targetAddress) {
      const again = mode === "blink" && this.mode === "blink";
      if (again && stillness.matches) {
        this.overlay.hidden = !this.overlay.hidden;
        return;
      }
      this.clear();
      this.mode = mode;
      if (!mode) return;
      this.addOverlay(targetAddress);
      this.frame.dataset.mode = mode;
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
      this.overlay = document.createElement("img");
      this.overlay.className = "compare-overlay";
      this.overlay.src = address;
      this.overlay.alt = "";
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
      this.slider = document.createElement("input");
      this.slider.type = "range";
      this.slider.min = "0";
      this.slider.max = "100";
      this.slider.value = "50";
      this.slider.className = "compare-slider";
      this.slider.setAttribute("aria-label", "How much of the target is shown over the rendering, in percent");
      this.slider.addEventListener("input", () => this.swipe());
      (this.frame.closest("button") ?? this.frame).after(this.slider);
      this.swipe();
    }

    swipe() {
      this.overlay.style.clipPath = `inset(0 ${100 - Number(this.slider.value)}% 0 0)`;
    }
  }

  window.ircore = Object.assign(window.ircore ?? {}, { Comparison });
})();
