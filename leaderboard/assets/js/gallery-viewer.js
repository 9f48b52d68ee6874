/*
 * A rendering beside what it is compared with, large: the target, or another rendering that the reader has picked.
 * Made by gallery.js, which the keys and the buttons in it go to.
 */
import { Comparison } from "./compare.js";
import { button, element, withAttributes } from "./dom.js";

export const large = (image) => image.dataset.large ?? image.src;

function show(image, of) {
  image.dataset.small = of.src;
  image.src = large(of);
  image.alt = of.alt;
}

/* Where the large file cannot be had, as without a connection to the originals, the small one stands in. */
function standIn({ target }) {
  if (target.src !== target.dataset.small) target.src = target.dataset.small;
}

/* The difference has a picture of its own beside target and rendering; all else lies over the rendering. */
class ViewedComparison {
  constructor(over, apart, pictures, figure) {
    Object.assign(this, { over, apart, pictures, figure });
  }

  get shown() {
    return this.apart.mode ? this.apart : this.over;
  }

  get overlay() {
    return this.shown.overlay;
  }

  get slider() {
    return this.shown.slider;
  }

  show(mode, ...given) {
    const apart = mode === "difference";
    this.pictures.classList.toggle("three", apart);
    if (apart) this.pictures.append(this.figure);
    else this.figure.remove();
    (apart ? this.over : this.apart).clear();
    (apart ? this.apart : this.over).show(mode, ...given);
    // The words of the difference stand under its picture.
    delete this.apart.frame.dataset.names;
  }

  clear() {
    this.show(null);
  }
}

export class Viewer {
  constructor(gallery) {
    this.gallery = gallery;
    this.dialog = element("dialog", "zoom");
    this.heading = element("h2", "zoom-title sr-only");
    this.heading.id = "zoom-title";
    this.dialog.setAttribute("aria-labelledby", this.heading.id);
    this.left = this.side("zoom-left");
    this.right = this.side("zoom-right");
    this.third = this.side("zoom-difference");
    this.faults = withAttributes(element("div", "zoom-faults"), { role: "region", "aria-label": "Faults", tabindex: "0" });
    const pictures = element("div", "zoom-pictures", this.left.figure, this.right.figure, this.faults);
    const [over, apart] = [this.right, this.third].map(({ image, frame }) => new Comparison(image, frame));
    this.comparison = new ViewedComparison(over, apart, pictures, this.third.figure);
    const close = button("Close", () => this.dialog.close(), "tool zoom-close");
    this.dialog.append(
      element("div", "zoom-head", this.heading, gallery.makeTools(), close),
      pictures,
    );
    this.dialog.addEventListener("keydown", (event) => gallery.press(event));
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    gallery.root.append(this.dialog);
  }

  side(name) {
    const image = element("img");
    image.addEventListener("error", standIn);
    const frame = element("span", "", image);
    const caption = element("figcaption");
    return { image, frame, caption, figure: element("figure", name, frame, caption) };
  }

  get isOpen() {
    return this.dialog.open;
  }

  open() {
    this.update();
    this.dialog.showModal();
  }

  update() {
    const { current, reference } = this.gallery;
    this.heading.textContent = current.title;
    for (const [side, cell] of [[this.left, reference], [this.right, current]]) {
      show(side.image, cell.image);
      const title = element("strong", "", cell.title);
      side.caption.replaceChildren(title, " ", ...cell.scores().flatMap((score) => [score, " "]), ...cell.words());
    }
    show(this.third.image, current.image);
    this.third.image.alt = "";
    this.third.caption.replaceChildren(element("strong", "", "Difference"), element("span", "muted", " black where both are equal"));
    this.gallery.layXray(current, this.right.frame);
    this.faults.replaceChildren(...this.gallery.xray.listed(current));
    this.faults.hidden = !this.faults.childElementCount;
  }

  closed() {
    this.comparison.clear();
    this.gallery.viewerClosed();
  }
}

