/*
 * Another target in the cells of the matrix: without it, each target has a page of its own.
 *
 *   <div data-matrix data-folder="data/matrix" data-root="" data-judge="structural" data-target="pie_graph-hard-03">
 *     <a data-target="pie_graph-hard-04" href="matrix/target-pie_graph-hard-04.html">4</a>
 *     <figure data-target-picture> <img> … <span class="target-name">
 *     <a data-target-link>   <a data-pair="key" class="matrix-picture"> <img> <span class="badge">
 *
 *   <folder>/<target>.json   {title, target: [src, width, height], judges, pairs: {key: [src, width, height, [scores]]}}
 *
 * The choice stands in the query string: ?target=pie_graph-hard-04.
 */
import { readQuery, whenMoved, writeQuery } from "./address.js";
import { badge, missing, picture } from "./components.js";
import { element, enhanceEach, fetchJson, withAttributes } from "./dom.js";

class Matrix {
  constructor(root) {
    this.root = root;
    this.own = root.dataset.target;
    this.shown = this.own;
    this.links = [...root.querySelectorAll("a[data-target]")];
    this.status = root.querySelector("[data-matrix-status]");
    root.addEventListener("click", (event) => this.clicked(event));
    whenMoved(() => this.restore());
    this.restore();
  }

  clicked(event) {
    const link = event.target.closest?.("a[data-target]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { target } = link.dataset;
    writeQuery({ target: target === this.own ? "" : target }, { push: true });
    this.choose(target, () => location.assign(link.href));
  }

  restore() {
    const wanted = readQuery().target ?? this.own;
    if (this.links.some((link) => link.dataset.target === wanted)) this.choose(wanted);
  }

  /* From a disk nothing can be fetched: then the target's own page is opened instead. */
  async choose(target, otherwise = () => {}) {
    if (target === this.shown) return;
    this.shown = target;
    try {
      const renderings = await fetchJson(`${this.root.dataset.folder}/${target}.json`);
      if (this.shown === target) this.show(target, renderings);
    } catch {
      otherwise();
    }
  }

  show(target, { title, target: drawn, judges, pairs }) {
    const { root } = this.root.dataset;
    const page = `${root}gallery/${target}.html`;
    const place = this.root.querySelector("[data-target-picture]");
    place.querySelector("img").replaceWith(this.image(drawn, `${title}, target`));
    place.querySelector(".target-name").textContent = title;
    const link = this.root.querySelector("[data-target-link]");
    link.textContent = title.toLowerCase();
    link.href = page;
    for (const cell of this.root.querySelectorAll("[data-pair]")) {
      const { pair } = cell.dataset;
      cell.href = `${page}?pair=${encodeURIComponent(pair)}#${pair}`;
      cell.replaceChildren(...this.cell(title, pairs[pair], judges.indexOf(this.root.dataset.judge)));
    }
    for (const choice of this.links) withAttributes(choice, { "aria-current": choice.dataset.target === target ? "true" : null });
    this.status.textContent = `Shown: ${title}`;
  }

  cell(title, drawn, judge) {
    if (!drawn) return [element("span", "no-picture", missing("no rendering of this target"))];
    return [this.image(drawn, `${title}, final rendering`), badge(drawn[3][judge] ?? null, this.root.dataset.judge)];
  }

  image([source, width, height], alt) {
    return picture({ small: `${this.root.dataset.root}${source}`, width, height, alt });
  }
}

enhanceEach("matrix", (root) => new Matrix(root));
