/*
 * The failure X-ray: the target's marks outlined on a rendering, each by its fate, and a list of the faults, each with the
 * sentence that it hangs together with.
 *
 *   <div data-gallery data-marks='{"width": 512, "height": 512, "marks": [["the bar for “May”", [l, t, r, b]], …]}'>
 *     <li data-turn="2" data-xray='{"transform": [a, b, c, d, x, y], "fates": "rxm…", "faults": [[mark, box, seen, cited], …]}'>
 *
 * Outlines are copies of <template data-component="xray">. cited is [turn, start, length, link], in units of the text.
 */
import { button, element, withAttributes } from "./dom.js";

const FATES = { x: "missing", t: "text", c: "colour", m: "moved", v: "value", e: "extra", r: "right", u: "unsure" };
const WORDS = { missing: "missing", text: "wrong text", colour: "wrong colour", moved: "moved", value: "wrong size or value", extra: "extra" };
const LINKS = { broke: "broke after", unmended: "not mended by", said: "drawn from" };
const LISTED = 6;

/* The matrix of SVG that lays the target over the rendering: factors about the middle, moves in widths and heights. */
function matrixOf([a, b, c, d, x, y], width, height) {
  const [right, down] = [(x + (1 - a) / 2) * width - (c * height) / 2, (y + (1 - d) / 2) * height - (b * width) / 2];
  return `matrix(${[a, b, c, d, right, down].map((value) => value.toFixed(4)).join(" ")})`;
}

/* The words of a message between two places of its text, as a range of its nodes; null if they are not there. */
function rangeOf(message, start, length) {
  const range = document.createRange();
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  let place = 0;
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const end = place + node.length;
    if (!begun && start < end) {
      range.setStart(node, start - place);
      begun = true;
    }
    if (begun && start + length <= end) {
      range.setEnd(node, start + length - place);
      return range;
    }
    place = end;
  }
  return null;
}

export class XrayLayer {
  constructor(gallery) {
    this.gallery = gallery;
    this.target = gallery.root.dataset.marks ? JSON.parse(gallery.root.dataset.marks) : null;
    this.on = false;
  }

  get isKnown() {
    return this.target !== null && this.gallery.root.querySelector("[data-xray]") !== null;
  }

  rayOf(cell) {
    cell.ray ??= cell.item.dataset.xray && this.target ? JSON.parse(cell.item.dataset.xray) : null;
    return cell.ray;
  }

  show(on) {
    this.on = on;
    this.gallery.root.classList.toggle("with-xray", on);
    for (const row of this.gallery.rows) this.showRow(row);
  }

  showRow(row) {
    for (const cell of row.cells) {
      cell.item.querySelectorAll(":scope svg.xray, :scope > .xray-faults, :scope > .xray-none").forEach((part) => part.remove());
      if (this.on) this.lay(cell, cell.frame, true);
    }
  }

  /* Outlines over a frame that holds the cell's picture; the list of faults under the cell. */
  lay(cell, frame, listed = false) {
    frame.querySelector("svg.xray")?.remove();
    const ray = this.rayOf(cell);
    if (!ray) return;
    frame.append(this.overlay(ray));
    if (!listed) return;
    const figure = cell.item.querySelector("figure");
    if (figure) figure.after(this.list(cell, ray));
    else cell.item.append(this.list(cell, ray));
  }

  /* The list of a cell's faults for another place than under the cell; nothing while the X-ray is off or knows nothing. */
  listed(cell) {
    const ray = this.on && this.rayOf(cell);
    return ray ? [this.list(cell, ray)] : [];
  }

  boxOf([mark, box]) {
    return mark === null ? box : this.target.marks[mark][1];
  }

  fateOf(ray, [mark]) {
    return mark === null ? "extra" : FATES[ray.fates[mark]];
  }

  overlay(ray) {
    const made = document.querySelector("template[data-component=xray]").content.firstElementChild.cloneNode(true);
    const { width, height, marks } = this.target;
    const group = made.querySelector("g");
    const [rectangle, arrow, number] = ["rect", "path", "text"].map((name) => group.querySelector(name));
    withAttributes(made, { viewBox: `0 0 ${width} ${height}` });
    withAttributes(group, { transform: matrixOf(ray.transform, width, height) });
    const outline = ([left, top, right, bottom], fate) =>
      withAttributes(rectangle.cloneNode(), { class: `fate-${fate}`, x: left, y: top, width: right - left, height: bottom - top });
    const parts = marks.map(([, box], place) => (box && ray.fates[place] === "r" ? outline(box, "right") : null));
    ray.faults.forEach((fault, place) => {
      const box = this.boxOf(fault);
      if (!box) return;
      parts.push(outline(box, this.fateOf(ray, fault)));
      const seen = fault[2];
      if (seen) parts.push(withAttributes(arrow.cloneNode(), { d: `M${(box[0] + box[2]) / 2} ${(box[1] + box[3]) / 2}L${seen[0]} ${seen[1]}` }));
      const size = height / 18;
      const told = withAttributes(number.cloneNode(), { x: box[0], y: Math.max(size, box[1] - size / 5), "font-size": size });
      told.textContent = place + 1;
      if (place >= LISTED) told.classList.add("later");
      parts.push(told);
    });
    group.replaceChildren(...parts.filter(Boolean));
    return made;
  }

  list(cell, ray) {
    const { faults } = ray;
    if (!faults.length) return element("p", "xray-none muted", "X-ray: no fault seen");
    const list = element("ol", "xray-faults", ...faults.map((fault) => this.item(cell, ray, fault)));
    const later = [...list.children].slice(LISTED);
    later.forEach((item) => { item.hidden = true; });
    const more = button(`${later.length} more`, () => {
      later.forEach((item) => { item.hidden = false; });
      cell.item.dataset.allFaults = "";
      more.parentElement.remove();
    }, "xray-more");
    if (later.length) list.append(element("li", "", more));
    return list;
  }

  item(cell, ray, fault) {
    const [mark, , , cited] = fault;
    const fate = this.fateOf(ray, fault);
    const name = mark === null ? "not in the target" : this.target.marks[mark][0];
    const range = cited && this.find(cell, cited);
    const said = range
      ? button("", () => this.cite(cell, cited), "xray-said")
      : element("span", "muted", cell.row.section.querySelector(".message") ? "no sentence speaks of it" : "");
    if (range) said.append(element("span", "muted", `${LINKS[cited[3]]} turn ${cited[0]}: `), element("q", "", element("bdi", "", range.toString())));
    return element("li", `fate-${fate}`, element("strong", "", WORDS[fate]), ` ${name} `, said);
  }

  find(cell, [turn, start, length]) {
    const message = cell.row.section.querySelector(`[data-turn="${turn}"] > .message bdi`);
    return message ? rangeOf(message, start, length) : null;
  }

  /* Go to the message of a sentence, and show which words of it are meant; a dialog that lies over it is closed first. */
  cite(cell, cited) {
    const { dialog } = this.gallery.viewer;
    if (dialog.open) {
      dialog.addEventListener("close", () => this.cite(cell, cited), { once: true });
      dialog.close();
      return;
    }
    const range = this.find(cell, cited);
    const message = range.startContainer.parentElement.closest(".message");
    message.open = true;
    if (window.Highlight) CSS.highlights.set("cited", new Highlight(range));
    message.scrollIntoView({ block: "nearest", inline: "nearest" });
    message.querySelector("summary").focus({ preventScroll: true });
  }
}
