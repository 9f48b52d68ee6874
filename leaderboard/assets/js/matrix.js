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
(() => {
  "use strict";

  const { element, whenReady } = window.ircore;
  const { urlState } = window.irc;

  class Matrix {
    constructor(root) {
      this.root = root;
      this.own = root.dataset.target;
      this.shown = this.own;
      this.links = [...root.querySelectorAll("a[data-target]")];
      this.status = root.querySelector("[data-matrix-status]");
      root.addEventListener("click", (event) => this.clicked(event));
      urlState.watch(() => this.restore());
      this.restore();
    }

    clicked(event) {
      const link = event.target.closest?.("a[data-target]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      const { target } = link.dataset;
      urlState.write({ target: target === this.own ? "" : target }, { push: true });
      this.choose(target, () => location.assign(link.href));
    }

    restore() {
      const wanted = urlState.read().target ?? this.own;
      if (this.links.some((link) => link.dataset.target === wanted)) this.choose(wanted);
    }

    /* From a disk nothing can be fetched: then the target's own page is opened instead. */
    async choose(target, otherwise = () => {}) {
      if (target === this.shown) return;
      this.shown = target;
      try {
        const answer = await fetch(`${this.root.dataset.folder}/${target}.json`);
        if (!answer.ok) throw new Error(`${answer.status}`);
        const found = await answer.json();
        if (this.shown === target) this.show(target, found);
      } catch {
        otherwise();
      }
    }

    show(target, { title, target: picture, judges, pairs }) {
      const { root } = this.root.dataset;
      const page = `${root}gallery/${target}.html`;
      const place = this.root.querySelector("[data-target-picture]");
      place.querySelector("img").replaceWith(this.image(picture, `${title}, target`));
      place.querySelector(".target-name").textContent = title;
      const link = this.root.querySelector("[data-target-link]");
      link.textContent = title.toLowerCase();
      link.href = page;
      for (const cell of this.root.querySelectorAll("[data-pair]")) {
        const { pair } = cell.dataset;
        cell.href = `${page}?pair=${encodeURIComponent(pair)}#${pair}`;
        cell.replaceChildren(...this.cell(title, pairs[pair], judges.indexOf(this.root.dataset.judge)));
      }
      for (const one of this.links) {
        if (one.dataset.target === target) one.setAttribute("aria-current", "true");
        else one.removeAttribute("aria-current");
      }
      this.status.textContent = `Shown: ${title}`;
    }

    cell(title, drawn, judge) {
      if (!drawn) return [element("span", "no-picture", "–", element("span", "sr-only", " (no rendering of this target)"))];
      const score = drawn[3][judge] ?? null;
      const words = score === null ? "–" : score.toFixed(1);
      const badge = element("span", score === null ? "badge none" : `badge score-${Math.round(score * 2)}`, words);
      badge.title = score === null ? "not scored" : `similarity ${score.toFixed(2)} of 10, judged by ${this.root.dataset.judge}`;
      return [this.image(drawn, `${title}, final rendering`), badge];
    }

    image([source, width, height], alt) {
      const made = element("img");
      Object.assign(made, { src: `${this.root.dataset.root}${source}`, width, height, alt, decoding: "async", loading: "lazy" });
      return made;
    }
  }

  function begin(root) {
    if (root.dataset.matrix === "on") return;
    root.dataset.matrix = "on";
    new Matrix(root);
  }

  whenReady(() => document.querySelectorAll("[data-matrix]").forEach(begin));
})();
