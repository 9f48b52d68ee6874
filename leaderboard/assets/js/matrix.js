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
 * Of many pairs the matrix is a heat map: a chosen cell [data-cell] shows beside it what the pair drew.
 *
 * The choice stands in the query string: ?target=pie_graph-hard-04&cell=KEY.
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
    this.detail = root.querySelector("[data-cell-detail]");
    this.cells = new Map([...root.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
    root.addEventListener("click", (event) => this.clicked(event));
    whenMoved(() => this.restore());
    this.restore();
  }

  clicked(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const cell = event.target.closest?.("[data-cell]");
    if (cell) {
      event.preventDefault();
      writeQuery({ cell: cell.dataset.cell }, { push: true });
      this.select(cell.dataset.cell);
    }
    const link = event.target.closest?.("a[data-target]");
    if (!link) return;
    event.preventDefault();
    const { target } = link.dataset;
    writeQuery({ target: target === this.own ? "" : target }, { push: true });
    this.choose(target, () => location.assign(link.href));
  }

  restore() {
    const { target: wanted = this.own, cell } = readQuery();
    this.select(cell);
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

  /* Show what the pair of a cell drew of the target. */
  async select(key) {
    if (!this.cells.has(key)) return;
    this.chosen = key;
    for (const [name, cell] of this.cells) withAttributes(cell, { "aria-current": name === key ? "true" : null });
    try {
      const renderings = await fetchJson(`${this.root.dataset.folder}/${this.shown}.json`);
      if (this.chosen === key) this.showDetail(key, renderings);
    } catch {
      location.assign(this.cells.get(key).href);
    }
  }

  showDetail(key, { title, target, judges, pairs }) {
    const cell = this.cells.get(key);
    const [who, numbers] = cell.title.split(/: (?=[^:]*$)/);
    const episodes = withAttributes(element("a", "", "its episodes"), { href: cell.href });
    const gallery = `${this.root.dataset.root}gallery/${this.shown}.html?pair=${encodeURIComponent(key)}#${key}`;
    const drawn = withAttributes(element("a", "matrix-picture"), { href: gallery });
    drawn.append(...this.cell(title, pairs[key], judges.indexOf(this.root.dataset.judge)));
    const own = element("figure", "", this.image(target, `${title}, target`), element("figcaption", "", `Target: ${title}`));
    own.dataset.targetPicture = "";
    own.querySelector("figcaption").className = "target-name";
    this.detail.replaceChildren(
      element("p", "", element("strong", "", who), element("span", "", ` ${numbers} · `), episodes),
      element("figure", "", drawn, element("figcaption", "", "What it drew in the end")), own,
    );
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
    for (const cell of this.root.querySelectorAll("td [data-pair]")) {
      const { pair } = cell.dataset;
      cell.href = `${page}?pair=${encodeURIComponent(pair)}#${pair}`;
      cell.replaceChildren(...this.cell(title, pairs[pair], judges.indexOf(this.root.dataset.judge)));
    }
    for (const choice of this.links) withAttributes(choice, { "aria-current": choice.dataset.target === target ? "true" : null });
    if (this.chosen) this.select(this.chosen);
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
